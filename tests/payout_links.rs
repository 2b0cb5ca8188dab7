//! Payout links: their creation, delivery, and end.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const LINKS: &str = "/v2/payout-links";
const PHONE: &str = "+12127361234";
const DAY: i64 = 86_400;

async fn create(server: &Server, body: Value) -> Reply {
    server.post(LINKS).app_key().json(body).send().await
}

/// Creates a link of one dollar by text message to [`PHONE`].
async fn by_sms(server: &Server) -> Reply {
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    create(server, json!({"amount": 100, "payee": payee})).await.expect(201)
}

async fn get(server: &Server, id: &str) -> Value {
    server.get(&format!("{LINKS}/{id}")).app_key().send().await.expect(200).body
}

async fn redeliver(server: &Server, id: &str) -> Reply {
    server.post(&format!("{LINKS}/{id}/redeliver")).app_key().send().await
}

async fn cancel(server: &Server, id: &str) -> Reply {
    server.delete(&format!("{LINKS}/{id}")).app_key().send().await
}

async fn messages(server: &Server, to: &str) -> usize {
    server.work_off().await;
    let path = format!("/v2/sandbox/messages?limit=100&to={}", to.replace('+', "%2B"));
    server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().len()
}

async fn balance(server: &Server) -> i64 {
    let apps = server.get("/v2/apps").app_key().send().await.expect(200).body;
    apps[0]["metrics"]["wallet_balance"].as_i64().unwrap()
}

#[tokio::test]
async fn an_international_number_needs_no_country_code() {
    let server = Server::memory().await;
    let payee = |payee: Value| json!({"amount": 1, "payee": payee});
    let national = create(&server, payee(json!({"country_code": "1", "phone_number": "2127361234"}))).await;
    let international = create(&server, payee(json!({"phone_number": "+1 (212) 736-1234"}))).await;
    assert_eq!(international.expect(201).body["payee"], national.expect(201).body["payee"]);
    let delivery = json!({"amount": 1, "delivery": {"phone_number": "+12127361234"}});
    assert_eq!(create(&server, delivery).await.expect(201).body["delivery"]["country_code"], "1");
    for wrong in ["+1212736", "+88212345678", "+x"] {
        let reply = create(&server, payee(json!({"phone_number": wrong}))).await;
        assert_eq!(reply.refused(400, "invalid-phone-number").fields(), ["/payee/phone_number"], "{wrong}");
    }
}

#[tokio::test]
async fn create_payout_link_shows_every_field() {
    let server = Server::memory().await;
    let body = json!({
        "amount": 1.95e2,
        "payee": {"first_name": "Jane", "country_code": "1", "phone_number": "(212) 736-1234"},
        "delivery": {"method": "link"},
        "tax_exempt": true,
        "memo": "memo",
        "metadata": {"order": 17},
        "accounting_data": {"ledger_account_id": 7},
        "funding_source": "service_balance",
    });
    let link = create(&server, body).await.expect(201).body;
    let payee = json!({"first_name": "Jane", "last_name": null, "email": null, "country_code": "1", "phone_number": "2127361234"});
    let expected = [
        ("amount", json!(195)),
        ("status", json!("delivered")),
        ("payee", payee),
        (
            "delivery",
            json!({"method": "link", "email": null, "country_code": null, "phone_number": null, "error": null}),
        ),
        ("tax_exempt", json!(true)),
        ("claimed_user_id", Value::Null),
        ("flow_id", Value::Null),
        ("memo", json!("memo")),
        ("metadata", json!("{\"order\":17}")),
        ("description", Value::Null),
        ("accounting_data", json!({"ledger_account_id": 7, "ledger_class_id": null})),
        ("created_by_email", Value::Null),
        ("funding_source", json!("service_balance")),
        ("deliveries", json!(1)),
    ];
    for (field, value) in expected {
        assert_eq!(link[field], value, "{field}");
    }
    assert!(link["expires_at"].as_str().unwrap().starts_with("2026-04-01T15:00:00"), "thirty days from now");
    let hold = format!("/v2/transfers/{}", link["transfer_id"].as_str().unwrap());
    let hold = server.get(&hold).app_key().send().await.expect(200).body;
    assert_eq!(
        (&hold["payout_link_id"], &hold["status"], &hold["amount"]),
        (&link["id"], &json!("pending"), &json!("195"))
    );
}

#[tokio::test]
async fn create_payout_link_names_every_field_that_is_wrong() {
    let server = Server::memory().await;
    for amount in ["0", "-1", "195.5", "\"195\"", "10000000000", "1000000000000000000", "1e400", "null", "true", "[]"] {
        let body = format!("{{\"amount\":{amount}}}");
        let reply = server.post(LINKS).app_key().raw("application/json", body).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/amount"], "{amount}");
    }
    let body = json!({
        "memo": "x".repeat(501),
        "metadata": 5,
        "payee": {"first_name": "Jane\nDoe", "last_name": "x".repeat(51)},
        "amout": 5,
    });
    let reply = create(&server, body).await;
    let mut fields = reply.refused(400, "invalid-input").fields();
    fields.sort_unstable();
    assert_eq!(fields, ["/amount", "/amout", "/memo", "/metadata", "/payee/first_name", "/payee/last_name"]);
    assert!(reply.text.contains("did you mean amount?"), "{}", reply.text);
    for (payee, field, code) in [
        (json!({"phone_number": "2127361234"}), "/payee/country_code", "invalid-phone-number"),
        (json!({"country_code": "1", "phone_number": "123"}), "/payee/phone_number", "invalid-phone-number"),
        (json!({"email": "nobody"}), "/payee/email", "invalid-email"),
    ] {
        let reply = create(&server, json!({"amount": 1, "payee": payee})).await;
        assert_eq!(reply.refused(400, code).fields(), [field]);
    }
    let both = json!({"amount": 1, "user_id": "0195cf3a-0000-7000-8000-000000000000", "payee": {}});
    create(&server, both).await.refused(400, "invalid-input");
    let unknown_id = json!({"amount": 1, "user_id": "0195cf3a-0000-7000-8000-000000000000"});
    create(&server, unknown_id).await.refused(404, "not-found");
    assert_eq!(balance(&server).await, 100_000_000, "nothing was made");
}

#[tokio::test]
async fn create_payout_link_without_funds_leaves_no_trace() {
    let server = Server::memory().await;
    let empty = server.post("/v2/apps").as_org().json(json!({"name": "Empty"})).send().await.expect(201).id();
    let create = server.post(LINKS).as_org().for_app(&empty).json(json!({"amount": 1})).send().await;
    create.refused(402, "transaction-insufficient-funds");
    for list in [LINKS, "/v2/transfers", "/v2/sandbox/messages", "/v2/transactions"] {
        let listed = server.get(list).as_org().for_app(&empty).send().await.expect(200);
        assert_eq!(listed.body["data"], json!([]), "{list}");
    }
}

#[tokio::test]
async fn a_link_goes_the_way_that_is_asked_for_or_the_best_that_is_known() {
    let server = Server::memory().await;
    let phone = json!({"country_code": "1", "phone_number": "2127361234"});
    let email = json!({"email": "jane@example.com"});
    let both = json!({"country_code": "1", "phone_number": "2127361234", "email": "jane@example.com"});
    for (payee, method) in
        [(&both, "sms"), (&email, "email"), (&json!({}), "link"), (&json!({"first_name": "J"}), "link")]
    {
        let link = create(&server, json!({"amount": 1, "payee": payee})).await.expect(201);
        assert_eq!(link.body["delivery"]["method"], method, "{payee}");
    }
    for (payee, method) in [(&email, "sms"), (&phone, "email"), (&json!({}), "all")] {
        let body = json!({"amount": 1, "payee": payee, "delivery": {"method": method}});
        let reply = create(&server, body).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/delivery/method"], "{payee} {method}");
    }
    let before = (messages(&server, PHONE).await, messages(&server, "jane@example.com").await);
    create(&server, json!({"amount": 1, "payee": both, "delivery": {"method": "all"}})).await.expect(201);
    let after = (messages(&server, PHONE).await, messages(&server, "jane@example.com").await);
    assert_eq!(after, (before.0 + 1, before.1 + 1));
}

#[tokio::test]
async fn redeliver_payout_link_five_times_in_all() {
    let server = Server::memory().await;
    let id = by_sms(&server).await.id();
    for delivery in 2..=5 {
        assert_eq!(redeliver(&server, &id).await.expect(200).body["deliveries"], delivery);
    }
    redeliver(&server, &id).await.refused(409, "delivery-limit-reached");
    assert_eq!(messages(&server, PHONE).await, 5);
}

#[tokio::test]
async fn redeliver_payout_link_writes_to_no_user_who_was_deleted() {
    let server = Server::memory().await;
    let user = json!({"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com", "country_code": "1", "phone_number": PHONE.trim_start_matches("+1")});
    let user = server.post("/v2/users").app_key().json(user).send().await.expect(201).id();
    let link =
        create(&server, json!({"amount": 1, "user_id": user, "delivery": {"method": "sms"}})).await.expect(201).id();
    redeliver(&server, &link).await.expect(200);
    server.delete(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    redeliver(&server, &link).await.refused(409, "user-inactive");
    assert_eq!(get(&server, &link).await["deliveries"], 2);
    server.verify();
}

#[tokio::test]
async fn fifty_redelivers_at_once_never_make_a_sixth_delivery() {
    let server = Server::memory().await;
    let id = by_sms(&server).await.id();
    let replies = join_all((0..50).map(|_| redeliver(&server, &id))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 4);
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.refused(409, "delivery-limit-reached");
    }
    assert_eq!(messages(&server, PHONE).await, 5);
}

#[tokio::test]
async fn cancel_payout_link_releases_the_money_once() {
    let server = Server::memory().await;
    let link = by_sms(&server).await;
    assert_eq!(balance(&server).await, 99_999_900);
    let canceled = cancel(&server, &link.id()).await.expect(200);
    assert_eq!(canceled.body["status"], "canceled");
    assert_eq!(cancel(&server, &link.id()).await.expect(200).text, canceled.text);
    assert_eq!(balance(&server).await, 100_000_000);
    let hold = format!("/v2/transfers/{}", link.body["transfer_id"].as_str().unwrap());
    assert_eq!(server.get(&hold).app_key().send().await.expect(200).body["status"], "canceled");
    redeliver(&server, &link.id()).await.refused(409, "invalid-state");
}

#[tokio::test]
async fn a_link_expires_after_thirty_days_and_gives_its_money_back() {
    let server = Server::memory().await;
    let id = by_sms(&server).await.id();
    server.pass(30 * DAY - 1).await;
    assert_eq!(get(&server, &id).await["status"], "delivered");
    server.pass(1).await;
    assert_eq!(get(&server, &id).await["status"], "expired");
    assert_eq!(balance(&server).await, 100_000_000);
    redeliver(&server, &id).await.refused(409, "invalid-state");
    cancel(&server, &id).await.refused(409, "invalid-state");
}

#[tokio::test]
async fn a_reminder_is_a_delivery() {
    let server = Server::memory().await;
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let at = |day: &str| format!("2026-03-{day}T15:00:00Z");
    let body = json!({"amount": 100, "payee": payee, "remind_at": at("03"), "expires_at": at("04")});
    let id = create(&server, body).await.expect(201).id();
    assert_eq!(messages(&server, PHONE).await, 1);
    server.pass(DAY).await;
    assert_eq!((messages(&server, PHONE).await, get(&server, &id).await["deliveries"].as_i64()), (2, Some(2)));
    for (field, body) in [
        ("/expires_at", json!({"amount": 1, "expires_at": at("01")})),
        ("/remind_at", json!({"amount": 1, "remind_at": at("05"), "expires_at": at("04")})),
    ] {
        assert_eq!(create(&server, body).await.refused(400, "invalid-input").fields(), [field]);
    }
}

#[tokio::test]
async fn a_phone_that_takes_no_messages_makes_the_delivery_fail() {
    let server = Server::memory().await;
    let payee = json!({"country_code": "1", "phone_number": "2127360199"});
    let id = create(&server, json!({"amount": 100, "payee": payee})).await.expect(201).id();
    server.work_off().await;
    assert_eq!(get(&server, &id).await["status"], "delivery_failed");
    redeliver(&server, &id).await.expect(200);
    cancel(&server, &id).await.expect(200);
}

#[tokio::test]
async fn get_payout_link_hides_what_is_not_the_callers() {
    let server = Server::memory().await;
    let id = by_sms(&server).await.id();
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    let unknown = "0195cf3a-0000-7000-8000-000000000000";
    let ask = |method: &str, id: &str, rest: &str| {
        server.ask(method, &format!("{LINKS}/{id}{rest}")).as_org().for_app(&other).send()
    };
    for (method, rest) in [("GET", ""), ("DELETE", ""), ("POST", "/redeliver")] {
        let body = |reply: &Reply| {
            let mut body = reply.body.clone();
            assert!(body["request_id"].take().is_string());
            body
        };
        let foreign = ask(method, &id, rest).await;
        assert_eq!(body(foreign.refused(404, "not-found")), body(&ask(method, unknown, rest).await), "{method}");
        ask(method, "no-uuid", rest).await.refused(404, "not-found");
    }
    assert_eq!(get(&server, &id).await["deliveries"], 1);
}

/// The recipient of a link's delivery is its payee, in every field that can name them.
#[tokio::test]
async fn delivery_may_name_the_recipient() {
    let server = Server::memory().await;
    let make = |body: Value| server.post("/v2/payout-links").app_key().json(body).send();
    let by_mail = json!({"amount": 5, "delivery": {"method": "email", "email": "jane@example.com"}});
    let by_mail = make(by_mail).await.expect(201).body;
    assert_eq!(
        (&by_mail["delivery"]["email"], &by_mail["payee"]["email"]),
        (&json!("jane@example.com"), &json!("jane@example.com"))
    );
    let by_text = json!({"amount": 5, "payee": {"email": "jane@example.com"}, "delivery": {"country_code": "1", "phone_number": "(212) 736-1234"}});
    let by_text = make(by_text).await.expect(201).body;
    assert_eq!(
        (&by_text["delivery"]["method"], &by_text["delivery"]["phone_number"]),
        (&json!("sms"), &json!("2127361234"))
    );
    assert_eq!(by_text["payee"]["email"], "jane@example.com");
    let same = json!({"amount": 5, "payee": {"email": "jane@example.com"}, "delivery": {"email": "Jane@example.com"}});
    make(same).await.expect(201);

    let user = server.user(1234).await;
    for (body, field) in [
        (json!({"payee": {"email": "jane@example.com"}, "delivery": {"email": "joe@example.com"}}), "/delivery/email"),
        (
            json!({"payee": {"country_code": "1", "phone_number": "2127361234"}, "delivery": {"country_code": "1", "phone_number": "2127361235"}}),
            "/delivery/phone_number",
        ),
        (json!({"user_id": user, "delivery": {"email": "jane1234@example.com"}}), "/delivery/email"),
        (json!({"delivery": {"phone_number": "2127361234"}}), "/delivery/country_code"),
        (json!({"delivery": {"country_code": "1", "phone_number": "12"}}), "/delivery/phone_number"),
    ] {
        let mut body = body;
        body["amount"] = json!(5);
        assert_eq!(make(body).await.fields(), [field]);
    }
}
