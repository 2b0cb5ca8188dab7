//! Power failures under load: every acknowledged payout exists exactly once.
//!
//! `BURSAR_CRASH_ROUNDS` and `BURSAR_CRASH_PAYOUTS` make it longer: ten rounds of 5,000 payouts are the acceptance run
//! (`make crash`).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bursar::load::{Load, Sent, run};
use serde_json::Value;

use crate::harness::judge::{Judge, Verdict, links, load};
use crate::harness::{Process, bursar};

/// The time limit for a restart until it accepts connections.
const RESTART_MAX: Duration = Duration::from_secs(2);

/// Reads a number from the environment, for longer runs.
pub fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Sends payouts on all connections and kills the process once `enough` of them are acknowledged.
async fn killed_under_load(process: Process, load: &Load, enough: u64) -> Vec<Sent> {
    let running = tokio::spawn({
        let load = load.clone();
        async move { run(&load).await }
    });
    while load.acknowledged.load(Ordering::Relaxed) < enough {
        assert!(!running.is_finished(), "the load ended before the crash");
        tokio::task::yield_now().await;
    }
    process.kill();
    running.await.unwrap().unwrap().sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_9_exactly_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut process = Process::start(&data);
    let credentials: Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("sandbox-credentials.json")).unwrap()).unwrap();
    let mut judge = Judge::default();
    let mut slowest = Duration::ZERO;
    for round in 1..=setting("BURSAR_CRASH_ROUNDS", 3) {
        let before = load(&process, &credentials, round);
        let sent = killed_under_load(process, &before, setting("BURSAR_CRASH_PAYOUTS", 300)).await;

        let begun = Instant::now();
        process = Process::start(&data);
        let took = begun.elapsed();
        assert!(took < RESTART_MAX, "the restart took {took:?}");
        slowest = slowest.max(took);

        // A client without a response retries with the same key: done before or not, the payout is now done once.
        let after = load(&process, &credentials, round);
        judge.settle(sent, &after).await;
        assert_eq!(judge.verdict(&links(&after)), Verdict::default());
    }
    process.kill();
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    println!("{} payouts, slowest restart {slowest:?}", judge.sent_and_acknowledged().0);
}
