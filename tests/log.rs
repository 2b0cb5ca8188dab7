//! The log of the real process: no line is lost at its end, and no request waits for the log's reader.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Process, bursar, http};
use crate::postgres_processes::until;

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn every_request_has_its_line_when_the_process_ends() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_logging(folder.path());
    for number in 0..100 {
        let request = format!(
            "GET /v2/users HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nx-request-id: r-{number}\r\n\
             traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n"
        );
        assert_eq!(http(&process.address, &request).0, 401);
        assert_eq!(process.get("/livez").0, 200);
    }
    process.signal("TERM");
    let (status, logged) = process.wait(Duration::from_secs(20));
    assert!(status.success());
    let lines = json_lines(&logged);
    let answered: Vec<&Value> = lines.iter().filter(|line| line["message"] == "answered").collect();
    assert_eq!(answered.len(), 200, "{logged}");
    for number in 0..100 {
        let of_request: Vec<&&Value> =
            answered.iter().filter(|line| line["request_id"] == format!("r-{number}")).collect();
        let [line] = of_request[..] else { panic!("{number}: {of_request:?}") };
        let mut line = (*line).clone();
        let fields = line.as_object_mut().unwrap();
        assert!(fields.remove("timestamp").is_some() && fields.remove("millis").unwrap().is_u64());
        let rest = json!({
            "level": "INFO",
            "target": "bursar::dispatch",
            "message": "answered",
            "method": "GET",
            "route": "/v2/users",
            "status": 401,
            "request_id": format!("r-{number}"),
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        });
        assert_eq!(line, rest);
    }
    assert_eq!(lines.iter().filter(|line| line["event"] == "login_failed").count(), 100);
    assert!(lines.iter().any(|line| line["message"] == "shutting down"));
}

/// A process whose standard error is not read until the test does.
struct Unread {
    child: Child,
    address: String,
}

impl Unread {
    fn start(data_dir: &str) -> Self {
        let mut command = bursar(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir]);
        let mut child = command.env("RUST_LOG", "info").spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.filter_map(|line| Some(line.strip_prefix("listening on http://")?.to_owned())).next();
        Self { child, address: address.unwrap() }
    }

    /// Sends requests on one connection; all must be answered.
    fn get_often(&self, times: usize, id: &str) {
        let request = |end: &str| format!("GET /livez HTTP/1.1\r\nhost: localhost\r\nx-request-id: {id}\r\n{end}\r\n");
        let all = request("").repeat(times - 1) + &request("connection: close\r\n");
        let (status, rest) = http(&self.address, &all);
        assert_eq!((status, 1 + rest.matches("HTTP/1.1 200").count()), (200, times));
    }

    fn dropped(&self) -> u64 {
        let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let metrics = http(&self.address, request).1;
        let count = metrics.lines().find_map(|line| line.strip_prefix("bursar_log_lines_dropped_total "));
        count.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_log_that_is_not_read_stops_no_request_and_what_is_dropped_is_counted_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Unread::start(folder.path().to_str().unwrap());
    assert_eq!(process.dropped(), 0);
    let (mut sent, long) = (0, "x".repeat(128));
    while process.dropped() == 0 {
        process.get_often(200, &long);
        sent += 200;
        assert!(sent < 20_000, "{sent} lines wait in memory");
    }
    let dropped = process.dropped();

    let (read, mut stderr) = (Arc::new(Mutex::new(Vec::new())), process.child.stderr.take().unwrap());
    let reading = read.clone();
    let reader = std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(length @ 1..) = stderr.read(&mut part) {
            reading.lock().unwrap().extend_from_slice(&part[..length]);
        }
    });
    let text = || String::from_utf8(read.lock().unwrap().clone()).unwrap();
    until("the dropped lines are reported", Duration::from_secs(20), || text().contains("log lines were dropped"));
    process.get_often(1, "after");
    let pid = process.child.id().to_string();
    assert!(bash(&format!("kill -TERM {pid}")));
    assert!(process.child.wait().unwrap().success());
    reader.join().unwrap();
    let lines = json_lines(&text());
    let answered = lines.iter().filter(|line| line["message"] == "answered" && line["request_id"] == *long).count();
    let reported: u64 = lines.iter().filter_map(|line| line["dropped"].as_u64()).sum();
    assert!(reported >= dropped, "{reported} of {dropped}");
    // The lines of /metrics may be among them.
    let missing = u64::try_from(sent - answered).unwrap();
    assert!((missing..missing + 3 * 20).contains(&reported), "{reported} reported, {missing} missing of {sent}");
    assert!(lines.iter().any(|line| line["request_id"] == "after"));
}

fn bash(script: &str) -> bool {
    std::process::Command::new("bash").args(["-c", script]).stdin(Stdio::null()).status().unwrap().success()
}

/// tokio panics at this number of threads, after logging has started.
#[test]
fn a_panic_is_a_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().to_str().unwrap();
    let mut command = bursar(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir]);
    let ended = command.env("RUST_LOG", "info").env("TOKIO_WORKER_THREADS", "0").output().unwrap();
    assert_eq!(ended.status.code(), Some(101));
    let lines = json_lines(&String::from_utf8(ended.stderr).unwrap());
    let line = lines.iter().find(|line| line["level"] == "ERROR").unwrap_or_else(|| panic!("{lines:#?}"));
    assert_eq!((&line["message"], &line["thread"]), (&json!("a panic"), &json!("main")));
    assert!(line["reason"].as_str().unwrap().contains("TOKIO_WORKER_THREADS"), "{line}");
    assert!(line["location"].as_str().unwrap().contains(".rs:"), "{line}");
    // Without a log for errors it is reported as by any program.
    let mut command = bursar(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir]);
    let ended = command.env("RUST_LOG", "off").env("TOKIO_WORKER_THREADS", "0").output().unwrap();
    let reported = String::from_utf8(ended.stderr).unwrap();
    assert!(reported.contains("panicked") && reported.contains("TOKIO_WORKER_THREADS"), "{reported}");
}
