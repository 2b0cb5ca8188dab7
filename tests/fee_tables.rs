//! Fee tables: an app's own fees, as dated versions.

use serde_json::{Value, json};

use crate::harness::Server;

async fn versions(server: &Server) -> Vec<Value> {
    let path = format!("/v2/apps/{}/fee-tables?limit=100", server.app_id());
    server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().clone()
}

async fn platform_fee(server: &Server, user: &str) -> (Value, Value) {
    let path = format!("/v2/payouts/fee-estimate?user_id={user}&amount=10000&platform=ach&explain=true");
    let estimate = server.get(&path).app_key().send().await.expect(200).body;
    (estimate["platform_fee_amount"].clone(), estimate["explain"]["basis"]["fee_table_version"].clone())
}

#[tokio::test]
async fn list_app_fee_tables_shows_every_change_and_what_is_to_come() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    assert_eq!(platform_fee(&server, &user).await, (json!(0), json!(0)), "nothing is added before the first table");
    let ach = |fixed: i64| json!({"ach": {"fixed": fixed}});
    server.set(json!({"fees": ach(10)})).await;
    server.set(json!({"fees": ach(10)})).await;
    assert_eq!(versions(&server).await.len(), 1, "the same table is no new version");
    let later = server.now().plus_seconds(86_400).to_string();
    server.set(json!({"fees": ach(20), "fees_effective_at": later})).await;
    assert_eq!(platform_fee(&server, &user).await, (json!(10), json!(1)));

    let listed = versions(&server).await;
    assert_eq!(listed.iter().map(|one| one["version"].as_i64().unwrap()).collect::<Vec<_>>(), [2, 1], "newest first");
    assert_eq!([&listed[0]["in_force"], &listed[1]["in_force"]], [false, true]);
    assert_eq!(listed[0]["effective_at"], later);
    assert_eq!(listed[0]["fees"], json!({"ach": {"fixed": 20, "percent": "0", "min": 0, "max": null}}));
    let settings = format!("/v2/apps/{}/settings", server.app_id());
    let shown = server.get(&settings).app_key().send().await.expect(200).body;
    assert_eq!(shown["fees"]["ach"]["fixed"], 10);

    server.advance(86_400);
    assert_eq!(platform_fee(&server, &user).await, (json!(20), json!(2)), "it holds from its moment on");
    assert_eq!(versions(&server).await[0]["in_force"], true);
    let shown = server.get(&settings).app_key().send().await.expect(200).body;
    assert_eq!(shown["fees"]["ach"]["fixed"], 20);
    // The response of GET can be sent back, and changes nothing.
    server.put(&settings).as_org().json(shown).send().await.expect(200);
    server.set(json!({"fees": null})).await;
    assert_eq!(platform_fee(&server, &user).await, (json!(0), json!(3)), "null is an empty table, and a version too");

    let page = format!("/v2/apps/{}/fee-tables?limit=1&starting_after=3", server.app_id());
    let page = server.get(&page).as_org().send().await.expect(200).body;
    assert_eq!((&page["data"][0]["version"], &page["has_more"]), (&json!(2), &json!(true)));
}

#[tokio::test]
async fn a_payout_keeps_the_version_that_charged_it() {
    let mut server = Server::start().await;
    let user = server.banked_user(1234).await;
    server.set(json!({"fees": {"defaults": {"fixed": 10}}})).await;
    let body = json!({"user_id": user, "amount": 1000, "platform": "ach", "fund": true});
    let paid = server.post("/v2/payouts").app_key().json(body.clone()).send().await.expect(201);
    server.set(json!({"fees": {"ach": {"fixed": 99}}})).await;
    server.restart().await;
    let shown = server.get(&format!("/v2/transfers/{}", paid.id())).app_key().send().await.expect(200).body;
    let basis = &shown["fee_basis"];
    assert_eq!(
        [&basis["fee_table_version"], &basis["fee_table_row"], &basis["platform_fee_settings"]["fixed"]],
        [&json!(1), &json!("defaults"), &json!(10)]
    );
    let later = server.post("/v2/payouts").app_key().json(body).send().await.expect(201).body;
    assert_eq!(
        [&later["fee_basis"]["fee_table_version"], &later["fee_basis"]["fee_table_row"]],
        [&json!(2), &json!("ach")]
    );
}

#[tokio::test]
async fn a_moment_of_a_fee_table_lies_ahead_and_has_fees() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let (now, later) = (server.now().to_string(), server.now().plus_seconds(60).to_string());
    for body in [
        json!({"fees": {}, "fees_effective_at": now}),
        json!({"fees_effective_at": later}),
        json!({"fees": {}, "fees_effective_at": "tomorrow"}),
    ] {
        let reply = server.put(&path).as_org().json(body).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/fees_effective_at"]);
    }
    for minute in 1..=20 {
        let at = server.now().plus_seconds(60 * minute).to_string();
        server.set(json!({"fees": {"ach": {"fixed": minute}}, "fees_effective_at": at})).await;
    }
    let one_more = json!({"fees": {}, "fees_effective_at": server.now().plus_seconds(9_999).to_string()});
    server.put(&path).as_org().json(one_more).send().await.refused(409, "limit-exceeded");
    assert_eq!(versions(&server).await.len(), 20);
    server.put(&path).app_key().json(json!({"fees": {}})).send().await.refused(403, "organization-key-required");
}
