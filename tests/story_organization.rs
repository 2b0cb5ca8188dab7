//! The story of an organization: its members, their permissions, and the money that its apps share.

use serde_json::json;

use crate::harness::{Desk, Server};

#[tokio::test]
async fn people_come_and_go_and_what_they_did_keeps_their_names() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let member = async |id: &str, role: &str| {
        server.patch(&format!("/v2/members/{id}")).as_org().json(json!({"role": role})).send().await
    };

    // A new colleague. She prepares bills, and her number in histories never changes.
    let nora = desk.hire("Nora", "ap_creator").await;
    let (vendor, account) = desk.vendor("000123456789").await;
    let bill = json!({
        "acting_user_id": nora, "number": "N-1", "amount": 5_000, "ap_vendor_id": vendor, "ap_payment_method_id": account,
    });
    let bill = desk.post("payables", bill).send().await.expect(201).id();
    desk.act(&bill, "submit-for-approval", &nora).await.expect(200);

    // She may not approve a bill that she prepared, in any later role: neither as an approver nor as an administrator.
    desk.act(&bill, "approve", &nora).await.refused(403, "not-permitted");
    member(&nora, "ap_approver").await.expect(200);
    desk.act(&bill, "approve", &nora).await.refused(403, "self-approval");
    member(&nora, "admin").await.expect(200);
    desk.act(&bill, "approve", &nora).await.refused(403, "self-approval");
    desk.act(&bill, "approve", "ap_approver").await.expect(200);

    // The first administrator leaves; Nora is one now, so that is possible. She has to stay.
    desk.dismiss("admin").await;
    server.delete(&format!("/v2/members/{nora}")).as_org().send().await.refused(409, "invalid-state");
    member(&nora, "viewer").await.refused(409, "invalid-state");

    // A removed member can no longer act, and their earlier acts still bear their name.
    desk.act(&bill, "pay", "admin").await.refused(404, "not-found");
    desk.act(&bill, "pay", "payer").await.expect(200);
    let history = desk.payable(&bill).await["action_history"].as_array().unwrap().clone();
    assert_eq!([&history[0]["user_name"], &history[0]["user_role"]], ["Nora", "ap_creator"], "as she was then");
    let gone = server.get("/v2/members?status=removed").as_org().send().await.expect(200).body;
    assert_eq!(gone["data"].as_array().unwrap().len(), 1);

    // The organization moves money from one app to another, through its own wallet; nothing is created or lost on the
    // way.
    let own = server.app_id();
    let second = server.post("/v2/apps").as_org().json(json!({"name": "Night shift"})).send().await.expect(201).id();
    let give = |app: &str, amount: i64| {
        let body = json!({"app_id": app, "amount": amount});
        server.post("/v2/organization-transfers").as_org().json(body).send()
    };
    give(&own, 40_000).await.expect(200);
    let shown = server.get("/v2/organizations").as_org().send().await.expect(200).body;
    assert_eq!(shown["data"][0]["wallet"]["amount"], 40_000);
    give(&second, -40_001).await.refused(402, "transaction-insufficient-funds");
    give(&second, -40_000).await.expect(200);
    let apps = server.get("/v2/apps").as_org().send().await.expect(200).body;
    let newest = apps.as_array().unwrap().iter().find(|app| app["id"] == second.as_str()).unwrap();
    assert_eq!(newest["metrics"]["wallet_balance"], 40_000);
    server.work_off().await;
    server.verify();
}
