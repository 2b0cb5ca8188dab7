//! Debits of payers: the stored authorization, the notice, and the payment hold before the money can leave.

use bursar::transfers::Debit;
use bursar::world::Record;
use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};

const DAY: i64 = 86_400;
const FULL: i64 = 100_000_000;

/// Creates a payment customer with a bank account and an e-mail address.
async fn payer(server: &Server, account_number: &str) -> String {
    let customer = json!({"name": "Acme Ltd", "email": "billing@acme.example"});
    let customer = server.post("/v2/payment-customers").app_key().json(customer).send().await.expect(201).id();
    let account = json!({"account_number": account_number, "routing_number": "110000000"});
    let path = format!("/v2/payment-customers/{customer}/bank-accounts");
    server.post(&path).app_key().json(account).send().await.expect(201);
    customer
}

async fn collect(server: &Server, customer: &str, more: Value) -> Reply {
    let mut body = json!({"amount": 5_000, "platform": "ach", "customer_id": customer});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post("/v2/payments").app_key().json(body).send().await
}

async fn debit(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/transfers/{id}")).app_key().send().await.expect(200).body["debit"].clone()
}

async fn metrics(server: &Server) -> [i64; 3] {
    let app = server.get(&format!("/v2/apps/{}", server.app_id())).app_key().send().await.expect(200).body;
    ["wallet_balance", "wallet_available", "wallet_held"].map(|name| app["metrics"][name].as_i64().unwrap())
}

/// The reproduction of finding H2: a debit was authorized, and the payer is notified.
#[tokio::test]
async fn each_payment_keeps_its_authorization_and_the_payer_receives_a_notice() {
    let server = Server::start().await;
    let acme = payer(&server, "000123456789").await;
    let accepted = json!({
        "accepted_at": "2026-01-31T12:00:00Z", "text": "I authorize Acme to debit $50.00.", "reference": "mandate-7",
    });
    let made = collect(&server, &acme, json!({"authorization": accepted})).await.expect(201);
    let expected = json!({
        "authorization": {
            "type": "per_payment", "accepted_at": "2026-01-31T12:00:00.000000Z",
            "text": "I authorize Acme to debit $50.00.", "reference": "mandate-7",
            "channel": null, "account_validation": null,
        },
        "held": false, "available_at": null,
    });
    assert_eq!(made.body["debit"], expected);
    assert_eq!(debit(&server, &made.id()).await, expected);
    server.work_off().await;
    let notice = server.newest_message("billing@acme.example").await["text"].as_str().unwrap().to_owned();
    for part in ["$50.00", "ending in 6789", "did not agree", "60 days"] {
        assert!(notice.contains(part), "{part}: {notice}");
    }

    // A user is notified by text; without an authorization the app's general statement is stored.
    let user = server.banked_user(1234).await;
    let body = json!({"amount": 700, "platform": "ach", "user_id": user});
    let made = server.post("/v2/payments").app_key().json(body).send().await.expect(201);
    assert_eq!(made.body["debit"]["authorization"]["type"], "attested");
    assert!(made.body["debit"]["authorization"]["text"].as_str().unwrap().contains("attests"));
    server.work_off().await;
    let notice = server.newest_message("+12127361234").await["text"].as_str().unwrap().to_owned();
    assert!(notice.contains("$7.00"), "{notice}");
    // A payout is not a debit.
    let order = json!({"user_id": user, "amount": 500, "platform": "ach", "fund": true});
    let payout = server.post("/v2/payouts").app_key().json(order).send().await.expect(201);
    assert_eq!(payout.body["debit"], Value::Null);
    server.verify();
}

#[tokio::test]
async fn create_payment_without_an_authorization_is_refused_where_each_needs_one() {
    let server = Server::start().await;
    server.set(json!({"payment_authorization": "per_payment"})).await;
    let acme = payer(&server, "000123456789").await;
    let refused = collect(&server, &acme, json!({})).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/authorization"]);
    let future = json!({"authorization": {"accepted_at": "2100-01-01T00:00:00Z", "text": "Yes."}});
    let refused = collect(&server, &acme, future).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/authorization/accepted_at"]);
    let wrong = collect(&server, &acme, json!({"authorization": {"reference": ""}})).await;
    let fields = ["/authorization/reference", "/authorization/accepted_at", "/authorization/text"];
    let mut found = wrong.refused(400, "invalid-input").fields();
    found.sort_unstable();
    let mut fields = fields.map(str::to_owned).to_vec();
    fields.sort_unstable();
    assert_eq!(found, fields);
    assert_eq!(server.rows(Debit::TABLE).len(), 0, "what was refused leaves nothing");

    // A payer who cannot receive the notice is not debited.
    let silent = server.post("/v2/payment-customers").app_key().json(json!({"name": "Mill"})).send().await;
    let silent = silent.expect(201).id();
    let info = json!({"account_number": "000987654321", "routing_number": "110000000"});
    let accepted = json!({"accepted_at": "2026-01-31T12:00:00Z", "text": "Yes."});
    let unheard = collect(&server, &silent, json!({"authorization": accepted, "ach_info": info})).await;
    unheard.refused(409, "user-info-missing");
    collect(&server, &acme, json!({"authorization": accepted})).await.expect(201);
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let lift = json!({"payment_authorization": "attested", "payment_hold_days": 0});
    server.put(&path).app_key().json(lift).send().await.refused(403, "organization-key-required");
}

#[tokio::test]
async fn collected_money_leaves_by_no_way_before_its_hold_is_over() {
    let mut server = Server::start().await;
    server.set(json!({"payment_hold_days": 3})).await;
    let acme = payer(&server, "000123456789").await;
    let made = collect(&server, &acme, json!({"amount": 5_000})).await.expect(201);
    let user = server.banked_user(1234).await;
    let form = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn", "name": "Jane Doe", "tax_id": "123-45-6789",
        "line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "certified": true
    }});
    server.put(&format!("/v2/users/{user}/compliance")).app_key().json(form).send().await.expect(200);
    let account = json!({"account_number": "000123456789", "routing_number": "110000000"});
    let ach = format!("/v2/apps/{}/ach-account", server.app_id());
    server.put(&ach).app_key().json(account).send().await.expect(200);
    let bill = {
        let desk = Desk::of(&server);
        let bill = desk.good_bill(FULL + 1).await;
        desk.approve(&bill).await;
        bill
    };
    server.work_off().await;
    server.pass(DAY).await;
    let held = debit(&server, &made.id()).await;
    assert_eq!(held["held"], true);
    assert!(held["available_at"].is_string());
    assert_eq!((server.balance("app_wallet").await, server.balance("app_collected").await), (FULL, 5_000));
    assert_eq!(metrics(&server).await, [FULL, FULL, 5_000]);

    // A thief tries each way out with one cent more than the wallet holds without the payment.
    let amount = FULL + 1;
    let short = "transaction-insufficient-funds";
    let post = |path: &str, body: Value| server.post(path).app_key().json(body).send();
    post("/v2/transfers", json!({"user_id": user, "amount": -amount})).await.refused(402, short);
    let order = json!({"user_id": user, "amount": amount, "platform": "ach", "fund": true});
    post("/v2/payouts", order).await.refused(402, short);
    let link = json!({"amount": amount, "payee": {"country_code": "1", "phone_number": "2127361299"}});
    post("/v2/payout-links", link.clone()).await.refused(402, short);
    post("/v2/payouts/send-payout", link).await.refused(402, short);
    post(&format!("/v2/apps/{}/withdraw", server.app_id()), json!({"amount": amount})).await.refused(402, short);
    Desk::of(&server).act(&bill, "pay", "payer").await.refused(402, short);
    let moved = json!({"app_id": server.app_id(), "amount": amount});
    server.post("/v2/organization-transfers").as_org().json(moved).send().await.refused(402, short);
    server.verify();

    // A lowered setting does not release existing holds, nor does a restart.
    server.set(json!({"payment_hold_days": 0})).await;
    server.restart().await;
    server.work_off().await;
    assert_eq!(server.balance("app_wallet").await, FULL);
    server.pass(5 * DAY).await;
    assert_eq!((server.balance("app_wallet").await, server.balance("app_collected").await), (FULL + 5_000, 0));
    assert_eq!(metrics(&server).await, [FULL + 5_000, FULL + 5_000, 0]);
    assert_eq!(debit(&server, &made.id()).await["held"], false);
    let path = format!("/v2/apps/{}/withdraw", server.app_id());
    server.post(&path).app_key().json(json!({"amount": amount})).send().await.expect(200);
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let events = events["data"].as_array().unwrap();
    let reported = events.iter().filter(|event| event["object"]["id"] == made.id().as_str());
    assert!(reported.clone().all(|event| event["name"] == "payment.updated"));
    assert_eq!(reported.count(), 4, "made, pending, completed, released");
    server.verify();
}

#[tokio::test]
async fn a_bank_that_takes_held_money_back_leaves_no_debt() {
    let server = Server::start().await;
    server.set(json!({"payment_hold_days": 10})).await;
    let acme = payer(&server, "20000010").await;
    let made = collect(&server, &acme, json!({})).await.expect(201);
    let user = server.verified_user(1234).await;
    let all = json!({"user_id": user, "amount": -FULL});
    server.post("/v2/transfers").app_key().json(all).send().await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!((server.balance("app_wallet").await, server.balance("app_collected").await), (0, 5_000));
    let app = format!("/v2/apps/{}", server.app_id());
    server.delete(&app).as_org().send().await.refused(409, "invalid-state");
    server.pass(2 * DAY).await;
    let back = server.get(&format!("/v2/transfers/{}", made.id())).app_key().send().await.expect(200).body;
    assert_eq!(back["status"], "reversed");
    assert_eq!((&back["debit"]["held"], &back["debit"]["available_at"]), (&json!(false), &Value::Null));
    assert_eq!((server.balance("app_collected").await, server.balance("clearing").await), (0, 0));
    server.pass(20 * DAY).await;
    assert_eq!(server.balance("app_wallet").await, 0, "nothing is released that was taken back");
    server.verify();
}

#[tokio::test]
async fn held_payments_that_were_tampered_with_are_found() {
    let server = Server::memory().await;
    server.set(json!({"payment_hold_days": 10})).await;
    let acme = payer(&server, "000123456789").await;
    collect(&server, &acme, json!({})).await.expect(201);
    let findings = server.tampered::<Debit>(|_| true, |debit| debit.held = true);
    assert!(findings.iter().any(|finding| finding.what.contains("not completed")), "{findings:?}");
    server.work_off().await;
    server.pass(DAY).await;
    server.verify();
    let findings = server.tampered::<Debit>(|_| true, |debit| debit.held = false);
    assert_eq!(findings[0].what, "held payments exceed the app's balance of them by -5000 cents");
    let findings = server.tampered::<Debit>(|_| true, |debit| debit.available_at = None);
    assert_eq!(findings[0].what, "has no end of its payment hold");
}
