//! Working requests for accounts payable.

use serde_json::{Value, json};

use super::{Sample, Stage};

const AP: &str = "/v2/accounts-payable";

/// Vendors, approval policies, payables.
pub async fn bills(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "list_approvers" => Sample::bare().query("limit=100").shows(&stage.member("ap_approver").await),
        "create_vendor" => Sample::bare().json(new_vendor()),
        "list_vendors" => Sample::bare().shows(&vendor(stage).await),
        "get_vendor" | "delete_vendor" => {
            let vendor = vendor(stage).await;
            Sample::at([&vendor]).shows(&vendor)
        }
        "create_vendor_payment_method" => Sample::at([&vendor(stage).await]).json(account("000123456789")),
        "list_vendor_payment_methods" => {
            let (vendor, method) = paid_vendor(stage).await;
            Sample::at([&vendor]).shows(&method)
        }
        "get_vendor_payment_method" | "delete_vendor_payment_method" => {
            let (vendor, method) = paid_vendor(stage).await;
            Sample::at([&vendor, &method]).shows(&method)
        }
        "confirm_vendor_payment_method" => {
            let (vendor, _) = paid_vendor(stage).await;
            let mut second = account("000987654321");
            second["acting_user_id"] = json!(stage.member("ap_creator").await);
            let path = format!("{AP}/vendors/{vendor}/payment-methods");
            Sample::at([&vendor, &stage.make(&path, second, 201).await]).json(acting(stage, "ap_approver").await)
        }
        "create_approval_policy" => Sample::bare().json(new_policy(stage).await),
        "list_approval_policies" => Sample::bare().shows(&policy(stage).await),
        "get_approval_policy" | "delete_approval_policy" => {
            let policy = policy(stage).await;
            Sample::at([&policy]).shows(&policy)
        }
        "update_approval_policy" => Sample::at([&policy(stage).await]).json(json!({"priority": 7})),
        _ => return payables(stage, operation).await,
    })
}

async fn payables(stage: &Stage, operation: &str) -> Option<Sample> {
    let file = json!({"file": "JVBERi0xLjcKJSVFT0YK"});
    Some(match operation {
        "create_payable" => {
            let mut body = acting(stage, "ap_creator").await;
            body["number"] = json!("INV-1");
            Sample::bare().json(body)
        }
        "list_payables" => Sample::bare().shows(&payable(stage).await),
        "get_payable" => {
            let payable = payable(stage).await;
            Sample::at([&payable]).shows(&payable)
        }
        "update_payable" | "cancel_payable" | "submit_payable" => {
            Sample::at([&payable(stage).await]).json(acting(stage, "ap_creator").await)
        }
        "set_payable_file" => Sample::at([&payable(stage).await]).json(file),
        "get_payable_file" | "delete_payable_file" => {
            let payable = payable(stage).await;
            stage.made("POST", &format!("{AP}/payables/{payable}/file"), file, 200).await;
            Sample::at([&payable])
        }
        "approve_payable" | "reject_payable" => {
            let body = acting(stage, "ap_approver").await;
            Sample::at([&submitted(stage).await]).json(body)
        }
        "pay_payable" => {
            let body = acting(stage, "ap_approver").await;
            let payable = submitted(stage).await;
            stage.made("POST", &format!("{AP}/payables/{payable}/approve"), body, 200).await;
            Sample::at([&payable]).json(acting(stage, "payer").await)
        }
        _ => return None,
    })
}

/// Returns a body that names a member of this role.
async fn acting(stage: &Stage, role: &str) -> Value {
    json!({"acting_user_id": stage.member(role).await})
}

fn new_vendor() -> Value {
    let address =
        json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
    json!({"name": "Corner Shop", "address": address})
}

fn account(number: &str) -> Value {
    json!({"name": "Corner Shop", "account_number": number, "routing_number": "110000000"})
}

async fn vendor(stage: &Stage) -> String {
    stage.make(&format!("{AP}/vendors"), new_vendor(), 201).await
}

/// Creates a vendor with an account; returns both ids.
async fn paid_vendor(stage: &Stage) -> (String, String) {
    let vendor = vendor(stage).await;
    let path = format!("{AP}/vendors/{vendor}/payment-methods");
    let method = stage.make(&path, account("000123456789"), 201).await;
    (vendor, method)
}

async fn new_policy(stage: &Stage) -> Value {
    json!({"steps": [{"approvers": [stage.member("ap_approver").await]}]})
}

/// Creates a policy that applies to no payable.
async fn policy(stage: &Stage) -> String {
    let mut policy = new_policy(stage).await;
    policy["active"] = json!(false);
    let path = format!("{AP}/approval-policies");
    let made = stage.server.post(&path).as_org().for_app(&stage.app.id).json(policy).send().await.expect(201);
    stage.own(&made.id())
}

/// Creates a payable that may be submitted.
async fn payable(stage: &Stage) -> String {
    let (vendor, _) = paid_vendor(stage).await;
    let mut body = acting(stage, "ap_creator").await;
    body["number"] = json!("INV-1");
    body["amount"] = json!(100);
    body["ap_vendor_id"] = json!(vendor);
    stage.make(&format!("{AP}/payables"), body, 201).await
}

/// Creates a payable that waits for the approval of its current approvers.
async fn submitted(stage: &Stage) -> String {
    let payable = payable(stage).await;
    let body = acting(stage, "ap_creator").await;
    stage.made("POST", &format!("{AP}/payables/{payable}/submit-for-approval"), body, 200).await;
    payable
}
