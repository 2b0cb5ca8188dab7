//! The power fails under load: what was acknowledged is there, exactly once.
//!
//! `BURSAR_CRASH_ROUNDS` and `BURSAR_CRASH_PAYOUTS` make it longer: ten rounds of 5,000 payouts are the
//! acceptance run (`make crash`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bursar::load::{Load, Scenario, Sent, again, link_id, run};
use serde_json::Value;

use crate::harness::{Process, bursar, http};

const CONNECTIONS: usize = 64;
/// What a restart may take until it accepts connections.
const RESTART_MAX: Duration = Duration::from_secs(2);

/// A number out of the environment, for runs that are longer than usual.
pub fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Payouts for a process: `run` makes their keys unlike those of another run.
pub fn load(process: &Process, credentials: &Value, run: u64) -> Load {
    let word = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
    Load {
        address: process.address.clone(),
        client_id: word("client_id"),
        api_key: word("api_key"),
        scenario: Scenario::SendPayout,
        connections: CONNECTIONS,
        duration: Duration::from_secs(60),
        rate: None,
        page: 1,
        run,
        keep: true,
        acknowledged: Arc::default(),
    }
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

/// Every link of the app, by id: its amount, and how often it was listed.
pub fn links(load: &Load) -> HashMap<String, u64> {
    use base64::Engine as _;
    let token = base64::engine::general_purpose::STANDARD.encode(format!("{}:{}", load.client_id, load.api_key));
    let (mut seen, mut after) = (HashMap::new(), String::new());
    loop {
        let path = format!("/v2/payout-links?limit=100{after}");
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: test\r\nauthorization: Basic {token}\r\nconnection: close\r\n\r\n");
        let (status, answer) = http(&load.address, &request);
        assert_eq!(status, 200, "{answer}");
        let page: Value = serde_json::from_str(&answer[answer.find('{').unwrap()..]).unwrap();
        for link in page["data"].as_array().unwrap() {
            assert_eq!(link["amount"], bursar::load::CENTS);
            *seen.entry(link["id"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        }
        if page["has_more"] == false {
            return seen;
        }
        let last = page["data"].as_array().unwrap().last().unwrap();
        after = format!("&starting_after={}", last["id"].as_str().unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_9_exactly_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut process = Process::start(&data);
    let credentials: Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("sandbox-credentials.json")).unwrap()).unwrap();
    let (mut keys, mut acknowledged) = (0, HashSet::new());
    let mut slowest = Duration::ZERO;
    for round in 1..=setting("BURSAR_CRASH_ROUNDS", 3) {
        let before = load(&process, &credentials, round);
        let sent = killed_under_load(process, &before, setting("BURSAR_CRASH_PAYOUTS", 300)).await;

        let begun = Instant::now();
        process = Process::start(&data);
        let took = begun.elapsed();
        assert!(took < RESTART_MAX, "the restart took {took:?}");
        slowest = slowest.max(took);

        // Whoever got no answer asks again with the same key: done or not before, it is done once now.
        let after = load(&process, &credentials, round);
        for sent in &sent {
            let made = match &sent.link {
                Some(link) => link.clone(),
                None => {
                    let (status, body) = again(&after, sent).await.expect("it answers again");
                    assert_eq!(status, 201, "{body}");
                    link_id(&body).unwrap()
                }
            };
            assert!(acknowledged.insert(made), "two keys were told of one link");
        }
        keys += sent.len();
        let links = links(&after);
        assert!(links.values().all(|listed| *listed == 1), "paging shows each link once");
        let made: HashSet<String> = links.into_keys().collect();
        assert_eq!(made, acknowledged, "each key made one link, and every acknowledged one is there");
    }
    assert_eq!(acknowledged.len(), keys);
    process.kill();
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    println!("{keys} payouts, slowest restart {slowest:?}");
}
