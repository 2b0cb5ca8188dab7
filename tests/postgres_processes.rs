//! Several processes on one database: roles, keys, a paused process, a server that restarts. `postgres_chaos.rs` has
//! the random faults.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bursar::load::{Load, run};
use bursar::verify::verify;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::judge::{Judge, Verdict, links, load};
use crate::harness::postgres::{Cluster, Database, aside};
use crate::harness::{Process, http};

/// Processes on one database, with one folder for key and credentials.
pub struct Deployment {
    folder: TempDir,
    pub database: Database,
}

impl Deployment {
    pub fn new(database: Database) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), database }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn start(&self, flags: &[&str]) -> Process {
        let url = self.database.url();
        Process::start_with(&self.data(), &[&["--database-url", &url], flags].concat())
    }

    pub fn credentials(&self) -> Value {
        read_json(&self.data().join("sandbox-credentials.json"))
    }

    /// Moves the sandbox's clock like its route, but without waiting for due jobs: each process follows within a
    /// second, or when it resumes.
    pub fn move_clock(&self, seconds: i64) {
        let unknown = uuid::Uuid::nil();
        self.database.run(&format!(
            "INSERT INTO environment_clock (org, ahead_seconds) VALUES ('{unknown}', {seconds}) \
             ON CONFLICT (org) DO UPDATE SET ahead_seconds = environment_clock.ahead_seconds + {seconds}"
        ));
    }

    /// Asserts every invariant of the stored data.
    pub fn verify(&self) {
        let settings = self.database.settings();
        let reads = bursar::store::Reads::Postgres(aside(|| bursar::store::Postgres::read_only(settings)).unwrap());
        let report = aside(|| verify(&reads)).expect("the store can be read");
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert!(report.transactions > 0 && report.events > 0, "there was something to check");
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Sends one request with a key of the credentials; returns status and body.
pub fn ask(process: &Process, credentials: &Value, of: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let word = |name: &str| credentials[of][name].as_str().unwrap();
    let token = BASE64_STANDARD.encode(format!("{}:{}", word("client_id"), word("api_key")));
    let length = body.len();
    let (status, answer) = http(
        &process.address,
        &format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Basic {token}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        ),
    );
    let body = answer.find('{').map_or(Value::Null, |at| serde_json::from_str(&answer[at..]).unwrap_or(Value::Null));
    (status, body)
}

/// Waits for a condition.
pub fn until(what: &str, at_most: Duration, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < at_most, "not within {at_most:?}: {what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Returns the body of a payout with the amount that [`links`] expects.
pub fn payout(phone: u32) -> String {
    json!({"amount": bursar::load::CENTS, "payee": {"country_code": "1", "phone_number": format!("212736{phone:04}")}})
        .to_string()
}

#[test]
fn one_process_answers_and_another_does_the_work() {
    let deployment = Deployment::new(Database::new());
    let api = deployment.start(&["--role", "api"]);
    let credentials = deployment.credentials();
    // The rows of a batch are a worker's work; a single message is delivered in the commit of its payout.
    let batch = json!({"links": crate::payout_link_batches::rows(1..3)}).to_string();
    let (status, batch) = ask(&api, &credentials, "app", "POST", "/v2/payout-link-batches", &batch);
    assert_eq!(status, 201, "{batch}");
    let path = format!("/v2/payout-link-batches/{}", batch["id"].as_str().unwrap());
    let completed = |process: &Process| ask(process, &credentials, "app", "GET", &path, "").1["status"] == "completed";
    assert!(!completed(&api), "no worker runs");
    let worker = deployment.start(&["--role", "worker"]);
    let (status, _) = ask(&worker, &credentials, "app", "GET", &path, "");
    assert_eq!((status, worker.get("/readyz").0), (404, 200), "a worker answers only probes");
    until("the worker processes it", Duration::from_secs(5), || completed(&api));
    // A third, which does everything, sees the same.
    let all = deployment.start(&["--role", "all"]);
    assert!(completed(&all));
    deployment.verify();
}

#[test]
fn a_key_that_is_revoked_is_refused_by_every_process_within_five_seconds() {
    let deployment = Deployment::new(Database::new());
    let (one, other) = (deployment.start(&[]), deployment.start(&[]));
    let credentials = deployment.credentials();
    let app = credentials["app"]["id"].as_str().unwrap();
    let keys = format!("/v2/apps/{app}/keys");
    let (status, issued) = ask(&one, &credentials, "organization", "POST", &keys, "{}");
    assert_eq!(status, 201, "{issued}");
    let mut with_issued = credentials.clone();
    with_issued["app"]["client_id"] = issued["client_id"].clone();
    with_issued["app"]["api_key"] = issued["api_key"].clone();
    let allowed = |process: &Process| ask(process, &with_issued, "app", "GET", "/v2/payout-links", "").0 == 200;
    // The other has the key cached.
    assert!(allowed(&other) && allowed(&one));
    let path = format!("{keys}/{}", issued["client_id"].as_str().unwrap());
    assert_eq!(ask(&one, &credentials, "organization", "DELETE", &path, "").0, 200);
    assert!(!allowed(&one), "at once where it was revoked");
    until("the other forgets the key", Duration::from_secs(5), || !allowed(&other));
}

#[test]
fn the_sandbox_clock_is_moved_for_all_processes() {
    let deployment = Deployment::new(Database::new());
    let (one, other) = (deployment.start(&[]), deployment.start(&[]));
    let credentials = deployment.credentials();
    let body = json!({"seconds": 86_400}).to_string();
    assert_eq!(ask(&one, &credentials, "app", "POST", "/v2/sandbox/clock/advance", &body).0, 200);
    let shown = |process: &Process| {
        let now = ask(process, &credentials, "app", "GET", "/v2/sandbox/clock", "").1["now"].clone();
        bursar::clock::Time::parse(now.as_str().unwrap()).unwrap()
    };
    until("the other follows", Duration::from_secs(5), || shown(&one).seconds_since(shown(&other)).abs() < 60);
}

/// The server's own daemon comes after a minute. Until then rows are changed by an index that finds all of an
/// organization's.
#[test]
fn tables_that_grow_are_analyzed_by_the_processes() {
    let deployment = Deployment::new(Database::new());
    let process = deployment.start(&["--role", "api"]);
    let credentials = deployment.credentials();
    // The daemon's own runs are counted elsewhere, as last_autoanalyze.
    let analyzed = "SELECT 1 FROM pg_stat_user_tables WHERE relname = 'payout_links' AND last_analyze IS NOT NULL";
    let mut phone = 0;
    until("the table is analyzed", Duration::from_secs(30), || {
        phone += 1;
        assert_eq!(ask(&process, &credentials, "app", "POST", "/v2/payouts/send-payout", &payout(phone)).0, 201);
        !deployment.database.run(analyzed).is_empty()
    });
    assert!(phone > 64, "not before it has grown: {phone}");
    deployment.verify();
}

/// A process is paused while it has an organization locked: the server ends its transaction, the others continue, and
/// its request is done once or not at all, as its response says when it resumes.
#[test]
fn a_stalled_process_with_the_lock_delays_others_only_briefly() {
    let deployment = Deployment::new(Database::new());
    let (stopped, other) = (deployment.start(&["--role", "api"]), deployment.start(&["--role", "api"]));
    let credentials = deployment.credentials();
    let org = credentials["organization"]["id"].as_str().unwrap().to_owned();
    let hold = format!("BEGIN; SELECT moment FROM tenants WHERE org = '{org}' FOR UPDATE");
    std::thread::scope(|scope| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // The test holds the organization; the first process waits for it, and is paused while waiting.
        let holder = runtime.block_on(deployment.database.hold(&hold));
        let late = scope.spawn(|| ask(&stopped, &credentials, "app", "POST", "/v2/payouts/send-payout", &payout(1)));
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        until("it waits for the lock", Duration::from_secs(5), || !deployment.database.run(waiting).is_empty());
        stopped.stop();
        // Its session gets the lock now, without its knowledge.
        runtime.block_on(holder.batch_execute("ROLLBACK")).unwrap();
        let begun = Instant::now();
        let (status, link) = ask(&other, &credentials, "app", "POST", "/v2/payouts/send-payout", &payout(2));
        let waited = begun.elapsed();
        assert_eq!(status, 201, "{link}");
        assert!(waited > Duration::from_secs(1) && waited < Duration::from_secs(8), "{waited:?}");
        stopped.signal("CONT");
        let (status, said) = late.join().unwrap();
        let made = links(&load(&other, &credentials, 1)).len();
        match status {
            201 => assert_eq!(made, 2, "it was done again, and once"),
            503 => assert!(said["error_code"] == "outcome-unknown" || made == 1, "{said}, and {made} links"),
            other => panic!("{other}: {said}"),
        }
    });
    deployment.verify();
}

/// A missing permission, table or column is an outage: the operator restores it, and the caller retries.
#[test]
fn a_table_that_is_gone_is_an_outage_and_no_bug() {
    let deployment = Deployment::new(Database::new());
    let process = deployment.start(&[]);
    let credentials = deployment.credentials();
    let body = json!({
        "amount": bursar::load::CENTS, "payee": {"country_code": "1", "phone_number": "2127361234"},
        "idempotency_key": "a2b8c9d0-0000-4000-8000-000000000001",
    });
    let pay = || ask(&process, &credentials, "app", "POST", "/v2/payouts/send-payout", &body.to_string());
    for (away, back) in [
        ("ALTER TABLE transfers RENAME TO transfers_away", "ALTER TABLE transfers_away RENAME TO transfers"),
        (
            "ALTER TABLE event_segments RENAME COLUMN body TO body_away",
            "ALTER TABLE event_segments RENAME COLUMN body_away TO body",
        ),
    ] {
        deployment.database.run(away);
        let (status, reported) = pay();
        assert_eq!((status, &reported["error_code"]), (503, &json!("service-unavailable")), "{away}: {reported}");
        deployment.database.run(back);
    }
    let (status, link) = pay();
    assert_eq!(status, 201, "{link}");
    let (_, list) = ask(&process, &credentials, "app", "GET", "/v2/payout-links", "");
    assert_eq!(list["data"].as_array().unwrap().len(), 1, "{list}");
    deployment.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_the_server_under_load_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = aside(|| Cluster::own(folder.path()));
    let deployment = Deployment::new(cluster.database());
    let process = deployment.start(&[]);
    let credentials = deployment.credentials();
    let mut judge = Judge::default();
    for (round, how) in ["restart", "crash"].into_iter().enumerate() {
        let load = Load {
            connections: 4,
            duration: Duration::from_secs(5),
            ..load(&process, &credentials, u64::try_from(round).unwrap() + 1)
        };
        let running = tokio::spawn({
            let load = load.clone();
            async move { run(&load).await }
        });
        tokio::time::sleep(Duration::from_millis(800)).await;
        aside(|| match how {
            "restart" => cluster.restart(),
            _ => {
                cluster.crash();
                assert_eq!(process.get("/readyz").0, 503);
                cluster.start_again();
            }
        });
        let sent = running.await.unwrap().unwrap().sent;
        assert!(sent.iter().filter(|sent| sent.link.is_some()).count() > 20, "{how}: nothing was under way");
        judge.settle(sent, &load).await;
        assert_eq!(process.get("/readyz").0, 200);
    }
    assert_eq!(judge.verdict(&links(&load(&process, &credentials, 9))), Verdict::default());
    deployment.verify();
}
