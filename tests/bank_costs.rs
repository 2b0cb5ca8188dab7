//! What a payout by ach costs with a route to a bank, next to the simulated rail: rows, and the processor's time.
//!
//! The processor's time is measured by `make bank-long` only, in `BURSAR_BANK_TURNS` turns.

use std::path::{Path, PathBuf};

use bursar::jobs::Job;
use bursar::store::memory::Change;
use bursar::worker;
use serde_json::{Value, json};

use crate::bank_files_sent::Bank;
use crate::crash::setting;
use crate::harness::far_bank::{FarBank, payee, to_tuesday};
use crate::harness::{Process, Server};
use crate::postgres_processes::ask;
use crate::samples::new_connection;

const PAYOUTS: usize = 400;
const CLIENTS: usize = 4;
const DAY: i64 = 86_400;
const TO_MORNING: i64 = 9 * 3_600 + 20 * 60;

fn order(user: &str) -> Value {
    json!({"user_id": user, "amount": 1_000, "platform": "ach", "fund": true, "tax_exempt": true})
}

/// Returns the numbers of commits, of inserted rows, and of updated and deleted rows of one payout that its rail
/// accepts.
async fn rows(server: &Server) -> (u64, usize, usize) {
    let user = server.banked_user(2_000).await;
    let pay = async || server.post("/v2/payouts").app_key().json(order(&user)).send().await.expect(201);
    pay().await;
    server.work_off().await;
    let (memory, now) = (server.store(), server.now());
    memory.watch();
    let before = memory.commits();
    pay().await;
    let mut due = Vec::new();
    let fetch = |job: &Job| {
        due.extend((job.due_at <= now).then(|| job.clone()));
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<Job>(fetch)).unwrap();
    for job in due {
        assert!(worker::do_job(server.bursar(), job.unleased()).await);
    }
    let changes: Vec<Change> = memory.take_changes();
    let inserted = changes.iter().filter(|change| change.before.is_none()).count();
    (memory.commits() - before, inserted, changes.len() - inserted)
}

#[tokio::test]
async fn a_payout_that_joins_a_bank_file_writes_one_row_more_than_by_the_simulated_rail_and_inserts_no_more() {
    let (commits, inserted, others) = rows(&Server::failing().await).await;
    let bank = Bank::in_force(Server::failing().await).await;
    let with_bank = rows(&bank.server).await;
    assert!(with_bank.0 <= commits && with_bank.1 <= inserted, "{with_bank:?}: {commits} commits, {inserted} inserted");
    // The file and its counters, which a batch writes once for all its payouts.
    assert!(with_bank.2 <= others + 1, "{with_bank:?}: {others} others");
    assert!(inserted > 4, "the simulated rail wrote nothing");
}

/// A program with a payee whose account is at a bank.
struct Program {
    folder: PathBuf,
    process: Process,
    credentials: Value,
    bank: Option<FarBank>,
    user: String,
}

impl Program {
    fn start(folder: &Path, has_bank: bool) -> Self {
        let folder = folder.join(if has_bank { "bank" } else { "simulated" });
        let mut process = Process::start(&folder);
        let text = std::fs::read_to_string(folder.join("sandbox-credentials.json")).unwrap();
        let credentials: Value = serde_json::from_str(&text).unwrap();
        let mut bank = has_bank.then(|| FarBank::open(&credentials));
        if let Some(bank) = &mut bank {
            process.kill();
            process = Process::start_with(&folder, &bank.flags().each_ref().map(String::as_str));
            bank.connect_by(&process, new_connection(""), "ach");
        }
        let mut program = Self { folder, process, credentials, bank, user: String::new() };
        if !has_bank {
            let now = program.now();
            program.pass(to_tuesday(now));
        }
        program.user = payee(&program.process, &program.credentials);
        program
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = ask(&self.process, &self.credentials, "app", method, path, &body);
        assert!((200..300).contains(&status), "{method} {path}: {status}: {answer}");
        answer
    }

    fn now(&self) -> bursar::clock::Time {
        let clock = self.call("GET", "/v2/sandbox/clock", &Value::Null);
        bursar::clock::Time::parse(clock["now"].as_str().unwrap()).unwrap()
    }

    fn pass(&self, seconds: i64) {
        self.call("POST", "/v2/sandbox/clock/advance", &json!({"seconds": seconds}));
    }

    /// Returns the time of the processor that the program took, in ticks of ten milliseconds.
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        // User and system time are the fields 14 and 15, of which two come before the end of the name.
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// Pays, and lets the payouts complete; returns the ticks until the rail has them, and until they are complete.
    fn turn(&self) -> [u64; 2] {
        let begun = self.ticks();
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    for _ in 0..PAYOUTS / CLIENTS {
                        self.call("POST", "/v2/payouts", &order(&self.user));
                    }
                });
            }
        });
        self.pass(1);
        let accepted = self.ticks() - begun;
        // From 00:30 to 09:50, between the cut-off of the morning and the deadline of the bank; to the next Tuesday.
        self.pass(TO_MORNING);
        self.pass(7 * DAY - TO_MORNING - 1);
        [accepted, self.ticks() - begun]
    }

    fn completed(&self) -> usize {
        let database = self.folder.join("bursar.sqlite");
        let reads = bursar::store::Reads::Sqlite(bursar::store::Sqlite::read_only(&database).unwrap());
        let mut completed = 0;
        let count = |transfer: &bursar::transfers::Transfer| {
            completed += usize::from(transfer.status == bursar::transfers::TransferStatus::Completed);
            Ok(())
        };
        reads.snapshot(|snapshot| snapshot.each(count)).unwrap();
        completed
    }
}

fn median(mut of: Vec<u64>) -> u64 {
    of.sort_unstable();
    of[of.len() / 2]
}

/// The turns alternate, so that the load of the machine is that of both.
#[test]
fn a_payout_that_joins_a_bank_file_takes_at_most_a_fifth_more_of_the_processor() {
    let turns = usize::try_from(setting("BURSAR_BANK_TURNS", 5)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let programs = [false, true].map(|has_bank| Program::start(folder.path(), has_bank));
    // The first turn warms caches up, and is not counted.
    for program in &programs {
        program.turn();
    }
    let mut taken: [Vec<[u64; 2]>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..turns {
        for (program, taken) in programs.iter().zip(&mut taken) {
            taken.push(program.turn());
        }
    }
    assert!(programs[1].bank.is_some() && programs.iter().all(|program| program.completed() >= turns * PAYOUTS));
    let payouts = u64::try_from(PAYOUTS).unwrap();
    for (phase, name) in ["accepted", "completed"].into_iter().enumerate() {
        let [simulated, bank] = taken.each_ref().map(|turns| median(turns.iter().map(|turn| turn[phase]).collect()));
        let micros = |ticks: u64| ticks * 10_000 / payouts;
        println!(
            "until {name}: {} µs of the processor for a payout by the simulated rail, {} µs in a bank file: {} %",
            micros(simulated),
            micros(bank),
            bank * 100 / simulated
        );
        // The bound is on the join: afterwards a file is written, read back by our own check, sent and settled.
        assert!(phase == 1 || bank * 5 <= simulated * 6, "{bank} ticks, and {simulated} by the simulated rail");
    }
}
