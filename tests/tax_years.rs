//! 1099 thresholds: the payments that count in a tax year, the hold until the form is given, and its release.

use bursar::money::Cents;
use bursar::users::TaxYear;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";
/// The threshold of 2026, in cents; the tests' clock begins in March of that year.
const THRESHOLD: i64 = 200_000;
const DAY: i64 = 86_400;

fn w9() -> Value {
    json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    }})
}

fn w8ben() -> Value {
    json!({"w8ben": {
        "name": "Jane Doe", "citizenship": "DE", "date_of_birth": "1990-01-31", "foreign_tax_id": "81872495633",
        "line_1": "Hauptstr. 1", "city": "Berlin", "postcode": "10115", "country": "DE", "certified": true
    }})
}

/// Creates a verified user with a bank account.
async fn payee(server: &Server) -> String {
    let body = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": PHONE
    });
    let id = server.post("/v2/users").app_key().json(body).send().await.expect(201).id();
    let path = format!("/v2/users/{id}");
    server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
    let code = server.newest_code(&format!("+1{PHONE}")).await;
    server.post(&format!("{path}/verify")).app_key().json(json!({ "token": code })).send().await.expect(200);
    let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": "123456789"});
    server.put(&format!("{path}/payout-methods")).app_key().json(bank).send().await.expect(200);
    id
}

/// Moves money: to the user if it is below zero.
async fn give(server: &Server, id: &str, amount: i64) {
    let body = json!({"user_id": id, "amount": amount});
    server.post("/v2/transfers").app_key().json(body).send().await.expect(200);
}

async fn compliance(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body["compliance"].clone()
}

async fn must_collect(server: &Server, id: &str) -> bool {
    compliance(server, id).await["must_collect_1099"].as_bool().unwrap()
}

async fn send(server: &Server, extra: Value) -> Value {
    let mut body = json!({"payee": {"country_code": "1", "phone_number": PHONE}});
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body
}

/// Opens a session of the newest link: the claim's path and session.
async fn open_session(server: &Server, link: &Value) -> (String, String, Value) {
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let path = format!("/v2/claims/{token}");
    let contact = json!({"country_code": "1", "phone_number": PHONE});
    server.post(&format!("{path}/contact")).json(contact).send().await.expect(200);
    let code = server.newest_code(&format!("+1{PHONE}")).await;
    let opened = server.post(&format!("{path}/code")).json(json!({ "token": code })).send().await.expect(200).body;
    (path, opened["session"].as_str().unwrap().to_owned(), opened)
}

async fn take(server: &Server, session: &(String, String, Value), step: &str, body: Value) -> Reply {
    server.post(&format!("{}/{step}", session.0)).header("claim-session", &session.1).json(body).send().await
}

async fn user_events(server: &Server, id: &str) -> usize {
    let (mut count, mut after) = (0, 0);
    loop {
        let path = format!("/v2/events?limit=100&after={after}");
        let events = server.get(&path).app_key().send().await.expect(200).body;
        let page = events["data"].as_array().unwrap().clone();
        count += page.iter().filter(|event| event["object_id"] == *id && event["name"] == "user.updated").count();
        match page.last() {
            Some(last) if events["has_more"] == true => after = last["sequence"].as_i64().unwrap(),
            Some(_) | None => return count,
        }
    }
}

#[tokio::test]
async fn a_cent_below_the_threshold_nothing_is_due_and_at_it_the_form_is() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let before = user_events(&server, &id).await;
    give(&server, &id, -(THRESHOLD - 1)).await;
    assert!(!must_collect(&server, &id).await);
    assert_eq!(compliance(&server, &id).await["tax_id_verification"], "not_required");
    assert_eq!(user_events(&server, &id).await, before, "nothing changed about the user");
    give(&server, &id, -1).await;
    assert!(must_collect(&server, &id).await);
    assert_eq!(compliance(&server, &id).await["tax_id_verification"], "unsubmitted");
    assert_eq!(user_events(&server, &id).await, before + 1);

    // Money that goes back is subtracted.
    give(&server, &id, 1).await;
    assert!(!must_collect(&server, &id).await);
    assert_eq!(user_events(&server, &id).await, before + 2);
}

#[tokio::test]
async fn a_claim_that_reaches_the_threshold_asks_for_the_form_and_the_form_releases_it() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let link = send(&server, json!({"amount": THRESHOLD})).await;
    let session = open_session(&server, &link).await;
    assert_eq!(session.2["next_step"]["name"], "compliance", "{}", session.2);
    assert!(must_collect(&server, &id).await, "it waits for the form");
    take(&server, &session, "payout", json!({})).await.refused(409, "user-info-missing");
    let after = take(&server, &session, "compliance", w9()).await.expect(200).body;
    assert_eq!(after["next_step"]["name"], "payout");
    assert!(after["completed_steps"].as_array().unwrap().contains(&json!("compliance")));
    let done = take(&server, &session, "payout", json!({})).await.expect(200).body;
    assert_eq!((&done["status"], &done["remaining_amount"]), (&json!("claimed"), &json!(0)));
    let compliance = compliance(&server, &id).await;
    assert_eq!((&compliance["must_collect_1099"], &compliance["1099_collected"]), (&json!(true), &json!(true)));
    assert_eq!(compliance["tax_id_verification"], "matched");
}

#[tokio::test]
async fn a_claim_below_the_threshold_asks_for_no_form() {
    let server = Server::memory().await;
    payee(&server).await;
    let link = send(&server, json!({"amount": THRESHOLD - 1})).await;
    let session = open_session(&server, &link).await;
    assert_eq!(session.2["next_step"]["name"], "payout");
    take(&server, &session, "payout", json!({})).await.expect(200);
    // The next cent would reach it.
    let session = open_session(&server, &send(&server, json!({"amount": 1})).await).await;
    assert_eq!(session.2["next_step"]["name"], "compliance");
}

#[tokio::test]
async fn two_open_claims_are_not_paid_past_the_threshold() {
    let server = Server::memory().await;
    payee(&server).await;
    let (first, second) =
        (send(&server, json!({"amount": 150_000})).await, send(&server, json!({"amount": 150_000})).await);
    let (first, second) = (open_session(&server, &first).await, open_session(&server, &second).await);
    assert_eq!(second.2["next_step"]["name"], "payout", "alone, neither reaches it");
    let answers = join_all([&first, &second].map(|session| take(&server, session, "payout", json!({})))).await;
    let paid = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(paid, 1, "whoever comes second reaches it");
    answers.iter().find(|answer| answer.status != 200).unwrap().refused(409, "user-info-missing");
}

#[tokio::test]
async fn an_automatic_payout_falls_back_to_a_link_with_the_form() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let auto = json!({"auto_payout_enabled": true});
    server.patch(&format!("/v2/users/{id}")).app_key().json(auto).send().await.expect(200);
    assert_eq!(send(&server, json!({"amount": 150_000})).await["status"], "claimed");
    let link = send(&server, json!({"amount": 50_000})).await;
    assert_eq!(link["status"], "delivery_pending", "it waits for the payee");
    assert!(must_collect(&server, &id).await);
    let session = open_session(&server, &link).await;
    assert_eq!(session.2["next_step"]["name"], "compliance");
    take(&server, &session, "compliance", w9()).await.expect(200);
    take(&server, &session, "payout", json!({})).await.expect(200);
    // From now on automatic payouts continue.
    assert_eq!(send(&server, json!({"amount": 50_000})).await["status"], "claimed");
}

#[tokio::test]
async fn what_is_tax_exempt_does_not_count_and_is_not_held() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let session = open_session(&server, &send(&server, json!({"amount": THRESHOLD, "tax_exempt": true})).await).await;
    assert_eq!(session.2["next_step"]["name"], "payout");
    take(&server, &session, "payout", json!({})).await.expect(200);
    assert!(!must_collect(&server, &id).await);
    give(&server, &id, -THRESHOLD).await;
    assert!(must_collect(&server, &id).await);
    let session = open_session(&server, &send(&server, json!({"amount": 500, "tax_exempt": true})).await).await;
    take(&server, &session, "payout", json!({})).await.expect(200);
}

#[tokio::test]
async fn a_foreign_person_gives_a_w_8ben_and_nothing_is_reported() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    give(&server, &id, -THRESHOLD).await;
    let user = server.put(&format!("/v2/users/{id}/compliance")).app_key().json(w8ben()).send().await.expect(200).body;
    let compliance = &user["compliance"];
    assert_eq!((&compliance["w8_ben_collected"], &compliance["must_collect_1099"]), (&json!(true), &json!(false)));
    assert_eq!(compliance["1099_collected"], false);
    let session = open_session(&server, &send(&server, json!({"amount": THRESHOLD})).await).await;
    let mut embargoed = w8ben();
    embargoed["w8ben"]["country"] = json!("IR");
    let refused = take(&server, &session, "compliance", embargoed).await;
    assert!(refused.status == 400 && refused.text.contains("embargo"), "{}", refused.text);
    take(&server, &session, "payout", json!({})).await.expect(200);
}

#[tokio::test]
async fn the_users_adjustment_counts_in_its_own_year_and_form() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    give(&server, &id, -(THRESHOLD - 1_000)).await;
    for (year, form, amount, due) in [
        (2026, "1099-NEC", 1_000, true),
        (2026, "1099-NEC", 999, false),
        (2025, "1099-NEC", 1_000, false),
        (2026, "1099-K", 1_000, false),
        (2026, "1099-NEC", -1_000, false),
    ] {
        let body = json!({"1099_adjustment": {"year": year, "form": form, "amount": amount}});
        let user = server.patch(&format!("/v2/users/{id}")).app_key().json(body).send().await.expect(200).body;
        assert_eq!(user["compliance"]["must_collect_1099"], due, "{year} {form} {amount}");
    }
    give(&server, &id, -1_000).await;
    assert!(!must_collect(&server, &id).await, "1000 cents less, by the adjustment");
    let clear = json!({"1099_adjustment": null});
    server.patch(&format!("/v2/users/{id}")).app_key().json(clear).send().await.expect(200);
    assert!(must_collect(&server, &id).await);
}

#[tokio::test]
async fn a_new_year_begins_at_nothing() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    give(&server, &id, -THRESHOLD).await;
    assert!(must_collect(&server, &id).await);
    // From the 2nd of March to the last hour of the year, and one hour further.
    server.advance(304 * DAY + 8 * 3_600);
    assert!(must_collect(&server, &id).await);
    server.advance(3_600);
    assert!(!must_collect(&server, &id).await);
    // A payment of last year that goes back now is not subtracted from this year.
    give(&server, &id, THRESHOLD).await;
    give(&server, &id, -(THRESHOLD - 1)).await;
    assert!(!must_collect(&server, &id).await);
    give(&server, &id, -1).await;
    assert!(must_collect(&server, &id).await);
}

#[tokio::test]
async fn each_app_counts_what_it_paid_itself() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    let body = json!({"user_id": id, "app_id": other});
    server.post("/v2/users/connect").as_org().json(body).send().await.expect(200);
    give(&server, &id, -THRESHOLD).await;
    assert!(must_collect(&server, &id).await);
    let seen = server.get(&format!("/v2/users/{id}")).as_org().for_app(&other).send().await.expect(200).body;
    assert_eq!(seen["compliance"]["must_collect_1099"], false);
}

#[tokio::test]
async fn many_transfers_at_once_are_all_counted() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let before = user_events(&server, &id).await;
    join_all((0..50).map(|_| give(&server, &id, -THRESHOLD / 50))).await;
    assert!(must_collect(&server, &id).await);
    assert_eq!(user_events(&server, &id).await, before + 1);
    give(&server, &id, 1).await;
    assert!(!must_collect(&server, &id).await, "exactly the threshold was counted");
}

#[tokio::test]
async fn a_payout_that_the_app_funds_counts_and_is_refused_until_the_form_is_there() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let pay = |amount: i64, exempt: bool| {
        let body = json!({"user_id": id, "amount": amount, "platform": "ach", "fund": true, "tax_exempt": exempt});
        server.post("/v2/payouts").app_key().json(body).send()
    };
    pay(THRESHOLD - 1, false).await.expect(201);
    let refused = pay(100, false).await;
    refused.refused(409, "user-info-missing");
    assert!(refused.text.contains("W-9"), "{}", refused.text);
    pay(100, true).await.expect(201);
    assert!(!must_collect(&server, &id).await, "what was refused was not paid");
    server.put(&format!("/v2/users/{id}/compliance")).app_key().json(w9()).send().await.expect(200);
    pay(100, false).await.expect(201);
    assert!(must_collect(&server, &id).await);
}

#[tokio::test]
async fn a_funded_payout_that_fails_is_taken_off_again() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let closed = json!({"platform": "ach", "routing_number": "110000000", "account_number": "10000002"});
    let account = server.put(&format!("/v2/users/{id}/payout-methods")).app_key().json(closed).send().await.expect(200);
    let body = json!({
        "user_id": id, "amount": THRESHOLD - 1, "platform": "ach", "account_id": account.id(), "fund": true
    });
    server.post("/v2/payouts").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    server.pass(2 * DAY).await;
    give(&server, &id, -(THRESHOLD - 1)).await;
    assert!(!must_collect(&server, &id).await, "the failed payout counts no more");
    give(&server, &id, -1).await;
    assert!(must_collect(&server, &id).await);
}

/// The negative control: a year that differs from its transfers is found, and a correct one is not.
#[tokio::test]
async fn verify_finds_a_tax_year_that_was_tampered_with() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    give(&server, &id, -5_000).await;
    give(&server, &id, 1_000).await;
    let payout = json!({"user_id": id, "amount": 700, "platform": "ach", "fund": true});
    server.post("/v2/payouts").app_key().json(payout).send().await.expect(201);
    server.work_off().await;
    server.pass(DAY).await;
    server.verify();
    let findings = server.tampered::<TaxYear>(|_| true, |year| year.reportable = Cents::new(4_699));
    let found: Vec<_> = findings.into_iter().map(|finding| (finding.invariant, finding.what)).collect();
    assert_eq!(found, [(3, "records 4699 cents; its transfers sum to 4700".to_owned())]);
    server.verify();
}

/// It was counted in the year of the payment, and so the other year does not lose it.
#[tokio::test]
async fn a_payout_of_last_year_that_fails_takes_nothing_off_this_year() {
    let server = Server::memory().await;
    let id = payee(&server).await;
    let dead = json!({"platform": "ach", "routing_number": "110000000", "account_number": "10000001"});
    let dead = server.put(&format!("/v2/users/{id}/payout-methods")).app_key().json(dead).send().await.expect(200).id();
    // From the 2nd of March to the last hour of the year.
    server.advance(304 * DAY + 8 * 3_600);
    let body = json!({"user_id": id, "amount": 1_000, "platform": "ach", "account_id": dead, "fund": true});
    let paid = server.post("/v2/payouts").app_key().json(body).send().await.expect(201).id();
    server.work_off().await;
    server.pass(2 * 3_600).await;
    give(&server, &id, -THRESHOLD).await;
    assert!(must_collect(&server, &id).await);
    server.pass(DAY).await;
    let failed = server.get(&format!("/v2/transfers/{paid}")).app_key().send().await.expect(200).body;
    assert_eq!(failed["status"], "failed");
    assert!(must_collect(&server, &id).await, "this year's sum is what this year was paid");
    server.verify();
}
