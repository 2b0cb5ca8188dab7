//! Working requests for what fills and empties apps.

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
        _ => return None,
    })
}
