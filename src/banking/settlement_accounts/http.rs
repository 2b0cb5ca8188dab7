use serde_json::json;

use super::add::AddSettlementAccount;
use super::inputs::{NewSettlementAccount, SettlementAccountAct, SettlementAccountsQuery};
use super::json::SettlementAccountJson;
use super::model::SettlementAccount;
use super::review::ApproveSettlementAccount;
use crate::banking::person::Person;
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::permission::Permission;
use crate::refusal::Code;
use crate::security_log::SecurityEvent;
use crate::world::Query;
use crate::world::record::Cell as _;

const TAG: &str = "Banks";

/// POST /v2/bank/settlement-accounts
pub async fn create(call: Call) -> Outcome {
    let nonce = call.bursar.entropy().bytes();
    let command = call.body::<NewSettlementAccount>().map(|new| AddSettlementAccount {
        org: call.caller.org,
        person: Person::by(&call.caller, call.bursar.environment, new.acting_user_id),
        connection: new.bank_connection_id,
        number: new.sealed(&call.bursar.vault, nonce),
        name: new.name.0,
        currency: new.currency.0,
        account_type: new.account_type,
        routing_number: new.routing_number.as_str().to_owned(),
        statement_kind: new.statement_kind,
        booking_grain: new.booking_grain,
    });
    let added = call.once(command, |account| Answer::created(&SettlementAccountJson::from(&**account))).await?;
    if added.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "settlement_account_added", None);
    }
    Ok(added)
}

/// GET /v2/bank/settlement-accounts
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<SettlementAccountsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<SettlementAccount>(org.to_value(), "id", 1);
            page::<SettlementAccount>(world, mine, &asked.asked(), |query| {
                query.matching("connection", asked.bank_connection_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|account| SettlementAccountJson::from(account))))
}

/// POST /v2/bank/settlement-accounts/{settlement_account_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (org, account) = (call.caller.org, call.id("settlement_account_id", "settlement account")?);
    let command = call.body::<SettlementAccountAct>().map(|body| ApproveSettlementAccount {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        account,
    });
    let approved = call.once(command, |account| Answer::ok(&SettlementAccountJson::from(&**account))).await?;
    if approved.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "settlement_account_approved", Some(&account.to_string()));
    }
    Ok(approved)
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/settlement-accounts" Organization "add_settlement_account" create)
            .members(Permission::Govern)
            .about(TAG, "Add a settlement account to a connection")
            .describe("An account never changes. To change one, add another, approve it, and route to it.")
            .takes::<NewSettlementAccount>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "bank_connection_id": "019a0000-0000-7000-8000-000000000001", "name": "Operating account",
                "currency": "USD", "account_number": "000123456789", "routing_number": "011000015",
                "account_type": "checking", "statement_kind": "bai2", "booking_grain": "file",
            }))
            .gives::<SettlementAccountJson>(201, "The settlement account.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState, Code::LimitExceeded]),
        route!(Get "/v2/bank/settlement-accounts" Organization "list_settlement_accounts" list)
            .members(Permission::View)
            .about(TAG, "List settlement accounts")
            .describe("Lists the accounts at banks that files debit and credit, newest first.")
            .asks::<SettlementAccountsQuery>()
            .gives::<ListEnvelope<SettlementAccountJson>>(200, "One page of the list."),
        route!(Post "/v2/bank/settlement-accounts/{settlement_account_id}/approve" Organization "approve_settlement_account" approve)
            .members(Permission::Pay)
            .about(TAG, "Approve a settlement account")
            .describe("Requires another member than the one who added it: an admin or a payer.")
            .takes::<SettlementAccountAct>()
            .gives::<SettlementAccountJson>(200, "The settlement account.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
    ]
}
