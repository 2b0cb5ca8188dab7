//! `bursar bank connections`, `originators`, `settlement-accounts`, `routes`, `calendar` and `pause-all`, with the real
//! program.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::harness::{Process, bursar};
use crate::samples::{new_account, new_connection, new_originator};

struct Sandbox {
    folder: tempfile::TempDir,
    _process: Process,
    admin: String,
    payer: String,
}

impl Sandbox {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = Process::start(folder.path());
        let credentials = std::fs::read_to_string(folder.path().join("sandbox-credentials.json")).unwrap();
        let credentials: Value = serde_json::from_str(&credentials).unwrap();
        let member = |role: &str| {
            let members = credentials["members"].as_array().unwrap();
            members.iter().find(|member| member["role"] == role).unwrap()["id"].as_str().unwrap().to_owned()
        };
        Self { admin: member("admin"), payer: member("payer"), folder, _process: process }
    }

    /// Runs `bursar bank …` as a member.
    fn run(&self, member: &str, arguments: &[&str]) -> Output {
        let mut command = bursar(&[&["bank"], arguments].concat());
        command.args(["--data-dir", self.folder.path().to_str().unwrap(), "--as", member]).output().unwrap()
    }

    #[track_caller]
    fn works(&self, member: &str, arguments: &[&str]) -> String {
        let output = self.run(member, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Adds an object from a file; returns its id.
    #[track_caller]
    fn add(&self, parts: &str, mut body: Value) -> String {
        body.as_object_mut().unwrap().shift_remove("acting_user_id");
        let file = self.path("new.json");
        std::fs::write(&file, body.to_string()).unwrap();
        let added = self.works(&self.admin, &[parts, "add", file.to_str().unwrap(), "--json"]);
        let added: Value = serde_json::from_str(&added).unwrap();
        assert_eq!(added["status"], "draft");
        added["id"].as_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

#[test]
fn a_bank_is_set_up_from_the_command_line() {
    let sandbox = Sandbox::start();
    let (admin, payer) = (sandbox.admin.as_str(), sandbox.payer.as_str());
    let connection = sandbox.add("connections", new_connection(""));
    let originator = sandbox.add("originators", new_originator("", &connection));
    let account = sandbox.add("settlement-accounts", new_account("", &connection, "000987654321"));
    let file = sandbox.path("test.ach");
    let to_file = [
        "connections",
        "test-file",
        &connection,
        "--originator",
        &originator,
        "--settlement-account",
        &account,
        "--output",
        file.to_str().unwrap(),
    ];
    sandbox.works(admin, &to_file);
    let checked = bursar(&["bank", "check", file.to_str().unwrap()]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    assert!(!sandbox.run(admin, &to_file).status.success(), "an existing file is not replaced");

    sandbox.works(admin, &["connections", "test", &connection, "--evidence", "Accepted."]);
    assert!(!sandbox.run(admin, &["connections", "approve", &connection]).status.success(), "by its maker");
    let approved = sandbox.works(payer, &["connections", "approve", &connection]);
    assert_eq!(approved, format!("{connection} is approved\n"));
    for (parts, id) in [("originators", &originator), ("settlement-accounts", &account)] {
        assert_eq!(sandbox.works(payer, &[parts, "approve", id]), format!("{id} is approved\n"));
    }
    let route = serde_json::json!({
        "platform": "ach", "currency": "USD", "from_on": "2099-01-02", "bank_connection_id": connection,
        "originator_id": originator, "settlement_account_id": account,
    });
    let route = sandbox.add("routes", route);
    sandbox.works(payer, &["routes", "approve", &route]);
    let listed = sandbox.works(admin, &["routes", "list"]);
    assert!(listed.contains(&route) && listed.contains("approved") && listed.contains("2099-01-02"), "{listed}");

    let calendar = sandbox.works(admin, &["calendar", "2026-11-25", "2026-11-26", "--connection", &connection]);
    let lines: Vec<Vec<&str>> = calendar.lines().map(|line| line.split_whitespace().collect()).collect();
    let evening = ["2026-11-25", "evening", "2026-11-25T22:30:00.000000Z", "2026-11-25T23:00:00.000000Z", "2026-11-27"];
    assert_eq!(lines[2][..5], evening, "{calendar}");
    assert_eq!(lines[3][..2], ["2026-11-26", "closed"], "{calendar}");

    assert_eq!(sandbox.works(payer, &["pause-all", "--reason", "The bank called."]), "1 connection stopped\n");
    let resumed = sandbox.works(admin, &["connections", "resume", &connection]);
    assert_eq!(resumed, format!("{connection} is approved\n"));
    sandbox.works(payer, &["connections", "pause", &connection, "--reason", "Again."]);
    let patch = sandbox.path("patch.json");
    std::fs::write(&patch, r#"{"name": "Second Bank"}"#).unwrap();
    let changed = sandbox.works(admin, &["connections", "change", &connection, patch.to_str().unwrap()]);
    assert_eq!(changed, format!("{connection} is draft\n"));
    assert_eq!(sandbox.works(admin, &["routes", "end", &route]), format!("{route} is ended\n"));
}

#[test]
fn wrong_arguments_are_refused_before_the_server_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let code = |arguments: &[&str]| {
        let mut command = bursar(&[&["bank"], arguments].concat());
        command.args(["--data-dir", folder.path().to_str().unwrap()]).output().unwrap().status.code()
    };
    let list = folder.path().join("list.json");
    std::fs::write(&list, "[]").unwrap();
    let missing: &Path = &folder.path().join("missing.json");
    assert_eq!(code(&["connections", "approve", "../../apps"]), Some(2));
    assert_eq!(code(&["connections", "add", list.to_str().unwrap()]), Some(2));
    assert_eq!(code(&["routes", "add", missing.to_str().unwrap()]), Some(2));
    let id = "019a0000-0000-7000-8000-000000000000";
    assert_eq!(code(&["calendar", "today", "2026-11-26", "--connection", id]), Some(1));
    assert_eq!(code(&["connections", "list"]), Some(78), "without credentials");
    let says = |arguments: &[&str]| {
        let output = bursar(&[&["bank"], arguments].concat()).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let here = folder.path().to_str().unwrap();
    let file = list.to_str().unwrap();
    let nowhere = folder.path().join("no/bank");
    let nowhere = nowhere.to_str().unwrap();
    for (arguments, parts) in [
        (vec!["files", "show", id, "--as", "me"], ["--as <ID>", "must be a UUID such as 0195d8a4"]),
        (vec!["entries", "--file", "7"], ["--file <ID>", "must be a UUID such as 0195d8a4"]),
        (
            vec!["statements", "list", "--status", "lost"],
            ["--status <STATUS>", "waiting, applied, quarantined, discarded"],
        ),
        (vec!["items", "list", "--status", "lost"], ["--status <STATUS>", "waiting, applied, unmatched"]),
        (vec!["serve", "--dir", file, "--once"], ["--dir", "is no folder"]),
        (vec!["serve", "--dir", nowhere, "--once"], ["--dir", "does not exist. Create that folder"]),
        (vec!["serve", "--dir", here, "--account", "12-34"], ["--account <NUMBER>", "4 to 17 digits"]),
        (vec!["serve", "--dir", here, "--once", "--wire", "5"], ["--wire", "Name it with --account"]),
        (vec!["serve", "--dir", here, "--ahead=-5"], ["--ahead <SECONDS>", "0..=315360000"]),
    ] {
        let said = says(&arguments);
        assert!(parts.iter().all(|part| said.contains(part)), "{arguments:?}: {said}");
    }
    let serve = ["serve", "--dir", here, "--once", "--account", "12345678"];
    assert!(bursar(&[&["bank"], &serve[..]].concat()).output().unwrap().status.success());
    let other = says(&["serve", "--dir", here, "--once", "--account", "87654321"]);
    assert!(other.contains("keeps the account 12345678"), "{other}");
}

#[test]
fn files_of_banks_are_listed_and_decided_from_the_command_line() {
    let sandbox = Sandbox::start();
    let payer = sandbox.payer.as_str();
    assert!(sandbox.works(payer, &["inbound", "list"]).contains("UNMATCHED"));
    assert!(sandbox.works(payer, &["items", "list", "--status", "unmatched"]).contains("REASON"));
    let id = "019a0000-0000-7000-8000-000000000000";
    assert!(sandbox.works(payer, &["statements", "list"]).contains("CLOSING"));
    assert!(sandbox.works(payer, &["deposit-references"]).contains("BUR"));
    assert!(sandbox.works(payer, &["return-rates"]).contains("LIMIT"));
    assert!(sandbox.works(payer, &["alarms"]).contains("WHAT TO DO"));
    let connection = sandbox.add("connections", new_connection(""));
    let file = sandbox.path("STATEMENT.bai");
    std::fs::write(&file, "no statement").unwrap();
    let uploaded = sandbox.works(payer, &["inbound", "upload", file.to_str().unwrap(), "--connection", &connection]);
    assert!(uploaded.contains(" is uploaded since ") && uploaded.contains("bursar bank inbound replay"), "{uploaded}");
    let first = uploaded.split(' ').next().unwrap().to_owned();
    // Another member lets it be read. The bank's bytes are known from then on.
    let upload = ["inbound", "upload", file.to_str().unwrap(), "--connection", &connection];
    sandbox.works(&sandbox.admin, &["inbound", "replay", &first, "--file", file.to_str().unwrap()]);
    let known = sandbox.works(payer, &upload);
    assert!(
        known.starts_with(&first) && known.contains("STATEMENT.bai of ") && known.contains("nothing was uploaded"),
        "{known}"
    );
    let renamed = sandbox.path("RENAMED.bai");
    std::fs::copy(&file, &renamed).unwrap();
    let renamed = ["inbound", "upload", renamed.to_str().unwrap(), "--connection", &connection];
    let duplicate = sandbox.works(payer, &renamed);
    assert!(duplicate.contains(&format!(" is duplicate: file {first} has the same bytes")), "{duplicate}");
    let mut nameless = bursar(&["bank", "inbound", "discard", &first, "--reason", "None."]);
    let nameless = nameless.args(["--data-dir", sandbox.folder.path().to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(nameless.stderr).unwrap();
    assert!(said.contains("--as is required: the id of the acting member"), "{said}");
    assert!(!said.contains("acting_user_id"), "{said}");
    let arguments: [&[&str]; 14] = [
        &["statements", "confirm", id, "--evidence", "By phone."],
        &["statements", "show", id],
        &["statements", "discard", id, "--reason", "Replaced."],
        &["items", "assign", id, "--booked-as", "deposit", "--app", id, "--evidence", "By phone."],
        &["items", "write-off", id, "--reason", "Rounding."],
        &["items", "explain", id, "--reason", "Known."],
        &["reconcile", "--settlement-account", id],
        &["inbound", "show", id],
        &["inbound", "replay", id],
        &["inbound", "discard", id, "--reason", "Replaced."],
        &["items", "match", id, "--transfer", id, "--evidence", "By phone."],
        &["items", "approve", id, "--version", "1"],
        &["items", "ignore", id, "--reason", "A duplicate."],
        &["items", "list", "--status", "lost"],
    ];
    for arguments in arguments {
        let refused = sandbox.run(payer, arguments);
        assert!(!refused.status.success(), "{arguments:?}");
        let reason = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            ["inbound file", "bank item", "bank statement", "settlement account", "status"]
                .iter()
                .any(|noun| reason.contains(noun)),
            "{reason}"
        );
    }
}
