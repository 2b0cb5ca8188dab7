//! Working requests for money into and out of apps.

use serde_json::json;

use super::{Sample, Stage};

/// Deposits, withdrawals, bank accounts, the organization's wallet.
pub async fn funding(stage: &Stage, operation: &str) -> Option<Sample> {
    let app = stage.app.id.as_str();
    let account = json!({"name": "Demonstration", "account_number": "000111222333", "routing_number": "110000000"});
    let between = json!({"app_id": app, "amount": 100});
    Some(match operation {
        "deposit_to_app" | "withdraw_from_app" => Sample::at([app]).json(json!({"amount": 100})),
        "set_app_ach_account" => Sample::at([app]).json(account),
        "get_app_ach_account" => {
            let set = stage.server.put(&format!("/v2/apps/{app}/ach-account")).as_org().json(account);
            Sample::at([app]).shows(&set.send().await.expect(200).id())
        }
        "create_organization_transfer" => Sample::bare().json(between).shows(app),
        "list_organization_transfers" => {
            let moved = stage.server.post("/v2/organization-transfers").as_org().json(between);
            Sample::bare().shows(&moved.send().await.expect(200).id())
        }
        "create_payment" => {
            let body = json!({"amount": 100, "platform": "ach", "user_id": stage.banked().await.0});
            Sample::bare().json(body)
        }
        "set_app_compliance" => Sample::at([app]).json(json!({"flow_of_funds": {"usage": "Payouts"}})),
        "get_app_compliance" => Sample::at([app]),
        "create_payment_customer" => Sample::bare().json(json!({"name": "Acme Ltd"})),
        "list_payment_customers" => Sample::bare().shows(&customer(stage).await),
        "get_payment_customer" | "delete_payment_customer" => {
            let customer = customer(stage).await;
            Sample::at([&customer]).shows(&customer)
        }
        "update_payment_customer" => Sample::at([&customer(stage).await]).json(json!({"metadata": "gold"})),
        "add_customer_bank_account" => Sample::at([&customer(stage).await]).json(account),
        "list_customer_bank_accounts" | "remove_customer_bank_account" => {
            let customer = customer(stage).await;
            let path = format!("/v2/payment-customers/{customer}/bank-accounts");
            let added = stage.make(&path, account, 201).await;
            match operation {
                "list_customer_bank_accounts" => Sample::at([&customer]).shows(&added),
                _ => Sample::at([&customer, &added]).shows(&added),
            }
        }
        _ => return None,
    })
}

async fn customer(stage: &Stage) -> String {
    stage.make("/v2/payment-customers", json!({"name": "Acme Ltd"}), 201).await
}
