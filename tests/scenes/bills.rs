//! Accounts payable: vendors and their accounts, policies, bills.

use serde_json::{Value, json};

use super::watch::{Covered, Scene};
use crate::harness::{Desk, Server};

const DAY: i64 = 86_400;
const AP: &str = "/v2/accounts-payable";

/// A scene and the members of its desk.
struct Office<'a> {
    scene: Scene<'a>,
    members: Vec<(String, String)>,
}

impl<'a> Office<'a> {
    async fn open(covered: &'a mut Covered) -> Self {
        let scene = Scene::on(Server::memory().await, covered).await;
        let roles = ["admin", "payer", "ap_approver", "ap_creator"];
        let desk = Desk::of(&scene.server);
        let members = roles.map(|role| (role.to_owned(), desk.member(role))).to_vec();
        Self { scene, members }
    }

    fn member(&self, role: &str) -> &str {
        &self.members.iter().find(|(known, _)| known == role).unwrap().1
    }

    /// Runs an act of a member.
    async fn act(&mut self, what: &str, role: &str, mut body: Value, status: u16, expected: &[&str]) -> String {
        body["acting_user_id"] = json!(self.member(role));
        let (method, path) = what.split_once(' ').unwrap();
        let reply = self.scene.ask(&format!("{method} {AP}{path}"), body, status, expected).await;
        reply.body["id"].as_str().unwrap_or_default().to_owned()
    }

    async fn delete(&mut self, path: &str, expected: &[&str]) {
        self.scene.ask(&format!("DELETE {AP}{path}"), Value::Null, 200, expected).await;
    }

    /// Creates a vendor and its account of this number; the scene's first of each.
    async fn vendor(&mut self, account_number: &str) -> String {
        let body = json!({"name": "Corner Shop", "address": {
            "line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US",
        }});
        let vendor = self.scene.ask(&format!("POST {AP}/vendors"), body, 201, &["vendor.updated #1 active"]).await.id();
        let account = account(account_number);
        let reported: &[&str] = &["vendor_payment_method.updated #1 confirmed"];
        self.act(&format!("POST /vendors/{vendor}/payment-methods"), "ap_creator", account, 201, reported).await;
        vendor
    }
}

fn account(number: &str) -> Value {
    json!({"name": "Corner Shop", "account_number": number, "routing_number": "110000000"})
}

/// Vendors, their accounts, and the approvals of bills.
pub async fn vendors_and_policies(covered: &mut Covered) {
    let mut office = Office::open(covered).await;
    let vendor = office.vendor("000123456789").await;
    let methods = format!("/vendors/{vendor}/payment-methods");
    let second: &[&str] = &["vendor_payment_method.updated #2 unconfirmed"];
    let add = format!("POST {methods}");
    let method = office.act(&add, "ap_creator", account("000987654321"), 201, second).await;
    let confirmed: &[&str] = &["vendor_payment_method.updated #2 confirmed"];
    let confirm = format!("POST {methods}/{method}/confirm");
    office.act(&confirm, "ap_approver", json!({}), 200, confirmed).await;
    let deleted: &[&str] = &["vendor_payment_method.updated #2 deleted"];
    office.delete(&format!("{methods}/{method}"), deleted).await;
    office.delete(&format!("{methods}/{method}"), &[]).await;
    let third: &[&str] = &["vendor_payment_method.updated #3 unconfirmed"];
    let method = office.act(&add, "ap_creator", account("000987654322"), 201, third).await;
    office.delete(&format!("{methods}/{method}"), &["vendor_payment_method.updated #3 deleted"]).await;
    office
        .act(&add, "ap_creator", account("000987654323"), 201, &["vendor_payment_method.updated #4 unconfirmed"])
        .await;

    // The vendor's accounts are deleted with it.
    let gone: &[&str] = &[
        "vendor_payment_method.updated #1 deleted",
        "vendor_payment_method.updated #4 deleted",
        "vendor.updated #1 deleted",
    ];
    office.delete(&format!("/vendors/{vendor}"), gone).await;
    office.delete(&format!("/vendors/{vendor}"), &[]).await;

    let policy = json!({"steps": [{"approvers": [office.member("ap_approver")]}]});
    let reported: &[&str] = &["approval_policy.updated #1"];
    let policy = office.act("POST /approval-policies", "admin", policy, 201, reported).await;
    let path = format!("/approval-policies/{policy}");
    office.act(&format!("PATCH {path}"), "admin", json!({"priority": 7}), 200, reported).await;
    office.delete(&path, reported).await;
    office.delete(&path, &[]).await;
}

/// A bill from its first draft to its payment, with every transition.
pub async fn bills(covered: &mut Covered) {
    let mut office = Office::open(covered).await;
    let vendor = office.vendor("000123456789").await;
    // Two approvals, so that the first of them is a separate step.
    let approvers = [office.member("ap_approver"), office.member("admin")];
    let policy = json!({"steps": [{"num_approvals_required": 2, "approvers": approvers}]});
    office.act("POST /approval-policies", "admin", policy, 201, &["approval_policy.updated #1"]).await;

    let fields = json!({"number": "INV-1", "amount": 500, "ap_vendor_id": vendor});
    let created: &[&str] = &["payable.updated #1 created"];
    let bill = office.act("POST /payables", "ap_creator", fields.clone(), 201, created).await;
    let path = format!("/payables/{bill}");
    let edit = format!("PATCH {path}");
    office.act(&edit, "ap_creator", json!({"amount": 600}), 200, created).await;
    office.act(&format!("POST {path}/file"), "ap_creator", json!({"file": "JVBERi0xLjcKJSVFT0YK"}), 200, created).await;
    office.delete(&format!("{path}/file"), created).await;
    let submitted: &[&str] = &["payable.updated #1 submitted_for_approval"];
    office.act(&format!("POST {path}/submit-for-approval"), "ap_creator", json!({}), 200, submitted).await;
    let comment = json!({"comment": "Wrong month."});
    office.act(&format!("POST {path}/reject"), "ap_approver", comment, 200, &["payable.updated #1 rejected"]).await;
    office.act(&edit, "ap_creator", json!({"amount": 500}), 200, created).await;
    office.act(&format!("POST {path}/submit-for-approval"), "ap_creator", json!({}), 200, submitted).await;
    office.act(&format!("POST {path}/approve"), "ap_approver", json!({}), 200, submitted).await;
    office.act(&format!("POST {path}/approve"), "admin", json!({}), 200, &["payable.updated #1 approved"]).await;
    let paying: &[&str] = &["transfer.updated #1 created", "payable.updated #1 payment_initiated"];
    office.act(&format!("POST {path}/pay"), "payer", json!({}), 200, paying).await;
    office.scene.work(&["transfer.updated #1 pending"]).await;
    office.scene.pass(DAY, &["transfer.completed #1 completed", "payable.updated #1 payment_completed"]).await;

    let created: &[&str] = &["payable.updated #2 created"];
    let bill = office.act("POST /payables", "ap_creator", fields, 201, created).await;
    let canceled: &[&str] = &["payable.updated #2 canceled"];
    office.act(&format!("POST /payables/{bill}/cancel"), "ap_creator", json!({}), 200, canceled).await;
}

/// A bill whose payment fails, is retried, and is returned in the end.
pub async fn failed_payments(covered: &mut Covered) {
    for (number, fate) in [("10000001", "failed"), ("20000001", "returned")] {
        let mut office = Office::open(covered).await;
        let vendor = office.vendor(number).await;
        let fields = json!({"number": "INV-1", "amount": 500, "ap_vendor_id": vendor});
        let bill = office.act("POST /payables", "ap_creator", fields, 201, &["payable.updated #1 created"]).await;
        let path = format!("POST /payables/{bill}");
        let submitted: &[&str] = &["payable.updated #1 submitted_for_approval"];
        office.act(&format!("{path}/submit-for-approval"), "ap_creator", json!({}), 200, submitted).await;
        office.act(&format!("{path}/approve"), "ap_approver", json!({}), 200, &["payable.updated #1 approved"]).await;
        for payment in [1, 2] {
            let made = format!("transfer.updated #{payment} created");
            let paying: &[&str] = &[&made, "payable.updated #1 payment_initiated"];
            office.act(&format!("{path}/pay"), "payer", json!({}), 200, paying).await;
            office.scene.work(&[&format!("transfer.updated #{payment} pending")]).await;
            if fate == "failed" {
                let failed: &[&str] =
                    &[&format!("transfer.failed #{payment} failed"), "payable.updated #1 payment_failed"];
                office.scene.pass(DAY, failed).await;
            } else {
                let paid: &[&str] =
                    &[&format!("transfer.completed #{payment} completed"), "payable.updated #1 payment_completed"];
                office.scene.pass(DAY, paid).await;
                let back: &[&str] =
                    &[&format!("transfer.updated #{payment} reversed"), "payable.updated #1 payment_failed"];
                office.scene.pass(2 * DAY, back).await;
            }
        }
        let rejected: &[&str] = &["payable.updated #1 rejected"];
        office.act(&format!("{path}/reject"), "ap_approver", json!({}), 200, rejected).await;
    }
}
