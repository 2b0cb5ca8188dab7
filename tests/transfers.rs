//! Transfers: money between the app and its users, and the list of all transfers.

use serde_json::{Value, json};

use crate::harness::Server;

async fn user(server: &Server, line: &str) -> String {
    let person = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": format!("212736{line}"),
    });
    server.post("/v2/users").app_key().json(person).send().await.expect(201).id()
}

async fn move_money(server: &Server, user: &str, amount: i64) -> crate::harness::Reply {
    let body = json!({"user_id": user, "amount": amount, "metadata": "for the garden"});
    server.post("/v2/transfers").app_key().json(body).send().await
}

async fn wallet_of(server: &Server, user: &str) -> i64 {
    let user = server.get(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    user.body["wallet"]["amount"].as_i64().unwrap()
}

#[tokio::test]
async fn create_transfer_below_zero_goes_from_the_app_to_the_user() {
    let server = Server::start().await;
    let user = user(&server, "1234").await;
    let transfer = move_money(&server, &user, -700).await.expect(200).body;
    assert_eq!(transfer["status"], "completed");
    assert_eq!((&transfer["type"], &transfer["amount"]), (&json!("balance"), &json!("-700")));
    assert_eq!((&transfer["user_id"], &transfer["metadata"]), (&json!(user), &json!("for the garden")));
    let movement = &transfer["transactions"][0];
    assert_eq!(
        (&movement["source_name"], &movement["destination_name"]),
        (&json!("App wallet"), &json!("User wallet"))
    );
    assert_eq!((&movement["amount"], &movement["type"]), (&json!("700"), &json!("balance")));
    assert_eq!(wallet_of(&server, &user).await, 700);
}

#[tokio::test]
async fn create_transfer_above_zero_debits_only_a_verified_user() {
    let server = Server::start().await;
    let user = user(&server, "1234").await;
    move_money(&server, &user, -700).await.expect(200);
    move_money(&server, &user, 300).await.refused(409, "invalid-state");
    assert_eq!(wallet_of(&server, &user).await, 700, "who was not verified is not debited");

    server
        .post(&format!("/v2/users/{user}/send-verification-token"))
        .app_key()
        .json(json!({}))
        .send()
        .await
        .expect(202);
    let code = server.newest_code("+12127361234").await;
    let verify = server.post(&format!("/v2/users/{user}/verify")).app_key();
    verify.json(json!({"token": code})).send().await.expect(200);
    move_money(&server, &user, 300).await.expect(200);
    assert_eq!(wallet_of(&server, &user).await, 400);
    move_money(&server, &user, 401).await.refused(402, "transaction-insufficient-funds");
    assert_eq!(wallet_of(&server, &user).await, 400);
}

#[tokio::test]
async fn create_transfer_refuses_nothing_and_too_much() {
    let server = Server::memory().await;
    let user = user(&server, "1234").await;
    for amount in [0, 10_000_000_000, -10_000_000_000, i64::MIN] {
        let reply = move_money(&server, &user, amount).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/amount"]);
    }
    move_money(&server, &user, -100_000_001).await.refused(402, "transaction-insufficient-funds");
    let unknown = "019a0000-0000-7000-8000-000000000000";
    move_money(&server, unknown, -1).await.refused(404, "not-found");
}

#[tokio::test]
async fn list_transfers_filters_by_user_type_status_and_time() {
    let server = Server::start().await;
    let (jane, john) = (user(&server, "1234").await, user(&server, "1235").await);
    move_money(&server, &jane, -1).await.expect(200);
    server.advance(3_600);
    let middle = server.now();
    move_money(&server, &john, -2).await.expect(200);
    server.advance(3_600);
    move_money(&server, &jane, -3).await.expect(200);
    let body = json!({"amount": 5, "delivery": {"method": "link"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);

    let amounts = async |query: &str| -> Vec<String> {
        let list = server.get(&format!("/v2/transfers?limit=100&{query}")).app_key().send().await.expect(200).body;
        let amount = |transfer: &Value| transfer["amount"].as_str().unwrap().to_owned();
        list["data"].as_array().unwrap().iter().map(amount).filter(|amount| amount.len() < 4).collect()
    };
    assert_eq!(amounts("").await, ["5", "-3", "-2", "-1"], "newest first");
    assert_eq!(amounts("reverse_order=true").await, ["-1", "-2", "-3", "5"]);
    assert_eq!(amounts(&format!("user_id={jane}")).await, ["-3", "-1"]);
    assert_eq!(amounts("status=pending").await, ["5"], "the hold of the link");
    assert_eq!(amounts("type=payout").await, [""; 0]);
    for [from, until] in [["start_date", "end_date"], ["created_after", "end_date"], ["start_date", "created_before"]] {
        let query = format!("{from}=2026-03-02T00:00:00Z&{until}=2026-03-01T00:00:00Z");
        let reply = server.get(&format!("/v2/transfers?{query}")).app_key().send().await;
        reply.refused(400, "invalid-input");
        assert_eq!(reply.fields(), [from, until], "{}", reply.text);
    }
    assert_eq!(amounts(&format!("start_date={middle}")).await, ["5", "-3", "-2"], "the start is inclusive");
    assert_eq!(amounts(&format!("end_date={middle}")).await, ["-1"], "the end is exclusive");
    server.get("/v2/transfers?type=gift").app_key().send().await.refused(400, "invalid-input");
    server.get("/v2/transfers?user=x").app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn get_transfer_shows_the_callers_own() {
    let server = Server::start().await;
    let user = user(&server, "1234").await;
    let id = move_money(&server, &user, -700).await.expect(200).id();
    let path = format!("/v2/transfers/{id}");
    let shown = server.get(&path).app_key().send().await.expect(200);
    assert_eq!(shown.id(), id);
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another app"})).send().await.expect(201);
    server.get(&path).as_org().for_app(&other.id()).send().await.refused(404, "not-found");
    server.get("/v2/transfers/none").app_key().send().await.refused(404, "not-found");
}

#[tokio::test]
async fn list_sandbox_messages_finds_a_phone_however_it_is_written() {
    let server = Server::start().await;
    let body = json!({"amount": 5, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    for to in ["%2B12127361234", "12127361234"] {
        let inbox = server.get(&format!("/v2/sandbox/messages?to={to}")).app_key().send().await.expect(200).body;
        assert_eq!(inbox["data"].as_array().unwrap().len(), 1, "{to}");
        assert_eq!((&inbox["data"][0]["channel"], &inbox["data"][0]["to"]), (&json!("sms"), &json!("+12127361234")));
    }
    let unknown = server.get("/v2/sandbox/messages?to=12127361299").app_key().send().await.expect(200).body;
    assert_eq!(unknown, json!({"has_more": false, "data": []}));
}

#[tokio::test]
async fn get_sandbox_clock_follows_advance_sandbox_clock() {
    let server = Server::memory().await;
    let ahead =
        async || server.get("/v2/sandbox/clock").app_key().send().await.expect(200).body["ahead_seconds"].clone();
    assert_eq!(ahead().await, 0);
    server.post("/v2/sandbox/clock/advance").app_key().json(json!({"seconds": 60})).send().await.expect(200);
    assert_eq!(ahead().await, 60);
}
