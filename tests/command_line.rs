//! The subcommands that call a running server: events, listen, keys.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Manner, Process, Receiver, bursar};
use crate::process::as_app;

/// A sandbox and its address.
struct Sandbox {
    folder: tempfile::TempDir,
    process: Process,
}

impl Sandbox {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = Process::start(folder.path());
        Self { folder, process }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Creates a link, which emits events.
    fn link(&self) -> Value {
        let body = json!({"amount": 100, "delivery": {"method": "link"}}).to_string();
        as_app(&self.process, self.path(), "POST /v2/payout-links", &body)
    }

    fn log(&self, after: i64) -> Vec<Value> {
        let page = as_app(&self.process, self.path(), &format!("GET /v2/events?after={after}"), "");
        page["data"].as_array().unwrap().clone()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bursar(arguments);
        command.args(["--data-dir", self.path().to_str().unwrap()]);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn rows(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn events_prints_the_log() {
    let sandbox = Sandbox::start();
    sandbox.link();
    let log = sandbox.log(0);
    assert_eq!(rows(&sandbox.run(&["events", "--json"])), log);
    let after = log[1]["sequence"].to_string();
    assert_eq!(rows(&sandbox.run(&["events", "--json", "--after", &after])), log[2..]);
    let some = rows(&sandbox.run(&["events", "--json", "--name", "payout_link.updated"]));
    assert_eq!(some.len(), 2);
    let people = sandbox.run(&["events"]);
    let lines = said(&people);
    assert_eq!(lines.lines().count(), log.len());
    assert!(lines.contains("payout_link.updated") && lines.contains("delivered"), "{lines}");
}

/// `bursar listen` in a separate process. Killed when dropped.
struct Listening {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Listening {
    fn start(sandbox: &Sandbox, url: &str, further: &[&str]) -> Self {
        let mut command = sandbox.command(&["listen", "--json", "--forward-to", url]);
        let mut child = command.args(further).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no line of JSON: {line:?}"))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listen_forwards_events_to_a_url_and_resumes_when_the_server_was_away() {
    let mut sandbox = Sandbox::start();
    sandbox.link();
    let before = sandbox.log(0).len();
    let receiver = Receiver::start(Manner::Status(201)).await;
    let mut listening = Listening::start(&sandbox, &receiver.url, &[]);
    let greeting = listening.line();
    let secret = greeting["secret"].as_str().unwrap();

    sandbox.link();
    let log = sandbox.log(i64::try_from(before).unwrap());
    let heard = receiver.wait_for(log.len()).await;
    let events: Vec<Value> = heard.iter().map(|heard| heard.event()).collect();
    assert_eq!(events, log, "what happened from now on, in its order");
    assert!(
        heard.iter().all(|heard| heard.is_signed_with(secret) && heard.header("webhook-id") == heard.event()["id"])
    );
    for event in &log {
        let line = listening.line();
        assert_eq!(
            (&line["sequence"], &line["name"], &line["status"]),
            (&event["sequence"], &event["name"], &json!(201))
        );
    }

    // The server dies and restarts at the same address; the receiver is down for a while.
    let address = sandbox.process.address.clone();
    let folder = sandbox.folder;
    sandbox.process.kill();
    sandbox = Sandbox { process: Process::start_at(folder.path(), &address), folder };
    receiver.behave(Manner::Status(500));
    sandbox.link();
    receiver.wait_for(2 * log.len()).await;
    assert_eq!(listening.line()["status"], 500);
}

#[test]
fn listen_and_events_end_with_the_code_that_says_why() {
    let sandbox = Sandbox::start();
    let nowhere = tempfile::tempdir().unwrap();
    let nowhere = nowhere.path().to_str().unwrap();
    let url = "http://127.0.0.1:9";
    for (arguments, code) in [
        (vec!["listen", "--forward-to", url, "--data-dir", nowhere], 78),
        (vec!["events", "--data-dir", nowhere], 78),
        (vec!["keys", "list", "--data-dir", nowhere], 78),
        (vec!["listen"], 2),
        (vec!["listen", "--forward-to", "nowhere"], 2),
        (vec!["listen", "--forward-to", url, "--secret", "whsec_short"], 2),
        (vec!["events", "--name", "no.such.event"], 2),
        (vec!["events", "--after", "-1"], 2),
        (vec!["events", "--client-id", "pk_sandbox_x"], 2),
        (vec!["events", "--client-id", "a", "--api-key", "b", "--base-url", "nowhere"], 78),
        (vec!["events", "--client-id", "a", "--api-key", "b", "--base-url", "http://127.0.0.1:9"], 1),
        (vec!["keys", "list", "--app", "x"], 2),
        (vec!["keys", "list", "--client-id", "a", "--api-key", "b"], 78),
    ] {
        let output = bursar(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
    }
    let address = format!("http://{}", sandbox.process.address);
    let wrong = ["events", "--client-id", "pk_sandbox_x", "--api-key", "sk_sandbox_x", "--base-url", &address];
    let output = bursar(&wrong).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("said 401"), "{}", said(&output));
    for command in ["events", "listen", "keys"] {
        let help = bursar(&[command, "--help"]).output().unwrap();
        assert!(help.status.success() && said(&help).contains("Examples:"), "{command}");
    }
}

#[test]
fn keys_lists_issues_and_revokes() {
    let sandbox = Sandbox::start();
    let list =
        |sandbox: &Sandbox| rows(&sandbox.run(&["keys", "list", "--json"]))[0]["data"].as_array().unwrap().clone();
    assert_eq!(list(&sandbox).len(), 1);
    let created = sandbox.run(&["keys", "create", "--json"]);
    let key = &rows(&created)[0];
    let (client_id, api_key) = (key["client_id"].as_str().unwrap(), key["api_key"].as_str().unwrap());
    let address = format!("http://{}", sandbox.process.address);
    let with_it = || {
        bursar(&["events", "--client-id", client_id, "--api-key", api_key, "--base-url", &address]).output().unwrap()
    };
    assert!(with_it().status.success());
    assert_eq!(list(&sandbox).len(), 2);
    let table = sandbox.run(&["keys", "list"]);
    assert!(said(&table).contains(client_id) && !said(&table).contains(api_key), "{}", said(&table));
    let third = sandbox.run(&["keys", "create"]);
    assert_eq!(third.status.code(), Some(1));
    assert!(said(&third).contains("409"), "{}", said(&third));

    assert!(sandbox.run(&["keys", "revoke", client_id]).status.success());
    assert_eq!(with_it().status.code(), Some(1));
    assert_eq!(sandbox.run(&["keys", "revoke", "pk_sandbox_unknown"]).status.code(), Some(1));
    assert_eq!(sandbox.run(&["keys", "revoke", "../../x"]).status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_survive_kill_9_and_fall_due_when_the_clock_is_moved() {
    let sandbox = Sandbox::start();
    let receiver = Receiver::start(Manner::Status(503)).await;
    let body = json!({"url": receiver.url}).to_string();
    let endpoint = as_app(&sandbox.process, sandbox.path(), "POST /v2/webhook-endpoints", &body);
    let head = sandbox.log(0).len();
    for _ in 0..5 {
        sandbox.link();
    }
    let log = sandbox.log(i64::try_from(head).unwrap());
    // At least one call was made before the kill; its outcome may be unrecorded.
    receiver.wait_for(1).await;
    let Sandbox { folder, process } = sandbox;
    process.kill();
    receiver.behave(Manner::Status(200));
    let sandbox = Sandbox { process: Process::start(folder.path()), folder };
    let advance = json!({"seconds": 600}).to_string();
    let moved = as_app(&sandbox.process, sandbox.path(), "POST /v2/sandbox/clock/advance", &advance);
    assert_eq!(moved["drained"], true);
    let heard = receiver.heard();
    for event in &log {
        assert!(heard.iter().any(|heard| heard.event() == *event), "{event}");
    }
    let path = format!("GET /v2/webhook-endpoints/{}/deliveries?status=succeeded", endpoint["id"].as_str().unwrap());
    let done = as_app(&sandbox.process, sandbox.path(), &format!("{path}&limit=100"), "");
    assert!(done["data"].as_array().unwrap().len() >= log.len());
    sandbox.process.signal("TERM");
    assert!(sandbox.process.wait(Duration::from_secs(10)).0.success());
}

#[test]
fn serve_says_where_it_listens_in_one_line_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().to_str().unwrap();
    let mut child = bursar(&["serve", "--json", "--listen", "127.0.0.1:0", "--data-dir", data_dir]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let reported: Value = serde_json::from_str(&line).unwrap();
    assert!(reported["listening"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{reported}");
    assert_eq!(reported["credentials"], format!("{data_dir}/sandbox-credentials.json"));
    assert_eq!(reported["first_start"], true);
}

/// Returns the sandbox's list as files.
fn invented() -> String {
    format!("{}/fixtures/sanctions", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn loading_a_list_first_makes_a_data_folder_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("new/data");
    let mut load = bursar(&["screening", "load", &invented(), "--data-dir", data_dir.to_str().unwrap()]);
    assert!(load.output().unwrap().status.success());
    assert_eq!(std::fs::metadata(&data_dir).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_check_names_the_list_and_without_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let check = |data_dir: &Path, more: &[&str]| {
        let mut command = bursar(&["screening", "check", "Jane Doe", "--data-dir", data_dir.to_str().unwrap()]);
        command.args(more).output().unwrap()
    };
    let nowhere = check(&folder.path().join("nowhere"), &[]);
    assert_eq!(nowhere.status.code(), Some(78), "{}", said(&nowhere));
    assert!(said(&nowhere).contains("data-dir: the folder"), "{}", said(&nowhere));
    let none = check(folder.path(), &[]);
    assert_eq!(none.status.code(), Some(78), "{}", said(&none));
    assert!(said(&none).contains("screening load") && said(&none).contains("--invented"), "{}", said(&none));
    let invented_only = check(folder.path(), &["--invented"]);
    assert!(invented_only.status.success(), "{}", said(&invented_only));
    assert!(said(&invented_only).contains("invented names of the sandbox"), "{}", said(&invented_only));

    let loaded = bursar(&["screening", "load", &invented(), "--data-dir", folder.path().to_str().unwrap()]).output();
    assert!(loaded.unwrap().status.success());
    let text = said(&check(folder.path(), &[]));
    for words in ["No name on this list matches", "entries", folder.path().to_str().unwrap(), "List "] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let json: Value = serde_json::from_slice(&check(folder.path(), &["--json"]).stdout).unwrap();
    assert_eq!(json["hits"], json!([]));
    assert!(json["list"]["entries"].as_i64() > Some(0) && json["list"]["hash"].is_string(), "{json}");
}

#[test]
fn a_wrong_command_line_is_answered_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    for (arguments, code, text) in [
        (vec!["serve", "--port", "8080"], 2, "--listen 127.0.0.1:8080"),
        (vec!["serve", "--listen", ":8080"], 2, "for example 127.0.0.1:8080"),
        (vec!["verify", "--smtp-url", "smtp://localhost"], 2, "`bursar verify` does not read --smtp-url"),
        (vec!["screening", "check", "Jane Doe", "--role", "api"], 2, "`bursar screening check` does not read --role"),
        (vec!["verify", "--data-dir", nowhere], 78, "there is no store at"),
        (vec!["bench", "--credentials", nowhere], 78, "start a sandbox there"),
    ] {
        let output = bursar(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(text), "{arguments:?}: {}", said(&output));
    }
    let output = bursar(&["serve"]).env("BURSAR_LISTEN", "foo").output().unwrap();
    assert!(said(&output).contains("environment variable BURSAR_LISTEN"), "{}", said(&output));
    let output = bursar(&["serve", "--listen", "foo"]).env("BURSAR_LISTEN", "127.0.0.1:0").output().unwrap();
    assert!(!said(&output).contains("environment variable"), "{}", said(&output));
}

#[test]
fn help_groups_the_commands() {
    let help = said(&bursar(&["--help"]).output().unwrap());
    for (before, after) in [("Run:", "serve"), ("Data:", "verify"), ("Develop:", "events"), ("Measure:", "simulate")] {
        let (_, group) = help.split_once(before).unwrap_or_else(|| panic!("{before} in {help}"));
        assert!(group.split("\n\n").next().unwrap().contains(&format!("\n  {after} ")), "{before} {after}: {help}");
    }
}
