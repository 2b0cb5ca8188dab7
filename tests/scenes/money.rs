//! Payouts, transfers, refills, payments, requests, batches.

use serde_json::{Value, json};

use super::watch::{Covered, Scene};
use crate::harness::Server;

const DAY: i64 = 86_400;

/// Creates a verified user with an account of this number, before the scene reads the log.
async fn banked(server: &Server, account_number: &str) -> String {
    let user = server.verified_user(2001).await;
    let account = json!({"platform": "ach", "routing_number": "110000000", "account_number": account_number});
    server.payout_method(&user, account).await;
    user
}

/// Payouts, from flagged to returned.
pub async fn payouts(covered: &mut Covered) {
    let server = Server::memory().await;
    let user = banked(&server, "000123456789").await;
    server.set(json!({"payout_approval_limit": 10_000})).await;
    let mut scene = Scene::on(server, covered).await;
    let members = scene.server.credentials()["members"].clone();
    let payer = members.as_array().unwrap().iter().find(|member| member["role"] == "payer").unwrap()["id"].clone();
    let payout = |amount: i64| json!({"user_id": user, "amount": amount, "platform": "ach", "fund": true});
    let created: &[&str] = &["transfer.updated #1 created"];
    scene.ask("POST /v2/payouts", payout(500), 201, created).await;
    scene.work(&["transfer.updated #1 pending"]).await;
    scene.pass(DAY, &["transfer.completed #1 completed"]).await;

    let flagged: &[&str] = &["transfer.updated #2 created", "transfer.flagged #2 flagged"];
    let made = scene.ask("POST /v2/payouts", payout(10_001), 201, flagged).await.id();
    let approve = format!("POST /v2/transfers/{made}/approve");
    let pending: &[&str] = &["transfer.updated #2 pending"];
    scene.ask(&approve, json!({"acting_user_id": payer}), 200, pending).await;
    scene.work(&[]).await;
    scene.pass(DAY, &["transfer.completed #2 completed"]).await;

    let flagged: &[&str] = &["transfer.updated #3 created", "transfer.flagged #3 flagged"];
    let made = scene.ask("POST /v2/payouts", payout(10_001), 201, flagged).await.id();
    let cancel = format!("POST /v2/transfers/{made}/cancel");
    scene.ask(&cancel, json!({}), 200, &["transfer.updated #3 canceled"]).await;
    scene.ask(&cancel, json!({}), 200, &[]).await;

    let made = scene.ask("POST /v2/payouts", payout(500), 201, &["transfer.updated #4 created"]).await.id();
    let cancel = format!("POST /v2/transfers/{made}/cancel");
    scene.ask(&cancel, json!({}), 200, &["transfer.updated #4 canceled"]).await;

    // Balances change at once, in both directions.
    let debit = json!({"user_id": user, "amount": -500});
    let moved: &[&str] = &["transfer.updated #5 created", "transfer.completed #5 completed"];
    scene.ask("POST /v2/transfers", debit, 200, moved).await;
    let credit = json!({"user_id": user, "amount": 200});
    let moved: &[&str] = &["transfer.updated #6 created", "transfer.completed #6 completed"];
    scene.ask("POST /v2/transfers", credit, 200, moved).await;
    // A transfer that reaches the year's threshold marks the user.
    let tax = json!({"user_id": user, "amount": -200_000});
    let moved: &[&str] =
        &["user.updated #1 verified", "transfer.updated #7 created", "transfer.completed #7 completed"];
    scene.ask("POST /v2/transfers", tax, 200, moved).await;
}

/// A payout that fails or is returned takes its account out of use.
pub async fn failed_payouts(covered: &mut Covered) {
    let server = Server::memory().await;
    let user = banked(&server, "10000002").await;
    let mut scene = Scene::on(server, covered).await;
    let payout = json!({"user_id": user, "amount": 500, "platform": "ach", "fund": true});
    scene.ask("POST /v2/payouts", payout, 201, &["transfer.updated #1 created"]).await;
    scene.work(&["transfer.updated #1 pending"]).await;
    scene.pass(DAY, &["transfer.failed #1 failed", "user.updated.payout_method #1 verified"]).await;

    let account = json!({
        "platform": "ach", "routing_number": "110000000", "account_number": "20000001", "auto_payout_enabled": true,
        "is_default": true,
    });
    let set: &[&str] = &["user.updated.payout_method #1 verified"];
    scene.ask(&format!("PUT /v2/users/{user}/payout-methods"), account, 200, set).await;
    // An automatic payout: the link is claimed when it is created.
    let sent: &[&str] = &[
        "transfer.updated #2 created",
        "transfer.updated #2 pending",
        "payout_link.updated #1 created",
        "transfer.completed #2 completed",
        "payout_link.claimed #1 claimed",
        "transfer.updated #3 created",
    ];
    scene.ask("POST /v2/payouts/send-payout", json!({"user_id": user, "amount": 500}), 201, sent).await;
    scene.work(&["transfer.updated #3 pending"]).await;
    scene.pass(DAY, &["transfer.completed #3 completed", "payout_link.paid_out #1 claimed"]).await;
    scene.pass(2 * DAY, &["transfer.updated #3 reversed"]).await;
}

/// Money into the app's wallet and out of it.
pub async fn refills(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let app = format!("/v2/apps/{}", scene.server.app_id());
    let deposit = format!("POST {app}/deposit");
    scene.ask(&deposit, json!({"amount": 500}), 200, &["transfer.updated #1 created"]).await;
    scene.work(&["transfer.updated #1 pending"]).await;
    scene.pass(DAY, &["transfer.completed #1 completed"]).await;
    let withdraw = format!("POST {app}/withdraw");
    scene.ask(&withdraw, json!({"amount": 500}), 200, &["transfer.updated #2 created"]).await;
    scene.work(&["transfer.updated #2 pending"]).await;
    scene.pass(DAY, &["transfer.completed #2 completed"]).await;

    // One account that returns money after a while, and a closed one, which goes out of use.
    let account = |number: &str| json!({"account_number": number, "routing_number": "110000000"});
    let set = format!("PUT {app}/ach-account");
    scene.ask(&set, account("20000001"), 200, &["app.updated #1 approved"]).await;
    scene.ask(&deposit, json!({"amount": 500}), 200, &["transfer.updated #3 created"]).await;
    scene.work(&["transfer.updated #3 pending"]).await;
    scene.pass(DAY, &["transfer.completed #3 completed"]).await;
    scene.pass(2 * DAY, &["transfer.updated #3 reversed"]).await;
    scene.ask(&set, account("10000002"), 200, &["app.updated #1 approved"]).await;
    scene.ask(&deposit, json!({"amount": 500}), 200, &["transfer.updated #4 created"]).await;
    scene.work(&["transfer.updated #4 pending"]).await;
    scene.pass(DAY, &["transfer.failed #4 failed", "app.updated #1 approved"]).await;

    let between = json!({"app_id": scene.server.app_id(), "amount": 100});
    let moved: &[&str] = &["transfer.updated #5 created", "transfer.completed #5 completed"];
    scene.ask("POST /v2/organization-transfers", between, 200, moved).await;
}

/// Payments, and their payers.
pub async fn payments(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let reported: &[&str] = &["payment_customer.updated #1"];
    let made = scene.ask("POST /v2/payment-customers", json!({"name": "Acme Ltd"}), 201, reported).await.id();
    let customer = format!("/v2/payment-customers/{made}");
    scene.ask(&format!("PATCH {customer}"), json!({"metadata": "gold"}), 200, reported).await;
    scene.ask(&format!("PATCH {customer}"), json!({"metadata": "gold"}), 200, &[]).await;
    let account = |number: &str| json!({"name": "Acme", "account_number": number, "routing_number": "110000000"});
    let add = format!("POST {customer}/bank-accounts");
    let good = scene.ask(&add, account("000123456789"), 201, reported).await.id();
    let closed = scene.ask(&add, account("10000002"), 201, reported).await.id();
    let back = scene.ask(&add, account("20000001"), 201, reported).await.id();
    let payment = |account: &str| json!({"amount": 500, "platform": "ach", "customer_id": made, "account_id": account});
    scene.ask("POST /v2/payments", payment(&good), 201, &["payment.updated #1 created"]).await;
    scene.work(&["payment.updated #1 pending"]).await;
    scene.pass(DAY, &["payment.updated #1 completed"]).await;
    scene.ask("POST /v2/payments", payment(&closed), 201, &["payment.updated #2 created"]).await;
    scene.work(&["payment.updated #2 pending"]).await;
    scene.pass(DAY, &["payment.updated #2 failed", "payment_customer.updated #1"]).await;
    scene.ask("POST /v2/payments", payment(&back), 201, &["payment.updated #3 created"]).await;
    scene.work(&["payment.updated #3 pending"]).await;
    scene.pass(DAY, &["payment.updated #3 completed"]).await;
    scene.pass(2 * DAY, &["payment.updated #3 reversed"]).await;
    scene.ask(&format!("DELETE {customer}/bank-accounts/{good}"), Value::Null, 200, reported).await;
    scene.ask(&format!("DELETE {customer}"), Value::Null, 200, reported).await;
    scene.ask(&format!("DELETE {customer}"), Value::Null, 404, &[]).await;
}

/// Payout requests.
pub async fn requests(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let asked = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": "2127362001"}});
    let made = scene.ask("POST /v2/payout-requests", asked.clone(), 201, &["payout_request.updated #1 created"]).await;
    let approve = format!("POST /v2/payout-requests/{}/approve", made.id());
    let approved: &[&str] = &[
        "transfer.updated #1 created",
        "transfer.updated #1 pending",
        "payout_link.updated #1 created",
        "payout_link.updated #1 delivery_pending",
        "payout_request.updated #1 approved",
        "payout_link.sent #1 delivered",
    ];
    scene.ask(&approve, Value::Null, 200, approved).await;
    scene.ask(&approve, Value::Null, 200, &[]).await;
    scene.work(&[]).await;
    let made = scene.ask("POST /v2/payout-requests", asked, 201, &["payout_request.updated #2 created"]).await;
    let reject = format!("POST /v2/payout-requests/{}/reject", made.id());
    scene.ask(&reject, json!({"comment": "Not due."}), 200, &["payout_request.updated #2 rejected"]).await;
}

/// Batches, one without errors and one with.
pub async fn batches(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let row = json!({"amount_cents": 100, "delivery_method": "link", "memo": "July"});
    let links = json!({"links": [row]});
    let submitted: &[&str] = &["payout_link_batch.updated #1 submitted"];
    scene.ask("POST /v2/payout-link-batches", links.clone(), 201, submitted).await;
    scene.ask("POST /v2/payout-link-batches", links.clone(), 200, &[]).await;
    scene.ask("POST /v2/payout-link-batches?dry_run=true", links, 200, &[]).await;
    let link = |number: u8| {
        [
            format!("transfer.updated #{number} created"),
            format!("transfer.updated #{number} pending"),
            format!("payout_link.updated #{number} created"),
            format!("payout_link.updated #{number} delivered"),
        ]
    };
    let whole = |batch: u8, end: &str, links: &[u8]| -> Vec<String> {
        let mut lines = vec![format!("payout_link_batch.updated #{batch} processing")];
        lines.extend(links.iter().flat_map(|number| link(*number)));
        lines.push(format!("payout_link_batch.updated #{batch} {end}"));
        lines
    };
    let expected = whole(1, "completed", &[1]);
    scene.work(&expected.iter().map(String::as_str).collect::<Vec<_>>()).await;

    let good = json!({"amount_cents": 100, "delivery_method": "link"});
    let bad = json!({"amount_cents": 9_000_000_000i64, "delivery_method": "link", "memo": "More than there is"});
    let links = json!({"links": [good, bad]});
    scene.ask("POST /v2/payout-link-batches", links, 201, &["payout_link_batch.updated #2 submitted"]).await;
    let expected = whole(2, "completed_with_errors", &[2]);
    scene.work(&expected.iter().map(String::as_str).collect::<Vec<_>>()).await;
}
