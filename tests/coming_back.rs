//! A blocked payee does not return by another way, a deletion does not reset a count, and a deleted payee is removed
//! from all rows that name them.

use bursar::store::memory::Fault;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::screening::decide;

const PHONE: &str = "2127361234";
const EMAIL: &str = "ada@example.com";

async fn user(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body
}

async fn link(server: &Server, body: Value) -> Value {
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body
}

fn claim(link: &Value) -> String {
    format!("/v2/claims/{}", link["link"].as_str().unwrap().rsplit('/').next().unwrap())
}

async fn contact(server: &Server, link: &Value, contact: Value) -> Reply {
    server.post(&format!("{}/contact", claim(link))).json(contact).send().await
}

/// Enters a phone or an address, and the code that was sent there.
async fn open_session(server: &Server, link: &Value, by: Value, to: &str) -> Reply {
    contact(server, link, by).await.expect(200);
    let code = server.newest_code(to).await;
    server.post(&format!("{}/code", claim(link))).json(json!({ "token": code })).send().await
}

async fn profile(server: &Server, link: &Value, session: &Reply, first_name: &str, last_name: &str) -> Reply {
    let name = json!({"first_name": first_name, "last_name": last_name});
    let session = session.body["session"].as_str().unwrap();
    server.post(&format!("{}/profile", claim(link))).header("claim-session", session).json(name).send().await
}

/// Creates a payee by an address, confirmed by an administrator to be on the list; returns the id.
async fn found_by_address(server: &Server) -> String {
    let first = link(server, json!({"amount": 1_000, "payee": {"email": EMAIL}})).await;
    let session = open_session(server, &first, json!({"email": EMAIL}), EMAIL).await.expect(200);
    profile(server, &first, &session, "Test", "Sanctioned").await.expect(200);
    let users = server.get("/v2/users?status=in_review").app_key().send().await.expect(200).body;
    let id = users["data"][0]["id"].as_str().unwrap().to_owned();
    decide(server, &id, "confirm").await.expect(200);
    id
}

#[tokio::test]
async fn a_listed_person_does_not_return_by_the_same_address() {
    let server = Server::memory().await;
    found_by_address(&server).await;
    let next = link(&server, json!({"amount": 1_000, "payee": {"email": EMAIL}})).await;
    open_session(&server, &next, json!({"email": EMAIL}), EMAIL).await.refused(409, "user-inactive");
    let users = server.get("/v2/users").app_key().send().await.expect(200).body;
    assert_eq!(users["data"].as_array().unwrap().len(), 1, "nobody else was made: {users}");
}

/// A link that names a phone and an address is for one person.
#[tokio::test]
async fn the_other_name_on_a_link_opens_nothing_for_who_must_not_be_paid() {
    let server = Server::memory().await;
    let payee = json!({"country_code": "1", "phone_number": PHONE, "email": EMAIL});
    let named = link(&server, json!({"amount": 1_000, "payee": payee})).await;
    let person = json!({"first_name": "Test", "last_name": "Sanctioned", "email": "t@example.com", "country_code": "1", "phone_number": PHONE});
    let id = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    open_session(&server, &named, json!({"email": EMAIL}), EMAIL).await.refused(409, "invalid-state");
    decide(&server, &id, "confirm").await.expect(200);
    open_session(&server, &named, json!({"email": EMAIL}), EMAIL).await.refused(409, "user-inactive");
    // And in the opposite order.
    let server = Server::memory().await;
    found_by_address(&server).await;
    let payee = json!({"country_code": "1", "phone_number": PHONE, "email": EMAIL});
    let named = link(&server, json!({"amount": 1_000, "payee": payee})).await;
    let by = json!({"country_code": "1", "phone_number": PHONE});
    open_session(&server, &named, by, "+12127361234").await.refused(409, "user-inactive");
}

#[tokio::test]
async fn the_number_of_who_is_under_review_does_not_become_free() {
    let server = Server::memory().await;
    let person = json!({"first_name": "Test", "last_name": "Sanctioned", "email": "t@example.com", "country_code": "1", "phone_number": PHONE});
    let id = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    let change = || {
        let other = json!({"phone_number": {"country_code": "1", "phone_number": "2127361235"}});
        server.patch(&format!("/v2/users/{id}")).app_key().json(other).send()
    };
    let refused = change().await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/phone_number"]);
    decide(&server, &id, "clear").await.expect(200);
    change().await.expect(200);
}

/// The proven address does not return either.
#[tokio::test]
async fn the_address_of_who_is_under_review_does_not_become_free() {
    let server = Server::memory().await;
    let first = link(&server, json!({"amount": 1_000, "payee": {"email": EMAIL}})).await;
    let session = open_session(&server, &first, json!({"email": EMAIL}), EMAIL).await.expect(200);
    profile(&server, &first, &session, "Test", "Sanctioned").await.expect(200);
    let users = server.get("/v2/users?status=in_review").app_key().send().await.expect(200).body;
    let id = users["data"][0]["id"].as_str().unwrap().to_owned();
    let phone = json!({"phone_number": {"country_code": "1", "phone_number": PHONE}});
    let other = json!({"email": "other@example.com"});
    for change in [phone, other.clone()] {
        server.patch(&format!("/v2/users/{id}")).app_key().json(change).send().await.refused(409, "invalid-state");
    }
}

/// The sender's spelling of the payee's name is screened even without a claim.
#[tokio::test]
async fn who_is_paid_unasked_is_screened_by_the_senders_name_too() {
    let server = Server::memory().await;
    let id = server.banked_user(1234).await;
    let unasked = json!({"auto_payout_enabled": true, "default_payout_method": "ach"});
    server.patch(&format!("/v2/users/{id}")).app_key().json(unasked).send().await.expect(200);
    let pay = |first_name: &'static str, last_name: &'static str| {
        let payee =
            json!({"first_name": first_name, "last_name": last_name, "country_code": "1", "phone_number": PHONE});
        let body = json!({"amount": 1_000, "payee": payee});
        server.post("/v2/payouts/send-payout").app_key().json(body).send()
    };
    assert_eq!(pay("Janet", "Doe").await.expect(201).body["status"], "claimed");
    let held = pay("Test", "Sanctioned").await.expect(201).body;
    assert_ne!(held["status"], "claimed", "{held}");
    assert_eq!(user(&server, &id).await["status"], "in_review");
    let found = server.get(&format!("/v2/users/{id}/screening")).app_key().send().await.expect(200).body;
    assert_eq!(found["hits"][0]["screened_name"], "Test Sanctioned");
    server.verify();
}

#[tokio::test]
async fn who_is_deleted_and_made_again_has_no_more_codes_sent() {
    let server = Server::memory().await;
    let make = || {
        let person = json!({"first_name": "Ada", "last_name": "Byron", "email": "b@example.com", "country_code": "1", "phone_number": PHONE});
        server.post("/v2/users").app_key().json(person).send()
    };
    let id = make().await.expect(201).id();
    let send = |id: &str| server.post(&format!("/v2/users/{id}/send-verification-token")).app_key().send();
    for _ in 0..3 {
        send(&id).await.expect(202);
    }
    server.delete(&format!("/v2/users/{id}")).app_key().send().await.expect(200);
    let again = make().await.expect(201).id();
    for _ in 0..2 {
        send(&again).await.expect(202);
    }
    send(&again).await.refused(429, "rate-limited");
    server.delete(&format!("/v2/users/{again}")).app_key().send().await.expect(200);
    let third = make().await.expect(201).id();
    send(&third).await.refused(429, "rate-limited");
    server.advance(3_600);
    send(&third).await.expect(202);
}

/// The rows that name a deleted user: links made for them and claimed by them, and requests.
#[tokio::test]
async fn who_was_deleted_is_gone_from_links_and_requests() {
    let server = Server::memory().await;
    let id = server.banked_user(1234).await;
    let open = link(&server, json!({"amount": 500, "user_id": id})).await;
    let payee = json!({"first_name": "Jane", "last_name": "Doe", "country_code": "1", "phone_number": PHONE});
    let claimed = link(&server, json!({"amount": 700, "payee": payee})).await;
    let by = json!({"country_code": "1", "phone_number": PHONE});
    let session = open_session(&server, &claimed, by, "+12127361234").await.expect(200);
    let session = session.body["session"].as_str().unwrap();
    let pay = |step: &str, body: Value| {
        server.post(&format!("{}/{step}", claim(&claimed))).header("claim-session", session).json(body).send()
    };
    pay("method", json!({"platform": "ach", "routing_number": "110000000", "account_number": "55501234"}))
        .await
        .expect(200);
    pay("payout", json!({})).await.expect(200);
    for _ in 0..5 {
        server.pass(86_400).await;
    }
    let body = json!({"amount": 900, "user_id": id});
    let request = server.post("/v2/payout-requests").app_key().json(body).send().await.expect(201).body;

    // Until then all of them are found by their user.
    let of_user = |path: &str| server.get(&format!("{path}?user_id={id}")).app_key().send();
    let ids = |list: Reply| {
        let list = list.expect(200).body;
        let mut ids: Vec<Value> = list["data"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
        ids.sort_by_key(ToString::to_string);
        ids
    };
    let mut both = vec![open["id"].clone(), claimed["id"].clone()];
    both.sort_by_key(ToString::to_string);
    assert_eq!(ids(of_user("/v2/payout-links").await), both);
    assert_eq!(ids(of_user("/v2/payout-requests").await), [request["id"].clone()]);

    server.delete(&format!("/v2/users/{id}")).app_key().send().await.expect(200);
    server.work_off().await;
    let unknown = json!({
        "first_name": null, "last_name": null, "email": null, "country_code": null, "phone_number": null
    });
    for link in [&open, &claimed] {
        let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
        let shown = server.get(&path).app_key().send().await.expect(200).body;
        assert_eq!(shown["payee"], unknown, "{shown}");
    }
    let path = format!("/v2/payout-requests/{}", request["id"].as_str().unwrap());
    let shown = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!((&shown["payee"]["phone_number"], &shown["payee"]["country_code"]), (&Value::Null, &Value::Null));
    for search in ["phone_number=%2B12127361234", "email=jane1234@example.com"] {
        let found = server.get(&format!("/v2/payout-links?{search}")).app_key().send().await.expect(200).body;
        assert_eq!(found["data"], json!([]), "{search}");
    }
    contact(&server, &open, json!({"country_code": "1", "phone_number": PHONE})).await.refused(409, "user-inactive");
    server.verify();
}

/// The page shows the end of the payee's number; the rest cannot be guessed.
#[tokio::test]
async fn ten_wrong_contacts_an_hour_are_compared_for_one_link() {
    let server = Server::memory().await;
    let body = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": PHONE}});
    let one = link(&server, body.clone()).await;
    let guess = |line: u32| json!({"country_code": "1", "phone_number": format!("212736{line}")});
    for line in 0..10 {
        contact(&server, &one, guess(2_000 + line)).await.refused(403, "not-permitted");
    }
    let eleventh = contact(&server, &one, guess(1_234)).await;
    assert_eq!(eleventh.refused(429, "rate-limited").header("retry-after"), Some("3600"));
    let other = link(&server, body).await;
    contact(&server, &other, guess(1_234)).await.expect(200);
    server.advance(3_600);
    contact(&server, &one, guess(1_234)).await.expect(200);
}

/// Each payout of a link may cost the sender a fee, rounded separately.
#[tokio::test]
async fn ten_payouts_are_made_of_one_link() {
    let server = Server::memory().await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": PHONE}});
    let one = link(&server, body).await;
    let by = json!({"country_code": "1", "phone_number": PHONE});
    let session = open_session(&server, &one, by, "+12127361234").await.expect(200);
    profile(&server, &one, &session, "Jane", "Doe").await.expect(200);
    let session = session.body["session"].as_str().unwrap();
    let step = |step: &str, body: Value| {
        server.post(&format!("{}/{step}", claim(&one))).header("claim-session", session).json(body).send()
    };
    step("method", json!({"platform": "ach", "routing_number": "110000000", "account_number": "55501234"}))
        .await
        .expect(200);
    for _ in 0..9 {
        step("payout", json!({"amount": 50})).await.expect(200);
    }
    let tenth = step("payout", json!({"amount": 50})).await;
    assert_eq!(tenth.refused(409, "limit-exceeded").fields(), ["/amount"]);
    // All that is left, to an account from which it comes back.
    let back = json!({"platform": "ach", "routing_number": "110000000", "account_number": "20000002"});
    step("method", back).await.expect(200);
    step("payout", json!({})).await.expect(200);
    for _ in 0..6 {
        server.pass(86_400).await;
    }
    let eleventh = step("payout", json!({})).await;
    let message = eleventh.refused(409, "limit-exceeded").body["message"].as_str().unwrap();
    assert!(message.contains("Ask the sender to pay it out"), "{message}");
    server.verify();
}

#[tokio::test]
async fn the_country_is_the_numbers_own_until_an_address_says_it() {
    let server = Server::memory().await;
    server.set(json!({"phone_countries": ["US", "CA", "DE", "GB"]})).await;
    let made = |code: &'static str, number: &'static str| {
        let person = json!({"first_name": "Ada", "last_name": "Byron", "email": "b@example.com", "country_code": code, "phone_number": number});
        server.post("/v2/users").app_key().json(person).send()
    };
    for (code, number, country) in
        [("1", "2127361111", "US"), ("1", "6045551234", "CA"), ("49", "15123456789", "DE"), ("44", "7400123456", "GB")]
    {
        assert_eq!(made(code, number).await.expect(201).body["country"], country, "+{code} {number}");
    }
    let id = made("1", "2127362222").await.expect(201).id();
    let to = |code: &str, number: &str| {
        let patch = json!({"phone_number": {"country_code": code, "phone_number": number}});
        server.patch(&format!("/v2/users/{id}")).app_key().json(patch).send()
    };
    assert_eq!(to("44", "7400123457").await.expect(200).body["country"], "GB");
    let address =
        json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
    server.put(&format!("/v2/users/{id}/addresses")).app_key().json(address).send().await.expect(201);
    assert_eq!(to("49", "15123456780").await.expect(200).body["country"], "US");
}

/// A message queued for a person who is deleted before it is sent is not sent, and not reported as delivered.
#[tokio::test]
async fn who_was_deleted_is_not_written_to_any_more() {
    let server = Server::failing().await;
    let body = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "2127361234"
    });
    let user = server.post("/v2/users").app_key().json(body).send().await.expect(201).id();
    let path = format!("/v2/users/{user}");
    // The store refuses the batches that would also deliver, so the messages are left to the worker.
    server.store().fail_next(Fault::Refused);
    server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
    let link = json!({"amount": 1_000, "user_id": user, "delivery": {"method": "all"}});
    server.store().fail_next(Fault::Refused);
    let link = server.post("/v2/payout-links").app_key().json(link).send().await.expect(201).id();
    server.delete(&path).app_key().send().await.expect(200);
    server.work_off().await;
    let inbox = server.get("/v2/sandbox/messages?limit=100").app_key().send().await.expect(200).body;
    assert_eq!(inbox["data"], json!([]));
    let link = server.get(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200).body;
    assert_eq!(link["status"], "delivery_failed");
    server.verify();
}
