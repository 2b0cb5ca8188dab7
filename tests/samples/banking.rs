//! Working requests for the set-up of banks.

use bursar::engine::Command;
use bursar::ids::{AppId, OrgId, RailProviderId, TransferId};
use bursar::money::Cents;
use bursar::platform::Platform;
use bursar::rail_payments::{self, PaymentStatus, RailPayment};
use bursar::vault::Unsealed;
use bursar::world::{Halt, World};
use serde_json::{Value, json};

use super::{Sample, Stage};

const CONNECTIONS: &str = "/v2/bank/connections";

/// Returns the set-up of a bank in New York, made by this member.
pub fn new_connection(acting: &str) -> Value {
    let workdays = json!(["mon", "tue", "wed", "thu", "fri"]);
    json!({
        "acting_user_id": acting, "name": "First Bank", "transport": "manual", "format": "nacha",
        "nacha": {
            "odfi_routing_number": "011000015", "destination": "011000015", "destination_name": "SAMPLE BANK",
            "origin": "1234567890", "origin_name": "ACME INC", "line_ending": "lf", "balanced": false,
        },
        "calendar": "fed", "time_zone": "America/New_York",
        "windows": [
            {"name": "morning", "days": workdays, "submit_by": "10:00", "lead_minutes": 15, "same_day": true},
            {"name": "evening", "days": workdays, "submit_by": "18:00", "lead_minutes": 30, "same_day": false},
        ],
        "limits": {"credit": {"per_entry": 1_000_000, "per_file": 50_000_000, "per_day": 100_000_000}, "debit": null},
        "file_name": "ACME_{date}_{modifier}.ach",
    })
}

/// As [`new_connection`], to a bank that takes pain.001 messages.
pub fn new_message_connection(acting: &str) -> Value {
    let mut connection = new_connection(acting);
    connection["format"] = json!("pain001");
    connection["nacha"] = json!(null);
    connection["pain001"] = json!({
        "name": "Acme Inc", "street": "1 Main Street", "post_code": "02110", "town": "Boston", "country": "US",
    });
    connection["file_name"] = json!("ACME_{date}_{modifier}.xml");
    connection
}

pub fn new_originator(acting: &str, connection: &str) -> Value {
    json!({
        "acting_user_id": acting, "bank_connection_id": connection, "company_name": "ACME INC",
        "company_id": "1234567890", "description": "PAYOUT", "entry_classes": ["PPD", "CCD", "WEB", "TEL"],
    })
}

pub fn new_account(acting: &str, connection: &str, number: &str) -> Value {
    json!({
        "acting_user_id": acting, "bank_connection_id": connection, "name": "Operating account", "currency": "USD",
        "account_number": number, "routing_number": "011000015", "account_type": "checking",
        "statement_kind": "bai2", "booking_grain": "file",
    })
}

/// Connections, originators, settlement accounts, routes.
pub async fn banking(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "create_bank_connection" => Sample::bare().json(new_connection(&stage.member("admin").await)),
        "list_bank_connections" => Sample::bare().query("limit=100").shows(&draft(stage).await),
        "get_bank_connection" => {
            let connection = draft(stage).await;
            Sample::at([&connection]).shows(&connection)
        }
        "update_bank_connection" => {
            let connection = draft(stage).await;
            let body = json!({"acting_user_id": stage.member("admin").await, "name": "Second Bank"});
            Sample::at([&connection]).json(body).shows(&connection)
        }
        "test_bank_connection" => {
            let connection = draft(stage).await;
            let body = json!({"acting_user_id": stage.member("admin").await, "evidence": "Accepted, reference 17."});
            Sample::at([&connection]).json(body).shows(&connection)
        }
        "approve_bank_connection" => {
            let connection = tested(stage).await;
            Sample::at([&connection]).json(acting(stage, "payer").await).shows(&connection)
        }
        "pause_bank_connection" => {
            let connection = approved(stage).await;
            Sample::at([&connection]).json(stop(stage).await).shows(&connection)
        }
        "pause_bank_connections" => {
            let connection = approved(stage).await;
            Sample::bare().json(stop(stage).await).shows(&connection)
        }
        "resume_bank_connection" => {
            let connection = approved(stage).await;
            act(stage, &format!("{CONNECTIONS}/{connection}/pause"), stop(stage).await).await;
            Sample::at([&connection]).json(acting(stage, "admin").await).shows(&connection)
        }
        "get_bank_calendar" => {
            let connection = draft(stage).await;
            let query = format!("bank_connection_id={connection}&from=2026-11-23&to=2026-11-30");
            Sample::bare().query(query).shows(&connection)
        }
        "download_bank_test_file" => {
            let connection = draft(stage).await;
            let (originator, account) = (originator(stage, &connection).await, account(stage, &connection).await);
            Sample::at([&connection]).query(format!("originator_id={originator}&settlement_account_id={account}"))
        }
        _ => return parts(stage, operation).await,
    })
}

async fn parts(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "add_originator" => {
            let connection = draft(stage).await;
            Sample::bare().json(new_originator(&stage.member("admin").await, &connection)).shows(&connection)
        }
        "list_originators" => Sample::bare().query("limit=100").shows(&originator(stage, &draft(stage).await).await),
        "approve_originator" | "end_originator" => {
            let originator = originator(stage, &draft(stage).await).await;
            let role = if operation == "end_originator" { "admin" } else { "payer" };
            Sample::at([&originator]).json(acting(stage, role).await).shows(&originator)
        }
        "add_settlement_account" => {
            let connection = draft(stage).await;
            let number = format!("{:012}", stage.draw());
            let body = new_account(&stage.member("admin").await, &connection, &number);
            Sample::bare().json(body).shows(&connection)
        }
        "list_settlement_accounts" => {
            Sample::bare().query("limit=100").shows(&account(stage, &draft(stage).await).await)
        }
        "approve_settlement_account" | "end_settlement_account" => {
            let account = account(stage, &draft(stage).await).await;
            let role = if operation == "end_settlement_account" { "admin" } else { "payer" };
            Sample::at([&account]).json(acting(stage, role).await).shows(&account)
        }
        "add_rail_provider" => Sample::bare().json(new_provider(stage).await),
        "list_rail_providers" => Sample::bare().query("limit=100").shows(&provider(stage).await),
        "approve_rail_provider" | "end_rail_provider" => {
            let provider = provider(stage).await;
            let role = if operation == "end_rail_provider" { "admin" } else { "payer" };
            Sample::at([&provider]).json(acting(stage, role).await).shows(&provider)
        }
        "rotate_rail_provider_secret" => {
            let provider = provider(stage).await;
            act(stage, &format!("/v2/bank/providers/{provider}/approve"), acting(stage, "payer").await).await;
            let mut body = acting(stage, "admin").await;
            body["secret"] = json!("another-secret");
            Sample::at([&provider]).json(body).shows(&provider)
        }
        "list_rail_payments" => Sample::bare().query("limit=100"),
        "decide_rail_payment" => {
            let transfer = in_doubt(stage).await;
            let mut body = acting(stage, "payer").await;
            (body["outcome"], body["evidence"]) = (json!("failed"), json!("Support, case 4711."));
            Sample::at([&transfer]).json(body).shows(&transfer)
        }
        "nudge_rail" => {
            let provider =
                stage.server.post("/v2/bank/providers").as_org().json(new_provider(stage).await).send().await;
            let path = provider.body["nudge_path"].as_str()?.to_owned();
            let token = path.strip_prefix("/v2/rails/")?.strip_suffix("/nudge")?.to_owned();
            Sample::at([&token]).json(json!({"transfer_id": provider.id()}))
        }
        "add_rail_route" => Sample::bare().json(new_route(stage).await),
        "list_rail_routes" => Sample::bare().query("limit=100").shows(&route(stage).await),
        "approve_rail_route" | "end_rail_route" => {
            let route = route(stage).await;
            let role = if operation == "end_rail_route" { "admin" } else { "payer" };
            Sample::at([&route]).json(acting(stage, role).await).shows(&route)
        }
        _ => return None,
    })
}

pub(super) async fn acting(stage: &Stage, role: &str) -> Value {
    json!({"acting_user_id": stage.member(role).await})
}

async fn stop(stage: &Stage) -> Value {
    json!({"acting_user_id": stage.member("payer").await, "reason": "The bank called."})
}

/// Sends a body with the organization's key; returns the id in the response.
async fn act(stage: &Stage, path: &str, body: Value) -> String {
    let reply = stage.server.post(path).as_org().json(body).send().await;
    assert!(reply.status < 300, "{path}: {}", reply.text);
    stage.share(&reply.id())
}

/// Each has an origin of its own.
async fn draft(stage: &Stage) -> String {
    let known = stage.server.get(&format!("{CONNECTIONS}?limit=100")).as_org().send().await.expect(200).body;
    let mut connection = new_connection(&stage.member("admin").await);
    connection["nacha"]["origin"] = json!(format!("{:010}", known["data"].as_array().unwrap().len()));
    act(stage, CONNECTIONS, connection).await
}

async fn tested(stage: &Stage) -> String {
    let connection = draft(stage).await;
    let body = json!({"acting_user_id": stage.member("admin").await, "evidence": "Accepted."});
    act(stage, &format!("{CONNECTIONS}/{connection}/test"), body).await
}

pub(super) async fn approved(stage: &Stage) -> String {
    let connection = tested(stage).await;
    act(stage, &format!("{CONNECTIONS}/{connection}/approve"), acting(stage, "payer").await).await
}

pub(super) async fn originator(stage: &Stage, connection: &str) -> String {
    act(stage, "/v2/bank/originators", new_originator(&stage.member("admin").await, connection)).await
}

pub(super) async fn account(stage: &Stage, connection: &str) -> String {
    let number = format!("{:012}", stage.draw());
    let body = new_account(&stage.member("admin").await, connection, &number);
    act(stage, "/v2/bank/settlement-accounts", body).await
}

/// Returns the input of a provider that signs no nudges.
async fn new_provider(stage: &Stage) -> Value {
    json!({
        "acting_user_id": stage.member("admin").await, "name": "PayPal", "kind": "paypal",
        "url": "https://paypal.example", "client_id": "client", "secret": "secret",
    })
}

/// Adds a payment in doubt, without a provider that does not answer.
#[derive(Clone, Debug)]
pub struct PaymentInDoubt {
    pub org: OrgId,
    pub app: AppId,
    pub provider: RailProviderId,
    /// The payout, and the amount to arrive.
    pub payout: (TransferId, Cents),
    pub order: Unsealed,
}

impl Command for PaymentInDoubt {
    type Reply = TransferId;

    fn decide(&self, world: &mut World) -> Result<TransferId, Halt> {
        let (route, now) = (world.id(), world.now());
        let (transfer, amount) = self.payout;
        let payment = RailPayment {
            org: self.org,
            transfer,
            app: self.app,
            route,
            provider: self.provider,
            platform: Platform::WalletD,
            amount,
            status: PaymentStatus::Attempted,
            attempts: 1,
            first_attempted_at: Some(now),
            attempted_at: Some(now),
            sealed_order: None,
            reference: None,
            fee: None,
            failure: None,
            doubt: Some("it answered 500".to_owned()),
            decision: None,
            look_up: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let sealed_order = Some(self.order.seal(&rail_payments::seal_context(&payment)));
        world.add(RailPayment { sealed_order, ..payment });
        Ok(transfer)
    }
}

async fn in_doubt(stage: &Stage) -> String {
    let provider = RailProviderId(provider(stage).await.parse().unwrap());
    let user = stage.verified().await;
    let method = json!({"platform": "wallet_d", "handle": format!("jane{}", stage.draw())});
    stage.made("PUT", &format!("/v2/users/{user}/payout-methods"), method, 200).await;
    let order =
        json!({"user_id": user, "amount": 100, "platform": "wallet_d", "fund": true, "payout_fee_party": "platform"});
    let payout = stage.made("POST", "/v2/payouts", order, 201).await;
    let transfer = TransferId(payout["id"].as_str().unwrap().parse().unwrap());
    let (org, bursar) = (OrgId(stage.organization.id.parse().unwrap()), stage.server.bursar());
    let order = Unsealed::new(&bursar.vault, b"{}".to_vec(), bursar.entropy().bytes());
    let app = AppId(stage.app.id.parse().unwrap());
    let payment = PaymentInDoubt { org, app, provider, payout: (transfer, Cents::new(100)), order };
    let transfer = bursar.engine.run(org, payment).await.unwrap();
    stage.share(&transfer.to_string())
}

async fn provider(stage: &Stage) -> String {
    act(stage, "/v2/bank/providers", new_provider(stage).await).await
}

/// Returns the input of a route on a day of its own, whose parts are approved.
async fn new_route(stage: &Stage) -> Value {
    let connection = approved(stage).await;
    let (originator, account) = (originator(stage, &connection).await, account(stage, &connection).await);
    for path in [format!("originators/{originator}"), format!("settlement-accounts/{account}")] {
        act(stage, &format!("/v2/bank/{path}/approve"), acting(stage, "payer").await).await;
    }
    let from_on = jiff::civil::date(2030, 1, 1).checked_add(jiff::Span::new().days(stage.draw() % 25_000)).unwrap();
    json!({
        "acting_user_id": stage.member("admin").await, "platform": "ach", "currency": "USD",
        "from_on": from_on.to_string(), "bank_connection_id": connection, "originator_id": originator,
        "settlement_account_id": account,
    })
}

async fn route(stage: &Stage) -> String {
    act(stage, "/v2/bank/routes", new_route(stage).await).await
}
