//! Work that calls no external party is done in the commit that adds it.

use bursar::jobs::{Job, Work};
use bursar::providers::Providers;
use bursar::store::memory::{Change, Fault};
use bursar::worker;
use serde_json::{Value, json};

use crate::harness::{FakeGateway, Reply, Server};

const PHONE: &str = "+12127361234";

fn payout() -> Value {
    json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}})
}

fn due_jobs(server: &Server) -> Vec<Job> {
    let (mut due, now) = (Vec::new(), server.now());
    let fetch = |job: &Job| {
        due.extend((job.due_at <= now).then(|| job.clone()));
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<Job>(fetch)).unwrap();
    due
}

async fn status(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200).body["status"].clone()
}

/// Returns the numbers of inserted, updated and deleted rows.
fn count(changes: &[Change]) -> (usize, usize, usize) {
    let of = |before: bool, after: bool| {
        changes.iter().filter(|change| (change.before.is_some(), change.after.is_some()) == (before, after)).count()
    };
    (of(false, true), of(true, true), of(true, false))
}

/// Sends a payout, and does its due work as the worker does. Returns the link, the number of commits, and the numbers
/// of inserted, updated and deleted rows.
async fn cost_of_payout(server: &Server) -> (Reply, u64, (usize, usize, usize)) {
    let memory = server.store();
    memory.watch();
    let before = memory.commits();
    let link = server.post("/v2/payouts/send-payout").app_key().json(payout()).send().await.expect(201);
    for job in due_jobs(server) {
        assert!(worker::do_job(server.bursar(), job.unleased()).await);
    }
    (link, memory.commits() - before, count(&memory.take_changes()))
}

#[tokio::test]
async fn send_payout_delivers_its_message_in_its_own_commit() {
    let server = Server::failing().await;
    server.post("/v2/payouts/send-payout").app_key().json(payout()).send().await.expect(201);
    let (link, commits, rows) = cost_of_payout(&server).await;
    assert_eq!(link.body["status"], "delivery_pending", "the answer was decided before the delivery");
    assert_eq!((commits, rows), (1, (9, 5, 0)));
    assert!(due_jobs(&server).is_empty());

    // If the store refuses the batch, the payout is as durable, and the worker sends the message.
    server.store().fail_next(Fault::Refused);
    let (other, commits, rows) = cost_of_payout(&server).await;
    assert_eq!((commits, rows), (2, (12, 8, 1)));
    assert_eq!(status(&server, &other.id()).await, "delivered");

    assert_eq!(status(&server, &link.id()).await, "delivered");
    let text = server.newest_message(PHONE).await["text"].clone();
    assert!(text.as_str().unwrap().contains(other.body["link"].as_str().unwrap()), "{text}");
    let events = server.get("/v2/events").app_key().send().await.expect(200).body;
    let of_link = events["data"].as_array().unwrap().iter().filter(|event| event["object_id"] == json!(link.id()));
    let lines: Vec<String> = of_link.map(|event| format!("{} {}", event["name"], event["object"]["status"])).collect();
    let expected = [
        r#""payout_link.updated" "created""#,
        r#""payout_link.updated" "delivery_pending""#,
        r#""payout_link.sent" "delivered""#,
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn a_replay_of_send_payout_returns_the_answer_from_before_the_delivery() {
    let server = Server::start().await;
    let send = || server.post("/v2/payouts/send-payout").app_key().idempotency_key("once").json(payout()).send();
    let first = send().await.expect(201);
    assert_eq!(status(&server, &first.id()).await, "delivered");
    assert_eq!(send().await.expect(201).text, first.text);
}

#[tokio::test]
async fn with_a_provider_the_message_is_left_to_the_worker() {
    let gateway = FakeGateway::start().await;
    let server = Server::with_providers(move || Providers { mail: None, phone: Some(gateway.provider()) }).await;
    let link = server.post("/v2/payouts/send-payout").app_key().json(payout()).send().await.expect(201);
    assert_eq!(status(&server, &link.id()).await, "delivery_pending");
    let due: Vec<Work> = due_jobs(&server).into_iter().map(|job| job.work.0).collect();
    assert!(matches!(due[..], [Work::SendMessage { .. }]), "{due:?}");
    server.work_off().await;
    assert_eq!(status(&server, &link.id()).await, "sent");
}
