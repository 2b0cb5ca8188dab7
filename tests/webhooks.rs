//! Webhooks: their content, times, signatures, and failures of the receiver.

use std::collections::BTreeSet;
use std::sync::Arc;

use bursar::clock::DAY_SECONDS;
use bursar::jobs::{Job, Lease, Leased, due};
use bursar::store::memory::Fault;
use bursar::worker;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::harness::{Manner, Receiver, Server};

const ENDPOINTS: &str = "/v2/webhook-endpoints";

pub struct Endpoint {
    pub path: String,
    secret: String,
}

async fn endpoint(server: &Server, url: &str) -> Endpoint {
    endpoint_for(server, json!({"url": url})).await
}

pub async fn endpoint_for(server: &Server, body: Value) -> Endpoint {
    let made = server.post(ENDPOINTS).app_key().json(body).send().await.expect(201);
    let secret = made.body["secret"].as_str().expect("the secret is shown once").to_owned();
    Endpoint { path: format!("{ENDPOINTS}/{}", made.id()), secret }
}

/// Creates a link, with four events.
pub async fn link(server: &Server) -> String {
    let body = json!({"amount": 100, "delivery": {"method": "link"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id()
}

async fn head(server: &Server) -> i64 {
    let events = server.get("/v2/events").app_key().send().await.expect(200).body;
    events["data"].as_array().unwrap().last().map_or(0, |event| event["sequence"].as_i64().unwrap())
}

async fn events(server: &Server, after: i64) -> Vec<Value> {
    let events = server.get(&format!("/v2/events?after={after}")).app_key().send().await.expect(200).body;
    events["data"].as_array().unwrap().clone()
}

/// Returns the deliveries, oldest first.
pub async fn deliveries(server: &Server, endpoint: &Endpoint) -> Vec<Value> {
    let path = format!("{}/deliveries?limit=100", endpoint.path);
    let mut listed = server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().clone();
    listed.reverse();
    listed
}

fn statuses(deliveries: &[Value]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery["status"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn create_webhook_endpoint_and_what_happens_from_then_on_is_sent_as_the_log_shows_it() {
    let server = Server::start().await;
    let receiver = Receiver::start(Manner::Status(204)).await;
    link(&server).await;
    let before = head(&server).await;
    let endpoint = endpoint(&server, &receiver.url).await;
    link(&server).await;
    link(&server).await;
    server.work_off().await;

    let heard = receiver.heard();
    let mut sent: Vec<Value> = heard.iter().map(|heard| heard.event()).collect();
    sent.sort_by_key(|event| event["sequence"].as_i64());
    assert_eq!(sent, events(&server, before).await, "each once, and as GET /v2/events shows it");
    for heard in &heard {
        assert!(heard.line.starts_with("POST /hooks HTTP/1.1"), "{}", heard.line);
        assert_eq!(heard.header("webhook-id"), heard.event()["id"]);
        assert_eq!(heard.header("content-type"), "application/json");
        assert!(heard.is_signed_with(&endpoint.secret), "{heard:?}");
        assert_eq!(heard.signatures().len(), 1);
    }
    let another = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert!(!heard[0].is_signed_with(another), "the check can fail");
    let delivered = deliveries(&server, &endpoint).await;
    assert!(statuses(&delivered).iter().all(|status| *status == "succeeded"), "{delivered:?}");
    let first = &delivered[0];
    assert_eq!((first["attempts"].clone(), first["response_status"].clone()), (json!(1), json!(204)));
    assert!(first["error"].is_null() && first["next_attempt_at"].is_null());
}

#[tokio::test]
async fn test_webhook_endpoint_sends_an_event_to_this_endpoint_alone_also_without_a_subscription() {
    let server = Server::start().await;
    let receiver = Receiver::start(Manner::Status(204)).await;
    let other_receiver = Receiver::start(Manner::Status(204)).await;
    let narrow = json!({"url": receiver.url, "events": ["transfer.failed"]});
    let tested = endpoint_for(&server, narrow).await;
    let other = endpoint(&server, &other_receiver.url).await;
    let before = head(&server).await;
    for _ in 0..2 {
        let answer = server.post(&format!("{}/test", tested.path)).app_key().send().await.expect(200);
        assert_eq!(answer.body, server.get(&tested.path).app_key().send().await.expect(200).body);
    }
    server.work_off().await;

    let heard = receiver.heard();
    let mut sent: Vec<Value> = heard.iter().map(|heard| heard.event()).collect();
    sent.sort_by_key(|event| event["sequence"].as_i64());
    assert_eq!(sent, events(&server, before).await, "as GET /v2/events shows them");
    for (event, heard) in sent.iter().zip(&heard) {
        assert_eq!(
            (&event["name"], &event["object"]["url"]),
            (&json!("webhook_endpoint.tested"), &json!(receiver.url))
        );
        assert!(event["object"].get("secret").is_none(), "{event}");
        assert!(heard.is_signed_with(&tested.secret), "{heard:?}");
    }
    assert_eq!(statuses(&deliveries(&server, &tested).await), ["succeeded", "succeeded"]);
    assert_eq!(other_receiver.heard().len(), 0, "the endpoint of all events does not hear another's test");
    link(&server).await;
    server.work_off().await;
    assert_eq!((receiver.heard().len(), other_receiver.heard().len()), (2, 4), "what follows is sent as before");

    let disabled = server.patch(&other.path).app_key().json(json!({"status": "disabled"})).send().await.expect(200);
    assert_eq!(disabled.body["status"], "disabled");
    let refused = server.post(&format!("{}/test", other.path)).app_key().send().await;
    refused.refused(409, "invalid-state");
    let length = head(&server).await;
    assert_eq!(events(&server, before).await.last().unwrap()["sequence"], json!(length), "nothing was emitted");
}

#[tokio::test]
async fn get_webhook_endpoint_and_list_webhook_endpoints_show_every_field_and_no_secret() {
    let server = Server::memory().await;
    let body = json!({"url": "http://127.0.0.1:9/a?b=c", "description": "Mine", "events": ["transfer.completed"]});
    let made = endpoint_for(&server, body).await;
    let shown = server.get(&made.path).app_key().send().await.expect(200);
    assert_eq!(shown.body["url"], "http://127.0.0.1:9/a?b=c");
    assert_eq!(shown.body["description"], "Mine");
    assert_eq!(shown.body["events"], json!(["transfer.completed"]));
    assert_eq!((&shown.body["status"], &shown.body["disabled_reason"]), (&json!("enabled"), &Value::Null));
    assert_eq!(shown.body["previous_secret_until"], Value::Null);
    let listed = server.get(ENDPOINTS).app_key().send().await.expect(200);
    assert_eq!(listed.body["data"], json!([shown.body]));
    assert_eq!(listed.body["has_more"], false);
    for text in [shown.text, listed.text] {
        assert!(!text.contains("secret\"") && !text.contains("whsec_"), "{text}");
    }
    let disabled = server.get(&format!("{ENDPOINTS}?status=disabled")).app_key().send().await.expect(200);
    assert_eq!(disabled.body["data"], json!([]));
}

#[tokio::test]
async fn create_webhook_endpoint_refuses_each_wrong_field() {
    let server = Server::memory().await;
    let post = |body: Value| server.post(ENDPOINTS).app_key().json(body).send();
    for url in
        ["", "nowhere", "ftp://example.com", "http://", "http://a b", "http://u:p@example.com", "http://a.example/#x"]
    {
        let refused = post(json!({"url": url})).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), ["/url"], "{url}");
    }
    let url = "http://127.0.0.1:9";
    for (body, fields) in [
        (json!({}), vec!["/url"]),
        (json!({"url": 1, "description": ""}), vec!["/url", "/description"]),
        (json!({"url": url, "events": []}), vec!["/events"]),
        (json!({"url": url, "events": ["transfer.finished"]}), vec!["/events/0"]),
        (json!({"url": url, "events": ["app.updated", "app.updated"]}), vec!["/events/1"]),
        (json!({"url": url, "secret": "whsec_x"}), vec!["/secret"]),
    ] {
        let refused = post(body.clone()).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), fields, "{body}");
    }
    let long = format!("http://127.0.0.1/{}", "a".repeat(2_048));
    assert_eq!(post(json!({"url": long})).await.refused(400, "invalid-input").fields(), ["/url"]);
}

#[tokio::test]
async fn an_app_has_sixteen_endpoints_at_most_however_many_ask_at_once() {
    let server = Server::memory().await;
    let asked = (0..40).map(|_| server.post(ENDPOINTS).app_key().json(json!({"url": "http://127.0.0.1:9"})).send());
    let replies = futures::future::join_all(asked).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 16);
    let refused: Vec<_> = replies.iter().filter(|reply| reply.status != 201).collect();
    for reply in refused {
        reply.refused(409, "limit-exceeded");
    }
    let listed = server.get(&format!("{ENDPOINTS}?limit=100")).app_key().send().await.expect(200);
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 16);
}

#[tokio::test]
async fn an_endpoint_receives_only_subscribed_events() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let some = endpoint_for(&server, json!({"url": receiver.url, "events": ["payout_link.updated"]})).await;
    link(&server).await;
    server.work_off().await;
    let names: Vec<Value> = receiver.heard().iter().map(|heard| heard.event()["name"].clone()).collect();
    assert_eq!(names, ["payout_link.updated", "payout_link.updated"]);
    let asked = format!("{}/deliveries?event_name=transfer.updated", some.path);
    assert_eq!(server.get(&asked).app_key().send().await.expect(200).body["data"], json!([]));

    // Now of all events.
    server.patch(&some.path).app_key().json(json!({"events": null})).send().await.expect(200);
    let before = head(&server).await;
    link(&server).await;
    server.work_off().await;
    assert_eq!(receiver.heard().len() - 2, events(&server, before).await.len());
}

#[tokio::test]
async fn list_webhook_deliveries_shows_every_way_to_fail() {
    let server = Server::memory().await;
    let elsewhere = Receiver::start(Manner::Status(200)).await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut cases = Vec::new();
    for (manner, error, response_status) in [
        (Manner::Status(500), "refused_by_receiver", json!(500)),
        (Manner::Status(404), "refused_by_receiver", json!(404)),
        (Manner::Redirect(elsewhere.url.clone()), "redirected", json!(302)),
        (Manner::Garbage, "broken_answer", Value::Null),
        (Manner::HangUp, "broken_answer", Value::Null),
        (Manner::Hang, "timed_out", Value::Null),
    ] {
        let receiver = Receiver::start(manner).await;
        cases.push((receiver.url.clone(), error, response_status, Some(receiver)));
    }
    cases.push((format!("http://{closed}/"), "not_connected", Value::Null, None));
    cases.push(("http://no-such-host.invalid/".to_owned(), "name_not_resolved", Value::Null, None));
    let mut endpoints = Vec::new();
    for (url, ..) in &cases {
        endpoints.push(endpoint_for(&server, json!({"url": url, "events": ["transfer.updated"]})).await);
    }
    link(&server).await;
    server.work_off().await;
    for ((_, error, response_status, receiver), endpoint) in cases.iter().zip(&endpoints) {
        for delivery in deliveries(&server, endpoint).await {
            assert_eq!((&delivery["status"], &delivery["error"]), (&json!("pending"), &json!(error)), "{delivery}");
            assert_eq!(delivery["response_status"], *response_status, "{delivery}");
            assert_eq!(delivery["attempts"], 1);
            assert!(delivery["next_attempt_at"].is_string());
        }
        assert!(receiver.as_ref().is_none_or(|receiver| receiver.heard().len() == 2), "{error}: one attempt each");
    }
    assert!(elsewhere.heard().is_empty(), "redirects are not followed");
}

#[tokio::test]
async fn a_receiver_whose_body_never_ends_has_taken_the_event_with_its_status() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::EndlessBody).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["transfer.updated"]})).await;
    link(&server).await;
    server.work_off().await;
    for delivery in deliveries(&server, &endpoint).await {
        assert_eq!(
            (&delivery["status"], &delivery["response_status"]),
            (&json!("succeeded"), &json!(200)),
            "{delivery}"
        );
    }
    assert_eq!(receiver.heard().len(), 2);
}

#[tokio::test]
async fn a_busy_receiver_is_called_again_when_it_says() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Busy(3_000)).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["transfer.updated"]})).await;
    link(&server).await;
    server.work_off().await;
    server.pass(2_990).await;
    let before = receiver.heard().len();
    server.pass(20).await;
    assert_eq!((before, receiver.heard().len()), (2, 4));
    assert_eq!(deliveries(&server, &endpoint).await[0]["attempts"], 2);
}

#[tokio::test]
async fn replay_webhook_delivery_after_eight_attempts_at_the_promised_distances() {
    let server = Server::start().await;
    let receiver = Receiver::start(Manner::Status(500)).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["payout_link.sent"]})).await;
    let phone = json!({"country_code": "1", "phone_number": "2127361234"});
    server.post("/v2/payout-links").app_key().json(json!({"amount": 100, "payee": phone})).send().await.expect(201);
    server.work_off().await;
    let (minute, hour) = (60, 3_600);
    for (place, wait) in [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour].into_iter().enumerate()
    {
        assert_eq!(receiver.heard().len(), place + 1);
        server.pass(wait - 1).await;
        assert_eq!(receiver.heard().len(), place + 1, "not a second earlier");
        server.pass(1).await;
    }
    server.pass(30 * hour).await;
    let heard = receiver.heard();
    assert_eq!(heard.len(), 8, "and no more");
    assert!(heard.iter().all(|again| again.text == heard[0].text && again.is_signed_with(&endpoint.secret)));
    let dead = deliveries(&server, &endpoint).await;
    assert_eq!((&dead[0]["status"], &dead[0]["attempts"]), (&json!("dead"), &json!(8)));
    assert_eq!(dead[0]["next_attempt_at"], Value::Null);

    receiver.behave(Manner::Status(200));
    let path = format!("{}/deliveries/{}/replay", endpoint.path, dead[0]["id"].as_str().unwrap());
    let replayed = server.post(&path).app_key().send().await.expect(200);
    assert_eq!(replayed.body["status"], "pending");
    server.work_off().await;
    let done = deliveries(&server, &endpoint).await;
    assert_eq!(
        (&done[0]["status"], &done[0]["attempts"], &done[0]["error"]),
        (&json!("succeeded"), &json!(9), &Value::Null)
    );
    assert_eq!(receiver.heard().len(), 9);
    // A successful delivery may be replayed too.
    server.post(&path).app_key().send().await.expect(200);
    server.work_off().await;
    assert_eq!(receiver.heard().len(), 10);
    let unknown = format!("{}/deliveries/{}/replay", endpoint.path, endpoint.path.rsplit('/').next().unwrap());
    server.post(&unknown).app_key().send().await.refused(404, "not-found");
}

#[tokio::test]
async fn what_answers_410_is_disabled_and_update_webhook_endpoint_enables_it_again() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(410)).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["transfer.updated"]})).await;
    link(&server).await;
    server.work_off().await;
    let shown = server.get(&endpoint.path).app_key().send().await.expect(200).body;
    assert_eq!((&shown["status"], &shown["disabled_reason"]), (&json!("disabled"), &json!("gone")));
    let ended = deliveries(&server, &endpoint).await;
    assert_eq!(statuses(&ended), ["dead", "dead"]);
    let path = format!("{}/deliveries/{}/replay", endpoint.path, ended[0]["id"].as_str().unwrap());
    server.post(&path).app_key().send().await.refused(409, "invalid-state");

    link(&server).await;
    server.work_off().await;
    assert_eq!(receiver.heard().len(), 2, "nothing is sent to it");
    receiver.behave(Manner::Status(200));
    let enabled = server.patch(&endpoint.path).app_key().json(json!({"status": "enabled"})).send().await.expect(200);
    assert_eq!((&enabled.body["status"], &enabled.body["disabled_reason"]), (&json!("enabled"), &Value::Null));
    server.work_off().await;
    assert_eq!(receiver.heard().len(), 2, "what happened meanwhile is not made up for");
    link(&server).await;
    server.work_off().await;
    assert_eq!(receiver.heard().len(), 4);
}

#[tokio::test]
async fn what_is_pending_when_an_endpoint_is_disabled_ends_there_unless_it_is_enabled_in_time() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(503)).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["transfer.updated"]})).await;
    let set = |status: &str| server.patch(&endpoint.path).app_key().json(json!({"status": status})).send();
    link(&server).await;
    server.work_off().await;
    set("disabled").await.expect(200);
    set("enabled").await.expect(200);
    server.pass(5).await;
    assert_eq!(receiver.heard().len(), 4, "it was enabled again in time");
    set("disabled").await.expect(200);
    server.pass(300).await;
    assert_eq!(receiver.heard().len(), 4);
    let ended = deliveries(&server, &endpoint).await;
    assert_eq!(statuses(&ended), ["dead", "dead"]);
    assert_eq!((&ended[0]["error"], &ended[0]["attempts"]), (&json!("endpoint_disabled"), &json!(2)));
}

#[tokio::test]
async fn rotate_webhook_secret_signs_with_both_for_a_day() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["payout_link.updated"]})).await;
    let rotate = || server.post(&format!("{}/rotate-secret", endpoint.path)).app_key().send();
    let secret_of = |reply: &crate::harness::Reply| reply.body["secret"].as_str().unwrap().to_owned();
    let rotated = rotate().await.expect(200);
    let second = secret_of(&rotated);
    assert!(second != endpoint.secret && rotated.body["previous_secret_until"].is_string());
    let newest = async || {
        link(&server).await;
        server.work_off().await;
        receiver.heard().last().unwrap().clone()
    };
    let both = newest().await;
    assert_eq!(both.signatures().len(), 2);
    assert!(both.is_signed_with(&second) && both.is_signed_with(&endpoint.secret));

    // After a second rotation within the day the oldest secret no longer signs.
    let third = secret_of(&rotate().await.expect(200));
    let both = newest().await;
    assert!(both.is_signed_with(&third) && both.is_signed_with(&second) && !both.is_signed_with(&endpoint.secret));
    server.advance(DAY_SECONDS - 1);
    assert!(newest().await.is_signed_with(&second), "until the day is over");
    server.advance(1);
    let one = newest().await;
    assert_eq!(one.signatures().len(), 1);
    assert!(one.is_signed_with(&third) && !one.is_signed_with(&second));
}

#[tokio::test]
async fn a_secret_is_drawn_once_for_a_key_and_shown_to_its_repeat() {
    let server = Server::memory().await;
    let create = || {
        let body = json!({"url": "http://127.0.0.1:9/"});
        server.post(ENDPOINTS).app_key().idempotency_key("hook-1").json(body).send()
    };
    let (first, again) = (create().await.expect(201), create().await.expect(201));
    assert_eq!(first.text, again.text);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

#[tokio::test]
async fn delete_webhook_endpoint_and_nothing_is_sent_any_more() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(500)).await;
    let endpoint = endpoint(&server, &receiver.url).await;
    link(&server).await;
    server.work_off().await;
    let heard = receiver.heard().len();
    server.delete(&endpoint.path).app_key().send().await.expect(204);
    link(&server).await;
    server.pass(DAY_SECONDS).await;
    assert_eq!(receiver.heard().len(), heard);
    for path in [endpoint.path.clone(), format!("{}/deliveries", endpoint.path)] {
        server.get(&path).app_key().send().await.refused(404, "not-found");
    }
    server.delete(&endpoint.path).app_key().send().await.refused(404, "not-found");
    let left = jobs(&server).await;
    assert!(left.iter().all(|job| !format!("{:?}", job.work.0).contains("Webhook")), "{left:?}");
}

async fn jobs(server: &Server) -> Vec<Arc<Job>> {
    let forever = server.now().plus_seconds(400 * DAY_SECONDS);
    server.bursar().read(move |world| due(world, forever, 100)).await.unwrap()
}

#[tokio::test]
async fn an_app_without_endpoints_writes_no_job_for_its_events() {
    let server = Server::memory().await;
    let before = jobs(&server).await.len();
    let body = json!({"amount": 100, "delivery": {"method": "link"}});
    server.post("/v2/payout-links").app_key().json(body.clone()).send().await.expect(201);
    // The job that watches over all links of the organization.
    let swept = jobs(&server).await;
    assert!(swept.len() == before + 1 && format!("{:?}", swept[before].work.0).starts_with("SweepLinks"), "{swept:?}");
    endpoint(&server, "http://127.0.0.1:9").await;
    for _ in 0..3 {
        server.post("/v2/payout-links").app_key().json(body.clone()).send().await.expect(201);
    }
    let kinds: Vec<String> = jobs(&server).await.iter().map(|job| format!("{:?}", job.work.0)).collect();
    let feeds = kinds.iter().filter(|kind| kind.starts_with("FeedWebhooks")).count();
    assert_eq!(feeds, 1, "twelve events, one call: {kinds:?}");
    assert_eq!(kinds.len(), before + 2, "{kinds:?}");
}

#[tokio::test]
async fn what_was_not_sent_before_a_restart_is_sent_after_it() {
    let mut server = Server::start().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let before = head(&server).await;
    let endpoint = endpoint(&server, &receiver.url).await;
    link(&server).await;
    server.restart().await;
    link(&server).await;
    // A worker takes the job, and dies.
    lease(&server, "FeedWebhooks").await;
    server.restart().await;
    assert!(receiver.heard().is_empty());
    server.pass(61).await;
    let mut sequences: Vec<i64> = receiver.heard().iter().map(|heard| heard.sequence()).collect();
    sequences.sort_unstable();
    let expected: Vec<i64> = (before + 1..=head(&server).await).collect();
    assert_eq!(sequences, expected);
    assert!(receiver.heard().iter().all(|heard| heard.is_signed_with(&endpoint.secret)));
}

/// Leases the one due job of this kind.
async fn lease(server: &Server, kind: &str) -> Leased {
    let due = jobs(server).await;
    let job = due.iter().find(|job| format!("{:?}", job.work.0).starts_with(kind)).expect("it is there");
    let leased = server.bursar().engine.run(job.org, Lease { org: job.org, id: job.id }).await.unwrap();
    leased.expect("nobody has it")
}

#[tokio::test]
async fn a_courier_that_dies_after_its_calls_makes_them_again_under_the_same_ids() {
    let server = Server::failing().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": ["payout_link.updated"]})).await;
    link(&server).await;
    worker::do_job(server.bursar(), lease(&server, "FeedWebhooks").await).await;
    let courier = lease(&server, "CallWebhook").await;
    // It makes its calls, and their outcome is lost.
    server.store().fail_next(Fault::Refused);
    worker::do_job(server.bursar(), courier.clone()).await;
    assert_eq!(receiver.heard().len(), 2);
    assert_eq!(statuses(&deliveries(&server, &endpoint).await), ["pending", "pending"]);

    server.pass(61).await;
    let heard = receiver.heard();
    assert_eq!(heard.len(), 4, "another took over when the lease ended");
    let ids: BTreeSet<&str> = heard.iter().map(|heard| heard.header("webhook-id")).collect();
    assert_eq!(ids.len(), 2, "whoever keeps the ids sees each event once");
    assert_eq!(statuses(&deliveries(&server, &endpoint).await), ["succeeded", "succeeded"]);

    // The first one resumes: nothing is due, and its lease has expired.
    worker::do_job(server.bursar(), courier).await;
    assert_eq!(receiver.heard().len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_hangs_delays_no_other() {
    let server = Server::start().await;
    let (hanging, healthy) = (Receiver::start(Manner::Hang).await, Receiver::start(Manner::Status(200)).await);
    let slow = endpoint(&server, &hanging.url).await;
    endpoint(&server, &healthy.url).await;
    let before = head(&server).await;
    for _ in 0..10 {
        link(&server).await;
    }
    let (stop, reported) = watch::channel(false);
    let worker = worker::start(server.bursar().clone(), reported);
    let expected = usize::try_from(head(&server).await - before).unwrap();
    healthy.wait_for(expected).await;
    let stuck = deliveries(&server, &slow).await;
    assert!(stuck.iter().all(|delivery| delivery["status"] == "pending"));
    assert!(hanging.heard().len() < expected, "a few at a time");
    // Jobs of payments continue.
    let phone = json!({"country_code": "1", "phone_number": "2127361234"});
    let sent = server.post("/v2/payout-links").app_key().json(json!({"amount": 100, "payee": phone})).send().await;
    let path = format!("/v2/payout-links/{}", sent.expect(201).id());
    healthy.wait_for(expected + 5).await;
    assert_eq!(server.get(&path).app_key().send().await.expect(200).body["status"], "delivered");
    stop.send_replace(true);
    worker.await.unwrap();
}

#[tokio::test]
async fn the_secret_is_sealed_in_the_store() {
    let server = Server::sqlite().await;
    let endpoint = endpoint(&server, "http://127.0.0.1:9").await;
    let rotated = server.post(&format!("{}/rotate-secret", endpoint.path)).app_key().idempotency_key("k").send().await;
    let second = rotated.expect(200).body["secret"].as_str().unwrap().to_owned();
    let mut stored = Vec::new();
    for entry in std::fs::read_dir(server.folder()).unwrap() {
        stored.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let holds = |what: &[u8]| stored.windows(what.len()).any(|window| window == what);
    assert!(holds(b"http://127.0.0.1:9"), "the check can fail");
    for secret in [&endpoint.secret, &second] {
        let text = secret.strip_prefix("whsec_").unwrap();
        use base64::prelude::{BASE64_STANDARD, Engine as _};
        assert!(!holds(text.as_bytes()) && !holds(&BASE64_STANDARD.decode(text).unwrap()));
    }
    let events = server.get("/v2/events").app_key().send().await.expect(200);
    assert!(!events.text.contains("whsec_"));
}

#[tokio::test]
async fn deliveries_are_kept_for_thirty_days() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let endpoint = endpoint(&server, &receiver.url).await;
    link(&server).await;
    server.work_off().await;
    let count = deliveries(&server, &endpoint).await.len();
    server.pass(30 * DAY_SECONDS - 1).await;
    assert_eq!(worker::forget_outlived(server.bursar()).await, Ok(0));
    server.advance(2);
    assert_eq!(worker::forget_outlived(server.bursar()).await, Ok(count));
    assert!(deliveries(&server, &endpoint).await.is_empty());
}

#[tokio::test]
async fn what_was_never_sent_is_kept_for_as_long_as_it_takes() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let endpoint = endpoint(&server, &receiver.url).await;
    link(&server).await;
    server.work_off().await;
    receiver.behave(Manner::Status(500));
    link(&server).await;
    server.work_off().await;
    let reported = deliveries(&server, &endpoint).await;
    let waiting = statuses(&reported).iter().filter(|status| **status == "pending").count();
    assert!(waiting > 0 && waiting < reported.len(), "{reported:?}");
    server.advance(31 * DAY_SECONDS);
    assert_eq!(worker::forget_outlived(server.bursar()).await, Ok(reported.len() - waiting));
    assert_eq!(statuses(&deliveries(&server, &endpoint).await), vec!["pending"; waiting]);
    receiver.behave(Manner::Status(200));
    server.work_off().await;
    let reported = deliveries(&server, &endpoint).await;
    assert_eq!(statuses(&reported)[..waiting], vec!["succeeded"; waiting]);
}
