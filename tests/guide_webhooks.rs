//! The webhook receivers of the user guide: each accepts a signed event and refuses a forged and an old one.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::guide::{Chapter, free_address};
use crate::harness::http;

const KEY: &[u8] = b"a key of the webhook receivers";
const BODY: &str = r#"{"sequence": 7, "name": "transfer.completed", "object": {"status": "completed"}}"#;

/// What TypeScript has and JavaScript does not, as far as the sample has it. Node.js erases it from version 22.18 on.
const TYPES: [(&str, &str); 7] = [
    (", type IncomingHttpHeaders", ""),
    (": IncomingHttpHeaders", ""),
    (": Buffer[]", ""),
    ("body: Buffer", "body"),
    ("chunk: Buffer", "chunk"),
    ("): boolean", ")"),
    ("<string>", ""),
];

fn sample(file: &str) -> String {
    let files = Chapter::read("webhooks").files;
    files.into_iter().find(|(name, _)| name == file).expect("the chapter has such a receiver").1
}

/// A running receiver. Dropped, it ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn post(address: &str, at: i64, signed: &str) -> u16 {
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY).unwrap();
    mac.update(format!("event-1.{at}.{signed}").as_bytes());
    let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    let head = format!(
        "POST /hooks HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\nwebhook-id: event-1\r\n\
         webhook-timestamp: {at}\r\nwebhook-signature: v1,b2xk v1,{signature}\r\n\r\n{BODY}",
        BODY.len()
    );
    http(address, &head).0
}

/// Starts a receiver and posts to it.
fn check(folder: &Path, command: &[&str]) {
    let address = free_address();
    let secret = format!("whsec_{}", BASE64_STANDARD.encode(KEY));
    let child = Command::new(command[0])
        .args(&command[1..])
        .current_dir(folder)
        .env("WEBHOOK_SECRET", secret)
        .env("PORT", address.rsplit(':').next().unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let begun = Instant::now();
    while std::net::TcpStream::connect(&address).is_err() {
        let ended = running.0.try_wait().unwrap();
        assert!(ended.is_none() && begun.elapsed() < Duration::from_secs(60), "{command:?} does not listen: {ended:?}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let now = i64::try_from(now).unwrap();
    assert_eq!(post(&address, now, BODY), 204, "{command:?}: a signed event");
    assert_eq!(post(&address, now, BODY), 204, "{command:?}: the same event again");
    assert_eq!(post(&address, now, "{}"), 401, "{command:?}: a signature of another body");
    assert_eq!(post(&address, now - 301, BODY), 401, "{command:?}: an old event");
}

#[test]
fn the_python_receiver_checks_signatures() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("receiver.py"), sample("receiver.py")).unwrap();
    check(folder.path(), &["python3", "receiver.py"]);
}

#[test]
fn the_typescript_receiver_checks_signatures() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = sample("receiver.ts");
    for (typed, erased) in TYPES {
        assert!(program.contains(typed), "the sample has no {typed:?}");
        program = program.replace(typed, erased);
    }
    fs::write(folder.path().join("receiver.mjs"), program).unwrap();
    check(folder.path(), &["node", "receiver.mjs"]);
}

#[test]
fn the_go_receiver_checks_signatures() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("receiver.go"), sample("receiver.go")).unwrap();
    let built = Command::new("go").args(["build", "receiver.go"]).current_dir(folder.path()).status().unwrap();
    assert!(built.success(), "the receiver does not compile");
    check(folder.path(), &["./receiver"]);
}
