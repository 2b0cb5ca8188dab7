//! A story: how a shop fills its wallet, runs low, is refilled, and takes its money home.

use serde_json::json;

use crate::harness::Server;

const DAY: i64 = 86_400;

#[tokio::test]
async fn a_shop_is_filled_runs_low_is_refilled_and_emptied() {
    let server = Server::start().await;

    // A new shop has an empty wallet and no bank account.
    let shop = server.post("/v2/apps").as_org().json(json!({"name": "Corner Shop"})).send().await.expect(201).id();
    let at = |rest: &str| format!("/v2/apps/{shop}/{rest}");
    let refill = |verb: &str, amount: i64| server.post(&at(verb)).as_org().json(json!({"amount": amount})).send();
    refill("deposit", 50_000).await.refused(409, "user-info-missing");

    // It sets its account, and pulls $500.00 from it. A day later the money is there.
    let account = json!({"account_number": "000123456789", "routing_number": "110000000"});
    server.put(&at("ach-account")).as_org().json(account).send().await.expect(200);
    refill("deposit", 50_000).await.expect(200);
    server.work_off().await;
    assert_eq!(server.balance_of(&shop, "app_wallet").await, 0);
    server.pass(DAY).await;
    assert_eq!(server.balance_of(&shop, "app_wallet").await, 50_000);

    // It wants at least $300.00 at all times, in refills of $200.00. A payout for $250.00 leaves too little.
    let settings = json!({"auto_refill": {"amount": 20_000, "threshold": 30_000}});
    server.put(&at("settings")).as_org().json(settings).send().await.expect(200);
    let body = json!({"amount": 25_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    server.post("/v2/payouts/send-payout").as_org().for_app(&shop).json(body).send().await.expect(201);
    assert_eq!(server.balance_of(&shop, "app_wallet").await, 25_000);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(server.balance_of(&shop, "app_wallet").await, 45_000, "filled up by itself");

    // Its owner takes $150.00 home to the organization, which gives $100.00 of it back.
    let between = |amount: i64| {
        server.post("/v2/organization-transfers").as_org().json(json!({"app_id": shop, "amount": amount})).send()
    };
    between(15_000).await.expect(200);
    between(-10_000).await.expect(200);
    assert_eq!(server.balance_of(&shop, "app_wallet").await, 40_000);

    // And the shop takes everything out, to its bank. It no longer wants to be refilled.
    server.put(&at("settings")).as_org().json(json!({"auto_refill": null})).send().await.expect(200);
    refill("withdraw", 40_001).await.refused(402, "transaction-insufficient-funds");
    refill("withdraw", 40_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    for kind in ["app_wallet", "clearing"] {
        assert_eq!(server.balance_of(&shop, kind).await, 0, "{kind}");
    }
    server.verify();
}
