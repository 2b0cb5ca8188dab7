//! A store belongs to one environment and one master key, and a database to bursar alone: others are refused before
//! anything changes.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::harness::postgres::Cluster;
use crate::harness::{Process, bursar};
use crate::process::as_app;

/// Runs the program to its end; returns its exit code and its output.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = bursar(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

fn refused(arguments: &[&str], code: i32, why: &str) {
    let (ended, said) = run(arguments);
    assert_eq!(ended, Some(code), "{said}");
    assert!(said.contains(why), "{said}");
}

/// Creates a sandbox with one payout link.
fn used(data: &Path) {
    let process = Process::start(data);
    as_app(&process, data, "POST /v2/payout-links", r#"{"amount": 100, "delivery": {"method": "link"}}"#);
    process.signal("TERM");
    assert!(process.wait(std::time::Duration::from_secs(10)).0.success());
}

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

#[test]
fn a_store_is_served_with_the_key_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    used(&data);
    let (key, kept) = (data.join("master.key"), folder.path().join("kept.key"));
    std::fs::rename(&key, &kept).unwrap();
    let serve = [&SERVE[..], &["--data-dir", data.to_str().unwrap()]].concat();
    refused(&serve, 78, "does not exist, and this store requires its own key");
    assert!(!key.exists(), "no new one is made");

    // The key of another store.
    let other = folder.path().join("other");
    used(&other);
    let others = other.join("master.key");
    let with_others = [&serve[..], &["--key-file", others.to_str().unwrap()]].concat();
    refused(&with_others, 78, "does not match this store");

    std::fs::rename(&kept, &key).unwrap();
    drop(Process::start(&data));
}

#[test]
fn a_store_is_served_in_the_environment_that_filled_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    used(&data);
    let (settings, token) = (folder.path().join("production.toml"), folder.path().join("token"));
    std::fs::write(&token, "token").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let production = format!(
        "environment = 'production'\npublic-url = 'https://pay.example'\ndata-dir = '{data}'\nkey-file = '{data}/master.key'\n\
         admin-listen = '127.0.0.2:0'\nsmtp-url = 'smtps://mail.example'\nsmtp-from = 'pay@example.com'\n\
         sms-url = 'https://sms.example'\nsms-account = 'account'\nsms-token-file = '{token}'\nsms-from = '+12127361000'\n",
        data = data.display(),
        token = token.display()
    );
    std::fs::write(&settings, production).unwrap();
    let config = ["--config", settings.to_str().unwrap()];
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sanctions");
    let (loaded, said) = run(&[&["screening", "load", list], &config[..]].concat());
    assert_eq!(loaded, Some(0), "{said}");
    let serve = [&SERVE[..], &config].concat();
    refused(&serve, 78, "environment production: this store belongs to another");
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let foreign = Cluster::shared().bare();
    foreign.run("CREATE TABLE customers (name text)");
    let (url, folder) = (foreign.url(), tempfile::tempdir().unwrap());
    let data = folder.path().to_str().unwrap();
    for command in [&["migrate"][..], &SERVE[..], &["verify"][..]] {
        let arguments = [command, &["--database-url", &url, "--data-dir", data]].concat();
        refused(&arguments, 1, "it contains tables of another program: customers");
    }
    assert_eq!(foreign.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), ["1"]);
}

#[test]
fn a_database_that_cannot_hold_every_text_is_refused() {
    let cluster = Cluster::shared();
    let latin = cluster.bare_as("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    refused(
        &["migrate", "--database-url", &latin.url(), "--data-dir", data],
        1,
        "its encoding LATIN1 cannot store every text",
    );
}

#[test]
fn verify_reports_what_it_cannot_check() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let bare = Cluster::shared().bare();
    refused(&["verify", "--database-url", &bare.url(), "--data-dir", data], 1, "run `bursar migrate`");
    // The database remains foreign, and no other test uses it.
    let (code, said) = run(&["migrate", "--database-url", &bare.url(), "--data-dir", data]);
    assert_eq!(code, Some(0), "{said}");
    bare.run("INSERT INTO refinery_schema_history SELECT version + 1, name, applied_on, checksum FROM refinery_schema_history ORDER BY version DESC LIMIT 1");
    refused(&["verify", "--database-url", &bare.url(), "--data-dir", data], 1, "migrated by a newer version of bursar");
}

#[test]
fn rows_of_a_reference_are_written_into_an_empty_store_only() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    used(&data);
    let rows = |data: &Path| run(&["reference", "rows", "--record-seconds", "1", "--data-dir", data.to_str().unwrap()]);
    let (code, said) = rows(&data);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the store is not empty: it has rows in"), "{said}");
    let (code, said) = run(&["verify", "--data-dir", data.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = rows(&folder.path().join("empty"));
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_load_that_nothing_answered_well_is_no_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let file = folder.path().join("wrong.json");
    let text = std::fs::read_to_string(folder.path().join("sandbox-credentials.json")).unwrap();
    let mut credentials: serde_json::Value = serde_json::from_str(&text).unwrap();
    credentials["app"]["api_key"] = "sk_sandbox_wrong".into();
    std::fs::write(&file, credentials.to_string()).unwrap();
    let bench = ["bench", "--seconds", "1", "--connections", "2", "--address", &process.address, "--credentials"];
    let (code, said) = run(&[&bench[..], &[file.to_str().unwrap()]].concat());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no request over 2 connections succeeded") && said.contains("401"), "{said}");
    for nonsense in [["--seconds", "0"], ["--connections", "0"], ["--page", "0"]] {
        assert_eq!(run(&[&["bench"], &nonsense[..]].concat()).0, Some(2), "{nonsense:?}");
    }
}
