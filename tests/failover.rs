//! The primary of a PostgreSQL under Patroni fails under load repeatedly, while files for a bank are written and sent:
//! acknowledged payouts exist once, each payment is once at the bank, its statements agree, and writes resume.
//!
//! `make failover` runs thirty failovers; `BURSAR_FAILOVERS` sets the number. For each kind of fault, another node
//! takes over, the broken one returns under load, and the next failover begins when all three are running.

use std::time::{Duration, Instant};

use bursar::load::Load;
use serde_json::{Value, json};

use crate::crash::setting;
use crate::harness::far_bank::{self, FarBank, payee};
use crate::harness::judge::{Judge, Verdict, links, load};
use crate::harness::patroni::{Fault, Patroni, Replication};
use crate::harness::postgres::aside;
use crate::harness::sending::Sending;
use crate::harness::{Process, http};
use crate::postgres_processes::{Deployment, ask};

/// The time limit for writes to resume.
const BACK_WITHIN: Duration = Duration::from_secs(30);

/// The payments that join a file for the bank before each failover.
const PAYMENTS: u64 = 5;
/// The time until the next cut-off of the bank.
const HOUR: i64 = 3_600;

/// The kinds in turn.
const FAULTS: [Fault; 9] = [
    Fault::Killed,
    Fault::Paused,
    Fault::Unheard,
    Fault::Killed,
    Fault::Paused,
    Fault::Deaf,
    Fault::Killed,
    Fault::Paused,
    Fault::UnheardByEtcd,
];

/// The durations of a failover, from the fault on.
struct Took {
    fault: Fault,
    /// Until another node led.
    led: Duration,
    /// Until a payout was acknowledged after that.
    back: Duration,
    /// The longest time without any acknowledgment.
    silence: Duration,
}

/// Two programs on one cluster, and the payouts that they acknowledged.
struct Fixture {
    patroni: Patroni,
    deployment: Deployment,
    processes: [Process; 2],
    judge: Judge,
    bank: FarBank,
    /// A user whose account the bank reaches.
    payee: String,
    /// The transfers of the payments by the bank.
    paid: Vec<Value>,
}

impl Fixture {
    fn new(folder: &std::path::Path, replication: Replication) -> Self {
        let patroni = Patroni::start(folder, replication);
        let deployment = Deployment::new(patroni.database());
        // The first creates the schema and the demonstration data.
        drop(deployment.start(&[]));
        let mut bank = FarBank::open(&deployment.credentials());
        let flags = bank.flags();
        let processes = [0, 1].map(|_| deployment.start(&flags.each_ref().map(String::as_str)));
        bank.connect(&processes[0]);
        let payee = payee(&processes[0], &deployment.credentials());
        Self { patroni, deployment, processes, judge: Judge::default(), bank, payee, paid: Vec::new() }
    }

    /// Adds payments to the open file for the bank, and lets its cut-off come.
    fn pay_by_bank(&mut self) {
        let credentials = self.deployment.credentials();
        for number in 0..PAYMENTS {
            let order = json!({"user_id": self.payee, "amount": 1_000 + number, "platform": far_bank::RAIL,
                "fund": true, "tax_exempt": true});
            let process = &self.processes[usize::try_from(number % 2).unwrap()];
            let (status, paid) = ask(process, &credentials, "app", "POST", "/v2/payouts", &order.to_string());
            assert_eq!(status, 201, "{paid}");
            self.paid.push(paid);
        }
        self.deployment.move_clock(HOUR);
    }

    /// Asserts that each payment is once in the bank's files, with its amount, and that the ledger agrees with the
    /// bank's statements.
    fn compare_with_bank(&self) {
        self.bank.send_all(&self.processes[0]);
        let mut booked: Vec<(String, i64)> =
            self.bank.book().into_iter().map(|item| (item.transfer, item.amount)).collect();
        let cents = |transfer: &Value| transfer["payout_amount"].as_str().unwrap().parse().unwrap();
        let mut paid: Vec<(String, i64)> =
            self.paid.iter().map(|paid| (paid["id"].as_str().unwrap().to_owned(), cents(paid))).collect();
        booked.sort();
        paid.sort();
        assert_eq!(booked, paid);
        assert_eq!(self.bank.disagreements(&self.processes[0]), Vec::<String>::new());
    }

    /// Breaks the primary under load, and compares all payouts when the cluster is complete.
    async fn fail_over(&mut self, round: u64, fault: Fault) -> Took {
        let credentials = self.deployment.credentials();
        let loads = self.processes.iter().zip(1..).map(|(process, place)| Load {
            connections: 8,
            duration: Duration::from_secs(3),
            rate: Some(50),
            ..load(process, &credentials, (round * 2 + place) * 1_000)
        });
        let sending = Sending::begin(loads.collect());
        sending.more(100).await;
        let primary = aside(|| self.patroni.primary(None)).expect("it is whole");
        // The workers follow the clock within a second: the file is written and sent while the primary fails.
        aside(|| self.pay_by_bank());
        let begun = Instant::now();
        aside(|| self.patroni.break_node(primary, fault));
        let unready = self.watch_readiness();
        let led = aside(|| self.patroni.wait_for_another(primary));
        sending.more(20).await;
        assert!(unready.join().unwrap(), "{fault:?}: it was ready without a primary all the time");
        aside(|| self.patroni.mend_node(primary, fault));
        aside(|| self.patroni.wait_until_complete());
        sending.more(100).await;
        assert_eq!(self.processes[0].get("/readyz").0, 200);
        let (sent, beats) = sending.end().await;
        self.judge.settle(sent, &load(&self.processes[0], &credentials, 0)).await;
        let back = beats.iter().find(|beat| **beat > led).expect("there were more");
        let after: Vec<Instant> =
            [begun].into_iter().chain(beats.iter().copied().filter(|beat| *beat > begun)).collect();
        let silence = after.windows(2).map(|pair| pair[1] - pair[0]).max().expect("there were more");
        Took { fault, led: led - begun, back: *back - begun, silence }
    }

    /// Watches whether the program reports unready within the time that a failover may take.
    fn watch_readiness(&self) -> std::thread::JoinHandle<bool> {
        let address = self.processes[1].address.clone();
        std::thread::spawn(move || {
            let begun = Instant::now();
            while begun.elapsed() < BACK_WITHIN {
                if http(&address, "GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n").0 == 503 {
                    return true;
                }
                std::thread::park_timeout(Duration::from_millis(50));
            }
            false
        })
    }

    fn verdict(&self) -> Verdict {
        self.judge.verdict(&links(&load(&self.processes[0], &self.deployment.credentials(), 0)))
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64())
}

/// Returns the median and the maximum.
fn spread(mut of: Vec<Duration>) -> String {
    of.sort();
    let (middle, largest) = (of[of.len() / 2], of[of.len() - 1]);
    format!("median {} s, longest {} s", seconds(middle), seconds(largest))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failovers_lose_and_double_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut fixture = aside(|| Fixture::new(folder.path(), Replication::Any));
    let mut took = Vec::new();
    for (round, fault) in (0..setting("BURSAR_FAILOVERS", 3)).zip(FAULTS.iter().cycle()) {
        let one = fixture.fail_over(round, *fault).await;
        println!(
            "{:2} {:<14} another leads after {:>4} s, writes are back after {:>4} s, longest silence {:>4} s",
            round + 1,
            format!("{:?}", one.fault),
            seconds(one.led),
            seconds(one.back),
            seconds(one.silence),
        );
        took.push(one);
    }
    assert_eq!(fixture.verdict(), Verdict::default());
    aside(|| fixture.compare_with_bank());
    aside(|| fixture.deployment.verify());
    let payments = fixture.paid.len();
    let (sent, acknowledged) = fixture.judge.sent_and_acknowledged();
    println!(
        "{} failovers, {sent} payouts, {acknowledged} of them acknowledged at once, and {payments} payments in files at a \
         bank; none lost, none doubled",
        took.len()
    );
    println!("writes back: {}", spread(took.iter().map(|one| one.back).collect()));
    println!("silence: {}", spread(took.iter().map(|one| one.silence).collect()));
    for one in &took {
        assert!(one.back <= BACK_WITHIN, "{:?}: writes were back after {:?}", one.fault, one.back);
    }
}

/// The negative control: if no commit waits for a standby, the judge must find the losses of a failover.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failovers_of_asynchronous_replication_lose_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut fixture = aside(|| Fixture::new(folder.path(), Replication::Asynchronous));
    // It acknowledges for some seconds writes that no other node receives.
    fixture.fail_over(0, Fault::Unheard).await;
    let verdict = fixture.verdict();
    let (sent, acknowledged) = fixture.judge.sent_and_acknowledged();
    println!("{sent} payouts, {acknowledged} of them acknowledged at once; {} lost", verdict.lost.len());
    assert!(!verdict.lost.is_empty(), "asynchronous replication lost nothing: the test cannot fail");
}
