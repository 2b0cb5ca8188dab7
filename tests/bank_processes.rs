//! Two processes on one PostgreSQL share a bank over SFTP, and are killed at random moments, with the server of the
//! connection: the bank's own log has each file once and whole, and its statements are applied once.
//!
//! `BURSAR_BANK_KILLS` asks for more kills, and `BURSAR_BANK_SEED` for another seed: `make bank-long` has 60.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use bursar::bankbox::{self, Account, Grain, StatementFormat};
use bursar::clock::Time;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::bank_files_by_sftp::{SFTP_SERVER, Sandbox};
use crate::crash::setting;
use crate::harness::Process;
use crate::harness::far_bank::{hourly, to_tuesday};
use crate::harness::postgres::{Database, aside};
use crate::postgres_processes::{ask, until};
use crate::samples::new_connection;

const HOUR: i64 = 3_600;

/// Names and bytes, in the order of their arrival.
type Log = Vec<(String, Vec<u8>)>;

/// The receiver: takes each file out of its folder as soon as it has its final name, or later, and logs it.
struct Receiver {
    log: Arc<Mutex<Log>>,
    is_open: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

fn collect(from: &Path, to: &Path, log: &Mutex<Log>, which: impl Fn(usize) -> bool) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let mut log = log.lock().unwrap();
        if name.ends_with(".part") || !which(name.len() + log.len()) {
            continue;
        }
        let place = to.join(format!("{}-{name}", log.len()));
        std::fs::rename(entry.path(), &place).unwrap();
        log.push((name, std::fs::read(place).unwrap()));
    }
}

impl Receiver {
    fn open(from: &Path, to: &Path) -> Self {
        std::fs::create_dir(to).unwrap();
        let (log, is_open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(true)));
        let (kept, opened, from, to) = (Arc::clone(&log), Arc::clone(&is_open), from.to_owned(), to.to_owned());
        let thread = std::thread::spawn(move || {
            let mut turn = 0;
            while opened.load(Ordering::Relaxed) {
                // Every second file stays for a while, so that a crash finds its final name.
                turn += 1;
                collect(&from, &to, &kept, |number| number % 2 == 0 || turn % 500 == 0);
                std::thread::park_timeout(Duration::from_millis(1));
            }
            collect(&from, &to, &kept, |_| true);
        });
        Self { log, is_open, thread }
    }

    fn has(&self, name: &str) -> bool {
        self.log.lock().unwrap().iter().any(|(known, _)| known == name)
    }

    fn close(self) -> Log {
        self.is_open.store(false, Ordering::Relaxed);
        self.thread.join().unwrap();
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

/// Returns what is wrong with the arrival of files: each sent file must be in the log once, with its bytes, and each
/// payment in one file.
fn wrong(log: &Log, files: &[Value], payments: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut arrived: BTreeMap<&str, Vec<&Vec<u8>>> = BTreeMap::new();
    for (name, bytes) in log {
        arrived.entry(name).or_default().push(bytes);
    }
    for file in files.iter().filter(|file| file["status"] == "sent") {
        let copies = arrived.remove(file["name"].as_str().unwrap()).unwrap_or_default();
        let is_whole = |bytes: &&Vec<u8>| {
            let hash: String = Sha256::digest(bytes.as_slice()).iter().map(|byte| format!("{byte:02x}")).collect();
            file["sha256"] == json!(hash)
        };
        if copies.len() != 1 || !copies.iter().all(is_whole) {
            wrong.push(format!("{} arrived {} times", file["name"], copies.len()));
        }
    }
    wrong.extend(arrived.keys().map(|name| format!("{name} is no file of ours")));
    for id in payments {
        let id = id.as_bytes();
        let times: usize =
            log.iter().map(|(_, bytes)| bytes.windows(id.len()).filter(|window| *window == id).count()).sum();
        if times != 1 {
            wrong.push(format!("the payment {} arrived {times} times", String::from_utf8_lossy(id)));
        }
    }
    wrong
}

/// Two processes, of which one is always there.
struct Two {
    sandbox: Sandbox,
    other: Option<Process>,
    database: Database,
}

impl Two {
    fn start() -> Self {
        let database = Database::new();
        let mut sandbox = Sandbox::with(&["--database-url", &database.url()]);
        sandbox.ssh(&format!("exec {SFTP_SERVER}"));
        sandbox.start();
        let other = Some(sandbox.started());
        Self { sandbox, other, database }
    }

    /// Moves the clock without waiting for due jobs, so that a kill finds them in progress.
    fn move_clock(&self, seconds: i64) {
        let unknown = uuid::Uuid::nil();
        self.database.run(&format!(
            "INSERT INTO environment_clock (org, ahead_seconds) VALUES ('{unknown}', {seconds}) \
             ON CONFLICT (org) DO UPDATE SET ahead_seconds = environment_clock.ahead_seconds + {seconds}"
        ));
    }

    /// Kills one process, and replaces it.
    fn kill(&mut self, is_first: bool) {
        if is_first {
            std::mem::swap(&mut self.sandbox.process, &mut self.other);
        }
        self.other.take().unwrap().kill();
        self.other = Some(self.sandbox.started());
    }

    fn files(&self) -> Vec<Value> {
        let listed = self.sandbox.bank("payer", &["files", "list", "--json"]);
        serde_json::from_str::<Value>(&listed).unwrap()["data"].as_array().unwrap().clone()
    }

    /// Decides the files in doubt with the receiver, as a member does by phone, and moves those that missed the bank's
    /// deadline; returns whether all files are sent.
    fn decided(&self, receiver: &Receiver) -> bool {
        let (files, now) = (self.files(), self.sandbox.now());
        for file in &files {
            let id = file["id"].as_str().unwrap();
            let is_late = now >= Time::parse(file["submit_by"].as_str().unwrap()).unwrap();
            match file["status"].as_str().unwrap() {
                "in_doubt" => {
                    let has = receiver.has(file["name"].as_str().unwrap());
                    let verb = if has { "mark-sent" } else { "mark-unsent" };
                    self.sandbox.bank("payer", &["files", verb, id, "--evidence", "By phone."]);
                    if !has {
                        self.sandbox.bank("admin", &["files", verb, id, "--evidence", "By phone."]);
                    }
                }
                "sealed" | "sending" if is_late => self.redate(id),
                _ => {}
            }
        }
        files.iter().all(|file| file["status"] == "sent")
    }

    /// Moves a file into the next window, unless a process still sends it.
    fn redate(&self, file: &str) {
        let credentials = self.sandbox.credentials();
        let members = credentials["members"].as_array().unwrap();
        let payer = members.iter().find(|member| member["role"] == "payer").unwrap()["id"].clone();
        let (process, path) = (self.sandbox.process.as_ref().unwrap(), format!("/v2/bank/files/{file}/redate"));
        let body = json!({"acting_user_id": payer}).to_string();
        let (status, answer) = ask(process, &credentials, "organization", "POST", &path, &body);
        assert!([200, 409].contains(&status), "{answer}");
    }

    fn seconds(&self) -> i64 {
        self.sandbox.now().micros() / 1_000_000
    }

    fn reconciliation(&self) -> Option<Value> {
        self.sandbox.reconciliation()
    }
}

fn pay(sandbox: &Sandbox, user: &str, amount: i64) -> String {
    let order = json!({
        "user_id": user, "amount": amount, "platform": "ach", "fund": true, "payout_fee_party": "platform",
    });
    let paid = sandbox.app("POST", "/v2/payouts", &order);
    assert_eq!(paid["status"], "pending");
    bursar::bank_files::individual_id(bursar::ids::TransferId(paid["id"].as_str().unwrap().parse().unwrap()))
}

#[test]
fn two_processes_that_are_killed_deliver_each_file_once_and_apply_each_statement_once() {
    let (seed, kills) = (setting("BURSAR_BANK_SEED", 1), setting("BURSAR_BANK_KILLS", 8));
    let mut chance = StdRng::seed_from_u64(seed);
    let mut two = Two::start();
    two.sandbox.route_by(hourly(new_connection("")));
    two.sandbox.pass(to_tuesday(two.sandbox.now()));
    let opened = two.seconds();
    let account = Account::open("000123456789", StatementFormat::Bai2, Grain::File, 1_000_000, opened);
    let root = two.sandbox.folder.path().to_owned();
    bankbox::with(&root, |bank| bank.keep(account)).unwrap();
    let user = two.sandbox.payee(2_000, "55501234");
    let returned = two.sandbox.payee(2_001, "20000001");
    let receiver = Receiver::open(&root.join(bankbox::OUTBOUND), &root.join("collected"));

    let (mut payments, mut sum, mut back) = (Vec::new(), 0, 0);
    for kill in 0..kills {
        let amount = chance.random_range(100..900);
        payments.push(pay(&two.sandbox, &user, amount));
        sum += amount;
        if kill % 3 == 0 {
            payments.push(pay(&two.sandbox, &returned, amount + 1));
            (sum, back) = (sum + amount + 1, back + amount + 1);
        }
        two.move_clock(HOUR);
        // The file is cut, written and delivered within a second or two.
        std::thread::park_timeout(Duration::from_millis(chance.random_range(0..1_500)));
        two.kill(chance.random_bool(0.5));
    }
    until("all files are sent", Duration::from_secs(60), || {
        two.move_clock(120);
        std::thread::park_timeout(Duration::from_millis(300));
        two.decided(&receiver)
    });
    let (files, log) = (two.files(), receiver.close());
    assert!(files.len() > 2, "{} files: the test has lost its edge", files.len());
    assert_eq!(wrong(&log, &files, &payments), Vec::<String>::new(), "seed {seed}");
    // The comparison finds a file that arrives twice, and one that is lost.
    let twice: Log = log.iter().chain(log.first()).cloned().collect();
    assert!(!wrong(&twice, &files, &payments).is_empty() && !wrong(&log[1..].to_vec(), &files, &payments).is_empty());

    // The bank takes what it collected, and answers.
    for (name, bytes) in &log {
        std::fs::write(root.join(bankbox::OUTBOUND).join(name), bytes).unwrap();
    }
    let closing = 1_000_000 - sum + back;
    let mut days = 0;
    until("the last statement is applied", Duration::from_secs(120), || {
        bankbox::tick(&root, two.seconds()).unwrap();
        two.move_clock(12 * HOUR);
        std::thread::park_timeout(Duration::from_millis(chance.random_range(0..400)));
        if days % 3 == 1 && days < 6 {
            two.kill(chance.random_bool(0.5));
        }
        days += 1;
        let is_last = |found: Value| found["closing"] == closing && found["unbooked"].as_array().unwrap().is_empty();
        two.reconciliation().is_some_and(is_last)
    });
    let found = two.reconciliation().unwrap();
    assert_eq!(found["difference"], 0, "seed {seed}: {found}");
    let unique = "SELECT count(*) - count(DISTINCT booked_on) FROM bank_statements WHERE status = 'applied'";
    assert_eq!(two.database.run(unique), ["0"], "no day is applied twice");
    let settings = two.database.settings();
    drop((two.other.take(), two.sandbox.process.take()));
    let reads = bursar::store::Reads::Postgres(aside(|| bursar::store::Postgres::read_only(settings)).unwrap());
    let report = aside(|| bursar::verify::verify(&reads)).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
