//! Money collected from users and payment customers.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const DAY: i64 = 86_400;
const FULL: i64 = 100_000_000;

async fn pay(server: &Server, body: Value) -> Reply {
    server.post("/v2/payments").app_key().json(body).send().await
}

async fn customer(server: &Server) -> String {
    let body = json!({"name": "Acme Ltd"});
    server.post("/v2/payment-customers").app_key().json(body).send().await.expect(201).id()
}

/// Creates a payment by a customer whose account has this number.
async fn by_account(server: &Server, number: &str) -> Reply {
    let info =
        json!({"account_number": number, "routing_number": "110000000", "account_type": "checking", "name": "A. Cme"});
    let customer = customer(server).await;
    pay(server, json!({"amount": 5_000, "platform": "ach", "customer_id": customer, "ach_info": info}))
        .await
        .expect(201)
}

/// Creates a user, verified or not.
async fn user(server: &Server, verified: bool) -> String {
    let body = json!({"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com", "country_code": "1", "phone_number": "2127361234"});
    let user = server.post("/v2/users").app_key().json(body).send().await.expect(201).id();
    if verified {
        let path = format!("/v2/users/{user}");
        server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
        let code = server.newest_code("+12127361234").await;
        server.post(&format!("{path}/verify")).app_key().json(json!({"token": code})).send().await.expect(200);
    }
    user
}

async fn method(server: &Server, user: &str, body: Value) -> String {
    server.put(&format!("/v2/users/{user}/payout-methods")).app_key().json(body).send().await.expect(200).id()
}

async fn get(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/transfers/{id}")).app_key().send().await.expect(200).body
}

#[tokio::test]
async fn create_payment_credits_the_app_when_the_bank_has_paid() {
    let server = Server::memory().await;
    let made = by_account(&server, "000123456789").await;
    assert_eq!(
        (&made.body["type"], &made.body["amount"], &made.body["status"]),
        (&json!("payment"), &json!("5000"), &json!("created"))
    );
    let sender = json!({
        "name": "A. Cme", "bank_name": "Sandbox Bank", "routing_number": "110000000", "account_number_last4": "6789",
        "trace_number": null, "reference": null, "memo": null,
    });
    assert_eq!(made.body["sender_details"], sender);
    assert_eq!(made.body["external_data"]["platform"], "ach");
    assert!(
        made.body["external_data"]["account_id"].is_string() && made.body["external_data"]["external_id"].is_string()
    );
    assert!(!made.text.contains("000123456789"));
    server.work_off().await;
    assert_eq!(get(&server, &made.id()).await["status"], "pending");
    assert_eq!(server.balance("app_wallet").await, FULL, "nothing is there before the bank has paid");
    server.pass(DAY).await;
    assert_eq!(get(&server, &made.id()).await["status"], "completed");
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (FULL + 5_000, 0));
    server.verify();
}

#[tokio::test]
async fn a_payment_emits_each_step_once_under_one_name() {
    let server = Server::memory().await;
    let made = by_account(&server, "20000010").await;
    server.work_off().await;
    server.pass(DAY).await;
    server.pass(2 * DAY).await;
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let reported: Vec<(String, String)> = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event.to_string().contains(&made.id()))
        .map(|event| {
            let object =
                event["object"].as_object().or_else(|| event["data"].as_object()).expect("an event carries its object");
            (
                event["name"].as_str().or_else(|| event["type"].as_str()).unwrap().to_owned(),
                object["status"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let expected =
        ["created", "pending", "completed", "reversed"].map(|status| ("payment.updated".to_owned(), status.to_owned()));
    assert_eq!(reported, expected);
}

#[tokio::test]
async fn a_payment_that_fails_leaves_nothing_and_a_dead_account_out_of_use() {
    let server = Server::memory().await;
    let made = by_account(&server, "10000002").await;
    server.work_off().await;
    server.pass(DAY).await;
    let failed = get(&server, &made.id()).await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("account_closed")));
    assert!(failed["error_message"].is_string());
    assert_eq!(failed["transactions"], json!([]));
    assert_eq!(server.balance("app_wallet").await, FULL);
    let again = json!({"amount": 1, "platform": "ach", "customer_id": failed["customer_id"]});
    pay(&server, again).await.refused(409, "user-info-missing");
    server.verify();
}

#[tokio::test]
async fn a_debit_after_an_unauthorized_return_needs_a_later_authorization() {
    let server = Server::memory().await;
    let customer = customer(&server).await;
    let pay_from = |number: &str, accepted_at: Option<String>| {
        let info = json!({
            "account_number": number, "routing_number": "110000000", "account_type": "checking", "name": "A. Cme",
        });
        let mut body = json!({"amount": 5_000, "platform": "ach", "customer_id": customer, "ach_info": info});
        if let Some(at) = accepted_at {
            body["authorization"] = json!({"accepted_at": at, "text": "I authorize Acme Ltd to debit my account."});
        }
        server.post("/v2/payments").app_key().json(body).send()
    };
    let before = server.now().to_string();
    let made = pay_from("20000010", Some(before.clone())).await.expect(201).id();
    server.work_off().await;
    for _ in 0..7 {
        server.pass(DAY).await;
    }
    let returned = get(&server, &made).await;
    assert_eq!((&returned["status"], &returned["error"]), (&json!("reversed"), &json!("unauthorized")));
    pay_from("20000010", Some(before)).await.refused(409, "invalid-state");
    // The app's own word that there is an authorization is no new one.
    pay_from("20000010", None).await.refused(409, "invalid-state");
    pay_from("000123450002", None).await.expect(201);
    pay_from("20000010", Some(server.now().to_string())).await.expect(201);
    server.verify();
}

#[tokio::test]
async fn a_payment_that_comes_back_is_made_up_for_now_or_later() {
    let server = Server::memory().await;
    let made = by_account(&server, "20000010").await;
    server.work_off().await;
    server.pass(DAY).await;
    server.pass(2 * DAY).await;
    let back = get(&server, &made.id()).await;
    assert_eq!((&back["status"], &back["error"]), (&json!("reversed"), &json!("unauthorized")));
    assert_eq!(server.balance("app_wallet").await, FULL);

    // Another payment is returned when nothing is left: the rail's account remains short until the app pays.
    by_account(&server, "20000010").await;
    server.work_off().await;
    server.pass(DAY).await;
    let withdraw = format!("/v2/apps/{}/withdraw", server.app_id());
    server.post(&withdraw).app_key().json(json!({"amount": FULL + 5_000})).send().await.expect(200);
    server.work_off().await;
    server.pass(2 * DAY).await;
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (0, -5_000));
    by_account(&server, "000123456789").await;
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(
        (server.balance("app_wallet").await, server.balance("clearing").await),
        (0, 0),
        "the next payment covers it"
    );
    server.verify();
}

#[tokio::test]
async fn a_users_payment_comes_from_their_method() {
    let server = Server::memory().await;
    let jane = user(&server, true).await;
    let body = json!({"amount": 700, "platform": "ach", "user_id": jane, "metadata": "order 7"});
    pay(&server, body.clone()).await.refused(409, "user-info-missing");
    let bank = method(
        &server,
        &jane,
        json!({"platform": "ach", "account_number": "000123456789", "routing_number": "011000015"}),
    )
    .await;
    let wallet = method(&server, &jane, json!({"platform": "wallet_a", "email": "jane@example.com"})).await;
    let newest = pay(&server, body.clone()).await.expect(201);
    assert_eq!(
        (&newest.body["external_data"]["account_id"], &newest.body["metadata"]),
        (&json!(bank), &json!("order 7"))
    );
    assert_eq!((&newest.body["sender_details"]["name"], &newest.body["user_id"]), (&json!("Jane Doe"), &json!(jane)));
    let mut named = body.clone();
    named["account_id"] = json!(bank);
    pay(&server, named.clone()).await.expect(201);
    named["account_id"] = json!(wallet);
    assert_eq!(pay(&server, named.clone()).await.refused(400, "invalid-input").fields(), ["/account_id"]);
    named["account_id"] = json!(newest.id());
    pay(&server, named).await.refused(404, "not-found");
    server.delete(&format!("/v2/users/{jane}/payout-methods/{bank}")).app_key().send().await.expect(200);
    let mut removed = body;
    removed["account_id"] = json!(bank);
    pay(&server, removed).await.refused(409, "user-info-missing");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, FULL + 1_400, "what was under way is not touched");
    server.delete(&format!("/v2/users/{jane}")).app_key().send().await.expect(200);
    server.verify();
}

#[tokio::test]
async fn an_unverified_or_deleted_user_is_not_debited() {
    let server = Server::memory().await;
    let jane = user(&server, false).await;
    let info = json!({"account_number": "000123456789", "routing_number": "110000000"});
    let body = json!({"amount": 700, "platform": "ach", "user_id": jane, "ach_info": info});
    pay(&server, body.clone()).await.refused(409, "invalid-state");
    server.delete(&format!("/v2/users/{jane}")).app_key().send().await.expect(200);
    pay(&server, body).await.refused(409, "user-inactive");
    let verified = user(&server, true).await;
    let body = json!({"amount": 700, "platform": "ach", "user_id": verified, "ach_info": info});
    let made = pay(&server, body).await.expect(201);
    assert_eq!(made.body["sender_details"]["name"], "Jane Doe");
}

#[tokio::test]
async fn a_payment_says_who_pays_and_from_where() {
    let server = Server::memory().await;
    let id = customer(&server).await;
    let info = json!({"account_number": "000123456789", "routing_number": "110000000"});
    let base = json!({"amount": 1, "platform": "ach", "customer_id": id});
    let with = |field: &str, value: Value| {
        let mut body = base.clone();
        body[field] = value;
        body
    };
    let mut both = with("ach_info", info.clone());
    both["account_id"] = json!(id);
    for (body, fields) in [
        (json!({}), vec!["/amount", "/platform"]),
        (json!({"amount": 1, "platform": "ach"}), vec!["/user_id"]),
        (with("user_id", json!(id)), vec!["/customer_id"]),
        (with("platform", json!("wallet_a")), vec!["/platform"]),
        (with("platform", json!("barter")), vec!["/platform"]),
        (with("amount", json!(0)), vec!["/amount"]),
        (
            with("ach_info", json!({"account_number": "1", "routing_number": "1"})),
            vec!["/ach_info/account_number", "/ach_info/routing_number"],
        ),
        (both, vec!["/ach_info"]),
    ] {
        assert_eq!(pay(&server, body.clone()).await.refused(400, "invalid-input").fields(), fields, "{body}");
    }
    let other = pay(&server, with("platform", json!("wire"))).await;
    assert!(other.text.contains("send ach"), "{}", other.text);
    pay(&server, base.clone()).await.refused(409, "user-info-missing");
    pay(&server, json!({"amount": 1, "platform": "ach", "customer_id": server.app_id()}))
        .await
        .refused(404, "not-found");
    pay(&server, json!({"amount": 1, "platform": "ach", "user_id": id})).await.refused(404, "not-found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_copies_of_one_payment_pull_once_and_a_restart_changes_nothing() {
    let mut server = Server::start().await;
    let id = customer(&server).await;
    let info = json!({"account_number": "000123456789", "routing_number": "110000000"});
    let body = json!({"amount": 900, "platform": "ach", "customer_id": id, "ach_info": info});
    let copy = || server.post("/v2/payments").app_key().idempotency_key("once").json(body.clone()).send();
    let replies = join_all((0..50).map(|_| copy())).await;
    for reply in &replies {
        assert_eq!((reply.status, &reply.text), (201, &replies[0].text));
    }
    server.restart().await;
    server.work_off().await;
    server.restart().await;
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, FULL + 900);
    server.verify();
}

#[tokio::test]
async fn accounts_that_a_user_brings_with_each_payment_do_not_pile_up() {
    let server = Server::memory().await;
    let user = user(&server, true).await;
    for number in 0..25 {
        let info = json!({"account_number": format!("1234500{number:02}"), "routing_number": "110000000"});
        let body = json!({"amount": 100, "platform": "ach", "user_id": user, "ach_info": info});
        pay(&server, body).await.expect(201);
    }
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, FULL + 2_500, "the older accounts paid too");
    server.verify();
}

#[tokio::test]
async fn a_payment_keeps_the_sender_that_it_was_made_with() {
    let server = Server::memory().await;
    let user = user(&server, true).await;
    let mut made = Vec::new();
    for name in ["First Holder", "Second Holder", "First Holder"] {
        let info = json!({"account_number": "000123456789", "routing_number": "110000000", "name": name});
        let body = json!({"amount": 100, "platform": "ach", "user_id": user, "ach_info": info});
        made.push(pay(&server, body).await.expect(201).body);
    }
    let shown = |payment: &Value| (payment["sender_details"].clone(), payment["external_data"]["account_id"].clone());
    for (payment, name) in made.iter().zip(["First Holder", "Second Holder", "First Holder"]) {
        let path = format!("/v2/transfers/{}", payment["id"].as_str().unwrap());
        let now = server.get(&path).app_key().send().await.expect(200).body;
        assert_eq!(shown(&now), shown(payment));
        assert_eq!(now["sender_details"]["name"], name);
    }
    assert_eq!(shown(&made[0]), shown(&made[2]), "the same account");
    server.verify();
}
