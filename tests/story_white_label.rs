//! The story of an app with its own pages: it shows its user the price of a payout, sends it, and the money arrives.

use serde_json::json;

use crate::harness::Server;

const DAY: i64 = 86_400;

#[tokio::test]
async fn a_driver_is_paid_in_the_apps_own_name() {
    let server = Server::start().await;
    let before = server.balance("app_wallet").await;

    // The app: five percent for itself on euro accounts, nothing elsewhere; from the first of April on, six.
    server.set(json!({"fees": {"intl_bank/EUR": {"percent": ".05"}}})).await;
    let next = json!({"fees": {"intl_bank/EUR": {"percent": ".06"}}, "fees_effective_at": "2026-04-01T00:00:00Z"});
    server.set(next).await;

    // The driver: a proven phone, and an account in Germany.
    let driver = server.verified_user(1234).await;
    server.payout_method(&driver, json!({"platform": "intl_bank", "iban": "DE89370400440532013000"})).await;

    // The app's page shows the price first. Nothing moves.
    let asked = format!("/v2/payouts/fee-estimate?user_id={driver}&amount=20000&platform=default&explain=true");
    let estimate = server.get(&asked).app_key().send().await.expect(200).body;
    assert_eq!(estimate["platform"], "intl_bank");
    assert_eq!(estimate["fee_amount"], 400, "the service: two dollars and one percent");
    assert_eq!(estimate["platform_fee_amount"], 1_000, "the app: five percent");
    assert_eq!(estimate["fx_upcharge_amount"], 200, "the exchange: one percent");
    assert_eq!(estimate["payout_amount"], 18_400, "what is left for the driver");
    let exchange = &estimate["explain"]["basis"]["exchange"];
    assert_eq!([&exchange["currency"], &exchange["converted_amount"]], [&json!("EUR"), &json!(15_677)]);
    assert_eq!(server.balance("app_wallet").await, before);

    // The driver agrees; the app pays, out of its own wallet.
    let order = json!({"user_id": driver, "amount": 20_000, "platform": "default", "fund": true});
    let paid =
        server.post("/v2/payouts").app_key().idempotency_key("week 9").json(order.clone()).send().await.expect(201);
    assert_eq!([&paid.body["fee_amount"], &paid.body["payout_amount"]], ["1600", "18400"], "what was shown is charged");
    assert_eq!(server.balance("app_wallet").await, before - 20_000);
    // The network failed, and the app sent the request twice: one payout.
    server.post("/v2/payouts").app_key().idempotency_key("week 9").json(order.clone()).send().await.expect(201);
    assert_eq!(server.balance("app_wallet").await, before - 20_000);

    // Three days later the money is there, and every party has its share.
    server.work_off().await;
    server.pass(3 * DAY).await;
    let path = format!("/v2/transfers/{}", paid.id());
    assert_eq!(server.get(&path).app_key().send().await.expect(200).body["status"], "completed");
    assert_eq!(server.balance("app_wallet").await, before - 20_000 + 1_000, "the app has earned its five percent");
    assert_eq!((server.balance("service_fees").await, server.balance("fx").await), (400, 200));
    assert_eq!(server.balance("user_wallet").await, 0);

    // In April the new price applies, and the old payout can still be explained.
    server.pass(30 * DAY).await;
    let estimate = server.get(&asked).app_key().send().await.expect(200).body;
    assert_eq!(estimate["platform_fee_amount"], 1_200);
    let paid = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!([&paid["fee_basis"]["fee_table_version"], &paid["fee_amount"]], [&json!(1), &json!("1600")]);
    let tables = format!("/v2/apps/{}/fee-tables", server.app_id());
    let tables = server.get(&tables).app_key().send().await.expect(200).body;
    assert_eq!([&tables["data"][0]["version"], &tables["data"][0]["in_force"]], [&json!(2), &json!(true)]);

    // A large one waits for an approval.
    server.set(json!({"payout_approval_limit": 15_000})).await;
    let large = server.post("/v2/payouts").app_key().json(order).send().await.expect(201);
    assert_eq!(large.body["status"], "flagged");
    let credentials = server.credentials();
    let members = credentials["members"].as_array().unwrap();
    let payer = members.iter().find(|member| member["role"] == "payer").unwrap()["id"].clone();
    let approval = server.post(&format!("/v2/transfers/{}/approve", large.id())).as_org().for_app(&server.app_id());
    approval.json(json!({"acting_user_id": payer})).send().await.expect(200);
    server.work_off().await;
    server.pass(3 * DAY).await;
    let arrived = server.get(&format!("/v2/transfers/{}", large.id())).app_key().send().await.expect(200).body;
    assert_eq!(arrived["status"], "completed");
    server.verify();
}
