//! The story of a bill: a vendor sends it, four members process it, and the vendor is paid once.

use serde_json::json;

use crate::harness::{Desk, Server};

const DAY: i64 = 86_400;

#[tokio::test]
async fn a_bill_is_prepared_approved_and_paid_by_three_different_people() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let before = server.balance("app_wallet").await;

    // The admin requires two approvals for bills from 1,000 dollars on.
    let ann = desk.hire("Ann", "ap_approver").await;
    let approvers = json!([ann, desk.member("ap_approver"), desk.member("admin")]);
    let policy = json!({
        "acting_user_id": desk.member("admin"), "name": "Large bills",
        "conditions": [{"field": "amount", "operator": ">=", "value": 100_000}],
        "steps": [{"num_approvals_required": 2, "approvers": approvers}],
    });
    desk.post("approval-policies", policy).send().await.expect(201);

    // The creator adds a vendor with an account, and the bill for five desks.
    let (vendor, _) = desk.vendor("000123456789").await;
    let items = json!([{"name": "Desk", "quantity": 5, "unit_price": 30_000}]);
    let bill = desk.bill(json!({"number": "INV-77", "ap_vendor_id": vendor, "items": items})).await.expect(201);
    assert_eq!(bill.body["amount"], 150_000);
    let bill = bill.id();
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);

    // The first approver sends it back: there were only four desks.
    let no = json!({"acting_user_id": desk.member("ap_approver"), "comment": "Only four desks came."});
    desk.post(&format!("payables/{bill}/reject"), no).send().await.expect(200);
    let items = json!([{"name": "Desk", "quantity": 4, "unit_price": 30_000}]);
    let mended = desk.update(&bill, json!({"items": items})).await.expect(200).body;
    assert_eq!((&mended["status"], &mended["amount"]), (&json!("created"), &json!(120_000)));
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);

    // Two approve. Before the second approval the bill cannot be paid.
    desk.act(&bill, "approve", "ap_approver").await.expect(200);
    desk.act(&bill, "pay", "payer").await.refused(409, "invalid-state");
    assert_eq!(desk.act(&bill, "approve", &ann).await.expect(200).body["status"], "approved");

    // The payer pays. A day later the vendor has the money, once.
    desk.act(&bill, "pay", "payer").await.expect(200);
    desk.act(&bill, "pay", "admin").await.refused(409, "invalid-state");
    server.work_off().await;
    server.pass(DAY).await;
    let paid = desk.payable(&bill).await;
    assert_eq!(paid["status"], "payment_completed");
    assert_eq!(server.balance("app_wallet").await, before - 120_000);

    // The bill's history names every member who acted.
    let history = paid["action_history"].as_array().unwrap().iter();
    let reported: Vec<String> = history
        .map(|act| format!("{}: {}", act["user_name"].as_str().unwrap(), act["action"].as_str().unwrap()))
        .collect();
    let expected = [
        "Clara Creator: create",
        "Clara Creator: submit_for_approval",
        "Alan Approver: reject",
        "Clara Creator: update",
        "Clara Creator: submit_for_approval",
        "Alan Approver: approve",
        "Ann: approve",
        "Paula Payer: initiate_payment",
    ];
    assert_eq!(reported, expected);
    server.verify();
}
