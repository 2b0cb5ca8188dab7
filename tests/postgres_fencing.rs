//! A worker that was paused past its lease, while another took over, resumes and reports: its stale fencing token
//! changes nothing. Without the token, a payee gets a message twice.
//!
//! Money has several defenses: a rail takes a transfer once, and states refuse a repetition. Only the token protects
//! the record that an attempt has begun ([`bursar::messages::BeginAttempt`]), because a worker with the outcome "not
//! now" may remove it. So the control removes the token there.

use std::time::{Duration, Instant};

use bursar::jobs::LEASE_SECONDS;
use bursar::outbound::DEADLINE;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::delivery::gateway_flags;
use crate::harness::postgres::Database;
use crate::harness::{FakeGateway, GatewayMode, Process};
use crate::postgres_processes::{Deployment, ask, payout, until};

/// Whether leases have fencing tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fencing {
    /// As in the program.
    Kept,
    /// The second lease of the job gets the token of the first.
    TakenAway,
}

/// Two processes with one gateway: one that will be late, and another that only works.
struct Stage {
    late: Process,
    other: Process,
    deployment: Deployment,
    gateway: FakeGateway,
    credentials: Value,
    /// The files that the flags name.
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

/// One worker hands a text over and is paused. Its lease expires, and another worker hands the text over: the gateway
/// accepts it. While that one waits for the response, the first resumes, learns that the gateway did not accept the
/// text from it, and reports so. Returns the number of accepted texts in the gateway's own records.
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
    // Its report is before this in its queue, so it is decided before the response.
    let unsent = json!({"amount": 1, "delivery": {"method": "link"}}).to_string();
    until("it is heard", soon, || ask(late, credentials, "app", "POST", "/v2/payout-links", &unsent).0 == 201);
    assert!(text_is_to_be_sent(), "the other still has it in hand");

    // The gateway hangs up on the other, and accepts everything from now on. A query shows the accepted texts.
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

/// The negative control: without tokens the payee gets two texts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_fencing_a_worker_stopped_past_its_lease_messages_a_person_twice() {
    assert_eq!(a_worker_reports_late(Fencing::TakenAway).await, 2);
}

/// Makes the commit of an attempt's beginning wait for a lock that the test holds.
const NOTES_WAIT: &str = "CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS \
     'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'; \
     CREATE CONSTRAINT TRIGGER wait_for_test AFTER UPDATE ON messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW \
     WHEN (OLD.in_doubt_since IS NULL AND NEW.in_doubt_since IS NOT NULL) EXECUTE FUNCTION wait_for_test()";

/// A token protects commits, not calls to a provider. A worker is paused after the commit of its attempt and before the
/// call; it resumes after another worker has queried and called the provider.
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
    // A read that was interrupted by the pause is late, and may fail once with 503.
    until("it is sent", soon, || ask(late, credentials, "app", "GET", &path, "").1["status"] == "sent");
    deployment.verify();
}
