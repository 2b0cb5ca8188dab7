//! Rails in the environment production: without a route a rail is neither offered nor used.

use serde_json::{Value, json};

use crate::harness::{ADAPTER_TOKEN, Adapter, Server};
use crate::rails::Rails;

/// Returns the rails of a user's payout options.
async fn options(server: &Server, user: &str) -> Vec<String> {
    let path = format!("/v2/users/{user}/payout-options");
    let body = server.get(&path).app_key().send().await.expect(200).body;
    let rails = body["data"].as_array().unwrap().iter();
    rails.map(|option| option["platform"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_rail_without_a_route_is_not_offered_and_refused_by_name() {
    let adapter = Adapter::start();
    let server = Server::live().await;
    let rails = Rails::of(&server);
    let user = rails.payee(1001, "jane@example.com").await;
    assert!(options(&server, &user).await.is_empty());
    let refused = rails.paying(&user, "wallet_a").await;
    let message = refused.refused(409, "rail-not-connected").body["message"].as_str().unwrap().to_owned();
    assert!(message.contains("wallet_a"), "{message}");
    let estimate = format!("/v2/payouts/fee-estimate?user_id={user}&platform=wallet_a&amount=1000");
    let estimated = server.get(&estimate).app_key().send().await;
    estimated.refused(409, "rail-not-connected");

    let new = json!({"name": "Adapter", "kind": "adapter", "url": adapter.url(), "secret": ADAPTER_TOKEN});
    let provider = rails.provider(new).await["id"].as_str().unwrap().to_owned();
    let route = rails.route("wallet_a", &provider).await;
    assert_eq!(options(&server, &user).await, ["wallet_a"]);
    let transfer = rails.paying(&user, "wallet_a").await.expect(201).id();
    server.work_off().await;
    assert_eq!(rails.status(&transfer).await.0, "pending");
    assert_eq!(adapter.payouts(&transfer).await, 1);
    rails.paying(&user, "ach").await.refused(409, "user-info-missing");
    // The end of the route: no new payouts, and the one in progress continues.
    rails.post(&format!("/v2/bank/routes/{route}/end"), "admin", json!({})).await.expect(200);
    rails.paying(&user, "wallet_a").await.refused(409, "rail-not-connected");
    adapter.settle(&transfer, "complete").await;
    server.pass(86_400).await;
    assert_eq!(rails.status(&transfer).await.0, "completed");
    server.verify();
}

#[tokio::test]
async fn movements_that_no_route_carries_are_refused_by_name() {
    let server = Server::live().await;
    let app = server.app_id();
    let account = json!({"account_number": "000123456789", "routing_number": "110000000", "account_type": "checking"});
    drop(server.put(&format!("/v2/apps/{app}/ach-account")).as_org().json(account).send().await);
    let post =
        |verb: &str| server.post(&format!("/v2/apps/{app}/{verb}")).as_org().json(json!({"amount": 1_000})).send();
    post("deposit").await.refused(409, "rail-not-connected");
    post("withdraw").await.refused(409, "rail-not-connected");
}

/// The control: the sandbox offers and simulates all rails.
#[tokio::test]
async fn in_the_sandbox_every_rail_is_offered_and_simulated() {
    let server = Server::memory().await;
    let rails = Rails::of(&server);
    let user = rails.payee(1001, "jane@example.com").await;
    assert_eq!(options(&server, &user).await.len(), 14);
    let transfer = rails.paying(&user, "wallet_a").await.expect(201).id();
    server.work_off().await;
    server.pass(86_400).await;
    assert_eq!(rails.status(&transfer).await.0, "completed");
    assert_eq!(rails.payment(&transfer).await, Value::Null);
}
