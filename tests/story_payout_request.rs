//! The story of a payout request: a person requests a payout in an app, the office approves it, the money arrives.

use serde_json::{Value, json};

use crate::harness::Server;
use crate::story_payout::Payee;

const PHONE: &str = "+12127361234";
const DAY: i64 = 86_400;

async fn fetch(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/payout-requests/{id}")).app_key().send().await.expect(200).body
}

#[tokio::test]
async fn a_person_asks_to_be_paid_and_is() {
    let server = Server::start().await;
    let before = server.balance("app_wallet").await;

    // The person, in the app on their own phone, which has only the app's public client id.
    let asked = json!({
        "amount": 4_000, "payee": {"country_code": "1", "phone_number": "2127361234"}, "memo": "Deliveries of March"
    });
    let request = server.post("/v2/payout-requests").client_side().json(asked).send().await.expect(201);
    assert_eq!(request.body["status"], "created");
    assert_eq!(server.balance("app_wallet").await, before, "asking moves nothing");

    // The office finds it in its list and approves it.
    let open = server.get("/v2/payout-requests?status=created").app_key().send().await.expect(200).body;
    let id = open["data"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!((id.as_str(), &open["data"][0]["memo"]), (request.id().as_str(), &json!("Deliveries of March")));
    let approve = format!("/v2/payout-requests/{id}/approve");
    let approved = server.post(&approve).app_key().send().await.expect(200).body;
    assert_eq!(approved["status"], "approved");
    assert_eq!(server.balance("app_held").await, 4_000, "the money is set aside");

    // The person gets a text with a link, and sends the money to the bank.
    let payee = Payee::arrive(&server, PHONE).await;
    payee.name().await;
    payee.bank("000123456789").await;
    payee.step("payout", json!({})).await;
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(payee.fetch().await["transfer"]["status"], "completed");

    // The office sees the payee, and that the link was claimed.
    let done = fetch(&server, &id).await;
    assert_eq!(done["payout_link"]["status"], "claimed");
    assert_eq!(done["user"]["id"], done["payout_link"]["claimed_user_id"]);
    assert_eq!(done["user"]["first_name"], "Jane");
    assert_eq!(server.balance("app_wallet").await, before - 4_000);
    assert_eq!(server.balance("app_held").await, 0);
    server.verify();
}

#[tokio::test]
async fn a_person_asks_twice_and_the_second_is_rejected() {
    let server = Server::start().await;
    let before = server.balance("app_wallet").await;
    let asked = || json!({"amount": 4_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let first = server.post("/v2/payout-requests").client_side().json(asked()).send().await.expect(201).id();
    let second = server.post("/v2/payout-requests").client_side().json(asked()).send().await.expect(201).id();

    server.post(&format!("/v2/payout-requests/{first}/approve")).app_key().send().await.expect(200);
    let why = json!({"comment": "The same deliveries as the request before."});
    server.post(&format!("/v2/payout-requests/{second}/reject")).app_key().json(why).send().await.expect(200);

    assert_eq!(fetch(&server, &second).await["comment"], "The same deliveries as the request before.");
    assert_eq!(server.balance("app_wallet").await, before - 4_000, "one of them was granted");
    server.verify();
}
