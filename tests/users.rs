//! Users: their identity, its proof, and their stored data.

use serde_json::{Value, json};

use bursar::messages::{Message, Template};
use bursar::verification::open_code;
use bursar::world::{Record, Row};

use crate::harness::{Reply, Server};

fn jane() -> Value {
    json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "2025550123"
    })
}

async fn create(server: &Server, body: Value) -> Reply {
    server.post("/v2/users").app_key().json(body).send().await.expect(201)
}

/// Returns the code in the newest message, as the payee reads it.
fn newest_code(server: &Server) -> String {
    let row: Row = server.rows(Message::TABLE).pop().unwrap();
    let message = (Message::TABLE.decode)(&row).unwrap().downcast::<Message>().unwrap();
    let Template::Code { sealed_code, .. } = &message.template.0 else { panic!("the newest message is no code") };
    open_code(&server.bursar().vault, &message, sealed_code).unwrap()
}

fn another(code: &str) -> String {
    if code == "111111" { "222222".to_owned() } else { "111111".to_owned() }
}

async fn verify(server: &Server, id: &str) {
    let path = format!("/v2/users/{id}");
    server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
    let token = newest_code(server);
    server.post(&format!("{path}/verify")).app_key().json(json!({ "token": token })).send().await.expect(200);
}

#[tokio::test]
async fn create_user() {
    let server = Server::start().await;
    let created = create(&server, jane()).await;
    let mut fields: Vec<&str> = created.body.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    // docs/specification.md, User: all fields and no other.
    let documented = [
        "1099_adjustment",
        "auto_payout_enabled",
        "compliance",
        "country",
        "default_payout_method",
        "default_payout_method_details",
        "email",
        "first_name",
        "id",
        "last_name",
        "metadata",
        "payout_options_exclude_list",
        "phone_number",
        "status",
        "verified",
        "wallet",
    ];
    assert_eq!(fields, documented);
    assert_eq!((&created.body["status"], &created.body["verified"]), (&json!("unverified"), &json!(false)));
    let read = server.get(&format!("/v2/users/{}", created.id())).app_key().send().await.expect(200);
    assert_eq!(read.body, created.body);
}

#[tokio::test]
async fn create_user_refuses_all_wrong_fields_at_once() {
    let server = Server::memory().await;
    let body = json!({"first_name": "", "email": "nobody", "country_code": "1", "phone_number": "2025550123"});
    let refused = server.post("/v2/users").app_key().json(body).send().await;
    refused.refused(400, "invalid-input");
    assert_eq!(refused.fields(), ["/first_name", "/last_name", "/email"]);
    let mut body = jane();
    body["phone_number"] = json!("5551234567");
    server.post("/v2/users").app_key().json(body).send().await.refused(400, "invalid-phone-number");
}

#[tokio::test]
async fn one_phone_is_one_user() {
    let server = Server::memory().await;
    let first = create(&server, jane()).await;
    let mut body = jane();
    body["first_name"] = json!("Janet");
    body["phone_number"] = json!("(202) 555-0123");
    let second = create(&server, body).await;
    assert_eq!((second.id(), &second.body["first_name"]), (first.id(), &json!("Jane")));
}

#[tokio::test]
async fn list_users() {
    let server = Server::start().await;
    let mut ids = Vec::new();
    for number in 0..3 {
        let mut body = jane();
        body["phone_number"] = json!(format!("202555012{number}"));
        body["email"] = json!(format!("user{number}@example.com"));
        body["metadata"] = json!({ "number": number });
        ids.insert(0, create(&server, body).await.id());
    }
    let listed = async |query: &str| {
        let path = format!("/v2/users?{query}");
        let list = server.get(&path).app_key().send().await.expect(200);
        list.body["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|user| user["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed("limit=100").await, ids);
    assert_eq!(listed("phone_number=%2B12025550121").await, [ids[1].clone()]);
    assert_eq!(listed("phone_number=12025550121").await, [ids[1].clone()]);
    assert_eq!(listed("email=user2@example.com").await, [ids[0].clone()]);
    assert_eq!(listed("status=verified").await, Vec::<String>::new());
    assert_eq!(listed("status=unverified").await, ids);
    assert_eq!(listed("metadata=%7B%22number%22:0%7D").await, [ids[2].clone()]);
    server.get("/v2/users?status=happy").app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn get_user_of_another_app_is_unknown_until_connect_user() {
    let server = Server::memory().await;
    let user = create(&server, jane()).await.id();
    server.get("/v2/users/not-an-id").app_key().send().await.refused(404, "not-found");
    server.get("/v2/users/00000000-0000-7000-8000-000000000000").app_key().send().await.refused(404, "not-found");
    let body = json!({"user_id": user, "app_id": server.app_id()});
    let connected = server.post("/v2/users/connect").as_org().json(body.clone()).send().await.expect(200);
    assert_eq!(connected.id(), user);
    server.post("/v2/users/connect").app_key().json(body).send().await.refused(403, "organization-key-required");
    let foreign = json!({"user_id": user, "app_id": "00000000-0000-7000-8000-000000000000"});
    server.post("/v2/users/connect").as_org().json(foreign).send().await.refused(404, "not-found");
}

#[tokio::test]
async fn update_user() {
    let server = Server::start().await;
    let id = create(&server, jane()).await.id();
    let path = format!("/v2/users/{id}");
    let body = json!({
        "auto_payout_enabled": true, "date_of_birth": "1990-01-31", "metadata": "vip",
        "1099_adjustment": {"year": 2026, "form": "1099-NEC", "amount": 5000},
        "payout_options_exclude_list": ["wire", "ach"], "first_name": "Janet",
        "phone_number": {"country_code": "1", "phone_number": "2125550198"}
    });
    let user = server.patch(&path).app_key().json(body).send().await.expect(200).body;
    assert_eq!(user["1099_adjustment"], json!({"year": 2026, "form": "1099-NEC", "amount": 5000}));
    assert_eq!(user["payout_options_exclude_list"], json!(["ach", "wire"]));
    assert_eq!(user["phone_number"], json!({"country_code": "1", "phone_number": "2125550198"}));
    assert_eq!((&user["first_name"], &user["metadata"]), (&json!("Janet"), &json!("vip")));
    assert_eq!(user["compliance"]["date_of_birth_collected"], true);

    // All or nothing: one wrong field and nothing changes.
    for (body, fields) in [
        (json!({"metadata": "x", "default_payout_method": "ach"}), vec!["/default_payout_method"]),
        (json!({"metadata": "x", "first_name": null}), vec!["/first_name"]),
        (json!({"metadata": "x", "date_of_birth": "2030-01-01"}), vec!["/date_of_birth"]),
        (json!({"metadata": "x", "date_of_birth": "31.1.1990"}), vec!["/date_of_birth"]),
        (json!({"metadata": "x", "wallet": {}}), vec!["/wallet"]),
    ] {
        let refused = server.patch(&path).app_key().json(body).send().await;
        assert_eq!((refused.status, refused.fields()), (400, fields.into_iter().map(str::to_owned).collect()));
    }
    assert_eq!(server.get(&path).app_key().send().await.body, user);
}

#[tokio::test]
async fn a_verified_phone_stays() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    verify(&server, &id).await;
    let body = json!({"phone_number": {"country_code": "1", "phone_number": "2125550198"}});
    server.patch(&format!("/v2/users/{id}")).app_key().json(body).send().await.refused(409, "invalid-state");
}

#[tokio::test]
async fn a_listed_name_goes_under_review() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    let body = json!({"first_name": "Test", "last_name": "Sanctioned"});
    let user = server.patch(&format!("/v2/users/{id}")).app_key().json(body).send().await.expect(200).body;
    assert_eq!(user["status"], "in_review");
    assert_eq!((&user["compliance"]["flags"]["ofac"], &user["compliance"]["flagged"]), (&json!(true), &json!(true)));
    assert_eq!(user["compliance"]["flags"]["ofac_status"], "in_review");
}

#[tokio::test]
async fn verify_user() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    let (send, verify) = (format!("/v2/users/{id}/send-verification-token"), format!("/v2/users/{id}/verify"));
    let offer = |token: String| server.post(&verify).app_key().json(json!({ "token": token })).send();

    // send_verification_token
    let sent = server.post(&send).app_key().json(json!({"use_voice": true})).send().await.expect(202);
    assert!(sent.text.is_empty());
    let code = newest_code(&server);
    for _ in 0..4 {
        offer(another(&code)).await.refused(400, "wrong-token");
    }
    // A new code, but not new tries.
    server.post(&send).app_key().send().await.expect(202);
    let code = newest_code(&server);
    offer(another(&code)).await.refused(400, "wrong-token");
    offer(code).await.refused(400, "wrong-token");
    // That one is dead; the next starts a new count.
    server.post(&send).app_key().send().await.expect(202);
    let user = offer(newest_code(&server)).await.expect(200).body;
    assert_eq!((&user["status"], &user["verified"]), (&json!("verified"), &json!(true)));
    server.post(&send).app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn a_wrong_try_is_counted_under_an_idempotency_key_too() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    server.post(&format!("/v2/users/{id}/send-verification-token")).app_key().send().await.expect(202);
    let code = newest_code(&server);
    let path = format!("/v2/users/{id}/verify");
    let offer =
        |token: String| server.post(&path).app_key().idempotency_key("one").json(json!({ "token": token })).send();
    for _ in 0..5 {
        offer(another(&code)).await.refused(400, "wrong-token");
    }
    offer(code).await.refused(400, "wrong-token");
}

#[tokio::test]
async fn send_verification_token_refuses_the_sixth_of_an_hour() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    let path = format!("/v2/users/{id}/send-verification-token");
    for _ in 0..5 {
        server.post(&path).app_key().send().await.expect(202);
    }
    let refused = server.post(&path).app_key().send().await;
    refused.refused(429, "rate-limited");
    assert!(refused.header("retry-after").is_some());
    server.advance(3_601);
    server.post(&path).app_key().send().await.expect(202);
}

#[tokio::test]
async fn set_user_address() {
    let server = Server::start().await;
    let id = create(&server, jane()).await.id();
    let path = format!("/v2/users/{id}/addresses");
    let address =
        json!({"postcode": "10001", "city": "New York", "state": "ny", "country": "US", "line_1": "1 Main St"});
    let first = server.put(&path).app_key().json(address.clone()).send().await.expect(201);
    assert!(first.text.is_empty());
    assert!(server.put(&path).app_key().json(address.clone()).send().await.expect(200).text.is_empty());
    let user = server.get(&format!("/v2/users/{id}")).app_key().send().await.body;
    assert_eq!(user["compliance"]["address_collected"], true);

    let mut wrong = address;
    wrong["state"] = json!("New York");
    wrong["postcode"] = json!("SW1A 1AA");
    let refused = server.put(&path).app_key().json(wrong).send().await;
    assert_eq!((refused.status, refused.fields()), (400, vec!["/state".to_owned(), "/postcode".to_owned()]));
    let missing = server.put(&path).app_key().json(json!({})).send().await;
    assert_eq!(missing.fields(), ["/postcode", "/city", "/state", "/country", "/line_1"]);
    let lines = json!({
        "postcode": "10001", "city": "New\nYork", "state": "NY", "country": "US", "line_1": "1\tMain St", "line_2": "a\nb"
    });
    let broken = server.put(&path).app_key().json(lines).send().await;
    assert_eq!(broken.fields(), ["/city", "/line_1", "/line_2"], "one line is one line");
}

#[tokio::test]
async fn set_user_compliance() {
    let server = Server::start().await;
    let id = create(&server, jane()).await.id();
    let path = format!("/v2/users/{id}/compliance");
    let w9 = json!({
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    });
    let user = server.put(&path).app_key().json(json!({ "w9": w9 })).send().await.expect(200).body;
    let compliance = &user["compliance"];
    for field in ["tax_id_collected", "address_collected", "1099_collected"] {
        assert_eq!(compliance[field], true, "{field}");
    }
    assert_eq!(compliance["tax_id_verification"], "matched");
    assert_eq!(compliance["w9"]["entity_type"], "individual");

    // All errors are reported together, including those between fields.
    let wrong = json!({
        "entity_type": "business", "tax_id": "00-3456789", "line_1": "1 Main St", "city": "New York", "state": "XX",
        "postcode": "1", "certified": false
    });
    let fields = server.put(&path).app_key().json(json!({ "w9": wrong })).send().await.fields();
    let all =
        ["name", "tax_id_type", "state", "postcode", "certified", "business_name"].map(|name| format!("/w9/{name}"));
    assert_eq!(fields, all);
    let unreadable = json!({"entity_type": "firm", "tax_id": "666-45-6789"});
    let fields = server.put(&path).app_key().json(json!({ "w9": unreadable })).send().await.fields();
    assert!(!fields.contains(&"/w9/tax_id".to_owned()), "of which kind it is, is not known: {fields:?}");
    for missing in ["entity_type", "tax_id_type"] {
        let mut unsaid = w9.clone();
        unsaid.as_object_mut().unwrap().remove(missing);
        let refused = server.put(&path).app_key().json(json!({ "w9": unsaid })).send().await;
        refused.refused(400, "invalid-input");
        assert_eq!(refused.fields(), [format!("/w9/{missing}")], "a payee says it under penalties of perjury");
    }
    let mut wrong = w9.clone();
    wrong["tax_id"] = json!("666-45-6789");
    let refused = server.put(&path).app_key().json(json!({ "w9": wrong })).send().await;
    refused.refused(400, "invalid-ssn");
    assert_eq!(refused.fields(), ["/w9/tax_id"]);
    assert!(!refused.text.contains("6789"));
    let w8ben = json!({
        "name": "Jane Doe", "citizenship": "DE", "date_of_birth": "1990-01-31", "foreign_tax_id": "81872495633",
        "line_1": "Hauptstr. 1", "city": "Berlin", "postcode": "10115", "country": "DE", "certified": true
    });
    server.put(&path).app_key().json(json!({ "w9": w9, "w8ben": w8ben })).send().await.refused(400, "invalid-input");
    // A citizen may live elsewhere; an address in a country or region under embargo is refused.
    for (country, city) in
        [("KP", "Pyongyang"), ("IR", "Tehran"), ("CU", "Havana"), ("SY", "Damascus"), ("UA", "Yalta")]
    {
        let mut there = w8ben.clone();
        (there["country"], there["city"]) = (json!(country), json!(city));
        let refused = server.put(&path).app_key().json(json!({ "w8ben": there })).send().await;
        assert!(refused.status == 400 && refused.text.contains("embargo"), "{country}: {}", refused.text);
        assert_eq!(refused.fields(), ["/w8ben/country"], "{country}");
    }
    let mut w8ben = w8ben;
    w8ben["citizenship"] = json!("IR");
    let user = server.put(&path).app_key().json(json!({ "w8ben": w8ben })).send().await.expect(200).body;
    assert_eq!(user["compliance"]["w8_ben_collected"], true);
    assert_eq!((&user["compliance"]["w9"]["entity_type"], &user["country"]), (&Value::Null, &json!("DE")));
}

#[tokio::test]
async fn delete_user() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    verify(&server, &id).await;
    let path = format!("/v2/users/{id}");
    let method = json!({"platform": "wallet_a", "email": "jane@example.com"});
    server.put(&format!("{path}/payout-methods")).app_key().json(method).send().await.expect(200);
    let deleted = server.delete(&path).app_key().send().await.expect(200);
    assert_eq!((deleted.id(), &deleted.body["status"]), (id.clone(), &json!("disabled")));
    for field in ["first_name", "last_name", "email", "phone_number", "default_payout_method_details", "metadata"] {
        assert_eq!(deleted.body[field], Value::Null, "{field}");
    }
    assert_eq!(server.delete(&path).app_key().send().await.expect(200).body, deleted.body);
    assert_eq!(server.get(&path).app_key().send().await.expect(200).body, deleted.body);
    server.patch(&path).app_key().json(json!({"metadata": "x"})).send().await.refused(409, "user-inactive");
    let connect = json!({"user_id": id, "app_id": server.app_id()});
    server.post("/v2/users/connect").as_org().json(connect).send().await.refused(409, "user-inactive");
    // The phone may start again, as another user.
    assert_ne!(create(&server, jane()).await.id(), id);
}

#[tokio::test]
async fn nothing_secret_is_stored_or_emitted_in_clear() {
    let server = Server::memory().await;
    let id = create(&server, jane()).await.id();
    verify(&server, &id).await;
    let code = newest_code(&server);
    let path = format!("/v2/users/{id}");
    let w9 = json!({
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    });
    server.put(&format!("{path}/compliance")).app_key().json(json!({ "w9": w9 })).send().await.expect(200);
    let ach = json!({"platform": "ach", "account_number": "987654321", "routing_number": "110000000"});
    server.put(&format!("{path}/payout-methods")).app_key().json(ach).send().await.expect(200);
    for table in [
        Message::TABLE,
        bursar::users::User::TABLE,
        bursar::payout_methods::PayoutMethod::TABLE,
        bursar::verification::Verification::TABLE,
        bursar::events::EventSegment::TABLE,
        bursar::idempotency::StoredAnswer::TABLE,
    ] {
        let stored = format!("{:?}", server.rows(table));
        for secret in ["123456789", "123-45-6789", "987654321", "1 Main St", code.as_str()] {
            assert!(!stored.contains(secret), "{} holds {secret}", table.name);
        }
    }
}
