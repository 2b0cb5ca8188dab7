//! Returns of a bank after the app was deleted (docs/decisions.md 8).

use serde_json::json;

use crate::harness::{Reply, Server};

const DAY: i64 = 86_400;
const FULL: i64 = 100_000_000;

/// Makes a deposit that the bank pays, and takes back two days later.
async fn deposit(server: &Server, amount: i64) {
    let path = format!("/v2/apps/{}", server.app_id());
    let account = json!({"account_number": "20000001", "routing_number": "110000000"});
    server.put(&format!("{path}/ach-account")).app_key().json(account).send().await.expect(200);
    let body = json!({"amount": amount});
    server.post(&format!("{path}/deposit")).app_key().json(body).send().await.expect(200);
    server.work_off().await;
}

/// Deletes an app after a deposit of 50 dollars, which the bank takes back two days later. Its balance went to its
/// organization.
async fn deleted_after_a_deposit(server: &Server) {
    deposit(server, 5_000).await;
    server.pass(DAY).await;
    between(server, &server.app_id(), FULL + 5_000).await.expect(200);
    server.delete(&format!("/v2/apps/{}", server.app_id())).as_org().send().await.expect(200);
}

async fn between(server: &Server, app: &str, amount: i64) -> Reply {
    let body = json!({"app_id": app, "amount": amount});
    server.post("/v2/organization-transfers").as_org().json(body).send().await
}

/// Returns the sum of the organization's ledger accounts of this type.
async fn in_all_books(server: &Server, kind: &str) -> i64 {
    let trial = server.get("/v2/ledger/trial-balance").as_org().send().await.expect(200).body;
    let accounts = trial["accounts"].as_array().unwrap().iter();
    accounts.filter(|account| account["type"] == kind).map(|account| account["balance"].as_i64().unwrap()).sum()
}

#[tokio::test]
async fn what_a_bank_takes_back_from_a_deleted_app_is_paid_by_its_organization() {
    let server = Server::memory().await;
    deleted_after_a_deposit(&server).await;
    assert_eq!(in_all_books(&server, "organization_wallet").await, FULL + 5_000);
    server.pass(2 * DAY).await;
    assert_eq!(in_all_books(&server, "organization_wallet").await, FULL);
    assert_eq!((in_all_books(&server, "clearing").await, in_all_books(&server, "app_wallet").await), (0, 0));
    let list = server.get("/v2/organization-transfers?limit=1").as_org().send().await.expect(200).body;
    assert_eq!(list["data"][0]["amount"], "-5000");
    assert_eq!(list["data"][0]["metadata"], "returned to a bank from an app that was deleted");
    between(&server, &server.app_id(), -1).await.refused(404, "not-found");
    server.verify();
}

#[tokio::test]
async fn what_the_organization_cannot_pay_for_a_deleted_app_is_owed_until_it_does() {
    let server = Server::memory().await;
    deleted_after_a_deposit(&server).await;
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    between(&server, &other, -(FULL + 1_000)).await.expect(200);
    server.pass(2 * DAY).await;
    assert_eq!(in_all_books(&server, "clearing").await, -5_000);
    assert_eq!(in_all_books(&server, "organization_wallet").await, 4_000, "nothing was taken in part");

    between(&server, &other, 2_000).await.expect(200);
    let gone = server.app_id();
    assert_eq!(between(&server, &gone, -5_001).await.refused(400, "invalid-input").fields(), ["/amount"]);
    between(&server, &gone, -3_000).await.expect(200);
    assert_eq!(between(&server, &gone, -2_001).await.refused(400, "invalid-input").fields(), ["/amount"]);
    between(&server, &gone, -2_000).await.expect(200);
    between(&server, &gone, -1).await.refused(404, "not-found");
    server.work_off().await;
    assert_eq!((in_all_books(&server, "clearing").await, in_all_books(&server, "app_wallet").await), (0, FULL - 1_000));
    between(&server, &gone, -1).await.refused(404, "not-found");
    server.verify();
}

/// The older debt first: until then the app's wallet pays nothing else.
#[tokio::test]
async fn a_second_return_brings_what_the_first_left_owed() {
    let server = Server::memory().await;
    deposit(&server, 5_000).await;
    server.pass(DAY / 2).await;
    deposit(&server, 3_000).await;
    server.pass(DAY).await;
    between(&server, &server.app_id(), FULL + 8_000).await.expect(200);
    server.delete(&format!("/v2/apps/{}", server.app_id())).as_org().send().await.expect(200);
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    between(&server, &other, -(FULL + 8_000)).await.expect(200);
    server.pass(DAY + DAY / 2).await;
    assert_eq!(in_all_books(&server, "clearing").await, -5_000, "the organization has nothing");
    between(&server, &other, 10_000).await.expect(200);
    server.pass(DAY).await;
    assert_eq!(
        (in_all_books(&server, "clearing").await, in_all_books(&server, "organization_wallet").await),
        (0, 2_000)
    );
    server.verify();
}
