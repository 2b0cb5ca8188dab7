//! `bursar backup` and `bursar restore`: a copy made under load, put back, and served; and what is refused.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::harness::{Process, bursar};
use crate::process::as_app;

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    bursar(arguments).args(["--data-dir", data_dir.to_str().unwrap()]).output().unwrap()
}

fn told(output: &Output) -> String {
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
    assert!(made.status.success(), "{}", told(&made));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(made["bytes"], copy.metadata().unwrap().len());
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let after = link(&process, &old);
    drop(process);

    let restored = run(&new, &["restore", copy.to_str().unwrap(), "--json"]);
    assert!(restored.status.success(), "{}", told(&restored));
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
    assert!(verified.status.success(), "{}", told(&verified));
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
        assert_eq!(output.status.code(), Some(code), "{}", told(&output));
        assert!(told(&output).contains(words), "{words}: {}", told(&output));
    };
    refused(&empty, &["backup", copy], 1, "there is no store at");
    refused(&empty, &["restore", copy], 1, "there is no file");
    drop(Process::start(&store));
    assert!(run(&store, &["backup", copy]).status.success());
    refused(&store, &["backup", copy], 1, "is there already");
    refused(&store, &["restore", copy], 1, "is there: a copy is put only where no store is");
    refused(&store, &["backup", "/nowhere", "--database-url", "postgres://nobody@127.0.0.1:1/none"], 78, "pg_dump");

    // A book that was tampered with is no copy to rely on, on either way.
    let tampered = rusqlite::Connection::open(copy).unwrap();
    assert!(tampered.execute("UPDATE ledger_accounts SET balance = balance + 1", []).unwrap() > 0);
    drop(tampered);
    refused(&empty, &["restore", copy], 1, "findings");
    assert!(!empty.join("bursar.sqlite").exists(), "nothing has the store's name");
    std::fs::write(copy, "no store at all").unwrap();
    refused(&empty, &["restore", copy], 1, "cannot open the database");
    assert!(run(&empty, &["restore", copy]).stdout.is_empty());
}

#[test]
fn a_served_store_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (store, copy) = (folder.path().join("store"), folder.path().join("copy.sqlite"));
    let process = Process::start(&store);
    assert!(run(&store, &["backup", copy.to_str().unwrap()]).status.success());
    let output = run(&store, &["restore", copy.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("another bursar has"), "{}", told(&output));
    drop(process);
}
