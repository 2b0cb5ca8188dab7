//! Warnings about a user, the payouts that they flag, and the findings of members: documents, background checks,
//! notices of the tax office.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::screening::member;

const DAY: i64 = 86_400;

async fn user(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body
}

async fn flag(server: &Server, id: &str, name: &str) -> bool {
    user(server, id).await["compliance"]["flags"][name].as_bool().unwrap()
}

/// Records findings, as an administrator.
async fn say(server: &Server, id: &str, findings: Value) -> Reply {
    let mut body = json!({"acting_user_id": member(server, "admin"), "comment": "Papers seen."});
    body.as_object_mut().unwrap().extend(findings.as_object().unwrap().clone());
    let asked = server.patch(&format!("/v2/users/{id}/compliance")).as_org().for_app(&server.app_id());
    asked.json(body).send().await
}

async fn decisions(server: &Server, id: &str) -> Vec<Value> {
    let path = format!("/v2/users/{id}/compliance-decisions");
    let list = server.get(&path).app_key().send().await.expect(200).body;
    list["data"].as_array().unwrap().clone()
}

async fn pay(server: &Server, user: &str, platform: &str) -> Reply {
    let order = json!({"user_id": user, "amount": 10_000, "platform": platform, "fund": true});
    server.post("/v2/payouts").app_key().json(order).send().await
}

async fn approve(server: &Server, transfer: &str) -> Reply {
    let body = json!({"acting_user_id": member(server, "payer")});
    let asked = server.post(&format!("/v2/transfers/{transfer}/approve")).as_org().for_app(&server.app_id());
    asked.json(body).send().await
}

fn collected_by(name: &str) -> Value {
    json!({"platform": "intl_transfer", "name": name, "country": "MX", "phone_number": "+525512345678"})
}

#[tokio::test]
async fn update_user_compliance_and_list_compliance_decisions() {
    let server = Server::start().await;
    let id = server.user(1234).await;
    let check = |status: &str| json!({"background_check": {"status": status}});
    say(&server, &id, check("started")).await.expect(200);
    server.advance(60);
    let passed = say(&server, &id, check("consider")).await.expect(200).body;
    let check_now = &passed["compliance"]["background_check"];
    assert_eq!(check_now["status"], "consider");
    assert!(check_now["updated"].as_str().unwrap().starts_with("2026-03-02T15:01:00"), "{check_now}");
    let weighed = json!({
        "id_verified": true, "has_criminal_activity": true, "background_check": {"status": "pass"},
        "flags": {"payout_method": true},
    });
    let shown = say(&server, &id, weighed.clone()).await.expect(200).body["compliance"].clone();
    assert_eq!([&shown["id_verified"], &shown["has_criminal_activity"], &shown["flagged"]], [true, true, true]);
    // A repetition changes nothing, and emits nothing.
    let events = server.get("/v2/events?name=user.updated&limit=100").app_key().send().await.expect(200).body;
    assert_eq!(events["data"].as_array().unwrap().len(), 4, "made, and three decisions");
    say(&server, &id, weighed).await.expect(200);
    let after = server.get("/v2/events?name=user.updated&limit=100").app_key().send().await.expect(200).body;
    assert_eq!(events, after);

    let reported = decisions(&server, &id).await;
    assert_eq!(reported.len(), 3);
    assert_eq!(
        [&reported[0]["decided_by"], &reported[0]["comment"]],
        [&json!(member(&server, "admin")), &json!("Papers seen.")]
    );
    assert_eq!(
        reported[0]["changes"],
        json!([
            {"field": "id_verified", "from": "false", "to": "true"},
            {"field": "has_criminal_activity", "from": "false", "to": "true"},
            {"field": "background_check.status", "from": "consider", "to": "pass"},
            {"field": "flags.payout_method", "from": "false", "to": "true"},
        ])
    );
    say(&server, &id, check("pending")).await.refused(409, "invalid-state");
    say(&server, &id, check("not_started")).await.expect(200);
    server.verify();
}

#[tokio::test]
async fn only_an_administrator_decides_about_a_users_compliance() {
    let server = Server::memory().await;
    let id = server.user(1234).await;
    let path = format!("/v2/users/{id}/compliance");
    let body = |role: &str| json!({"acting_user_id": member(&server, role), "comment": "x", "id_verified": true});
    let ask = |body: Value| server.patch(&path).as_org().for_app(&server.app_id()).json(body).send();
    for role in ["viewer", "payer", "ap_approver", "ap_creator"] {
        ask(body(role)).await.refused(403, "not-permitted");
    }
    server.patch(&path).app_key().json(body("admin")).send().await.refused(403, "organization-key-required");
    server.patch(&path).as_org().json(body("admin")).send().await.refused(400, "app-id-required");

    let wrong = json!({
        "id_verified": null, "has_criminal_activity": "no", "background_check": {"status": "passed"},
        "tax_id_verification": "unsubmitted", "flags": {"ofac_status": "flagged", "ofac": false},
    });
    let fields = ask(wrong).await.fields();
    let expected = [
        "/acting_user_id",
        "/comment",
        "/id_verified",
        "/has_criminal_activity",
        "/background_check/status",
        "/tax_id_verification",
        "/flags/ofac",
        "/flags/ofac_status",
    ];
    assert_eq!(fields, expected);
    let nothing = json!({"acting_user_id": member(&server, "admin"), "comment": "x", "flags": {}});
    ask(nothing).await.expect(200);
    assert!(decisions(&server, &id).await.is_empty(), "what says nothing leaves nothing");
    for refused in [json!({"tax_id_verification": "matched"}), json!({"flags": {"ofac_status": "in_review"}})] {
        say(&server, &id, refused).await.refused(409, "invalid-state");
    }
    ask(body("admin")).await.expect(200);
    server.delete(&format!("/v2/users/{id}")).app_key().send().await.expect(200);
    ask(body("admin")).await.refused(409, "user-inactive");
    assert_eq!(decisions(&server, &id).await.len(), 1, "what was decided about somebody who is gone stays");
    server.get("/v2/users/nobody/compliance-decisions").app_key().send().await.refused(404, "not-found");
}

#[tokio::test]
async fn an_account_of_another_person_holds_payouts_until_a_member_reviews_it() {
    let server = Server::start().await;
    let id = server.verified_user(1234).await;
    for name in ["DOE, Jane", "Jane Mary Doe", "Jané Doe"] {
        server.payout_method(&id, collected_by(name)).await;
        assert!(!flag(&server, &id, "name_mismatch").await, "{name}");
    }
    server.payout_method(&id, collected_by("Richard Roe")).await;
    assert!(flag(&server, &id, "name_mismatch").await);
    assert_eq!(user(&server, &id).await["compliance"]["flagged"], true);

    // The money is held; the payout waits until a member has approved it.
    let held = pay(&server, &id, "intl_transfer").await.expect(201);
    assert_eq!(held.body["status"], "flagged");
    server.work_off().await;
    assert_eq!(server.balance("clearing").await, 10_000);
    assert_eq!(approve(&server, &held.id()).await.expect(200).body["status"], "pending");

    // An additional correct name does not end a warning; a member does, and then payouts continue.
    server.payout_method(&id, collected_by("Jane M. Doe")).await;
    assert_eq!(pay(&server, &id, "intl_transfer").await.expect(201).body["status"], "flagged");
    say(&server, &id, json!({"flags": {"name_mismatch": false}})).await.expect(200);
    assert_eq!(pay(&server, &id, "intl_transfer").await.expect(201).body["status"], "created");
    // The reviewed account needs no second review.
    server.payout_method(&id, collected_by("Richard Roe")).await;
    assert!(!flag(&server, &id, "name_mismatch").await);
    server.verify();
}

#[tokio::test]
async fn the_holder_of_an_iban_is_compared_too_and_a_business_is_known_by_its_name() {
    let server = Server::memory().await;
    let id = server.verified_user(1234).await;
    let iban = |holder: &str, iban: &str| json!({"platform": "intl_bank", "iban": iban, "account_holder_name": holder});
    let w9 = json!({"w9": {
        "entity_type": "business", "tax_id_type": "ein", "name": "Jane Doe", "business_name": "Doe Flowers",
        "tax_id": "12-3456789",
        "line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "certified": true
    }});
    server.put(&format!("/v2/users/{id}/compliance")).app_key().json(w9).send().await.expect(200);
    server.payout_method(&id, iban("Doe Flowers", "DE89370400440532013000")).await;
    assert!(!flag(&server, &id, "name_mismatch").await);
    server.payout_method(&id, iban("Roe Motors", "GB29NWBK60161331926819")).await;
    assert!(flag(&server, &id, "name_mismatch").await);
}

#[tokio::test]
async fn a_rail_that_finds_another_name_raises_the_warning() {
    let server = Server::start().await;
    let id = server.verified_user(1234).await;
    let wallet = json!({"platform": "wallet_c", "cash_tag": "fail-name_mismatch"});
    server.payout_method(&id, wallet).await;
    pay(&server, &id, "wallet_c").await.expect(201);
    server.work_off().await;
    assert!(!flag(&server, &id, "name_mismatch").await, "the rail has not said so yet");
    server.pass(2 * DAY).await;
    assert!(flag(&server, &id, "name_mismatch").await);
    server.verify();
}

#[tokio::test]
async fn another_name_takes_a_checked_document_back_and_is_compared_with_the_accounts() {
    let server = Server::memory().await;
    let id = server.verified_user(1234).await;
    server.payout_method(&id, collected_by("Jane Doe")).await;
    say(&server, &id, json!({"id_verified": true})).await.expect(200);
    let rename = |body: Value| server.patch(&format!("/v2/users/{id}")).app_key().json(body).send();
    let same = rename(json!({"first_name": "Jane", "metadata": "gold"})).await.expect(200).body;
    assert_eq!(same["compliance"]["id_verified"], true);
    let other = rename(json!({"first_name": "Richard", "last_name": "Roe"})).await.expect(200).body;
    assert_eq!([&other["compliance"]["id_verified"], &other["compliance"]["flags"]["name_mismatch"]], [false, true]);
}

#[tokio::test]
async fn the_fifteenth_payout_method_of_thirty_days_is_a_warning() {
    let server = Server::memory().await;
    let id = server.verified_user(1234).await;
    let tag = |number: u32| json!({"platform": "wallet_c", "cash_tag": format!("jane{number}")});
    for number in 1..=14 {
        server.payout_method(&id, tag(number)).await;
    }
    // An existing method, and a card without a destination, do not count.
    server.payout_method(&id, tag(1)).await;
    server.payout_method(&id, json!({"platform": "gift_card_a"})).await;
    assert!(!flag(&server, &id, "payout_method_cycle").await);
    assert_eq!(pay(&server, &id, "wallet_c").await.expect(201).body["status"], "created");

    // Removing a method and setting it up again counts: that is a cycle.
    let first = server.payout_method(&id, tag(1)).await;
    let path = format!("/v2/users/{id}/payout-methods/{first}");
    server.delete(&path).app_key().send().await.expect(200);
    server.payout_method(&id, tag(1)).await;
    assert!(flag(&server, &id, "payout_method_cycle").await);
    assert_eq!(pay(&server, &id, "wallet_c").await.expect(201).body["status"], "flagged");

    say(&server, &id, json!({"flags": {"payout_method_cycle": false}})).await.expect(200);
    for number in 15..=28 {
        server.payout_method(&id, tag(number)).await;
    }
    assert!(!flag(&server, &id, "payout_method_cycle").await, "the count began anew");
    server.advance(31 * DAY);
    server.payout_method(&id, tag(29)).await;
    assert!(!flag(&server, &id, "payout_method_cycle").await, "what is older than thirty days does not count");
    server.verify();
}

#[tokio::test]
async fn a_held_payout_by_preference_waits_too() {
    let server = Server::memory().await;
    let id = server.banked_user(1234).await;
    server
        .patch(&format!("/v2/users/{id}"))
        .app_key()
        .json(json!({"auto_payout_enabled": true}))
        .send()
        .await
        .expect(200);
    say(&server, &id, json!({"flags": {"name_mismatch": true}})).await.expect(200);
    let body = json!({"amount": 1_000, "user_id": id});
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201);
    let flagged = server.get("/v2/transfers?status=flagged").app_key().send().await.expect(200).body;
    let held = flagged["data"][0]["id"].as_str().expect("the payout waits").to_owned();
    server.post(&format!("/v2/transfers/{held}/cancel")).app_key().send().await.expect(200);
    server.verify();
}

#[tokio::test]
async fn the_holder_of_an_account_and_the_names_on_a_tax_form_are_screened() {
    let server = Server::memory().await;
    let id = server.verified_user(1234).await;
    server.payout_method(&id, collected_by("Test Sanctioned")).await;
    assert_eq!(user(&server, &id).await["status"], "in_review");
    pay(&server, &id, "intl_transfer").await.refused(409, "invalid-state");

    let other = server.verified_user(1235).await;
    let w9 = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Test Sanctioned", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    }});
    let path = format!("/v2/users/{other}/compliance");
    assert_eq!(server.put(&path).app_key().json(w9).send().await.expect(200).body["status"], "in_review");
    let found = server.get(&format!("/v2/users/{other}/screening")).app_key().send().await.expect(200).body;
    assert_eq!([&found["name"], &found["hits"][0]["screened_name"]], ["Jane Doe", "Test Sanctioned"]);
}

#[tokio::test]
async fn a_form_whose_number_is_another_persons_makes_a_new_one_due() {
    let server = Server::memory().await;
    let id = server.banked_user(1234).await;
    let w9 = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    }});
    let path = format!("/v2/users/{id}/compliance");
    server.put(&path).app_key().json(w9.clone()).send().await.expect(200);
    let order = json!({"user_id": id, "amount": 250_000, "platform": "ach", "fund": true});
    server.post("/v2/payouts").app_key().json(order.clone()).send().await.expect(201);
    let shown = say(&server, &id, json!({"tax_id_verification": "mismatched"})).await.expect(200).body;
    assert_eq!(shown["compliance"]["tax_id_verification"], "mismatched");
    server.post("/v2/payouts").app_key().json(order.clone()).send().await.refused(409, "user-info-missing");
    let mended = server.put(&path).app_key().json(w9).send().await.expect(200).body;
    assert_eq!(mended["compliance"]["tax_id_verification"], "matched");
    server.post("/v2/payouts").app_key().json(order).send().await.expect(201);
}

#[tokio::test]
async fn a_review_that_waits_for_a_document_resumes_when_it_was_seen() {
    let server = Server::memory().await;
    let person = json!({
        "first_name": "Test", "last_name": "Sanctioned", "email": "test@example.com",
        "country_code": "1", "phone_number": "2127361234",
    });
    let id = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    let awaited = json!({"flags": {"ofac_status": "id_verification_required"}});
    let shown = say(&server, &id, awaited).await.expect(200).body;
    let flags = &shown["compliance"]["flags"];
    assert_eq!(
        [&shown["status"], &flags["ofac_status"], &flags["ofac"]],
        [&json!("in_review"), &json!("id_verification_required"), &json!(true)]
    );
    let shown = say(&server, &id, json!({"id_verified": true})).await.expect(200).body;
    assert_eq!(shown["compliance"]["flags"]["ofac_status"], "in_review");
    let changes = decisions(&server, &id).await[0]["changes"].as_array().unwrap().len();
    assert_eq!(changes, 2, "the document, and the review that goes on by it");
}
