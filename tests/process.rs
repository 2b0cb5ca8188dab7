//! The real process: start, signals, lock.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use ::bursar::clock::{DAY_SECONDS, Time};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

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
    assert!(said.contains("another bursar process has"), "{said}");
    // The next one may start, for every kind of end of the first.
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
fn a_later_start_at_another_address_is_found_by_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sandbox-credentials.json");
    let read = || -> serde_json::Value { serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap() };
    let first = Process::start(folder.path());
    let before = read();
    drop(first);
    let second = Process::start(folder.path());
    let mut expected = before.clone();
    expected["base_url"] = serde_json::json!(format!("http://{}", second.address));
    assert_ne!(before, expected, "the port is another one");
    assert_eq!(read(), expected);
}

#[test]
fn a_request_under_way_is_answered_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let mut slow = TcpStream::connect(&process.address).unwrap();
    let start = "POST /v2/no-such-path HTTP/1.1\r\nhost: 127.0.0.1\r\n";
    slow.write_all(start.as_bytes()).unwrap();
    // The server has the connection when it responds to another one that came later.
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

/// Connects, sends the beginning of a request, and waits until the server closes the connection; returns the duration
/// and the response.
fn dawdle(address: &str, beginning: &str) -> (Duration, String) {
    let mut slow = TcpStream::connect(address).unwrap();
    slow.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    let begun = Instant::now();
    slow.write_all(beginning.as_bytes()).unwrap();
    let mut reply = String::new();
    slow.read_to_string(&mut reply).unwrap();
    (begun.elapsed(), reply)
}

#[test]
fn a_caller_has_ten_seconds_for_the_headers_and_thirty_for_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let head = "POST /v2/payout-links HTTP/1.1\r\nhost: 127.0.0.1\r\n";
    let waits = "connection: close\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    let known = format!("{head}authorization: Basic {}\r\n{waits}", token(folder.path()));
    let stranger = format!("{head}{waits}");
    let ((headers, _), (request, reply), (refused, refusal)) = std::thread::scope(|scope| {
        let headers = scope.spawn(|| dawdle(&process.address, head));
        let request = scope.spawn(|| dawdle(&process.address, &known));
        let refused = scope.spawn(|| dawdle(&process.address, &stranger));
        (headers.join().unwrap(), request.join().unwrap(), refused.join().unwrap())
    });
    assert!(refused.as_secs() < 10 && refusal.starts_with("HTTP/1.1 401"), "{refused:?} {refusal}");
    assert!((9..25).contains(&headers.as_secs()), "{headers:?}");
    assert!((29..60).contains(&request.as_secs()), "{request:?}");
    assert!(reply.starts_with("HTTP/1.1 400") && reply.contains("within 30 seconds"), "{reply}");
}

#[test]
fn a_body_that_is_too_large_is_answered_even_when_it_is_sent_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    // More than the sockets' buffers: a side that stops reading blocks the other's writes.
    let length = 12 * 1024 * 1024;
    let head =
        format!("POST /v2/payout-links HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {length}");
    let (status, rest) = http(&process.address, &format!("{head}\r\n\r\n{}", " ".repeat(length)));
    assert_eq!(status, 413);
    assert!(rest.contains("payload-too-large"), "{rest}");
    // A client that asks first gets the response before it sends anything.
    assert_eq!(http(&process.address, &format!("{head}\r\nexpect: 100-continue\r\n\r\n")).0, 413);
}

/// Returns the credential of the sandbox's app.
fn token(data_dir: &Path) -> String {
    let credentials = std::fs::read_to_string(data_dir.join("sandbox-credentials.json")).unwrap();
    let credentials: Value = serde_json::from_str(&credentials).unwrap();
    let text = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
    BASE64_STANDARD.encode(format!("{}:{}", text("client_id"), text("api_key")))
}

/// Sends one request as the sandbox's app.
pub fn as_app(process: &Process, data_dir: &Path, line: &str, body: &str) -> Value {
    let token = token(data_dir);
    let request = format!(
        "{line} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nauthorization: Basic {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, rest) = http(&process.address, &request);
    assert!((200..300).contains(&status), "{status} {rest}");
    serde_json::from_str(rest.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

#[test]
fn advance_sandbox_clock_lets_everything_happen_at_its_own_time() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let post = |path: &str, body: Value| as_app(&process, folder.path(), &format!("POST {path}"), &body.to_string());
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let made = post("/v2/payouts/send-payout", json!({"amount": 100, "payee": payee}));
    let created = Time::parse(made["created"].as_str().unwrap()).unwrap();
    let remind_at = created.plus_seconds(DAY_SECONDS);
    post("/v2/payout-links", json!({"amount": 100, "payee": payee, "remind_at": remind_at}));
    // The first two messages are sent before the clock moves, the reminders during the move: the one that was asked
    // for, and the two of the other link.
    let moved = post("/v2/sandbox/clock/advance", json!({"seconds": 31 * DAY_SECONDS}));
    assert_eq!(moved["drained"], true);
    let inbox = as_app(&process, folder.path(), "GET /v2/sandbox/messages", "");
    let sent: Vec<Time> = inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| Time::parse(one["created"].as_str().unwrap()).unwrap())
        .collect();
    assert_eq!(sent.len(), 5, "{inbox}");
    for (time, days) in sent.iter().rev().zip([0, 0, 1, 3, 29]) {
        let late_seconds = time.seconds_since(created.plus_seconds(days * DAY_SECONDS));
        assert!((0..=120).contains(&late_seconds), "{late_seconds} seconds late");
    }
    let expired = as_app(&process, folder.path(), "GET /v2/payout-links?status=expired", "");
    assert_eq!(expired["data"].as_array().unwrap().len(), 2);
}

#[test]
fn exit_codes_separate_usage_from_configuration() {
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
fn each_request_has_one_line_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_logging(folder.path());
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let head = "host: 127.0.0.1\r\nconnection: close\r\nx-request-id: mine-1\r\ntraceparent:";
    for traceparent in [trace, "not a trace"] {
        let request = format!("GET /v2/payout-links/secret-part HTTP/1.1\r\n{head} {traceparent}\r\n\r\n");
        assert_eq!(http(&process.address, &request).0, 401);
    }
    process.signal("TERM");
    let (_, said) = process.wait(Duration::from_secs(10));
    assert!(!said.contains("secret-part"), "{said}");
    let lines = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reported: Vec<Value> = lines.filter(|line| line["message"] == "answered").collect();
    assert_eq!(reported.len(), 2, "{said}");
    for (line, traceparent) in reported.iter().zip([json!(trace), Value::Null]) {
        assert!(line["millis"].is_u64() && line["timestamp"].is_string(), "{line}");
        let shown = json!([
            line["level"],
            line["method"],
            line["route"],
            line["status"],
            line["request_id"],
            line["traceparent"]
        ]);
        assert_eq!(shown, json!(["INFO", "GET", "/v2/payout-links/{payout_link_id}", 401, "mine-1", traceparent]));
    }
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

/// Returns the response to an unknown claim's path for a caller behind proxies.
fn guess(process: &Process, forwarded_for: &str) -> u16 {
    let head = "GET /v2/claims/AAAA HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close";
    http(&process.address, &format!("{head}\r\nx-forwarded-for: {forwarded_for}\r\n\r\n")).0
}

#[test]
fn behind_a_trusted_proxy_guessers_are_separate_and_cannot_choose_their_address() {
    let folder = tempfile::tempdir().unwrap();
    let behind = Process::start_with(folder.path(), &["--trusted-proxies", "127.0.0.0/8,::1"]);
    for invented in 0..20 {
        assert_eq!(guess(&behind, &format!("10.9.8.{invented}, 198.51.100.1")), 404);
    }
    assert_eq!(guess(&behind, "10.9.8.77, 198.51.100.1"), 429, "what stands left of the proxy's word is not believed");
    assert_eq!(guess(&behind, "203.0.113.9"), 404, "another caller of the same proxy may go on");
}

#[test]
fn without_trusted_proxies_the_header_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let alone = Process::start(folder.path());
    for invented in 0..20 {
        assert_eq!(guess(&alone, &format!("10.9.8.{invented}")), 404);
    }
    assert_eq!(guess(&alone, "203.0.113.9"), 429);
}

#[test]
fn the_store_and_its_log_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    std::fs::create_dir(&data_dir).unwrap();
    std::fs::set_permissions(&data_dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    let _running = Process::start(&data_dir);
    for name in ["bursar.sqlite", "bursar.sqlite-wal", "bursar.sqlite-shm"] {
        let mode = std::fs::metadata(data_dir.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
