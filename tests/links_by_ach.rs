//! Links whose money is pulled from the app's bank account.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const LINKS: &str = "/v2/payout-links";
const DAY: i64 = 86_400;
const FULL: i64 = 100_000_000;
const PHONE: &str = "+12127361234";

async fn create(server: &Server, rest: Value) -> Reply {
    let mut body =
        json!({"amount": 5_000, "funding_source": "ach", "payee": {"country_code": "1", "phone_number": "2127361234"}});
    for (name, value) in rest.as_object().unwrap() {
        body[name] = value.clone();
    }
    server.post(LINKS).app_key().json(body).send().await
}

async fn set_account(server: &Server, number: &str) {
    let path = format!("/v2/apps/{}/ach-account", server.app_id());
    let account = json!({"account_number": number, "routing_number": "110000000"});
    server.put(&path).app_key().json(account).send().await.expect(200);
}

async fn link(server: &Server, id: &str) -> Value {
    server.get(&format!("{LINKS}/{id}")).app_key().send().await.expect(200).body
}

async fn hold(server: &Server, link: &Value) -> Value {
    let path = format!("/v2/transfers/{}", link["transfer_id"].as_str().unwrap());
    server.get(&path).app_key().send().await.expect(200).body["status"].clone()
}

async fn messages(server: &Server) -> usize {
    let path = format!("/v2/sandbox/messages?to={}", PHONE.replace('+', "%2B"));
    server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_link_by_ach_goes_out_when_the_bank_has_paid() {
    let mut server = Server::start().await;
    let made = create(&server, json!({})).await.expect(202);
    assert_eq!((&made.body["status"], &made.body["funding_source"]), (&json!("funds_pending"), &json!("ach")));
    server.work_off().await;
    assert_eq!(
        (messages(&server).await, server.balance("app_wallet").await),
        (0, FULL),
        "nothing is held, nobody is told"
    );
    let path = format!("{LINKS}/{}/redeliver", made.id());
    server.post(&path).app_key().send().await.refused(409, "invalid-state");
    server.restart().await;
    server.pass(DAY).await;
    let out = link(&server, &made.id()).await;
    assert_eq!((&out["status"], &out["deliveries"]), (&json!("delivered"), &json!(1)));
    assert_eq!((messages(&server).await, hold(&server, &out).await), (1, json!("pending")));
    assert_eq!((server.balance("app_wallet").await, server.balance("app_held").await), (FULL, 5_000));
    server.verify();
}

#[tokio::test]
async fn a_link_whose_pull_fails_has_failed_and_is_never_sent() {
    let server = Server::memory().await;
    set_account(&server, "10000001").await;
    let made = create(&server, json!({})).await.expect(202);
    server.work_off().await;
    server.pass(DAY).await;
    let failed = link(&server, &made.id()).await;
    assert_eq!((&failed["status"], hold(&server, &failed).await), (&json!("failed"), json!("failed")));
    assert_eq!((messages(&server).await, server.balance("app_wallet").await), (0, FULL));
    server.verify();
}

#[tokio::test]
async fn a_link_that_ended_before_funding_leaves_its_money_in_the_wallet() {
    let server = Server::memory().await;
    let canceled = create(&server, json!({})).await.expect(202);
    let soon = create(&server, json!({"expires_at": "2026-03-02T16:00:00Z"})).await.expect(202);
    server.work_off().await;
    let path = format!("{LINKS}/{}", canceled.id());
    let reply = server.delete(&path).app_key().send().await.expect(200);
    assert_eq!((&reply.body["status"], hold(&server, &reply.body).await), (&json!("canceled"), json!("canceled")));
    server.pass(3_600).await;
    assert_eq!(link(&server, &soon.id()).await["status"], "expired");
    server.pass(DAY).await;
    assert_eq!(link(&server, &canceled.id()).await["status"], "canceled");
    assert_eq!((server.balance("app_wallet").await, server.balance("app_held").await), (FULL + 10_000, 0));
    assert_eq!(messages(&server).await, 0);
    server.verify();
}

#[tokio::test]
async fn a_link_whose_user_was_deleted_leaves_its_money_in_the_wallet() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let body = json!({"amount": 5_000, "funding_source": "ach", "user_id": user});
    let made = server.post(LINKS).app_key().json(body).send().await.expect(202);
    server.work_off().await;
    server.delete(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    server.pass(DAY).await;
    let ended = link(&server, &made.id()).await;
    assert_eq!((&ended["status"], &ended["deliveries"]), (&json!("canceled"), &json!(0)));
    assert_eq!(hold(&server, &ended).await, "canceled");
    assert_eq!((server.balance("app_wallet").await, server.balance("app_held").await), (FULL + 5_000, 0));
    server.verify();
}

#[tokio::test]
async fn what_was_pulled_for_a_link_and_is_taken_back_is_the_apps_to_make_up_for() {
    let server = Server::memory().await;
    set_account(&server, "20000001").await;
    let made = create(&server, json!({})).await.expect(202);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(link(&server, &made.id()).await["status"], "delivered");
    server.pass(2 * DAY).await;
    assert_eq!(link(&server, &made.id()).await["status"], "delivered", "the payee keeps the link");
    assert_eq!((server.balance("app_wallet").await, server.balance("app_held").await), (FULL - 5_000, 5_000));
    server.verify();
}

#[tokio::test]
async fn a_link_by_ach_needs_a_bank_account_and_send_payout_waits_alike() {
    let server = Server::memory().await;
    let bare = server.post("/v2/apps").as_org().json(json!({"name": "Bare"})).send().await.expect(201).id();
    let body = json!({"amount": 1, "funding_source": "ach"});
    server.post(LINKS).as_org().for_app(&bare).json(body).send().await.refused(409, "user-info-missing");
    let wrong = create(&server, json!({"funding_source": "wire"})).await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["/funding_source"]);
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let body = json!({"amount": 700, "funding_source": "ach", "payee": payee});
    let sent = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(202);
    assert_eq!(sent.body["status"], "funds_pending");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!((messages(&server).await, server.balance("app_held").await), (1, 700));
}

#[tokio::test]
async fn a_payee_whose_money_is_on_its_way_is_asked_to_wait() {
    let server = Server::memory().await;
    set_account(&server, "123456789").await;
    let link = create(&server, json!({})).await.expect(202).body;
    assert_eq!(link["status"], "funds_pending");
    let path = format!("/v2/claims/{}", link["link"].as_str().unwrap().rsplit('/').next().unwrap());
    let contact = json!({"country_code": "1", "phone_number": "2127361234"});
    server.post(&format!("{path}/contact")).json(contact).send().await.expect(200);
    let code = server.newest_code(PHONE).await;
    let opened = server.post(&format!("{path}/code")).json(json!({ "token": code })).send().await.expect(200).body;
    let step = |step: &str, body: Value| {
        let session = opened["session"].as_str().unwrap();
        server.post(&format!("{path}/{step}")).header("claim-session", session).json(body).send()
    };
    step("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
    let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": "123456789"});
    let claim = step("method", bank).await.expect(200).body;
    assert!(claim["on_hold"].as_str().unwrap().contains("has not arrived yet"), "{claim}");
    assert_eq!(claim["next_step"], Value::Null);
    step("payout", json!({})).await.refused(409, "invalid-state");
}
