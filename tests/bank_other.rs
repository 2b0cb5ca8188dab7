//! The whole way to a bank that is not ours: mock-bank, an independent program, reads our files from a folder, moves
//! its own clock, returns a payment, and writes its statements. Our reconciliation is exact to the cent.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::bank_files_sent::Bank;
use crate::harness::Server;
use crate::samples::new_connection;

/// Its routing number, and the account that its first customer has from the start.
const ROUTING: &str = "999999992";
const NUMBER: &str = "0000000001";
const OPENING: i64 = 5_000_000;
const DAY: i64 = 86_400;
/// From 10:00 to 17:45, after the cut-off and before the deadline.
const TO_EVENING: i64 = 7 * 3_600 + 45 * 60;

/// A running mock-bank on a free port, with one folder that it reads and one that it writes. Killed when dropped.
struct MockBank {
    child: Child,
    url: String,
    root: tempfile::TempDir,
}

impl MockBank {
    /// Starts it on Tuesday, 3 March 2026, at 10:00 in New York.
    fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bank_files/.venv/bin/python");
        assert!(program.exists(), "run `make setup`");
        let root = tempfile::tempdir().unwrap();
        let folders = ["taken", "given"].map(|name| root.path().join(name));
        folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        let mut command = Command::new(program);
        command.args([
            "-m",
            "mockbank",
            "--port",
            "0",
            "--clock",
            "2026-03-03T10:00",
            "--timezone",
            "America/New_York",
        ]);
        command.args(["--drop-settle-ms", "0", "--drop-interval-ms", "3600000"]);
        command.arg("--drop-dir").arg(&folders[0]).arg("--pickup-dir").arg(&folders[1]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        said.read_line(&mut line).unwrap();
        // A program whose log is not read stops.
        std::thread::spawn(move || said.lines().map_while(Result::ok).for_each(drop));
        let url = line.split("listening on ").nth(1).and_then(|rest| rest.split("/  ").next());
        Self { child, url: url.unwrap_or_else(|| panic!("{line}")).to_owned(), root }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    async fn ask(&self, method: reqwest::Method, path: &str, body: Value) -> Value {
        let asked = reqwest::Client::new().request(method, format!("{}{path}", self.url)).body(body.to_string());
        let answer = asked.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }

    async fn post(&self, path: &str) -> Value {
        self.ask(reqwest::Method::POST, path, json!({})).await
    }

    /// Sets its first account up for payments by NACHA files.
    async fn account(&self, fields: Value) -> Value {
        self.ask(reqwest::Method::PATCH, "/_mock/accounts/ACME", fields).await
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.folder(folder)) else { return Vec::new() };
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for MockBank {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A server whose payouts by ach go to mock-bank.
async fn connected(other: &MockBank) -> Bank {
    let mut server = Server::memory().await;
    let org = server.credentials()["organization"]["id"].as_str().unwrap().to_owned();
    let (taken, given) = (other.folder("taken"), other.folder("given"));
    let table = format!(
        "[first-bank]\norganization = '{org}'\nfolder = '{}'\ninbound-folder = '{}'\n",
        taken.display(),
        given.display()
    );
    server.restart_with_transports(&table).await;
    let mut connection = new_connection("");
    connection["transport"] = json!("first-bank");
    for name in ["odfi_routing_number", "destination"] {
        connection["nacha"][name] = json!(ROUTING);
    }
    // It finds the account of a file by the company's id.
    connection["nacha"]["origin"] = json!(NUMBER);
    let fields = json!({"account_number": NUMBER, "routing_number": ROUTING, "booking_grain": "entry"});
    Bank::with_parts(server, connection, fields, json!({"company_id": NUMBER})).await
}

/// Moves the bank to our day, and reads what it wrote by two polls.
async fn morning(other: &MockBank, bank: &Bank) {
    other.post("/_mock/advance?days=1").await;
    bank.server.pass(900).await;
    bank.server.pass(60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payouts_returns_and_statements_of_an_independent_bank_are_reconciled_to_the_cent() {
    let other = MockBank::start();
    let bank = connected(&other).await;
    other.account(json!({"format": "nacha", "currency": "USD", "balance": OPENING})).await;
    let mut paid = Vec::new();
    let mut sum = 0;
    for (number, amount) in (0..12).zip([1_000, 1_975, 333].into_iter().cycle()) {
        paid.push(bank.pay(2_000 + number, amount).await);
        sum += amount;
    }
    let (returned, amount) = (paid[4].clone(), 1_975);
    let id = returned["id"].as_str().unwrap().parse().unwrap();
    let id = bursar::bank_files::individual_id(bursar::ids::TransferId(id));
    let later = json!({"days": 2, "reason": "R03", "end_to_end_id": id});
    other.account(json!({"behaviour": "return-later", "parameters": later})).await;

    // The cut-off is at 17:30; the bank takes the file in the evening, and each morning we read what it wrote.
    bank.server.pass(TO_EVENING).await;
    assert_eq!(bank.file().await["status"], "sent");
    let scanned = other.post("/_mock/drop/scan").await;
    assert!(other.names("taken/failed").is_empty(), "{scanned}");
    bank.server.pass(DAY - TO_EVENING).await;
    for day in 0..9 {
        morning(&other, &bank).await;
        bank.server.pass(DAY - 960).await;
        // A second file, on Friday.
        if day == 1 {
            sum += 700;
            paid.push(bank.pay(2_100, 700).await);
            bank.server.pass(TO_EVENING).await;
            other.post("/_mock/drop/scan").await;
            bank.server.pass(DAY - TO_EVENING).await;
            other.post("/_mock/advance?days=1").await;
        }
    }
    morning(&other, &bank).await;

    // It took both files once, and read nothing twice.
    let processed: Vec<String> =
        other.names("taken/processed").into_iter().filter(|name| !name.ends_with(".findings.txt")).collect();
    assert_eq!(processed, ["ACME_20260303_A.ach", "ACME_20260306_A.ach"]);
    assert!(other.names("taken/failed").is_empty());
    for transfer in &paid {
        let shown = bank.transfer(transfer).await;
        let expected = if transfer["id"] == returned["id"] {
            ("reversed", json!("no_account"))
        } else {
            ("completed", Value::Null)
        };
        assert_eq!((&shown["status"], &shown["error"]), (&json!(expected.0), &expected.1), "{shown}");
    }
    let balance = other.ask(reqwest::Method::GET, "/_mock/accounts/ACME", json!({})).await["balance"].clone();
    let closing = OPENING - sum + amount;
    assert_eq!(balance, closing);
    let path = format!("/v2/bank/reconciliation?settlement_account_id={}", bank.settlement_account);
    let found = bank.get(&path).await;
    assert_eq!((&found["closing"], &found["difference"]), (&json!(closing), &json!(0)), "{found}");
    assert_eq!((&found["unbooked"], &found["missing"]), (&json!([]), &json!([])), "{found}");
    // The money from before the first statement waits for a member; nothing else does.
    assert_eq!(found["suspense"].as_array().unwrap().len(), 1, "{found}");
    bank.verify();
    // It shows us the statements of its other customers, and its receipts have no format.
    let quarantined = bank.get("/v2/bank/inbound-files?limit=100&status=quarantined").await;
    let mut names = quarantined["data"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap());
    assert!(names.all(|name| !name.contains("-ACME-") || name.starts_with("nacha.ack-")), "{quarantined}");
    // The negative control: it notices a file that arrives twice.
    let (first, taken) = (other.folder("taken/processed").join(&processed[0]), other.folder("taken"));
    std::fs::copy(first, taken.join("AGAIN.ach")).unwrap();
    other.post("/_mock/drop/scan").await;
    assert!(other.names("taken/failed").contains(&"AGAIN.ach".to_owned()), "{:?}", other.names("taken/failed"));
}
