//! The last step of a claim: its price, and the result if the money cannot be paid out (docs/decisions.md 9).

use serde_json::{Value, json};

use crate::harness::Server;
use crate::story_payout::Payee;

const PHONE: &str = "+12127361234";
const DAY: i64 = 86_400;
const FULL: i64 = 100_000_000;

async fn link(server: &Server, body: Value) -> String {
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id()
}

async fn status(server: &Server, link: &str) -> Value {
    server.get(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200).body["status"].clone()
}

/// Creates a link of ten dollars whose fee the sender pays, and its payee before the last step.
async fn before_the_last_step(server: &Server) -> (String, Payee<'_>) {
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let id = link(server, json!({"amount": 1_000, "payout_fee_party": "platform", "payee": payee})).await;
    let jane = Payee::arrive(server, PHONE).await;
    jane.name().await;
    jane.bank("000123456789").await;
    (id, jane)
}

/// Holds the rest of the sender's balance, so that nothing is left for the fee. Returns the link that holds it.
async fn all_else_is_set_aside(server: &Server) -> String {
    link(server, json!({"amount": FULL - 1_000, "delivery": {"method": "link"}})).await
}

#[tokio::test]
async fn a_payee_learns_nothing_of_the_senders_wallet() {
    let server = Server::memory().await;
    let (_, jane) = before_the_last_step(&server).await;
    all_else_is_set_aside(&server).await;
    let refused = jane.try_step("payout", json!({})).await;
    assert_eq!(refused.refused(402, "transaction-insufficient-funds").fields(), ["/amount"]);
    assert!(!refused.text.contains("wallet") && refused.text.contains("stays yours"), "{}", refused.text);
}

#[tokio::test]
async fn a_payee_is_not_promised_money_that_the_sender_took_back() {
    let server = Server::memory().await;
    let (id, jane) = before_the_last_step(&server).await;
    jane.try_step("payout", json!({"amount": 400})).await.expect(200);
    let link = server.get(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200).body;
    let take_back = json!({"user_id": link["claimed_user_id"], "amount": 100});
    server.post("/v2/transfers").app_key().json(take_back).send().await.expect(200);
    let refused = jane.try_step("payout", json!({"amount": 600})).await;
    assert_eq!(refused.refused(402, "transaction-insufficient-funds").fields(), ["/amount"]);
    assert!(refused.text.contains("took it back") && !refused.text.contains("stays yours"), "{}", refused.text);
    jane.try_step("payout", json!({"amount": 500})).await.expect(200);
}

/// The payee completed all steps in time.
#[tokio::test]
async fn who_claims_in_time_keeps_the_money_while_the_sender_cannot_pay_the_fee() {
    let server = Server::memory().await;
    let (id, jane) = before_the_last_step(&server).await;
    let rest = all_else_is_set_aside(&server).await;
    for _ in 0..2 {
        let refused = jane.try_step("payout", json!({})).await;
        refused.refused(402, "transaction-insufficient-funds");
        let claim = jane.fetch().await;
        assert_eq!((&claim["status"], &claim["remaining_amount"]), (&json!("claimed"), &json!(1_000)));
        assert_eq!(claim["next_step"]["name"], "payout");
    }
    let take_back = server.delete(&format!("/v2/payout-links/{id}"));
    take_back.app_key().send().await.refused(409, "invalid-state");

    server.work_off().await;
    server.pass(40 * DAY).await;
    assert_eq!(status(&server, &rest).await, "expired");
    assert_eq!(status(&server, &id).await, "claimed", "what is claimed does not expire");
    // The held money is the sender's again, and pays the fee.
    let jane = jane.comes_back(PHONE).await;
    assert_eq!(jane.step("payout", json!({})).await["remaining_amount"], 0);
    server.verify();
}

#[tokio::test]
async fn who_claims_in_time_keeps_the_money_when_the_senders_day_is_full() {
    let server = Server::memory().await;
    let (id, jane) = before_the_last_step(&server).await;
    server.set(json!({"payout_limits": {"per_day": 500}})).await;
    jane.try_step("payout", json!({})).await.refused(409, "limit-exceeded");
    server.work_off().await;
    server.pass(40 * DAY).await;
    assert_eq!(status(&server, &id).await, "claimed");
    let jane = jane.comes_back(PHONE).await;
    assert_eq!(jane.step("payout", json!({"amount": 500})).await["remaining_amount"], 500);
    server.verify();
}

/// A replay with the same key returns the stored response.
#[tokio::test]
async fn a_payout_that_could_not_be_made_is_answered_alike_under_its_key() {
    let server = Server::memory().await;
    let (_, jane) = before_the_last_step(&server).await;
    let rest = all_else_is_set_aside(&server).await;
    let pay = |key| jane.asks("payout", json!({})).idempotency_key(key).send();
    let first = pay("first").await;
    first.refused(402, "transaction-insufficient-funds");
    server.delete(&format!("/v2/payout-links/{rest}")).app_key().send().await.expect(200);
    let again = pay("first").await;
    assert_eq!((again.status, &again.text), (402, &first.text));
    assert_eq!(pay("second").await.expect(200).body["remaining_amount"], 0);
    server.verify();
}

#[tokio::test]
async fn the_last_step_shows_what_is_charged() {
    let server = Server::memory().await;
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    link(&server, json!({"amount": 1_000, "payee": payee})).await;
    let jane = Payee::arrive(&server, PHONE).await;
    jane.name().await;
    // At a bank with instant payments a request for ach becomes rtp, which has another price.
    let instant = json!({"platform": "ach", "routing_number": "011000015", "account_number": "123456789"});
    let chosen = jane.step("method", instant).await;
    let options = chosen["next_step"]["options"].as_array().unwrap();
    assert_eq!((&chosen["next_step"]["name"], options.len()), (&json!("payout"), 1));
    let taken = jane.step("payout", json!({})).await;
    let figures = |of: &Value| [&of["platform"], &of["fee_amount"], &of["payout_amount"]].map(Clone::clone);
    assert_eq!(figures(&options[0]), figures(&taken["transfer"]));
    assert_eq!(options[0]["platform"], "rtp");
    assert!(options[0]["payout_method_id"].is_string(), "{chosen}");
}
