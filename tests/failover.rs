//! The primary of a PostgreSQL under Patroni fails under load repeatedly: acknowledged payouts exist once, and writes
//! resume.
//!
//! `make failover` runs thirty failovers; `BURSAR_FAILOVERS` sets the number. For each kind of fault, another node
//! takes over, the broken one returns under load, and the next failover begins when all three are running.

use std::time::{Duration, Instant};

use bursar::load::Load;

use crate::crash::setting;
use crate::harness::judge::{Judge, Verdict, links, load};
use crate::harness::patroni::{Fault, Patroni, Replication};
use crate::harness::postgres::aside;
use crate::harness::sending::Sending;
use crate::harness::{Process, http};
use crate::postgres_processes::Deployment;

/// The time limit for writes to resume.
const BACK_WITHIN: Duration = Duration::from_secs(30);

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
}

impl Fixture {
    fn new(folder: &std::path::Path, replication: Replication) -> Self {
        let patroni = Patroni::start(folder, replication);
        let deployment = Deployment::new(patroni.database());
        // The first creates the schema and the demonstration data.
        let first = deployment.start(&[]);
        let processes = [first, deployment.start(&[])];
        Self { patroni, deployment, processes, judge: Judge::default() }
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
    aside(|| fixture.deployment.verify());
    let (sent, acknowledged) = fixture.judge.sent_and_acknowledged();
    println!(
        "{} failovers, {sent} payouts, {acknowledged} of them acknowledged at once; none lost, none doubled",
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
