//! Payouts over PayPal and Venmo, against a fake that keeps its own records.

use serde_json::{Value, json};

use crate::harness::{FakePayPal, PAYPAL_CLIENT, PAYPAL_SECRET, PayPalFault, Server};
use crate::rails::Rails;

const DAY: i64 = 86_400;

async fn provider(rails: &Rails<'_>, paypal: &FakePayPal) -> Value {
    let new = json!({"name": "PayPal", "kind": "paypal", "url": paypal.url(), "client_id": PAYPAL_CLIENT,
        "secret": PAYPAL_SECRET});
    rails.provider(new).await
}

async fn connected(rails: &Rails<'_>, paypal: &FakePayPal) -> Value {
    let provider = provider(rails, paypal).await;
    rails.route("wallet_a", provider["id"].as_str().unwrap()).await;
    provider
}

async fn expect(rails: &Rails<'_>, transfer: &str, status: &str, error: Option<&str>) {
    assert_eq!(rails.status(transfer).await, (status.to_owned(), error.map(str::to_owned)));
}

#[tokio::test]
async fn paypal_and_venmo_payouts_are_one_batch_each_with_exact_amounts() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let id = connected(&rails, &paypal).await["id"].as_str().unwrap().to_owned();
    rails.route("wallet_b", &id).await;
    let user = rails.payee(1001, "jane@example.com").await;
    let first = rails.pay(&user).await;
    server.payout_method(&user, json!({"platform": "wallet_b", "handle": "jane-doe"})).await;
    let second = rails.paying(&user, "wallet_b").await.expect(201).id();
    server.work_off().await;
    for (transfer, kind, receiver, wallet) in
        [(&first, "EMAIL", "jane@example.com", "PAYPAL"), (&second, "USER_HANDLE", "jane-doe", "VENMO")]
    {
        let shown = server.get(&format!("/v2/transfers/{transfer}")).app_key().send().await.expect(200).body;
        let cents: i64 = shown["payout_amount"].as_str().unwrap().parse().unwrap();
        let items = paypal.items(transfer);
        assert_eq!(items.len(), 1);
        let value = format!("{}.{:02}", cents / 100, cents % 100);
        assert_eq!(items[0]["amount"], json!({"value": value, "currency": "USD"}));
        assert_eq!((&items[0]["recipient_type"], &items[0]["receiver"]), (&json!(kind), &json!(receiver)));
        assert_eq!(items[0]["recipient_wallet"], wallet);
        paypal.say(transfer, "SUCCESS", None);
    }
    server.pass(DAY).await;
    expect(&rails, &first, "completed", None).await;
    expect(&rails, &second, "completed", None).await;
    let payment = rails.payment(&first).await;
    assert_eq!((&payment["reference"], &payment["provider_fee"]), (&json!("BATCH1"), &json!(25)));
    assert_eq!(paypal.tokens(), 1, "the token is kept until it expires");
    server.verify();
}

#[tokio::test]
async fn every_status_of_paypal_has_its_outcome() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    connected(&rails, &paypal).await;
    for (line, (status, error, state, code)) in (1001..).zip([
        ("FAILED", Some("RECEIVER_COUNTRY_NOT_ALLOWED"), "failed", Some("account_not_eligible")),
        ("BLOCKED", None, "failed", Some("rejected_by_rail")),
        ("DENIED", Some("RECEIVER_ACCOUNT_LOCKED"), "failed", Some("account_frozen")),
        ("PENDING", None, "pending", None),
        ("ONHOLD", None, "pending", None),
        ("UNCLAIMED", Some("RECEIVER_UNREGISTERED"), "pending", None),
        ("SOMETHING_NEW", None, "pending", None),
        ("RETURNED", Some("RECEIVER_UNREGISTERED"), "failed", Some("recipient_not_found")),
        ("REFUNDED", None, "reversed", Some("rejected_by_rail")),
        ("REVERSED", None, "reversed", Some("rejected_by_rail")),
        ("SUCCESS", None, "completed", None),
    ]) {
        let user = rails.payee(line, &format!("jane{line}@example.com")).await;
        let transfer = rails.pay(&user).await;
        server.work_off().await;
        paypal.say(&transfer, status, error);
        server.pass(7_200).await;
        expect(&rails, &transfer, state, code).await;
    }
    // Completed, and returned later.
    let user = rails.payee(1101, "joe@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    paypal.say(&transfer, "SUCCESS", None);
    server.pass(7_200).await;
    paypal.say(&transfer, "RETURNED", None);
    server.pass(2 * DAY).await;
    expect(&rails, &transfer, "reversed", Some("rejected_by_rail")).await;
    // A whole batch that is denied.
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    paypal.deny(&transfer);
    server.pass(7_200).await;
    expect(&rails, &transfer, "failed", Some("rejected_by_rail")).await;
    server.verify();
}

#[tokio::test]
async fn a_lost_answer_of_paypal_is_found_by_the_same_batch_id() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    connected(&rails, &paypal).await;
    let faults: [&[PayPalFault]; 5] = [
        &[PayPalFault::LoseRequest],
        &[PayPalFault::LoseAnswer],
        &[PayPalFault::Busy, PayPalFault::LoseAnswer],
        &[PayPalFault::BrokenAfter],
        &[PayPalFault::TokenEnded],
    ];
    for (line, faults) in (1001..).zip(faults) {
        let user = rails.payee(line, &format!("jane{line}@example.com")).await;
        paypal.fail(faults);
        let transfer = rails.pay(&user).await;
        server.work_off().await;
        expect(&rails, &transfer, "created", None).await;
        for _ in faults {
            server.pass(3_600).await;
        }
        expect(&rails, &transfer, "pending", None).await;
        assert_eq!((paypal.items(&transfer).len(), paypal.posts(&transfer)), (1, faults.len() + 1), "{faults:?}");
    }
    server.verify();
}

#[tokio::test]
async fn a_refusal_of_paypal_fails_and_a_low_balance_waits() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    connected(&rails, &paypal).await;
    let user = rails.payee(1001, "locked@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    expect(&rails, &transfer, "failed", Some("account_frozen")).await;
    paypal.set_balance(1);
    let user = rails.payee(1002, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    server.pass(3_600).await;
    expect(&rails, &transfer, "created", None).await;
    assert!(rails.get("/v2/bank/providers").await["data"][0]["short_of_funds_since"].is_string());
    paypal.set_balance(1_000_000);
    server.pass(3_600).await;
    expect(&rails, &transfer, "pending", None).await;
    assert_eq!(paypal.items(&transfer).len(), 1);
    server.verify();
}

/// PayPal may refuse the account before it looks for the first batch.
#[tokio::test]
async fn a_refused_repetition_says_nothing_about_the_first_batch() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    connected(&rails, &paypal).await;
    let user = rails.payee(1001, "jane@example.com").await;
    paypal.fail(&[PayPalFault::LoseAnswer, PayPalFault::Restricted]);
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    server.pass(3_600).await;
    assert_eq!((paypal.posts(&transfer), paypal.items(&transfer).len()), (2, 1), "it was paid once, and refused once");
    expect(&rails, &transfer, "created", None).await;
    let doubt = "it refused the repetition of a batch that it may have paid; clear it up with PayPal";
    assert_eq!(rails.payment(&transfer).await["doubt"], doubt);
    server.pass(3_600).await;
    expect(&rails, &transfer, "pending", None).await;
    assert_eq!(paypal.items(&transfer).len(), 1);
    // The control: the same refusal of a first batch is an outcome.
    paypal.fail(&[PayPalFault::Restricted]);
    let refused = rails.pay(&user).await;
    server.work_off().await;
    expect(&rails, &refused, "failed", Some("rejected_by_rail")).await;
    server.verify();
}

/// A payment that no look-up can clear up is decided by two members with evidence, and by nothing else.
#[tokio::test]
async fn decide_rail_payment_needs_a_doubt_and_two_members() {
    for (outcome, status, error) in [("failed", "failed", Some("rejected_by_rail")), ("completed", "completed", None)] {
        let paypal = FakePayPal::start().await;
        let server = Server::beside_programs().await;
        let rails = Rails::of(&server);
        connected(&rails, &paypal).await;
        let user = rails.payee(1001, "jane@example.com").await;
        let known = rails.pay(&user).await;
        server.work_off().await;
        let path = |transfer: &str| format!("/v2/bank/provider-payments/{transfer}/decide");
        let evidence = |outcome: &str| json!({"outcome": outcome, "evidence": "Support, case 4711."});
        rails.post(&path(&known), "payer", evidence(outcome)).await.refused(409, "invalid-state");

        paypal.fail(&[PayPalFault::LoseRequest, PayPalFault::Restricted]);
        let transfer = rails.pay(&user).await;
        server.work_off().await;
        server.pass(60).await;
        expect(&rails, &transfer, "created", None).await;
        let path = path(&transfer);
        rails.post(&path, "viewer", evidence(outcome)).await.refused(403, "not-permitted");
        let other = if outcome == "failed" { "completed" } else { "failed" };
        rails.post(&path, "admin", evidence(other)).await.expect(200);
        let proposed = rails.post(&path, "payer", evidence(outcome)).await.expect(200).body;
        assert_eq!((&proposed["status"], &proposed["decision"]["outcome"]), (&json!("attempted"), &json!(outcome)));
        rails.post(&path, "payer", evidence(outcome)).await.refused(403, "self-approval");
        expect(&rails, &transfer, "created", None).await;
        let decided = rails.post(&path, "admin", evidence(outcome)).await.expect(200).body;
        assert_eq!((&decided["doubt"], decided["decision"]["confirmed_by"].is_string()), (&Value::Null, true));
        let posts = paypal.posts(&transfer);
        server.pass(60).await;
        expect(&rails, &transfer, status, error).await;
        assert_eq!(paypal.posts(&transfer), posts, "the provider is not called again");
        rails.post(&path, "payer", evidence(outcome)).await.refused(409, "invalid-state");
        server.verify();
    }
}

/// Evidence that a payment failed says nothing about a later attempt.
#[tokio::test]
async fn a_payment_that_may_have_failed_is_not_handed_over_until_it_is_decided() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    connected(&rails, &paypal).await;
    let user = rails.payee(1001, "jane@example.com").await;
    paypal.fail(&[PayPalFault::LoseRequest, PayPalFault::Restricted]);
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    server.pass(60).await;
    let path = format!("/v2/bank/provider-payments/{transfer}/decide");
    let failed = json!({"outcome": "failed", "evidence": "Support, case 4711: no batch has this id."});
    rails.post(&path, "payer", failed.clone()).await.expect(200);
    let posts = paypal.posts(&transfer);
    server.pass(2 * DAY).await;
    assert_eq!(paypal.posts(&transfer), posts, "the evidence stays true");
    // A proposal without a confirmation holds the payment for three days only.
    paypal.fail(&[PayPalFault::LoseRequest]);
    server.pass(DAY + 60).await;
    server.pass(3_600).await;
    expect(&rails, &transfer, "pending", None).await;
    assert_eq!(paypal.items(&transfer).len(), 1);
    server.verify();
}

/// PayPal forgets the id of a batch after 30 days: a hand-over after that would pay twice.
#[tokio::test]
async fn a_payment_in_doubt_is_not_handed_over_again_after_29_days() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    connected(&rails, &paypal).await;
    let user = rails.payee(1001, "jane@example.com").await;
    paypal.fail(&[PayPalFault::LoseAnswer]);
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    // bursar does not run for 30 days.
    server.pass(30 * DAY).await;
    server.pass(DAY).await;
    assert_eq!(paypal.posts(&transfer), 1);
    expect(&rails, &transfer, "created", None).await;
    let payment = rails.payment(&transfer).await;
    assert_eq!(payment["doubt"], "it was handed over 29 days ago; clear it up with the provider");
    server.verify();
}

#[tokio::test]
async fn an_event_of_paypal_hastens_the_look_up_and_is_not_believed() {
    let paypal = FakePayPal::start().await;
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let provider = connected(&rails, &paypal).await;
    let path = provider["nudge_path"].as_str().unwrap().to_owned();
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    let post = || server.post(&path).json(paypal.event(&transfer)).send();
    post().await.expect(204);
    server.work_off().await;
    expect(&rails, &transfer, "pending", None).await;
    paypal.say(&transfer, "SUCCESS", None);
    post().await.expect(204);
    server.work_off().await;
    expect(&rails, &transfer, "completed", None).await;
}
