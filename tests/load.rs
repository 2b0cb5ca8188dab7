//! The load generator: each of its scenarios does what it says, against a running program.

use std::sync::Arc;
use std::time::Duration;

use bursar::load::{Load, Scenario, run};
use clap::ValueEnum as _;
use serde_json::Value;

use crate::harness::Process;
use crate::harness::judge::load;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_scenario_is_answered_with_success() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::start(&data);
    let credentials: Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("sandbox-credentials.json")).unwrap()).unwrap();
    for (scenario, number) in Scenario::value_variants().iter().zip(1..) {
        let load = Load {
            scenario: *scenario,
            connections: 2,
            duration: Duration::from_millis(300),
            acknowledged: Arc::default(),
            ..load(&process, &credentials, number)
        };
        let outcome = run(&load).await.unwrap_or_else(|error| panic!("{scenario:?}: {error}"));
        assert!(!outcome.sent.is_empty(), "{scenario:?}");
        let acknowledged = load.acknowledged.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(acknowledged, u64::try_from(outcome.sent.len()).unwrap(), "{scenario:?}");
    }
}
