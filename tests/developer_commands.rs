//! The subcommands for developers, against a real process: get, post, trigger, doctor, sandbox reset, completions.

use std::io::BufRead as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::harness::{Process, bursar};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    bursar(arguments).args(["--data-dir", folder.to_str().unwrap()]).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

#[track_caller]
fn fails(output: &Output, code: i32, text: &str) {
    assert_eq!(output.status.code(), Some(code), "{}", said(output));
    assert!(said(output).contains(text), "{text}: {}", said(output));
}

#[test]
fn get_and_post_send_requests_with_the_sandbox_key() {
    let folder = tempfile::tempdir().unwrap();
    let _server = Process::start(folder.path());
    let fields =
        ["amount=100", "memo=12", "payee.country_code=1", "payee.phone_number=2127361234", "delivery.method=link"];
    let made = json(&run(folder.path(), &[["post", "payout-links", "--json"].as_slice(), &fields].concat()));
    assert_eq!([&made["amount"], &made["memo"]], [&Value::from(100), &Value::from("12")]);
    let id = made["id"].as_str().unwrap();
    let read = json(&run(folder.path(), &["get", &format!("/v2/payout-links/{id}")]));
    assert_eq!(read["id"], made["id"]);

    // A whole body from a file, under a key that makes it once.
    let file = folder.path().join("body.json");
    std::fs::write(&file, r#"{"amount": 200, "delivery": {"method": "link"}}"#).unwrap();
    let data = format!("@{}", file.display());
    let once = ["post", "payout-links", "--key", "k1", "--data", &data];
    assert_eq!(json(&run(folder.path(), &once))["id"], json(&run(folder.path(), &once))["id"]);

    // A body is sent as it was written: the server refuses a key that is there twice.
    let twice = r#"{"amount": 1, "amount": 2, "delivery": {"method": "link"}}"#;
    std::fs::write(&file, twice).unwrap();
    for data in [twice, &data] {
        fails(&run(folder.path(), &["post", "payout-links", "--data", data]), 1, "duplicate key");
    }
    let wrong = said(&run(folder.path(), &["post", "payout-links", "amount=0", "delivery.method=pigeon"]));
    assert!(wrong.contains("  /amount: must be") && wrong.contains("  /delivery/method: must be"), "{wrong}");

    // The organization's key, which the app's is not.
    json(&run(folder.path(), &["get", "organizations", "--as", "organization"]));
    fails(&run(folder.path(), &["get", "organizations"]), 1, "403");
    fails(&run(folder.path(), &["post", "payout-links", "amount=0"]), 1, "/amount");
    fails(&run(folder.path(), &["post", "payout-links", "amount"]), 2, "must be FIELD=VALUE");
    fails(&run(folder.path(), &["post", "payout-links", "--data", "{"]), 2, "--data is not JSON");
    fails(&run(&folder.path().join("none"), &["get", "apps"]), 78, "start a sandbox there");
}

#[test]
fn batch_submits_a_file_once() {
    let folder = tempfile::tempdir().unwrap();
    let _server = Process::start(folder.path());
    let file = folder.path().join("march.csv");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "Name;Dollars;delivery_method\nJane;12.50;link\nJoe;1,50;link\n").unwrap();
    let map = ["--map", "first_name=Name", "--map", "amount=Dollars", "--map", "delivery_method=delivery_method"];
    let batch = |more: &[&str]| run(folder.path(), &[["batch", path].as_slice(), more].concat());
    let expected = "Line 3, column \"Dollars\": is \"1,50\"; write dollars with a point and two decimals";
    fails(&batch(&map), 1, expected);
    std::fs::write(&file, "Name;Dollars;delivery_method\nJane;;pigeon\n").unwrap();
    let lines = said(&batch(&map));
    assert!(lines.contains("  Line 2, column \"Dollars\": is required") && !lines.contains("/links/0"), "{lines}");
    let unknown = said(&batch(&[]));
    assert!(unknown.contains("Map other names with --map") && !unknown.contains("parameter"), "{unknown}");

    std::fs::write(&file, "Name;Dollars;delivery_method\nJane;12.50;link\nJoe;1.50;link\n").unwrap();
    let planned = batch(&[map.as_slice(), &["--dry-run"]].concat());
    assert!(said(&planned).contains("would create: 2; that exist: 0; that would fail: 0"), "{}", said(&planned));
    let made = json(&batch(&[map.as_slice(), &["--json"]].concat()));
    assert_eq!(made["validated_rows"][1]["amount_cents"], 150);
    let again = said(&batch(&map));
    let id = made["id"].as_str().unwrap();
    assert!(
        again.contains(id) && (again.contains("2 links, $14.00") || again.contains("has the same rows")),
        "{again}"
    );

    fails(&batch(&["--map", "amount"]), 2, "must be FIELD=VALUE".replace("VALUE", "COLUMN").as_str());
    fails(&batch(&["--map", "amount=A", "--map", "amount=B"]), 2, "twice");
    fails(&run(folder.path(), &["batch", "/nowhere.csv"]), 2, "/nowhere.csv");
}

#[test]
fn trigger_makes_each_scenario_happen_and_prints_its_events() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(folder.path());
    let others = json(&run(folder.path(), &["post", "payout-links", "amount=100", "delivery.method=link", "--json"]));
    for (scenario, object, path, status) in [
        ("payout.settled", "transfer_id", "transfers", "completed"),
        ("payout.returned", "transfer_id", "transfers", "reversed"),
        ("link.claimed", "payout_link_id", "payout-links", "claimed"),
        ("link.expired", "payout_link_id", "payout-links", "expired"),
        ("payout.failed", "transfer_id", "transfers", "failed"),
        ("link.delivery_failed", "payout_link_id", "payout-links", "delivery_failed"),
        ("payment.received", "transfer_id", "transfers", "completed"),
    ] {
        let made = json(&run(folder.path(), &["trigger", scenario, "--json"]));
        let id = made[object].as_str().unwrap_or_else(|| panic!("{scenario}: {made}"));
        assert_eq!(json(&run(folder.path(), &["get", &format!("{path}/{id}")]))["status"], status, "{scenario}");
        let events = made["events"].as_array().unwrap();
        let is_last = |event: &&Value| event["object_id"] == id && event["object"]["status"] == status;
        assert!(events.iter().any(|event| is_last(&event)), "{scenario}: {made}");
        // The clock of the first scenarios also moved the link of the other payee.
        let is_others = |event: &&Value| event["object_id"] == others["id"];
        assert!(!events.iter().any(|event| is_others(&event)), "{scenario}: {made}");
    }
    let expired = json(&run(folder.path(), &["get", &format!("payout-links/{}", others["id"].as_str().unwrap())]));
    assert_eq!(expired["status"], "expired", "it changed during a scenario");
    let people = said(&run(folder.path(), &["trigger", "link.claimed"]));
    assert!(people.contains("claimed: transfer ") && people.contains("payout_link.updated"), "{people}");

    // Another server, in which nothing is simulated, is left alone.
    let elsewhere = format!("http://{}/elsewhere", server.address);
    fails(&run(folder.path(), &["trigger", "link.claimed", "--base-url", &elsewhere]), 1, "not a sandbox");
    fails(&run(folder.path(), &["trigger", "payout.lost"]), 2, "payout.settled");
}

#[test]
fn logs_prints_the_newest_requests_and_follows_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(folder.path());
    json(&run(folder.path(), &["get", "users"]));
    fails(&run(folder.path(), &["post", "payout-links", "amount=0"]), 1, "/amount");
    let all = said(&run(folder.path(), &["logs"]));
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines.len(), 2, "{all}");
    assert!(lines[0].contains("  200  ") && lines[0].contains("GET    /v2/users  "), "{all}");
    assert!(lines[1].contains("  400  ") && lines[1].contains("  invalid-input: /amount"), "{all}");
    let refused = json(&run(folder.path(), &["logs", "--errors", "--json"]));
    assert_eq!((&refused["http_status"], &refused["path"]), (&Value::from(400), &Value::from("/v2/payout-links")));
    let id = refused["request_id"].as_str().unwrap();
    assert_eq!(json(&run(folder.path(), &["logs", "--request-id", id, "--json"]))["id"], refused["id"]);

    let arguments = ["logs", "--follow", "--limit", "1", "--data-dir", folder.path().to_str().unwrap()];
    let mut following = bursar(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(following.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("invalid-input"));
    json(&run(folder.path(), &["get", "payout-requests"]));
    assert!(lines.next().unwrap().unwrap().contains("/v2/payout-requests"));
    following.kill().unwrap();
    following.wait().unwrap();
    fails(&run(folder.path(), &["logs", "--request-id", "zzz"]), 1, "No such request.");
    let taken = tempfile::tempdir().unwrap();
    let refused = run(taken.path(), &["serve", "--listen", &server.address]);
    fails(&refused, 1, "choose a free port: --listen 127.0.0.1:0");
    server.kill();
    fails(&run(folder.path(), &["logs"]), 1, "refused");
    fails(&run(folder.path(), &["logs"]), 1, "Is the server running? Start it with bursar serve.");
}

#[test]
fn sandbox_reset_deletes_a_sandbox_that_no_server_uses() {
    let folder = tempfile::tempdir().unwrap();
    let credentials = folder.path().join("sandbox-credentials.json");
    fails(&run(folder.path(), &["sandbox", "reset", "--yes"]), 1, "there is no store at");
    let server = Process::start(folder.path());
    let before = std::fs::read_to_string(&credentials).unwrap();
    fails(&run(folder.path(), &["sandbox", "reset", "--yes"]), 1, "Stop that server first");
    server.kill();
    fails(&run(folder.path(), &["sandbox", "reset"]), 1, "confirm with --yes");
    // Without the credentials it could be another store.
    std::fs::rename(&credentials, folder.path().join("moved")).unwrap();
    fails(&run(folder.path(), &["sandbox", "reset", "--yes"]), 1, "nothing was deleted");
    assert!(folder.path().join("bursar.sqlite").exists());
    std::fs::write(&credentials, before.replace("_sandbox_", "_production_")).unwrap();
    fails(&run(folder.path(), &["sandbox", "reset", "--yes"]), 1, "has no keys of a sandbox");
    std::fs::write(&credentials, &before).unwrap();

    let deleted = json(&run(folder.path(), &["sandbox", "reset", "--yes", "--json"]));
    assert!(deleted["deleted"].as_array().unwrap().len() >= 2, "{deleted}");
    assert!(!folder.path().join("bursar.sqlite").exists() && folder.path().join("master.key").exists());
    let _again = Process::start(folder.path());
    assert_ne!(std::fs::read_to_string(&credentials).unwrap(), before);
    json(&run(folder.path(), &["get", "payout-links"]));
}

fn state(report: &Value, check: &str) -> Value {
    let found = report["checks"].as_array().unwrap().iter().find(|finding| finding["check"] == check);
    found.unwrap_or_else(|| panic!("{check} in {report}"))["state"].clone()
}

fn doctor(folder: &Path, further: &[&str]) -> (Option<i32>, Value) {
    let output = run(folder, &[["doctor", "--json"].as_slice(), further].concat());
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    (output.status.code(), report)
}

#[test]
fn doctor_names_what_keeps_a_server_from_working() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing is there yet: a server can start.
    let (code, report) = doctor(folder.path(), &["--listen", "127.0.0.1:0"]);
    assert_eq!(code, Some(0), "{report}");
    // A server runs.
    let server = Process::start(folder.path());
    let (code, report) = doctor(folder.path(), &["--listen", &server.address]);
    assert_eq!(code, Some(0), "{report}");
    for check in ["settings", "key file", "store", "clock", "port", "providers", "sanctions"] {
        assert_eq!(state(&report, check), "ok", "{check}: {report}");
    }
    server.kill();
    // Another program has the port, and no mail server answers.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let (listen, closed) = (silent.local_addr().unwrap().to_string(), format!("smtp://{taken}"));
    let mail = ["--smtp-url", &closed, "--smtp-from", "pay@example.com"];
    drop(std::thread::spawn(move || silent.accept().map(drop)));
    let (code, report) = doctor(folder.path(), &[["--listen", &listen].as_slice(), &mail].concat());
    assert_eq!((code, state(&report, "port"), state(&report, "mail")), (Some(1), "failed".into(), "failed".into()));
    // The settings contradict each other.
    let (code, report) = doctor(folder.path(), &["--public-url", "ftp://example.com"]);
    assert_eq!((code, state(&report, "settings")), (Some(1), "failed".into()));
    // The store is another file.
    std::fs::write(folder.path().join("bursar.sqlite"), "no database").unwrap();
    let (code, report) = doctor(folder.path(), &["--listen", "127.0.0.1:0"]);
    assert_eq!((code, state(&report, "store")), (Some(1), "failed".into()));
    let people = said(&run(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]));
    assert!(people.contains("FAILED   store") && people.contains("1 check failed"), "{people}");
}

#[test]
fn completions_know_every_command() {
    // The script for fish has no values of arguments without a flag.
    for (shell, words) in [
        ("bash", ["trigger", "payout.settled"]),
        ("zsh", ["trigger", "payout.settled"]),
        ("fish", ["trigger", "idempotency"]),
    ] {
        let output = bursar(&["completions", shell]).output().unwrap();
        let script = said(&output);
        assert!(output.status.success(), "{shell}");
        assert!(words.iter().all(|word| script.to_lowercase().contains(word)), "{shell}: {script}");
    }
    assert_eq!(bursar(&["completions", "cmd"]).output().unwrap().status.code(), Some(2));
}

/// Each command has its section.
#[test]
fn the_manual_page_has_every_command() {
    let output = bursar(&["man"]).output().unwrap();
    let page = said(&output);
    assert!(output.status.success());
    for name in ["serve", "bank files list", "keys create", "sandbox reset", "man"] {
        assert!(page.contains(&format!(".SS bursar {name}\n")), "{name}: {page}");
    }
    assert!(page.contains("\\fB\\-\\-data\\-dir\\fR") && page.contains(".SH EXIT STATUS"), "{page}");
}

/// One command, and each scenario passes through files of a bank, which agrees with the ledger.
#[test]
fn sandbox_bank_sends_the_payments_of_every_scenario_to_a_bank_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(folder.path());
    let is_new = |added: &Value| -> Vec<bool> {
        let connections = added["connections"].as_array().unwrap();
        connections.iter().map(|connection| connection["is_new"].as_bool().unwrap()).collect()
    };
    assert_eq!(is_new(&json(&run(folder.path(), &["sandbox", "bank", "--json"]))), [true, true]);
    assert_eq!(is_new(&json(&run(folder.path(), &["sandbox", "bank", "--json"]))), [false, false]);
    let people = said(&run(folder.path(), &["sandbox", "bank"]));
    assert!(people.contains("is there already") && people.contains("bursar trigger payout.returned"), "{people}");
    for _ in 0..3 {
        said(&run(folder.path(), &["post", "sandbox/clock/advance", "seconds=86400"]));
    }
    for (scenario, status) in
        [("payout.settled", "completed"), ("payout.failed", "failed"), ("payout.returned", "reversed")]
    {
        let made = json(&run(folder.path(), &["trigger", scenario, "--json"]));
        let transfer = made["transfer_id"].as_str().unwrap();
        assert_eq!(
            json(&run(folder.path(), &["get", &format!("transfers/{transfer}")]))["status"],
            status,
            "{scenario}"
        );
    }
    let files = said(&run(folder.path(), &["bank", "files", "list"]));
    assert_eq!(files.lines().filter(|line| line.contains("sent")).count(), 3, "{files}");
    let inbound = said(&run(folder.path(), &["bank", "inbound", "list"]));
    assert!(inbound.contains("ACKNOWLEDGEMENT_") && inbound.contains("RETURNS_"), "{inbound}");
    assert!(!inbound.contains("quarantined"), "{inbound}");
    let reconciled = said(&run(folder.path(), &["bank", "reconcile"]));
    // No payment went to the bank for messages, whose account has the first wire.
    assert!(reconciled.contains("bank 1000000.00, ledger 1000000.00, difference 0.00"), "{reconciled}");
    assert_eq!(reconciled.matches("difference 0.00").count(), 2, "{reconciled}");
    let alarms = said(&run(folder.path(), &["bank", "alarms"]));
    assert!(!alarms.contains("suspense") && !alarms.contains("not_covered"), "{alarms}");

    // The bank and its records are there after a restart, until the sandbox is reset.
    let address = server.address.clone();
    server.kill();
    let server = Process::start_at(folder.path(), &address);
    let made = json(&run(folder.path(), &["trigger", "payout.settled", "--json"]));
    let path = format!("transfers/{}", made["transfer_id"].as_str().unwrap());
    assert_eq!(json(&run(folder.path(), &["get", &path]))["status"], "completed");
    server.kill();
    said(&run(folder.path(), &["verify"]));
    assert!(folder.path().join("sandbox-bank").exists());
    said(&run(folder.path(), &["sandbox", "reset", "--yes"]));
    assert!(!folder.path().join("sandbox-bank").exists());
}
