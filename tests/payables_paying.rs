//! Paying payables: once, the approved amount, to the approved account.

use bursar::ids::TransferId;
use bursar::money::Cents;
use bursar::payables::{Payable, PayableStatus};
use bursar::transfers::Transfer;
use bursar::world::Record;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Desk, Server};

const DAY: i64 = 86_400;
const SHORT_OF: i64 = 100_000_001;

/// Creates an approved payable of five dollars for a vendor with this account.
async fn approved(desk: &Desk<'_>, account_number: &str) -> String {
    let (vendor, _) = desk.vendor(account_number).await;
    let bill = desk.bill(json!({"amount": 500, "ap_vendor_id": vendor})).await.expect(201).id();
    desk.approve(&bill).await;
    bill
}

#[tokio::test]
async fn pay_payable_moves_the_approved_amount_to_the_vendor() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let before = server.balance("app_wallet").await;
    let bill = approved(&desk, "000123456789").await;
    let key = "0198c0de-0000-7000-8000-00000000abcd";
    let body = json!({"acting_user_id": desk.member("payer"), "idempotency_key": key});
    let paying = desk.post(&format!("payables/{bill}/pay"), body).send().await.expect(200).body;
    assert_eq!(paying["status"], "payment_initiated");
    let attempt = &paying["transfer_history"][0];
    assert_eq!((&attempt["idempotency_key"], &attempt["transfer_id"]), (&json!(key), &paying["transfer_id"]));
    assert_eq!(server.balance("app_wallet").await, before - 500);
    assert_eq!(server.balance("app_held").await, 500);

    server.work_off().await;
    let path = format!("/v2/transfers/{}", paying["transfer_id"].as_str().unwrap());
    let transfer = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!((&transfer["type"], &transfer["status"]), (&json!("payable"), &json!("pending")));
    assert_eq!((&transfer["amount"], &transfer["external_data"]["platform"]), (&json!("500"), &json!("ach")));
    server.pass(DAY).await;
    let paid = desk.payable(&bill).await;
    assert_eq!(paid["status"], "payment_completed");
    assert_eq!(server.balance("app_held").await, 0);
    assert_eq!(server.balance("clearing").await, 0);
    assert_eq!(server.balance("app_wallet").await, before - 500, "no fee: what was approved is what it costs");
    let apps = server.get("/v2/apps").app_key().send().await.expect(200).body;
    assert_eq!(apps[0]["metrics"]["money_out"], 500);
    desk.act(&bill, "pay", "payer").await.refused(409, "invalid-state");
    server.verify();
}

#[tokio::test]
async fn pay_payable_is_refused_when_the_wallet_is_short() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(SHORT_OF).await;
    desk.approve(&bill).await;
    desk.act(&bill, "pay", "payer").await.refused(402, "transaction-insufficient-funds");
    let payable = desk.payable(&bill).await;
    assert_eq!((&payable["status"], &payable["transfer_history"]), (&json!("approved"), &json!([])));
    server.verify();
}

#[tokio::test]
async fn pay_payable_pays_once_under_any_keys() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let bill = approved(&desk, "000123456789").await;
    let body = json!({"acting_user_id": desk.member("admin")});
    let pay = |key: usize| {
        let asked = desk.post(&format!("payables/{bill}/pay"), body.clone());
        asked.idempotency_key(&format!("key-{key}")).send()
    };
    let replies = join_all((0..30).map(pay)).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.refused(409, "invalid-state");
    }
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(desk.payable(&bill).await["transfer_history"].as_array().unwrap().len(), 1);
    server.verify();
}

#[tokio::test]
async fn a_payment_that_failed_gives_the_money_back_and_is_tried_again() {
    let mut server = Server::start().await;
    let bill = {
        let desk = Desk::of(&server);
        let before = server.balance("app_wallet").await;
        let bill = approved(&desk, "10000002").await;
        desk.act(&bill, "pay", "payer").await.expect(200);
        server.work_off().await;
        server.pass(DAY).await;
        let failed = desk.payable(&bill).await;
        assert_eq!(failed["status"], "payment_failed");
        let path = format!("/v2/transfers/{}", failed["transfer_id"].as_str().unwrap());
        let transfer = server.get(&path).app_key().send().await.expect(200).body;
        assert_eq!((&transfer["status"], &transfer["error"]), (&json!("failed"), &json!("account_closed")));
        assert_eq!(server.balance("app_wallet").await, before);
        desk.act(&bill, "pay", "payer").await.expect(200);
        bill
    };
    // The program ends between the jobs of the two attempts: nothing is lost, nothing is done twice.
    server.restart().await;
    server.work_off().await;
    server.pass(DAY).await;
    let desk = Desk::of(&server);
    let failed = desk.payable(&bill).await;
    let actions: Vec<&Value> =
        failed["action_history"].as_array().unwrap().iter().map(|action| &action["action"]).collect();
    assert_eq!(actions[3..], [&json!("initiate_payment"), &json!("retry_payment")]);
    assert_eq!(failed["transfer_history"].as_array().unwrap().len(), 2);
    server.verify();
}

#[tokio::test]
async fn after_a_failed_payment_another_account_takes_another_approval() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let bill = approved(&desk, "10000002").await;
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    desk.update(&bill, json!({"amount": 400})).await.refused(409, "invalid-state");

    let vendor = desk.payable(&bill).await["ap_vendor_id"].as_str().unwrap().to_owned();
    let method = desk.account(&vendor, "000123456789").await.expect(201).id();
    let confirm = format!("vendors/{vendor}/payment-methods/{method}/confirm");
    desk.post(&confirm, json!({"acting_user_id": desk.member("admin")})).send().await.expect(200);
    desk.act(&bill, "reject", "ap_approver").await.expect(200);
    desk.update(&bill, json!({"ap_payment_method_id": method, "amount": 400})).await.expect(200);
    desk.act(&bill, "pay", "payer").await.refused(409, "invalid-state");
    desk.approve(&bill).await;
    server.advance(DAY);
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    let paid = desk.payable(&bill).await;
    assert_eq!((&paid["status"], &paid["amount"]), (&json!("payment_completed"), &json!(400)));
    server.verify();
}

#[tokio::test]
async fn a_payment_that_came_back_is_failed_and_may_be_paid_again() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let before = server.balance("app_wallet").await;
    let bill = approved(&desk, "20000003").await;
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(desk.payable(&bill).await["status"], "payment_completed");
    server.pass(2 * DAY).await;
    let returned = desk.payable(&bill).await;
    assert_eq!(returned["status"], "payment_failed");
    assert_eq!(server.balance("app_wallet").await, before, "the money is back, so paying again pays once");
    desk.act(&bill, "pay", "payer").await.expect(200);
    assert_eq!(server.balance("app_wallet").await, before - 500);
    server.verify();
}

#[tokio::test]
async fn a_removed_member_does_not_pay_and_a_viewer_never_did() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = approved(&desk, "000123456789").await;
    desk.act(&bill, "pay", "viewer").await.refused(403, "not-permitted");
    desk.dismiss("payer").await;
    desk.act(&bill, "pay", "payer").await.refused(404, "not-found");
    desk.act(&bill, "pay", "admin").await.expect(200);
}

/// Returns the findings of `bursar verify` for invariant 12 after a stored row was changed.
fn findings_after<R: Record>(server: &Server, choose: impl Fn(&R) -> bool, edit: impl Fn(&mut R)) -> Vec<String> {
    let findings = server.tampered(choose, edit);
    assert!(findings.iter().all(|finding| finding.invariant == 12), "{findings:?}");
    findings.into_iter().map(|finding| finding.what).collect()
}

/// The negative control of invariant 12: each break is found, and a correct store has none.
#[tokio::test]
async fn verify_finds_payables_that_were_tampered_with() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = approved(&desk, "000123456789").await;
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.work_off().await;
    server.verify();

    let payable = |edit: &dyn Fn(&mut Payable)| findings_after::<Payable>(&server, |_| true, edit);
    let transfer = |edit: &dyn Fn(&mut Transfer)| findings_after::<Transfer>(&server, |_| true, edit);
    assert_eq!(payable(&|row| row.amount = Cents::new(501)), ["differs from the submitted payable"]);
    let other = |row: &mut Payable| row.terms.as_mut().unwrap().0.amount = Cents::new(501);
    assert_eq!(payable(&other), ["differs from the submitted payable", "is paid on terms that were not approved"]);
    assert_eq!(transfer(&|row| row.arrives = Cents::new(501)), ["is paid at an amount that was not approved"]);
    assert_eq!(transfer(&|row| row.bank_account = None), ["is paid to an account that was not approved"]);
    let by_submitter = |row: &mut Payable| {
        let given = row.approval_steps.0[0].approvals.iter().find(|approval| approval.given == Some(true)).unwrap();
        row.submitted_by = Some(given.member);
    };
    assert_eq!(payable(&by_submitter), ["was approved by its submitter"]);
    let unapproved = |row: &mut Payable| row.approval_steps.0.clear();
    assert_eq!(payable(&unapproved), ["is approved, but its approvals are not complete"]);
    let reopened = |row: &mut Payable| row.status = PayableStatus::Approved;
    assert_eq!(payable(&reopened), ["its state differs from the state of its last transfer"]);
    let forgotten = |row: &mut Payable| row.transfer_history.0.clear();
    assert!(payable(&forgotten).contains(&"a transfer of type payable is in the history of 0 payables".to_owned()));
    let twice = |row: &mut Payable| {
        let attempt = row.transfer_history.0[0];
        row.transfer_history.0.push(attempt);
    };
    assert!(payable(&twice).contains(&"is paid more than once".to_owned()));
    let nowhere = |row: &mut Payable| {
        let mut attempt = row.transfer_history.0[0];
        attempt.transfer = TransferId(uuid::Uuid::nil());
        row.transfer_history.0 = vec![attempt];
    };
    assert!(payable(&nowhere).contains(&"a transfer of its history is missing".to_owned()));
}
