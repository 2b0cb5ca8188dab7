//! A story: a shop subscribes to the payouts of its payees, its server is down for an hour, and nothing is lost.

use serde_json::{Value, json};

use crate::harness::{Manner, Receiver, Server};
use crate::story_payout::Payee;

const PHONE: &str = "+12127361234";
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Returns the events about a link that the shop received, in the order of the log.
fn reported_to(receiver: &Receiver, link: &str) -> Vec<String> {
    let mut events: Vec<Value> = receiver.heard().iter().map(|heard| heard.event()).collect();
    events.retain(|event| event["object_id"] == link);
    events.sort_by_key(|event| event["sequence"].as_i64());
    events.dedup_by_key(|event| event["id"].clone());
    events.iter().map(|event| event["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_shop_is_notified_when_jane_is_paid_although_its_server_was_down() {
    let server = Server::start().await;

    // The shop registers its endpoint, and stores the secret.
    let shop = Receiver::start(Manner::Status(200)).await;
    let endpoint = json!({"url": shop.url, "description": "The shop"});
    let endpoint = server.post("/v2/webhook-endpoints").app_key().json(endpoint).send().await.expect(201);
    let secret = endpoint.body["secret"].as_str().unwrap();
    let path = format!("/v2/webhook-endpoints/{}", endpoint.id());

    // It sends Jane ten dollars, and is notified that the text message was sent.
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let body = json!({"amount": 1_000, "payee": payee});
    let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).id();
    server.work_off().await;
    assert_eq!(reported_to(&shop, &link), ["payout_link.updated", "payout_link.updated", "payout_link.sent"]);

    // The shop's server breaks down. Jane does not notice, and sends her money to her bank.
    shop.behave(Manner::Status(503));
    let jane = Payee::arrive(&server, PHONE).await;
    jane.name().await;
    jane.bank("5550001").await;
    jane.step("payout", json!({})).await;
    server.work_off().await;
    let waiting = server.get(&format!("{path}/deliveries?status=pending")).app_key().send().await.expect(200);
    assert!(!waiting.body["data"].as_array().unwrap().is_empty(), "we keep what the shop did not take");

    // An hour later it is up again. The missed deliveries arrive automatically, and then the event that Jane has her
    // money.
    server.pass(HOUR).await;
    shop.behave(Manner::Status(200));
    server.pass(2 * DAY).await;
    let reported = reported_to(&shop, &link);
    assert!(reported.contains(&"payout_link.claimed".to_owned()), "{reported:?}");
    let names: Vec<Value> = shop.heard().iter().map(|heard| heard.event()["name"].clone()).collect();
    assert!(names.contains(&json!("transfer.completed")), "{names:?}");
    let open = server.get(&format!("{path}/deliveries?status=pending")).app_key().send().await.expect(200);
    assert_eq!(open.body["data"], json!([]), "nothing is on its way any more");

    // All later events of the log reached the shop, each signed with the stored secret.
    let log = server.get("/v2/events").app_key().send().await.expect(200).body;
    let first = shop.heard().iter().map(|heard| heard.sequence()).min().unwrap();
    for event in log["data"].as_array().unwrap().iter().filter(|event| event["sequence"].as_i64() >= Some(first)) {
        assert!(shop.heard().iter().any(|heard| heard.event() == *event), "{event}");
    }
    assert!(shop.heard().iter().all(|heard| heard.is_signed_with(secret)));

    // And the stored data is correct.
    server.verify();
}
