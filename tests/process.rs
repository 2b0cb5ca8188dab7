//! The real process: start, signals, lock.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::harness::{Process, bursar, http};

#[test]
fn it_says_where_it_listens_and_ends_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder.path().join("data"));
    assert_eq!(process.get("/livez").0, 200);
    assert_eq!(process.get("/readyz").0, 200);
    process.signal("TERM");
    let (status, said) = process.wait(Duration::from_secs(10));
    assert!(status.success(), "{status}: {said}");
}

#[test]
fn an_embedded_store_is_opened_by_one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = Process::start(folder.path());
    let data_dir = folder.path().to_str().unwrap();
    let second = bursar(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir]).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("another bursar has"), "{said}");
    // However the first one ends, the next may come in.
    first.kill();
    let again = Process::start(folder.path());
    assert!(!again.printed.iter().any(|line| line.contains("new sandbox")), "{:?}", again.printed);
}

#[test]
fn a_first_start_prints_lines_that_work_and_a_later_one_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let first = Process::start(folder.path());
    assert_eq!(first.printed.iter().filter(|line| line.trim().starts_with("curl ")).count(), 3);
    first.signal("INT");
    assert!(first.wait(Duration::from_secs(10)).0.success());
    let later = Process::start(folder.path());
    assert!(!later.printed.iter().any(|line| line.contains("sk_sandbox_")), "{:?}", later.printed);
    assert!(later.printed.iter().any(|line| line.contains("sandbox-credentials.json")), "{:?}", later.printed);
}

#[test]
fn a_request_under_way_is_answered_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let mut slow = TcpStream::connect(&process.address).unwrap();
    let start = "POST /v2/no-such-path HTTP/1.1\r\nhost: test\r\n";
    slow.write_all(start.as_bytes()).unwrap();
    // The server has the connection when it answers another one that came later.
    assert_eq!(process.get("/livez").0, 200);
    process.signal("TERM");
    while TcpStream::connect(&process.address).is_ok() {
        std::thread::yield_now();
    }
    slow.write_all(b"content-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    slow.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 404"), "{reply}");
    assert!(process.wait(Duration::from_secs(10)).0.success());
}

#[test]
fn a_body_that_is_too_large_is_answered_even_when_it_is_sent_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    // More than the sockets between us hold: whoever stops reading breaks the other's writing.
    let length = 12 * 1024 * 1024;
    let head = format!("POST /v2/payout-links HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {length}");
    let (status, rest) = http(&process.address, &format!("{head}\r\n\r\n{}", " ".repeat(length)));
    assert_eq!(status, 413);
    assert!(rest.contains("payload-too-large"), "{rest}");
    // Who asks first is answered before it sends anything.
    assert_eq!(http(&process.address, &format!("{head}\r\nexpect: 100-continue\r\n\r\n")).0, 413);
}

#[test]
fn exit_codes_tell_usage_from_configuration() {
    let run = |arguments: &[&str]| bursar(arguments).output().unwrap();
    assert_eq!(run(&["routes", "--json"]).status.code(), Some(0));
    assert_eq!(run(&["--help"]).status.code(), Some(0));
    assert_eq!(run(&["serve", "--no-such-flag"]).status.code(), Some(2));
    assert_eq!(run(&["serve", "--role", "king"]).status.code(), Some(2));
    assert_eq!(run(&["serve", "--environment", "production"]).status.code(), Some(78));
    assert_eq!(run(&["serve", "--config", "/no/such/file.toml"]).status.code(), Some(78));
}

#[test]
fn flags_go_before_variables_and_those_before_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bursar.toml");
    std::fs::write(&file, "environment = 'production'").unwrap();
    let config = ["serve", "--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()];
    let from_file = bursar(&config).output().unwrap();
    assert_eq!(from_file.status.code(), Some(78));
    let from_variable = bursar(&config).env("BURSAR_ENVIRONMENT", "elsewhere").output().unwrap();
    assert_eq!(from_variable.status.code(), Some(2), "the variable is read before the file");
    let data_dir = folder.path().join("data");
    let flags = ["--config", file.to_str().unwrap(), "--environment", "sandbox"];
    assert_eq!(Process::start_with(&data_dir, &flags).get("/readyz").0, 200);
}

#[test]
fn routes_lists_every_route() {
    let listed = bursar(&["routes", "--json"]).output().unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(rows.len(), ::bursar::routes::table().len());
    assert!(rows.iter().any(|row| row["path"] == "/openapi.json" && row["who"] == "anyone"));
}

#[test]
fn a_store_that_is_up_to_date_opens_without_migrating() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().to_str().unwrap();
    let migrated = bursar(&["migrate", "--data-dir", data_dir, "--json"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&migrated.stdout).trim(), "{\"migrated\":true}");
    assert_eq!(Process::start_with(folder.path(), &["--no-migrate"]).get("/readyz").0, 200);
}
