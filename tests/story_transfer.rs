//! The story of a wallet: an app and its user exchange money, and every cent can be traced.

use serde_json::{Value, json};

use crate::harness::Server;

const DAY: i64 = 86_400;

#[tokio::test]
async fn money_goes_to_a_users_wallet_back_and_out_of_it() {
    let server = Server::start().await;
    let driver = server.banked_user(1234).await;
    let before = server.balance("app_wallet").await;
    let wallet = async || {
        let shown = server.get(&format!("/v2/users/{driver}")).app_key().send().await.expect(200).body;
        shown["wallet"]["amount"].as_i64().unwrap()
    };
    let pass = |amount: i64, why: &str| {
        let body = json!({"user_id": driver, "amount": amount, "metadata": why});
        server.post("/v2/transfers").app_key().json(body).send()
    };

    // Friday: the week's rides, below zero because it leaves the app. It is there at once.
    let wages = pass(-60_000, "rides").await.expect(200);
    assert_eq!([&wages.body["status"], &wages.body["type"], &wages.body["amount"]], ["completed", "balance", "-60000"]);
    assert_eq!((wallet().await, server.balance("app_wallet").await), (60_000, before - 60_000));

    // Saturday: a dented door, which the driver pays for. More than the balance is refused, and nothing is taken then.
    server.advance(DAY);
    pass(60_001, "door").await.refused(402, "transaction-insufficient-funds");
    pass(20_000, "door").await.expect(200);
    assert_eq!((wallet().await, server.balance("app_wallet").await), (40_000, before - 40_000));

    // Sunday: the driver gets a payout of the rest. Two days later it is in the bank.
    server.advance(DAY);
    let order = json!({"user_id": driver, "amount": 40_000, "platform": "default"});
    let paid = server.post("/v2/payouts").app_key().json(order).send().await.expect(201);
    assert_eq!(wallet().await, 0);
    server.work_off().await;
    server.pass(2 * DAY).await;
    let arrived = server.get(&format!("/v2/transfers/{}", paid.id())).app_key().send().await.expect(200).body;
    assert_eq!(arrived["status"], "completed");

    // The ledger has all of it: in order, by type, each with its source and its destination.
    let list = server.get(&format!("/v2/transfers?user_id={driver}&reverse_order=true")).app_key().send().await;
    let list = list.expect(200).body["data"].as_array().unwrap().clone();
    let reported: Vec<[Value; 3]> =
        list.iter().map(|one| [one["type"].clone(), one["amount"].clone(), one["metadata"].clone()]).collect();
    let expected = [
        [json!("balance"), json!("-60000"), json!("rides")],
        [json!("balance"), json!("20000"), json!("door")],
        [json!("payout"), json!("40000"), Value::Null],
    ];
    assert_eq!(reported, expected);
    let movement = &list[0]["transactions"][0];
    assert_eq!([&movement["source_name"], &movement["destination_name"]], ["App wallet", "User wallet"]);
    server.verify();
}
