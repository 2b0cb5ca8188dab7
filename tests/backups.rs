//! `bursar backup` and `bursar restore`: a copy made under load, restored and served; and the refusals.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::harness::{Process, bursar};
use crate::process::as_app;

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    bursar(arguments).args(["--data-dir", data_dir.to_str().unwrap()]).output().unwrap()
}

fn reported(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn link(process: &Process, folder: &Path) -> Value {
    let body = json!({"amount": 100, "delivery": {"method": "link"}}).to_string();
    as_app(process, folder, "POST /v2/payout-links", &body)
}

#[test]
fn a_copy_of_a_served_store_is_put_back_and_served() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.sqlite");
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let process = Process::start(&old);
    let before = link(&process, &old);
    let made = run(&old, &["backup", copy.to_str().unwrap(), "--json"]);
    assert!(made.status.success(), "{}", reported(&made));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(made["bytes"], copy.metadata().unwrap().len());
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let after = link(&process, &old);
    drop(process);

    let restored = run(&new, &["restore", copy.to_str().unwrap(), "--json"]);
    assert!(restored.status.success(), "{}", reported(&restored));
    for file in ["master.key", "sandbox-credentials.json"] {
        std::fs::copy(old.join(file), new.join(file)).unwrap();
    }
    let process = Process::start(&new);
    let listed = as_app(&process, &new, "GET /v2/payout-links", "");
    let [only] = listed["data"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!(only["id"], before["id"], "what came after the copy is not in it: {after}");
    let token = |link: &Value| link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    assert_eq!(token(only), token(&before), "its sealed address opens");
    drop(process);
    let verified = run(&new, &["verify"]);
    assert!(verified.status.success(), "{}", reported(&verified));
    assert!(reported(&verified).contains("\nAll checks passed."), "{}", reported(&verified));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "nothing half-done stays behind: {left:?}");
}

#[test]
fn nothing_is_written_over_and_nothing_unsound_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (store, empty) = (folder.path().join("store"), folder.path().join("empty"));
    let copy = folder.path().join("copy.sqlite");
    let copy = copy.to_str().unwrap();
    let refused = |data_dir: &Path, arguments: &[&str], code: i32, words: &str| {
        let output = run(data_dir, arguments);
        assert_eq!(output.status.code(), Some(code), "{}", reported(&output));
        assert!(reported(&output).contains(words), "{words}: {}", reported(&output));
    };
    refused(&empty, &["backup", copy], 1, "no store exists at");
    refused(&empty, &["restore", copy], 1, "the file ");
    refused(&empty, &["restore", "/dev/null"], 1, "is not a regular file");
    drop(Process::start(&store));
    let copied = run(&store, &["backup", copy]);
    assert!(copied.status.success() && reported(&copied).contains(", all checks passed."), "{}", reported(&copied));
    refused(&store, &["backup", copy], 1, "already exists");
    refused(&store, &["restore", copy], 1, "already exists. Move it away before you restore a copy");
    refused(&store, &["backup", "/nowhere", "--database-url", "postgres://nobody@127.0.0.1:1/none"], 78, "pg_dump");

    // A tampered ledger is refused in both directions.
    let tampered = rusqlite::Connection::open(copy).unwrap();
    assert!(tampered.execute("UPDATE ledger_accounts SET balance = balance + 1", []).unwrap() > 0);
    drop(tampered);
    refused(&empty, &["restore", copy], 1, "findings");
    assert!(!empty.join("bursar.sqlite").exists(), "nothing has the store's name");
    std::fs::write(copy, "no store at all").unwrap();
    refused(&empty, &["restore", copy], 1, "cannot open the database");
    assert!(run(&empty, &["restore", copy]).stdout.is_empty());
}

/// Returns an empty store with the right schema, as `bursar migrate` makes it.
fn migrated(folder: &Path) -> std::path::PathBuf {
    let made = run(folder, &["migrate"]);
    assert!(made.status.success(), "{}", reported(&made));
    folder.join("bursar.sqlite")
}

#[test]
fn what_is_no_store_is_neither_restored_nor_verified_nor_served_nor_moved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy.sqlite");
    let copy = file.to_str().unwrap().to_owned();
    let foreign = || {
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')").unwrap();
    };
    let to = "postgres://nobody@127.0.0.1:1/none";
    for (number, words) in ["it is empty", "another program", "not an SQLite database"].into_iter().enumerate() {
        drop(std::fs::remove_file(&file));
        match number {
            0 => std::fs::write(&file, "").unwrap(),
            1 => foreign(),
            _ => std::fs::write(&file, "[1, 2, 3]").unwrap(),
        }
        let before = std::fs::read(&file).unwrap();
        let data_dir = folder.path().join(format!("data-{number}"));
        let url = format!("sqlite:{copy}");
        for arguments in [
            &["restore", &copy][..],
            &["restore", &copy, "--empty-ok"],
            &["verify", "--database-url", &url],
            &["verify", "--empty-ok", "--database-url", &url],
            &["serve", "--listen", "127.0.0.1:0", "--database-url", &url],
            &["migrate", "--database-url", &url],
            &["move", "--to", to, "--database-url", &url],
        ] {
            let output = run(&data_dir, arguments);
            assert_eq!(output.status.code(), Some(1), "{arguments:?} {}", reported(&output));
            assert!(
                reported(&output).contains(words) && reported(&output).contains(&copy),
                "{arguments:?} {}",
                reported(&output)
            );
        }
        assert!(!data_dir.join("bursar.sqlite").exists(), "nothing has the store's name");
        assert_eq!(std::fs::read(&file).unwrap(), before, "the file is as it was");
    }
}

#[test]
fn a_store_without_an_organization_is_taken_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, new) = (folder.path().join("empty"), folder.path().join("new"));
    let store = migrated(&empty);
    let store = store.to_str().unwrap();
    for arguments in [&["restore", store][..], &["verify", "--database-url", &format!("sqlite:{store}")]] {
        let output = run(&new, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {}", reported(&output));
        for words in ["no organization", "--empty-ok"] {
            assert!(reported(&output).contains(words), "{arguments:?} {}", reported(&output));
        }
    }
    let output = run(&new, &["restore", store, "--empty-ok"]);
    assert!(output.status.success() && reported(&output).contains("0 organizations"), "{}", reported(&output));
    assert!(run(&new, &["verify", "--empty-ok"]).status.success());
}

#[test]
fn a_restore_says_what_is_in_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.sqlite");
    let (old, new, other) = (folder.path().join("old"), folder.path().join("new"), folder.path().join("other"));
    let process = Process::start(&old);
    link(&process, &old);
    let events = as_app(&process, &old, "GET /v2/events?after=0", "");
    let last = events["data"].as_array().unwrap().last().unwrap().clone();
    assert!(run(&old, &["backup", copy.to_str().unwrap()]).status.success());
    drop(process);
    let restored = run(&new, &["restore", copy.to_str().unwrap(), "--json"]);
    let restored: Value = serde_json::from_slice(&restored.stdout).unwrap();
    assert_eq!(restored["organizations"], 1);
    assert_eq!(restored["last_event"]["sequence"], last["sequence"]);
    assert_eq!(restored["last_event"]["created_at"], last["created"]);
    let restored = reported(&run(&other, &["restore", copy.to_str().unwrap()]));
    let moment = last["created"].as_str().unwrap();
    assert!(restored.contains("1 organization; its last event is from") && restored.contains(moment), "{restored}");
}

#[test]
fn a_served_store_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (store, copy) = (folder.path().join("store"), folder.path().join("copy.sqlite"));
    let process = Process::start(&store);
    assert!(run(&store, &["backup", copy.to_str().unwrap()]).status.success());
    let output = run(&store, &["restore", copy.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(reported(&output).contains("another bursar process has"), "{}", reported(&output));
    drop(process);
}
