//! The load generator: each of its scenarios, against a running program.

use std::sync::Arc;
use std::time::Duration;

use bursar::load::{Load, Scenario, run};
use clap::ValueEnum as _;
use serde_json::Value;

use crate::harness::judge::load;
use crate::harness::{Process, bursar, judge};

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

#[test]
fn connections_are_shared_between_organizations() {
    let folder = tempfile::tempdir().unwrap();
    let (data, into) = (folder.path().join("data"), folder.path().join("keys"));
    let (data_dir, keys) = (data.to_str().unwrap(), into.to_str().unwrap());
    let run = |arguments: &[&str]| -> (bool, String) {
        let output = bursar(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    };
    let make = ["reference", "organizations", "--data-dir", data_dir, "--count", "3", "--into", keys];
    let (made, said) = run(&make);
    assert!(made, "{said}");
    let files: Vec<_> = (1..=3).map(|number| format!("{keys}/{number}.json")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();

    let process = Process::start(&data);
    let bench = |scenario: &str| {
        let words = ["bench", "--json", "--address", &process.address, "--scenario", scenario, "--connections", "4"];
        run(&[&words[..], &["--seconds", "1", "--credentials"], &files].concat())
    };
    let (done, said) = bench("links");
    assert!(done, "{said}");
    let figures: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(figures[0]["others"], 0, "{said}");
    let mut links = 0;
    for file in &files {
        let credentials: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let here = judge::links(&load(&process, &credentials, 0)).len();
        assert!(here > 0, "{file}");
        links += here;
    }
    assert_eq!(figures[0]["done"], links, "{said}");

    let (done, said) = bench("transfers");
    assert!(!done && said.contains("name the credentials of one app"), "{said}");
    let (made, said) = run(&make);
    assert!(!made && said.contains("1.json already exists"), "{said}");
    let elsewhere = folder.path().join("elsewhere");
    let (made, said) = run(&[&make[..make.len() - 1], &[elsewhere.to_str().unwrap()]].concat());
    assert!(!made && said.contains("allows one process") && !elsewhere.exists(), "{said}");
}
