//! The whole way with the real program: set up and acted on by `bursar bank`, sent over SFTP, with a kill in between.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bursar::bankbox::{self, Account, Grain, StatementFormat};
use bursar::clock::{DAY_SECONDS, Time};
use serde_json::{Value, json};

use crate::harness::{Process, bursar};
use crate::postgres_processes::ask;
use crate::samples::{new_account, new_connection, new_message_connection, new_originator};

pub const SFTP_SERVER: &str = "/usr/lib/openssh/sftp-server";

/// A sandbox whose `ssh` is a program of this test, which reaches a folder by the real `sftp-server`.
pub struct Sandbox {
    pub folder: tempfile::TempDir,
    pub process: Option<Process>,
    /// Flags of each process.
    flags: Vec<String>,
}

impl Sandbox {
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn new() -> Self {
        Self::with(&[])
    }

    /// Starts each process with these flags too.
    pub fn with(flags: &[&str]) -> Self {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let sandbox = Self { folder: tempfile::tempdir().unwrap(), process: None, flags };
        std::fs::create_dir(sandbox.path("bin")).unwrap();
        bankbox::tick(sandbox.folder.path(), 0).unwrap();
        let flags: Vec<&str> = sandbox.flags.iter().map(String::as_str).collect();
        drop(Process::start_with(&sandbox.path("data"), &flags));
        let org = sandbox.credentials()["organization"]["id"].as_str().unwrap().to_owned();
        let table = format!(
            "[transports.first-bank]\norganization = '{org}'\nhost = 'bank.example'\nuser = 'acme'\n\
             identity-file = '/dev/null'\nknown-hosts-file = '/dev/null'\nremote-folder = '{}'\ninbound-folder = '{}'\n",
            sandbox.path(bankbox::OUTBOUND).display(),
            sandbox.path(bankbox::INBOUND).display(),
        );
        std::fs::write(sandbox.path("bursar.toml"), table).unwrap();
        sandbox
    }

    /// Replaces `ssh`.
    pub fn ssh(&self, command: &str) {
        let file = self.path("bin/ssh");
        std::fs::write(&file, format!("#!/bin/sh\n{command}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn start(&mut self) {
        self.process = Some(self.started());
    }

    /// Starts another process.
    pub fn started(&self) -> Process {
        let mut path: OsString = self.path("bin").into();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        let config = self.path("bursar.toml");
        let own: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let flags = [&["--config", config.to_str().unwrap()], own.as_slice()].concat();
        Process::start_on_path(&self.path("data"), &flags, &path)
    }

    pub fn credentials(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.path("data/sandbox-credentials.json")).unwrap()).unwrap()
    }

    /// Runs `bursar bank …` as the member of a role; returns the output.
    #[track_caller]
    pub fn bank(&self, role: &str, arguments: &[&str]) -> String {
        let credentials = self.credentials();
        let members = credentials["members"].as_array().unwrap();
        let member = members.iter().find(|member| member["role"] == role).unwrap()["id"].as_str().unwrap();
        let mut command = bursar(&[&["bank"], arguments].concat());
        let url = format!("http://{}", self.process.as_ref().unwrap().address);
        let data = self.path("data");
        command.args(["--data-dir", data.to_str().unwrap(), "--base-url", &url, "--as", member]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the reconciliation of the accounts; `None` before the first statement.
    pub fn reconciliation(&self) -> Option<Value> {
        let credentials = self.credentials();
        let (status, shown) = ask(
            self.process.as_ref().unwrap(),
            &credentials,
            "organization",
            "GET",
            "/v2/bank/settlement-accounts",
            "",
        );
        assert_eq!(status, 200, "{shown}");
        let account = shown["data"][0]["id"].as_str().unwrap();
        let path = format!("/v2/bank/reconciliation?settlement_account_id={account}");
        let (status, shown) = ask(self.process.as_ref().unwrap(), &credentials, "organization", "GET", &path, "");
        (status == 200).then_some(shown)
    }

    fn add(&self, parts: &str, mut body: Value) -> String {
        body.as_object_mut().unwrap().shift_remove("acting_user_id");
        let file = self.path("new.json");
        std::fs::write(&file, body.to_string()).unwrap();
        let added = self.bank("admin", &[parts, "add", file.to_str().unwrap(), "--json"]);
        serde_json::from_str::<Value>(&added).unwrap()["id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub fn app(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) =
            ask(self.process.as_ref().unwrap(), &self.credentials(), "app", method, path, &body.to_string());
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }

    pub fn pass(&self, seconds: i64) {
        self.app("POST", "/v2/sandbox/clock/advance", &json!({"seconds": seconds}));
    }

    /// Returns the sandbox's time.
    pub fn now(&self) -> Time {
        Time::parse(self.app("GET", "/v2/sandbox/clock", &json!({}))["now"].as_str().unwrap()).unwrap()
    }

    /// Passes to the next time of day, in hours of UTC.
    fn pass_to(&self, hour: i64) {
        let second_of_day = self.now().micros() / 1_000_000 % DAY_SECONDS;
        let seconds = (hour * 3_600 - second_of_day).rem_euclid(DAY_SECONDS);
        self.pass(if seconds == 0 { DAY_SECONDS } else { seconds });
    }

    /// Lets the bank take our files and answer, and fetches its answers by two polls.
    fn bank_day(&self) {
        bankbox::tick(self.folder.path(), self.now().micros() / 1_000_000).unwrap();
        self.pass(900);
        self.pass(60);
    }

    fn file(&self) -> Value {
        let listed: Value = serde_json::from_str(&self.bank("payer", &["files", "list", "--json"])).unwrap();
        assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
        listed["data"][0].clone()
    }

    /// Sets up a bank that works every day, with a route of ach in force.
    fn route(&self) {
        self.route_daily(new_connection(""));
    }

    /// As [`Self::route`], by another connection.
    fn route_daily(&self, mut connection: Value) {
        connection["calendar"] = json!("every_day");
        connection["windows"] = json!([{
            "name": "night", "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "submit_by": "23:30",
            "lead_minutes": 600, "same_day": false,
        }]);
        self.route_by(connection);
    }

    pub fn route_by(&self, mut connection: Value) {
        connection["transport"] = json!("first-bank");
        let rail = if connection["format"] == "nacha" { "ach" } else { "bank_transfer" };
        let connection = self.add("connections", connection);
        self.bank("admin", &["connections", "test", &connection, "--evidence", "Accepted."]);
        let originator = self.add("originators", new_originator("", &connection));
        let account = self.add("settlement-accounts", new_account("", &connection, "000123456789"));
        for (parts, id) in
            [("connections", &connection), ("originators", &originator), ("settlement-accounts", &account)]
        {
            self.bank("payer", &[parts, "approve", id]);
        }
        let from_on = Time::from_micros(jiff::Timestamp::now().as_microsecond()).plus_seconds(2 * DAY_SECONDS).date();
        let route = self.add(
            "routes",
            json!({
                "platform": rail, "currency": "USD", "from_on": from_on.to_string(), "bank_connection_id": connection,
                "originator_id": originator, "settlement_account_id": account,
            }),
        );
        self.bank("payer", &["routes", "approve", &route]);
        self.pass(3 * DAY_SECONDS);
    }

    fn user(&self) -> String {
        self.payee(1234, "55501234")
    }

    /// Adds a verified user with a line of the phone network and an account.
    pub fn payee(&self, line: u32, account: &str) -> String {
        self.payee_by("ach", line, account)
    }

    fn payee_by(&self, rail: &str, line: u32, account: &str) -> String {
        let person = json!({
            "first_name": "Ada", "last_name": "Byron", "email": format!("ada{line}@example.com"), "country_code": "1",
            "phone_number": format!("212736{line}"),
        });
        let user = self.app("POST", "/v2/users", &person)["id"].as_str().unwrap().to_owned();
        let path = format!("/v2/users/{user}");
        self.app("POST", &format!("{path}/send-verification-token"), &json!({}));
        let inbox = self.app("GET", "/v2/sandbox/messages", &json!({}));
        let code = inbox["data"][0]["code"].clone();
        self.app("POST", &format!("{path}/verify"), &json!({"token": code}));
        let account = json!({"platform": rail, "routing_number": "110000000", "account_number": account});
        self.app("PUT", &format!("{path}/payout-methods"), &account);
        user
    }

    fn inbound(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.path(bankbox::OUTBOUND)).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn a_killed_program_delivers_the_file_over_sftp_once() {
    if !Path::new(SFTP_SERVER).exists() {
        panic!("install openssh-sftp-server");
    }
    let mut sandbox = Sandbox::new();
    sandbox.ssh("exit 255");
    sandbox.start();
    sandbox.route();
    let user = sandbox.user();
    let order = json!({"user_id": user, "amount": 2_000, "platform": "ach", "fund": true});
    let paid = sandbox.app("POST", "/v2/payouts", &order);
    assert_eq!(paid["status"], "pending");
    // To five minutes after the cut-off, which is ten hours before the deadline.
    let cutoff = Time::parse(sandbox.file()["cutoff"].as_str().unwrap()).unwrap();
    let now = Time::parse(paid["created"].as_str().unwrap()).unwrap();
    sandbox.pass(cutoff.seconds_since(now) + 300);
    let sealed = sandbox.file();
    assert_eq!(sealed["status"], "sealed", "the bank cannot be reached: {sealed}");
    assert!(sandbox.inbound().is_empty());

    sandbox.process.take().unwrap().kill();
    sandbox.ssh(&format!("exec {SFTP_SERVER}"));
    sandbox.start();
    sandbox.pass(300);
    let sent = sandbox.file();
    assert_eq!((&sent["status"], &sent["sha256"]), (&json!("sent"), &sealed["sha256"]), "{sent}");
    let files = sandbox.inbound();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].to_str().unwrap().ends_with(sent["name"].as_str().unwrap()));
    let checked = bursar(&["bank", "check", files[0].to_str().unwrap()]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let content = sandbox.path("content.ach");
    let id = sent["id"].as_str().unwrap();
    sandbox.bank("payer", &["files", "content", id, "--output", content.to_str().unwrap()]);
    assert_eq!(std::fs::read(&content).unwrap(), std::fs::read(&files[0]).unwrap());
    assert!(sandbox.bank("payer", &["entries", "--file", id]).contains("ADA BYRON"));
    assert!(sandbox.bank("payer", &["files", "show", id]).contains("sent"));

    sandbox.pass(3 * DAY_SECONDS);
    let path = format!("/v2/transfers/{}", paid["id"].as_str().unwrap());
    assert_eq!(sandbox.app("GET", &path, &json!({}))["status"], "completed");
    assert_eq!(sandbox.inbound().len(), 1);
    sandbox.process.take().unwrap().kill();
    let data = sandbox.path("data");
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap(), "--all-seals"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

/// As for a NACHA file, with a message and the bank's answer to it.
#[test]
fn a_killed_program_delivers_a_message_over_sftp_once_and_reads_its_status_report() {
    let mut sandbox = Sandbox::new();
    sandbox.ssh("exit 255");
    sandbox.start();
    sandbox.route_daily(new_message_connection(""));
    let pay = |line: u32, account: &str| {
        let user = sandbox.payee_by("bank_transfer", line, account);
        let order = json!({"user_id": user, "amount": 2_000, "platform": "bank_transfer", "fund": true});
        sandbox.app("POST", "/v2/payouts", &order)
    };
    let (paid, refused) = (pay(2_000, "55502000"), pay(2_001, "10000002"));
    let cutoff = Time::parse(sandbox.file()["cutoff"].as_str().unwrap()).unwrap();
    sandbox.pass(cutoff.seconds_since(sandbox.now()) + 300);
    let sealed = sandbox.file();
    assert_eq!(sealed["status"], "sealed", "the bank cannot be reached: {sealed}");
    sandbox.process.take().unwrap().kill();
    sandbox.ssh(&format!("exec {SFTP_SERVER}"));
    sandbox.start();
    sandbox.pass(300);
    let sent = sandbox.file();
    assert_eq!((&sent["status"], &sent["sha256"]), (&json!("sent"), &sealed["sha256"]), "{sent}");
    let files = sandbox.inbound();
    assert_eq!(files.len(), 1, "{files:?}");
    let checked = bursar(&["bank", "check", files[0].to_str().unwrap()]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));

    sandbox.bank_day();
    let answered = sandbox.file();
    assert_eq!((&answered["answer"], &answered["refused"]), (&json!("accepted"), &json!(1)), "{answered}");
    let status = |transfer: &Value| {
        let path = format!("/v2/transfers/{}", transfer["id"].as_str().unwrap());
        sandbox.app("GET", &path, &json!({}))["status"].clone()
    };
    assert_eq!((status(&paid), status(&refused)), (json!("pending"), json!("failed")));
    sandbox.pass(3 * DAY_SECONDS);
    assert_eq!(status(&paid), "completed");
    assert_eq!(sandbox.inbound().len(), 1);
    sandbox.process.take().unwrap().kill();
    let data = sandbox.path("data");
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap(), "--all-seals"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn two_hundred_payments_over_sftp_with_a_kill_agree_with_the_statements_to_the_cent() {
    let mut sandbox = Sandbox::new();
    sandbox.ssh(&format!("exec {SFTP_SERVER}"));
    sandbox.start();
    sandbox.route_by(new_connection(""));
    // Ten in the morning in New York, or eleven.
    sandbox.pass_to(15);
    let opened = sandbox.now().micros() / 1_000_000;
    let account = Account::open("000123456789", StatementFormat::Bai2, Grain::File, 0, opened);
    bankbox::with(sandbox.folder.path(), |bank| bank.keep(account)).unwrap();
    let references: Value = serde_json::from_str(&sandbox.bank("payer", &["deposit-references", "--json"])).unwrap();
    let reference = references["data"][0]["reference"].as_str().unwrap();
    bankbox::with(sandbox.folder.path(), |bank| bank.wire(1_000_000, reference, opened)).unwrap();

    // The bank cannot be reached at the cut-off, and the program is killed.
    let mut sent = 0;
    for payee in 0..200_u32 {
        let account = match payee {
            0..3 => "10000002".to_owned(),
            3..6 => "20000001".to_owned(),
            6..8 => "30000001".to_owned(),
            _ => format!("5550{}", 2_000 + payee),
        };
        let user = sandbox.payee(2_000 + payee, &account);
        let amount = 1_000 + i64::from(payee);
        sent += amount;
        let order = json!({
            "user_id": user, "amount": amount, "platform": "ach", "fund": true, "payout_fee_party": "platform",
        });
        assert_eq!(sandbox.app("POST", "/v2/payouts", &order)["status"], "pending");
    }
    sandbox.ssh("exit 255");
    let cutoff = Time::parse(sandbox.file()["cutoff"].as_str().unwrap()).unwrap();
    sandbox.pass(cutoff.seconds_since(sandbox.now()) + 300);
    assert_eq!(sandbox.file()["status"], "sealed");
    sandbox.process.take().unwrap().kill();
    sandbox.ssh(&format!("exec {SFTP_SERVER}"));
    sandbox.start();
    sandbox.pass(300);
    assert_eq!((&sandbox.file()["status"], sandbox.inbound().len()), (&json!("sent"), 1));

    sandbox.bank_day();
    sandbox.pass_to(15);
    for day in 0..14 {
        sandbox.bank_day();
        if day == 5 {
            // A statement may be fetched and not applied.
            sandbox.process.take().unwrap().kill();
            sandbox.start();
        }
        sandbox.pass_to(15);
    }
    sandbox.bank_day();
    let text = sandbox.bank("payer", &["reconcile"]);
    assert!(
        text.contains("difference 0.00") && !text.contains("in suspense") && !text.contains("not booked"),
        "{text}"
    );
    let shown: Value = serde_json::from_str(&sandbox.bank("payer", &["reconcile", "--json"])).unwrap();
    let returned: i64 = (1_000..1_006).sum();
    assert_eq!(shown["data"][0]["closing"], 1_000_000 - sent + returned, "{shown}");
    assert_eq!(sandbox.inbound().len(), 1);
    sandbox.process.take().unwrap().kill();
    let data = sandbox.path("data");
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap(), "--all-seals"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}
