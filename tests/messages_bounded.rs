//! Limits on messages to phones: their number, their destinations, and their words.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const DAY: i64 = 86_400;
const LIMIT: usize = 20;

fn phone(number: &str) -> Value {
    json!({"country_code": "1", "phone_number": number})
}

async fn send(server: &Server, payee: Value, delivery: Value) -> Reply {
    let body = json!({"amount": 1, "payee": payee, "delivery": delivery});
    server.post("/v2/payout-links").app_key().json(body).send().await
}

async fn text(server: &Server, number: &str) -> Reply {
    send(server, phone(number), json!({"method": "sms"})).await
}

async fn redeliver(server: &Server, id: &str) -> Reply {
    server.post(&format!("/v2/payout-links/{id}/redeliver")).app_key().send().await
}

async fn links(server: &Server) -> usize {
    let found = server.get("/v2/payout-links?limit=100").app_key().send().await.expect(200).body;
    found["data"].as_array().unwrap().len()
}

#[tokio::test]
async fn redeliver_payout_link_and_create_payout_link_are_limited_per_phone_and_day_across_links() {
    let server = Server::memory().await;
    let mut sent = 0;
    // Four links, each delivered five times; two are canceled afterwards, which does not reduce the count.
    for number in 0..4 {
        let id = text(&server, "2127361234").await.expect(201).id();
        sent += 1;
        server.work_off().await;
        for _ in 0..4 {
            redeliver(&server, &id).await.expect(200);
            server.work_off().await;
            sent += 1;
        }
        if number % 2 == 0 {
            server.delete(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200);
        }
    }
    assert_eq!((sent, links(&server).await), (LIMIT, 4));
    let refused = text(&server, "2127361234").await;
    refused.refused(409, "limit-exceeded");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=DAY).contains(&wait), "{wait}");
    assert!(refused.text.contains("midnight UTC"), "{}", refused.text);
    assert_eq!(links(&server).await, 4, "a refused link is not made");
    // The controls: another phone, and a link that its creator delivers.
    let other = text(&server, "2127361235").await.expect(201).id();
    let own = send(&server, phone("2127361234"), json!({"method": "link"})).await.expect(201).id();
    redeliver(&server, &own).await.expect(200);
    redeliver(&server, &other).await.expect(200);

    server.advance(wait);
    text(&server, "2127361234").await.expect(201);
    server.verify();
}

#[tokio::test]
async fn an_app_delivers_so_many_links_a_day_as_its_settings_say() {
    let server = Server::memory().await;
    server.set(json!({"delivery_limits": {"per_day": 3}})).await;
    for number in 0..3 {
        text(&server, &format!("212736100{number}")).await.expect(201);
    }
    text(&server, "2127361009").await.refused(409, "limit-exceeded");
    let row = json!({"links": [{
        "amount_cents": 1, "country_code": "1", "phone_number": "2127361010",
        "idempotency_key": "11111111-1111-4111-8111-111111111111"
    }]});
    let id = server.post("/v2/payout-link-batches").app_key().json(row).send().await.expect(201).id();
    server.work_off().await;
    let batch = server.get(&format!("/v2/payout-link-batches/{id}")).app_key().send().await.expect(200).body;
    assert_eq!((&batch["succeeded"], &batch["failed"]), (&json!(0), &json!(1)), "{batch}");
    server.set(json!({"delivery_limits": {"per_day": null}})).await;
    text(&server, "2127361009").await.expect(201);
    server.verify();
}

#[tokio::test]
async fn erasing_a_user_does_not_begin_the_count_again() {
    let server = Server::memory().await;
    server.set(json!({"delivery_limits": {"per_recipient_per_day": 2}})).await;
    let person = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com", "country_code": "1",
        "phone_number": "2127361234"
    });
    for _ in 0..2 {
        text(&server, "2127361234").await.expect(201);
    }
    let id = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    text(&server, "2127361234").await.refused(409, "limit-exceeded");
    server.work_off().await;
    server.delete(&format!("/v2/users/{id}")).app_key().send().await.expect(200);
    server.work_off().await;
    text(&server, "2127361234").await.refused(409, "limit-exceeded");
    let rows = format!("{:?}", server.rows(<bursar::messages::DeliveryDay as bursar::world::Record>::TABLE));
    assert!(!rows.contains("2127361234"), "an erased phone stays: {rows}");
}

#[tokio::test]
async fn a_reminder_beyond_the_limit_is_left_out() {
    let server = Server::memory().await;
    server.set(json!({"delivery_limits": {"per_recipient_per_day": 1}})).await;
    let remind_at = server.now().plus_seconds(60).to_string();
    let body =
        json!({"amount": 1, "payee": phone("2127361234"), "remind_at": remind_at, "delivery": {"method": "sms"}});
    let id = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id();
    server.pass(120).await;
    let link = server.get(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200).body;
    assert_eq!(link["status"], "delivered");
    let found = server.get("/v2/sandbox/messages?to=%2B12127361234").app_key().send().await.expect(200).body;
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
}

/// Sends a phone number to each route that accepts one.
async fn offered(server: &Server, code: &str, number: &str) -> Vec<(&'static str, Reply)> {
    let payee = json!({"country_code": code, "phone_number": number});
    let mut person = json!({"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com"});
    person.as_object_mut().unwrap().extend(payee.as_object().unwrap().clone());
    let mut asked = payee.as_object().unwrap().clone();
    asked.insert("amount".to_owned(), json!(1));
    let row = json!({"links": [{
        "amount_cents": 1, "country_code": code, "phone_number": number,
        "idempotency_key": "11111111-1111-4111-8111-111111111111"
    }]});
    vec![
        ("user", server.post("/v2/users").app_key().json(person).send().await),
        ("link", send(server, payee.clone(), json!({})).await),
        (
            "payout",
            server.post("/v2/payouts/send-payout").app_key().json(json!({"amount": 1, "payee": payee})).send().await,
        ),
        ("batch", server.post("/v2/payout-link-batches").app_key().json(row).send().await),
    ]
}

#[tokio::test]
async fn numbers_that_cost_and_embargoed_countries_are_refused_on_every_route() {
    let server = Server::memory().await;
    for (code, number) in [
        ("1", "9002345678"),
        ("44", "9091234567"),
        ("979", "123456789"),
        ("881", "612345678"),
        ("882", "1612345678"),
        ("850", "1921234567"),
        ("98", "9123456789"),
        ("53", "51234567"),
        ("963", "944567890"),
        ("7", "9781234567"),
    ] {
        for (route, reply) in offered(&server, code, number).await {
            assert_eq!(reply.status, 400, "{route} +{code} {number}: {}", reply.text);
            assert!(reply.text.contains("invalid-phone-number"), "{route}: {}", reply.text);
        }
    }
    let settings = json!({"phone_countries": ["US", "IR"]});
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let reply = server.put(&path).as_org().json(settings).send().await;
    assert!(reply.status == 400 && reply.text.contains("embargo"), "{}", reply.text);
}

#[tokio::test]
async fn countries_are_switched_on_by_a_setting() {
    let server = Server::memory().await;
    for (route, reply) in offered(&server, "44", "7400123456").await {
        if route == "batch" {
            continue; // A row is refused when it is made: below.
        }
        reply.refused(400, "invalid-phone-number");
        assert!(reply.text.contains("phone_countries"), "{route}: {}", reply.text);
    }
    server.set(json!({"phone_countries": ["GB", "US"]})).await;
    for (route, reply) in offered(&server, "44", "7400123456").await {
        // The batch is the earlier one, which is waiting.
        reply.expect(if route == "batch" { 200 } else { 201 });
    }
    // Countries that are not listed are off, Canada too.
    send(&server, phone("6045551234"), json!({})).await.refused(400, "invalid-phone-number");
}

/// A country that is switched off after a link was created: the request to redeliver it has no number to correct.
#[tokio::test]
async fn redeliver_payout_link_to_a_country_that_is_switched_off_is_a_conflict() {
    let server = Server::memory().await;
    server.set(json!({"phone_countries": ["GB", "US"]})).await;
    let british = json!({"country_code": "44", "phone_number": "7400123456"});
    let link = send(&server, british.clone(), json!({"method": "sms"})).await.expect(201).id();
    server.work_off().await;
    let again = format!("/v2/payout-links/{link}/redeliver");
    server.post(&again).app_key().send().await.expect(200);
    let person = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com", "country_code": "44",
        "phone_number": "7400123457",
    });
    let user = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    server.set(json!({"phone_countries": null})).await;
    let code = format!("/v2/users/{user}/send-verification-token");
    let made = json!({"amount": 100, "user_id": user});
    for reply in [
        server.post(&again).app_key().send().await,
        server.post(&code).app_key().json(json!({})).send().await,
        server.post("/v2/payout-links").app_key().json(made).send().await,
    ] {
        reply.refused(409, "invalid-state");
        assert!(reply.text.contains("phone_countries") && reply.fields().is_empty(), "{}", reply.text);
    }
    // If the request has the number, the refusal names it.
    assert_eq!(send(&server, british, json!({})).await.refused(400, "invalid-phone-number").fields().len(), 1);
}

#[tokio::test]
async fn a_message_leads_nowhere_and_comes_quoted_after_the_link() {
    let server = Server::memory().await;
    for message in [
        "Your account is locked. Choose how to get paid: https://evil.example/claim/AaBb",
        "evil.example",
        "Call 212-736-1234",
        &"x".repeat(161),
    ] {
        let reply = send(&server, phone("2127361234"), json!({"method": "sms", "message": message})).await;
        reply.refused(400, "invalid-input");
        assert_eq!(reply.fields(), ["/delivery/message"], "{message}");
    }
    let message = "Thank you, see you on 2026-07-31!";
    let link = send(&server, phone("2127361234"), json!({"method": "sms", "message": message})).await.expect(201).body;
    server.work_off().await;
    let sent = server.newest_message("+12127361234").await["text"].as_str().unwrap().to_owned();
    let (address, quote) = (sent.find("/claim/").unwrap(), sent.find(&format!("says: \"{message}\"")).unwrap());
    assert!(address < quote, "{sent}");
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap();
    let page = server.get(&format!("/claim/{token}")).send().await.expect(200);
    assert!(page.text.contains(&format!("says: “{message}”")), "{}", page.text);
}
