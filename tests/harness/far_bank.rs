//! The simulated bank in a folder, for programs that run as processes of their own: they pay by messages (pain.001), and
//! it keeps the account. Its records are the files in its folder, to which only the programs add.

use std::path::PathBuf;
use std::time::Duration;

use bursar::bank_files::transfer_of;
use bursar::bankbox::{self, Account, Grain, StatementFormat};
use bursar::clock::{DAY_SECONDS, Time};
use bursar_formats::Profile;
use bursar_formats::iso20022::{self, Message};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Process;
use super::rails::Item;
use crate::postgres_processes::{ask, until};
use crate::samples::{new_account, new_message_connection, new_originator};

/// The rail that the bank carries.
pub const RAIL: &str = "bank_transfer";
const OPENING: i64 = 1_000_000_000;
const NUMBER: &str = "000123456789";

/// Gives a connection a window in each hour of a working day, from the first minute to the last but one.
#[must_use]
pub fn hourly(mut connection: Value) -> Value {
    let window = |hour: i64| {
        json!({"name": format!("at {hour}"), "days": ["mon", "tue", "wed", "thu", "fri"],
            "submit_by": format!("{hour:02}:59"), "lead_minutes": 58, "same_day": false})
    };
    connection["windows"] = (0..24).map(window).collect();
    connection
}

/// Returns the seconds from a time to a Tuesday in one or two weeks, at 00:30 or 01:30 in New York.
#[must_use]
pub fn to_tuesday(now: Time) -> i64 {
    let seconds = now.micros() / 1_000_000;
    // 1 January 1970 was a Thursday.
    (5 * DAY_SECONDS + 5 * 3_600 + 1_800 - seconds).rem_euclid(7 * DAY_SECONDS) + 7 * DAY_SECONDS
}

/// Adds a user with a proven phone and an account that the bank reaches; returns the id.
pub fn payee(process: &Process, credentials: &Value) -> String {
    let call = |method: &str, path: &str, body: Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = ask(process, credentials, "app", method, path, &body);
        assert!((200..300).contains(&status), "{method} {path}: {status}: {answer}");
        answer
    };
    let person = json!({"first_name": "Ada", "last_name": "Byron", "email": "ada@example.com",
        "country_code": "1", "phone_number": "2127361234"});
    let user = call("POST", "/v2/users", person)["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/users/{user}");
    call("POST", &format!("{path}/send-verification-token"), json!({}));
    let mut code = Value::Null;
    until("the code arrives", Duration::from_secs(10), || {
        code = call("GET", "/v2/sandbox/messages?limit=1", Value::Null)["data"][0]["code"].clone();
        code.is_string()
    });
    call("POST", &format!("{path}/verify"), json!({"token": code}));
    for rail in ["ach", RAIL] {
        let account = json!({"platform": rail, "routing_number": "110000000", "account_number": "55501234"});
        call("PUT", &format!("{path}/payout-methods"), account);
    }
    user
}

pub struct FarBank {
    root: TempDir,
    credentials: Value,
    account: String,
}

impl FarBank {
    /// Opens the bank for the organization of these credentials.
    pub fn open(credentials: &Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        bankbox::tick(root.path(), 0).unwrap();
        let table = format!(
            "[transports.first-bank]\norganization = '{}'\nfolder = '{}'\ninbound-folder = '{}'\n",
            credentials["organization"]["id"].as_str().unwrap(),
            root.path().join(bankbox::OUTBOUND).display(),
            root.path().join(bankbox::INBOUND).display(),
        );
        std::fs::write(root.path().join("bursar.toml"), table).unwrap();
        Self { root, credentials: credentials.clone(), account: String::new() }
    }

    /// Returns the flags of each process.
    pub fn flags(&self) -> [String; 2] {
        ["--config".to_owned(), self.root.path().join("bursar.toml").display().to_string()]
    }

    fn call(&self, process: &Process, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = ask(process, &self.credentials, "organization", method, path, &body);
        assert!((200..300).contains(&status), "{method} {path}: {status}: {answer}");
        answer
    }

    fn post(&self, process: &Process, path: &str, role: &str, mut body: Value) -> Value {
        let members = self.credentials["members"].as_array().unwrap();
        body["acting_user_id"] = members.iter().find(|member| member["role"] == role).unwrap()["id"].clone();
        self.call(process, "POST", path, &body)
    }

    pub fn now(&self, process: &Process) -> Time {
        let (_, clock) = ask(process, &self.credentials, "app", "GET", "/v2/sandbox/clock", "");
        Time::parse(clock["now"].as_str().unwrap()).unwrap()
    }

    /// Moves the clock, and waits for due jobs.
    pub fn pass(&self, process: &Process, seconds: i64) {
        let body = json!({"seconds": seconds}).to_string();
        let (status, answer) = ask(process, &self.credentials, "app", "POST", "/v2/sandbox/clock/advance", &body);
        assert_eq!(status, 200, "{answer}");
    }

    /// Sets up the connection, and passes to a Tuesday on which the route is in force.
    pub fn connect(&mut self, process: &Process) {
        self.connect_by(process, hourly(new_message_connection("")), RAIL);
    }

    /// As [`Self::connect`], by another connection and for another rail.
    pub fn connect_by(&mut self, process: &Process, mut connection: Value, rail: &str) {
        connection["transport"] = json!("first-bank");
        let id = |added: Value| added["id"].as_str().unwrap().to_owned();
        let connection = id(self.post(process, "/v2/bank/connections", "admin", connection));
        let path = format!("/v2/bank/connections/{connection}");
        self.post(process, &format!("{path}/test"), "admin", json!({"evidence": "Accepted."}));
        let originator = new_originator("", &connection);
        let originator = id(self.post(process, "/v2/bank/originators", "admin", originator));
        let mut account = new_account("", &connection, NUMBER);
        (account["statement_kind"], account["booking_grain"]) = (json!("camt053"), json!("entry"));
        self.account = id(self.post(process, "/v2/bank/settlement-accounts", "admin", account));
        let parts = [format!("originators/{originator}"), format!("settlement-accounts/{}", self.account)];
        for part in [format!("connections/{connection}")].iter().chain(&parts) {
            self.post(process, &format!("/v2/bank/{part}/approve"), "payer", json!({}));
        }
        let now = self.now(process);
        let route = json!({
            "platform": rail, "currency": "USD", "from_on": now.plus_seconds(3 * DAY_SECONDS).date().to_string(),
            "bank_connection_id": connection, "originator_id": originator, "settlement_account_id": self.account,
        });
        let route = id(self.post(process, "/v2/bank/routes", "admin", route));
        self.post(process, &format!("/v2/bank/routes/{route}/approve"), "payer", json!({}));
        self.pass(process, to_tuesday(now));
        let opened = self.now(process).micros() / 1_000_000;
        let account = Account::open(NUMBER, StatementFormat::Camt053, Grain::Entry, OPENING, opened);
        bankbox::with(self.root.path(), |bank| bank.keep(account)).unwrap();
    }

    fn files(&self, process: &Process) -> Vec<Value> {
        self.call(process, "GET", "/v2/bank/files?limit=100", &Value::Null)["data"].as_array().unwrap().clone()
    }

    /// Passes to the cut-offs of all files, and lets a member move those that missed the bank's deadline.
    pub fn send_all(&self, process: &Process) {
        for _ in 0..20 {
            let files = self.files(process);
            let waits = |file: &&Value| !["sent", "dropped"].contains(&file["status"].as_str().unwrap());
            let Some(file) = files.iter().find(waits) else { return };
            let time = |name: &str| Time::parse(file[name].as_str().unwrap()).unwrap();
            let now = self.now(process);
            if file["status"] != "open" && now >= time("submit_by") {
                let path = format!("/v2/bank/files/{}/redate", file["id"].as_str().unwrap());
                self.post(process, &path, "payer", json!({}));
            } else {
                self.pass(process, time("cutoff").seconds_since(now).max(0) + 120);
            }
        }
        panic!("not all files are sent: {:?}", self.files(process));
    }

    /// Lets days pass until the bank has booked what it took, and returns what differs from the records of the bank.
    pub fn disagreements(&self, process: &Process) -> Vec<String> {
        let closing = OPENING - self.book().iter().map(|item| item.amount).sum::<i64>();
        let path = format!("/v2/bank/reconciliation?settlement_account_id={}", self.account);
        let mut found = Value::Null;
        for _ in 0..40 {
            bankbox::tick(self.root.path(), self.now(process).micros() / 1_000_000).unwrap();
            // Two polls: a file is read when both see the same.
            for seconds in [900, 60, DAY_SECONDS / 2] {
                self.pass(process, seconds);
            }
            let (status, shown) = ask(process, &self.credentials, "organization", "GET", &path, "");
            found = if status == 200 { shown } else { Value::Null };
            if found["closing"] == closing && found["unbooked"] == json!([]) {
                break;
            }
        }
        let expected = [("closing", json!(closing)), ("difference", json!(0)), ("unbooked", json!([]))];
        let wrong = expected.into_iter().filter(|(name, value)| found[name] != *value);
        wrong.map(|(name, value)| format!("{name} is {} and not {value}", found[name])).collect()
    }

    fn outbound(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(self.root.path().join(bankbox::OUTBOUND))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_none_or(|ending| ending != "part"))
            .collect();
        files.sort();
        files
    }

    /// Returns all payments in the files of the bank's folder.
    pub fn book(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for path in self.outbound() {
            let read = iso20022::read(&std::fs::read(&path).unwrap(), Profile::Strict);
            let Ok((Message::CreditTransfers(message), _)) = read else { panic!("{} is no message", path.display()) };
            items.extend(message.payments.iter().flat_map(|batch| &batch.transfers).map(|transfer| Item {
                transfer: transfer_of(&transfer.end_to_end_id).expect("it is an id of ours").to_string(),
                platform: RAIL.to_owned(),
                direction: "credit".to_owned(),
                amount: transfer.amount.minor,
                fails_with: None,
                returned_with: None,
            }));
        }
        items
    }

    /// Puts the bytes of the first file into the folder once more; returns how to take them away.
    pub fn arrive_twice(&self) -> impl FnOnce() {
        let first = self.outbound().into_iter().next().expect("a file was sent");
        let again = first.with_file_name("AGAIN.xml");
        std::fs::copy(first, &again).unwrap();
        move || std::fs::remove_file(again).unwrap()
    }
}
