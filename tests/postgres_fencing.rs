//! A worker of one process that was stopped past its lease, while another took over, comes back and reports: with the
//! number of its lease it changes nothing. Without, a person is told twice.
//!
//! Money is guarded in depth: a rail takes a transfer once, and states refuse what comes twice. What the number alone
//! guards is the note that a carrier may have been told ([`bursar::messages::BeginAttempt`]), because whoever
//! is told "not now" may take it back. So that is where the control takes the number away.

use std::time::{Duration, Instant};

use bursar::jobs::LEASE_SECONDS;
use bursar::outbound::DEADLINE;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::delivery::gateway_flags;
use crate::harness::postgres::Database;
use crate::harness::{FakeGateway, GatewayMode, Process};
use crate::postgres_processes::{Deployment, ask, payout, until};

/// Whether leases are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fencing {
    /// As the program does.
    Kept,
    /// The second lease of the job gets the number of the first.
    TakenAway,
}

/// Two processes with one gateway: one that will be late, and another that only works.
struct Stage {
    late: Process,
    other: Process,
    deployment: Deployment,
    gateway: FakeGateway,
    credentials: Value,
    /// What the flags name lies here.
    _folder: TempDir,
}

impl Stage {
    async fn set() -> Self {
        let (deployment, folder) = (Deployment::new(Database::new()), tempfile::tempdir().unwrap());
        let gateway = FakeGateway::start().await;
        let flags = gateway_flags(folder.path(), &gateway.url());
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let late = deployment.start(&flags);
        let other = deployment.start(&[&flags[..], &["--role", "worker"]].concat());
        Self { credentials: deployment.credentials(), late, other, deployment, gateway, _folder: folder }
    }
}

/// One worker hands a text over and is stopped. Its lease ends, and another worker hands the text over: the gateway
/// takes it. While that one still waits for the answer, the first runs again, hears that the gateway did not take
/// the text from it, and reports so. Gives how often the gateway took the text, by its own book.
async fn a_worker_reports_late(fencing: Fencing) -> usize {
    let soon = Duration::from_secs(10);
    let Stage { deployment, gateway, late, other, credentials, .. } = &Stage::set().await;
    let text_is_to_be_sent =
        || deployment.database.run("SELECT 1 FROM jobs WHERE work LIKE '%send_message%'").len() == 1;

    // Only the first can take it.
    other.stop();
    gateway.set(GatewayMode::Wait);
    let (status, link) = ask(late, credentials, "app", "POST", "/v2/payouts/send-payout", &payout(1));
    assert_eq!(status, 201, "{link}");
    until("the first hands it over", soon, || gateway.asked() == 1);
    late.stop();

    if fencing == Fencing::TakenAway {
        let taken =
            deployment.database.run("UPDATE jobs SET fence = fence - 1 WHERE leased_until IS NOT NULL RETURNING id");
        assert_eq!(taken.len(), 1);
    }
    gateway.set(GatewayMode::Hang);
    deployment.move_clock(LEASE_SECONDS + 1);
    other.signal("CONT");
    until("the gateway takes it from the other", soon, || gateway.texts().len() == 1);

    gateway.answer_waiting(GatewayMode::Busy);
    late.signal("CONT");
    let reports = "bursar_messages_total{channel=\"sms\",outcome=\"put_off\"} 1";
    until("the first reports", soon, || late.get("/metrics").1.contains(reports));
    // Its report stands before this in its queue, so it is decided by the time of the answer.
    let unsent = json!({"amount": 1, "delivery": {"method": "link"}}).to_string();
    until("it is heard", soon, || ask(late, credentials, "app", "POST", "/v2/payout-links", &unsent).0 == 201);
    assert!(text_is_to_be_sent(), "the other still has it in hand");

    // The gateway hangs up on the other, and takes everything from now on. Whoever asks is shown what it took.
    gateway.set(GatewayMode::Accept);
    let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
    until("nobody has it in hand any more", Duration::from_secs(30), || !text_is_to_be_sent());
    until("it is sent", soon, || ask(late, credentials, "app", "GET", &path, "").1["status"] == "sent");
    deployment.verify();
    gateway.texts().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_was_stopped_past_its_lease_changes_nothing() {
    assert_eq!(a_worker_reports_late(Fencing::Kept).await, 1);
}

/// The negative control: the same, and the person is told twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_fencing_a_worker_stopped_past_its_lease_messages_a_person_twice() {
    assert_eq!(a_worker_reports_late(Fencing::TakenAway).await, 2);
}

/// Has the commit of the note that a carrier is about to be told wait for a lock that the test holds.
const NOTES_WAIT: &str = "CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS \
     'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'; \
     CREATE CONSTRAINT TRIGGER wait_for_test AFTER UPDATE ON messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW \
     WHEN (OLD.in_doubt_since IS NULL AND NEW.in_doubt_since IS NOT NULL) EXECUTE FUNCTION wait_for_test()";

/// A number guards what is committed, not what a carrier is told. A worker that is stopped after its note was committed
/// and before the carrier hears of it comes back when another has asked the carrier, and told it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_stopped_between_its_note_and_the_hand_over_sends_nothing() {
    let soon = Duration::from_secs(10);
    let Stage { deployment, gateway, late, other, credentials, .. } = &Stage::set().await;
    deployment.database.run(NOTES_WAIT);
    let holder = deployment.database.hold("SELECT pg_advisory_lock(1)").await;

    other.stop();
    let (status, link) = ask(late, credentials, "app", "POST", "/v2/payouts/send-payout", &payout(1));
    assert_eq!(status, 201, "{link}");
    let waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'";
    until("the note is about to be committed", soon, || !deployment.database.run(waits).is_empty());
    late.stop();
    let stopped = Instant::now();
    drop(holder);
    let noted = "SELECT 1 FROM messages WHERE in_doubt_since IS NOT NULL";
    until("the note is committed", soon, || !deployment.database.run(noted).is_empty());

    deployment.move_clock(LEASE_SECONDS + 1);
    other.signal("CONT");
    until("the gateway takes it from the other", soon, || gateway.texts().len() == 1);
    until("time goes by", DEADLINE * 2, || stopped.elapsed() > DEADLINE);
    late.signal("CONT");
    let [reported, gave_up] = [
        "bursar_messages_total{channel=\"sms\",outcome=\"taken\"} 1",
        "bursar_jobs_failed_total{kind=\"send_message\"} 1",
    ];
    let mut metrics = String::new();
    until("the first goes on", soon, || {
        metrics = late.get("/metrics").1;
        metrics.contains(reported) || metrics.contains(gave_up)
    });
    assert_eq!((metrics.contains(gave_up), gateway.texts().len()), (true, 1));
    let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
    // What it was reading when it was stopped is late, which it may say once: 503.
    until("it is sent", soon, || ask(late, credentials, "app", "GET", &path, "").1["status"] == "sent");
    deployment.verify();
}
