//! Limits on every way in which money leaves an app or is collected for it, tested with only the app's key.

use bursar::apps::Measure;
use bursar::apps::limit_days::LimitDay;
use bursar::money::Cents;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};

const DAY: i64 = 86_400;

async fn give(server: &Server, user: &str, amount: i64) -> Reply {
    let body = json!({"user_id": user, "amount": -amount});
    server.post("/v2/transfers").app_key().json(body).send().await
}

async fn collect(server: &Server, customer: &str, amount: i64) -> Reply {
    let body = json!({"amount": amount, "platform": "ach", "customer_id": customer});
    server.post("/v2/payments").app_key().json(body).send().await
}

async fn payer(server: &Server, account_number: &str) -> String {
    let customer = server.post("/v2/payment-customers").app_key().json(json!({"name": "Acme Ltd"})).send().await;
    let customer = customer.expect(201).id();
    let account = json!({"account_number": account_number, "routing_number": "110000000"});
    let path = format!("/v2/payment-customers/{customer}/bank-accounts");
    server.post(&path).app_key().json(account).send().await.expect(201);
    customer
}

/// Creates an approved bill.
async fn approved(desk: &Desk<'_>, amount: i64, account_number: &str) -> String {
    let (vendor, _) = desk.vendor(account_number).await;
    let bill = desk.bill(json!({"amount": amount, "ap_vendor_id": vendor})).await.expect(201).id();
    desk.approve(&bill).await;
    bill
}

async fn withdraw(server: &Server, amount: i64) -> Reply {
    let path = format!("/v2/apps/{}/withdraw", server.app_id());
    server.post(&path).app_key().json(json!({"amount": amount})).send().await
}

/// The reproduction of finding C2: limits of $1, and an app key that tries every way around them.
#[tokio::test]
async fn an_app_key_passes_no_limit_by_another_way() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let user = server.banked_user(1234).await;
    let account = json!({"account_number": "000123456789", "routing_number": "110000000"});
    let ach = format!("/v2/apps/{}/ach-account", server.app_id());
    server.put(&ach).app_key().json(account).send().await.expect(200);
    let bill = approved(&desk, 90_000_000, "000123456789").await;
    let acme = payer(&server, "000123456789").await;
    let before = server.balance("app_wallet").await;
    server
        .set(json!({
            "payout_limits": {"per_payout": 100}, "payable_limits": {"per_payable": 100},
            "transfer_limits": {"per_transfer": 100}, "payment_limits": {"per_payment": 100},
        }))
        .await;

    give(&server, &user, 500_000).await.refused(409, "limit-exceeded");
    collect(&server, &acme, 9_999_999_999).await.refused(409, "limit-exceeded");
    desk.act(&bill, "pay", "payer").await.refused(409, "limit-exceeded");
    let order = json!({"user_id": user, "amount": 101, "platform": "ach", "fund": true});
    server.post("/v2/payouts").app_key().json(order).send().await.refused(409, "limit-exceeded");
    // The account was set before the limit: it may be the thief's.
    withdraw(&server, 101).await.refused(403, "organization-key-required");
    let moved = json!({"app_id": server.app_id(), "amount": 101});
    let moved = server.post("/v2/organization-transfers").app_key().json(moved).send().await;
    moved.refused(403, "organization-key-required");
    assert_eq!(server.balance("app_wallet").await, before);

    give(&server, &user, 100).await.expect(200);
    collect(&server, &acme, 100).await.expect(201);
    let path = format!("/v2/apps/{}/withdraw", server.app_id());
    server.post(&path).as_org().json(json!({"amount": 101})).send().await.expect(200);
    server.verify();
}

#[tokio::test]
async fn only_the_organization_sets_limits_and_all_keys_read_them() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let limits = json!({
        "payable_limits": {"per_payable": 1, "per_day": 2}, "payable_approval_limit": 3,
        "transfer_limits": {"per_transfer": 4, "per_day": 5},
        "payment_limits": {"per_payment": 6, "per_payer_per_day": 7, "per_day": 8},
    });
    for (name, limit) in limits.as_object().unwrap() {
        let mut body = serde_json::Map::new();
        body.insert(name.clone(), limit.clone());
        let by_app = server.put(&path).app_key().json(Value::Object(body.clone())).send().await;
        by_app.refused(403, "organization-key-required");
        server.put(&path).as_org().json(Value::Object(body)).send().await.expect(200);
    }
    let read = server.get(&path).app_key().send().await.expect(200).body;
    for (name, limit) in limits.as_object().unwrap() {
        assert_eq!(read[name], *limit, "{name}");
    }
    // An omitted limit is unchanged; null removes one limit, or all of a kind.
    let patch =
        json!({"payment_limits": {"per_payer_per_day": null}, "transfer_limits": null, "payable_approval_limit": null});
    let after = server.put(&path).as_org().json(patch).send().await.expect(200).body;
    assert_eq!(after["payment_limits"], json!({"per_payment": 6, "per_payer_per_day": null, "per_day": 8}));
    assert_eq!(after["transfer_limits"], json!({"per_transfer": null, "per_day": null}));
    assert_eq!(after["payable_approval_limit"], Value::Null);
    let wrong = json!({"payment_limits": {"per_payout": 1}, "transfer_limits": {"per_day": 0}});
    let wrong = server.put(&path).as_org().json(wrong).send().await;
    assert_eq!(
        wrong.refused(400, "invalid-input").fields(),
        ["/transfer_limits/per_day", "/payment_limits/per_payout"]
    );
}

#[tokio::test]
async fn a_days_transfers_to_users_are_limited_until_midnight_utc() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    // Payouts before the limit was set count.
    give(&server, &user, 400).await.expect(200);
    server.set(json!({"transfer_limits": {"per_day": 1_000}})).await;
    let replies = join_all((0..20).map(|_| give(&server, &user, 100))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 6);
    let refused = give(&server, &user, 1).await;
    assert!(refused.refused(409, "limit-exceeded").text.contains("$10.00 are used"), "{}", refused.text);
    // Money that a user gives back does not raise the remaining limit.
    let back = json!({"user_id": user, "amount": 500});
    server.post("/v2/transfers").app_key().json(back).send().await.expect(200);
    give(&server, &user, 1).await.refused(409, "limit-exceeded");
    server.advance(9 * 3_600);
    give(&server, &user, 1_000).await.expect(200);
    server.verify();
}

#[tokio::test]
async fn bills_are_limited_and_a_failed_one_is_given_back() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let (closed, good) = (approved(&desk, 600, "10000002").await, approved(&desk, 600, "000123456789").await);
    let large = approved(&desk, 601, "000987654321").await;
    server.set(json!({"payable_limits": {"per_payable": 600, "per_day": 1_000}})).await;
    let refused = desk.act(&large, "pay", "payer").await;
    assert!(refused.refused(409, "limit-exceeded").text.contains("$6.00"), "{}", refused.text);
    let (first, second) = tokio::join!(desk.act(&closed, "pay", "payer"), desk.act(&closed, "pay", "admin"));
    assert_eq!([first.status, second.status].iter().filter(|status| **status == 200).count(), 1);
    let refused = desk.act(&good, "pay", "payer").await;
    assert!(refused.refused(409, "limit-exceeded").text.contains("$4.00 are left"), "{}", refused.text);
    assert_eq!(desk.payable(&good).await["status"], "approved", "it can be paid another day");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(desk.payable(&closed).await["status"], "payment_failed");
    desk.act(&good, "pay", "payer").await.expect(200);
    server.verify();
}

#[tokio::test]
async fn pay_payable_above_the_approval_limit_needs_the_organizations_key() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (small, large) = (approved(&desk, 1_000, "000123456789").await, approved(&desk, 1_001, "000987654321").await);
    server.set(json!({"payable_approval_limit": 1_000})).await;
    desk.act(&small, "pay", "payer").await.expect(200);
    let refused = desk.act(&large, "pay", "payer").await;
    assert!(refused.refused(403, "organization-key-required").text.contains("$10.00"), "{}", refused.text);
    // Above the limit a new vendor's first account rests for a day, with any key.
    server.advance(DAY);
    desk.act(&large, "pay", "payer").await.refused(403, "organization-key-required");
    let path = format!("/v2/accounts-payable/payables/{large}/pay");
    let body = json!({"acting_user_id": desk.member("payer")});
    let paid = server.post(&path).as_org().for_app(&server.app_id()).json(body).send().await.expect(200);
    assert_eq!(paid.body["status"], "payment_initiated");
    server.verify();
}

#[tokio::test]
async fn payments_are_limited_by_payer_and_by_day_and_a_failed_one_is_given_back() {
    let server = Server::start().await;
    let (acme, mill) = (payer(&server, "000123456789").await, payer(&server, "000987654321").await);
    let closed = payer(&server, "10000002").await;
    let limits = json!({"per_payment": 500, "per_payer_per_day": 800, "per_day": 1_500});
    server.set(json!({"payment_limits": limits})).await;
    collect(&server, &acme, 501).await.refused(409, "limit-exceeded");
    let replies = join_all((0..20).map(|_| collect(&server, &acme, 400))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 2);
    let refused = collect(&server, &acme, 1).await;
    assert!(refused.refused(409, "limit-exceeded").text.contains("one payer"), "{}", refused.text);
    collect(&server, &closed, 500).await.expect(201);
    collect(&server, &mill, 201).await.refused(409, "limit-exceeded");
    collect(&server, &mill, 200).await.expect(201);
    server.verify();
    // A failed payment releases its part of the day's limit.
    let server = Server::start().await;
    let (closed, acme) = (payer(&server, "10000002").await, payer(&server, "000123456789").await);
    server.set(json!({"payment_limits": {"per_day": 500}})).await;
    collect(&server, &closed, 500).await.expect(201);
    collect(&server, &acme, 1).await.refused(409, "limit-exceeded");
    server.work_off().await;
    server.pass(DAY).await;
    server.verify();
}

#[tokio::test]
async fn a_sum_of_each_kind_that_was_tampered_with_is_found() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let user = server.verified_user(1234).await;
    give(&server, &user, 100).await.expect(200);
    let acme = payer(&server, "000123456789").await;
    collect(&server, &acme, 100).await.expect(201);
    let bill = approved(&desk, 100, "000123456789").await;
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.verify();
    for measure in [Measure::Payable, Measure::Transfer, Measure::Payment, Measure::PayerPayment] {
        let findings = server.tampered::<LimitDay>(|day| day.measure == measure, |day| day.total = Cents::new(1));
        assert_eq!(findings.len(), 1, "{measure}");
        assert!(findings[0].what.starts_with("misses 99 cents"), "{measure}: {:?}", findings[0]);
    }
}
