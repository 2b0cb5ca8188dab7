use std::sync::Arc;

use super::end::EndSettlementAccount;
use super::inputs::{BankStatementConfirmation, BankStatementsQuery, ReconciliationQuery};
use super::json::{BankStatementJson, BankStatementWithLines, DepositReferenceJson};
use super::model::BankStatement;
use super::operator::{ConfirmStatement, DiscardStatement, RestoreStatement};
use super::reconcile::reconcile;
use super::reconcile_json::ReconciliationJson;
use super::references::deposit_reference;
use super::rows;
use crate::apps::App;
use crate::bank_intake::{self, BankItemJson, InboundDismissal};
use crate::banking::Person;
use crate::banking::settlement_accounts::{SettlementAccountAct, SettlementAccountJson};
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::BankStatementId;
use crate::permission::Permission;
use crate::refusal::Code;
use crate::security_log::SecurityEvent;
use crate::world::Query;
use crate::world::record::{Cell as _, key};

const TAG: &str = "Banks";

/// GET /v2/bank/statements
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<BankStatementsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<BankStatement>(org.to_value(), "id", 1);
            page::<BankStatement>(world, mine, &asked.asked(), |query| {
                query.matching("settlement_account", asked.settlement_account_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|statement| BankStatementJson::from(statement))))
}

/// GET /v2/bank/statements/{bank_statement_id}
pub async fn show(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, call.id::<BankStatementId>("bank_statement_id", "bank statement")?);
    let shown = call
        .read(move |world| {
            let statement = rows::find(world, org, id)?;
            let lines = bank_intake::of_statement(world, org, id)?;
            let lines = lines.iter().map(|line| BankItemJson::from(&**line)).collect();
            Ok(BankStatementWithLines { statement: BankStatementJson::from(&*statement), lines })
        })
        .await?;
    Ok(Answer::ok(&shown))
}

/// POST /v2/bank/statements/{bank_statement_id}/confirm
pub async fn confirm(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, call.id::<BankStatementId>("bank_statement_id", "bank statement")?);
    let command = call.body::<BankStatementConfirmation>().map(|body| ConfirmStatement {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        statement: id,
        evidence: body.evidence.0,
    });
    let shown = |statement: &Arc<BankStatement>| Answer::ok(&BankStatementJson::from(&**statement));
    let done = call.once(command, shown).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, "statement_confirmed", Some(&id.to_string()));
    }
    Ok(done)
}

/// POST /v2/bank/statements/{bank_statement_id}/discard
pub async fn discard(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, call.id::<BankStatementId>("bank_statement_id", "bank statement")?);
    let command = call.body::<InboundDismissal>().map(|body| DiscardStatement {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        statement: id,
        reason: body.reason.0,
    });
    let shown = |statement: &Arc<BankStatement>| Answer::ok(&BankStatementJson::from(&**statement));
    let done = call.once(command, shown).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, "statement_discarded", Some(&id.to_string()));
    }
    Ok(done)
}

/// POST /v2/bank/statements/{bank_statement_id}/restore
pub async fn restore(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, call.id::<BankStatementId>("bank_statement_id", "bank statement")?);
    let command = call.body::<InboundDismissal>().map(|body| RestoreStatement {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        statement: id,
        reason: body.reason.0,
    });
    let shown = |statement: &Arc<BankStatement>| Answer::ok(&BankStatementJson::from(&**statement));
    let done = call.once(command, shown).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, "statement_restored", Some(&id.to_string()));
    }
    Ok(done)
}

/// GET /v2/bank/deposit-references
pub async fn references(call: Call) -> Outcome {
    let org = call.caller.org;
    let apps = call.read(move |world| world.all::<App>(App::OF_ORG, key![org])).await?;
    let shown = |app: &Arc<App>| DepositReferenceJson {
        app_id: app.id,
        name: app.name.clone(),
        reference: deposit_reference(org, app.id),
    };
    let references: Vec<_> = apps.iter().filter(|app| app.deleted_at.is_none()).map(shown).collect();
    Ok(Answer::ok(&references))
}

/// GET /v2/bank/reconciliation
pub async fn reconciliation(call: Call) -> Outcome {
    let (asked, org) = (call.query::<ReconciliationQuery>()?, call.caller.org);
    let on = asked.on.map(|day| day.0);
    let found = call.read(move |world| reconcile(world, org, asked.settlement_account_id, on)).await?;
    Ok(Answer::ok(&found))
}

/// POST /v2/bank/settlement-accounts/{settlement_account_id}/end
pub async fn end_account(call: Call) -> Outcome {
    let (org, account) = (call.caller.org, call.id("settlement_account_id", "settlement account")?);
    let command = call.body::<SettlementAccountAct>().map(|body| EndSettlementAccount {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        account,
    });
    let ended = call.once(command, |account| Answer::ok(&SettlementAccountJson::from(&**account))).await?;
    if ended.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "settlement_account_ended", Some(&account.to_string()));
    }
    Ok(ended)
}

/// Returns the routes by which members change a statement that is not applied.
fn changes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/statements/{bank_statement_id}/confirm" Organization "confirm_bank_statement" confirm)
            .members(Permission::Pay)
            .about(TAG, "Confirm that no statement is missing")
            .describe(
                "For a statement that waits, if the bank writes none for days without lines. Its opening balance must \
                 be the last closing balance.",
            )
            .takes::<BankStatementConfirmation>()
            .gives::<BankStatementJson>(200, "The statement.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/statements/{bank_statement_id}/discard" Organization "discard_bank_statement" discard)
            .members(Permission::Pay)
            .about(TAG, "Discard a statement that is not applied")
            .describe("For a statement that the bank replaced. Nothing of it is booked; it stays stored.")
            .takes::<InboundDismissal>()
            .gives::<BankStatementJson>(200, "The statement.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/statements/{bank_statement_id}/restore" Organization "restore_bank_statement" restore)
            .members(Permission::Pay)
            .about(TAG, "Restore a statement that was discarded by mistake")
            .describe(
                "It waits again, and is applied when its turn comes. Refused if another statement of its day is not \
                 discarded, or if a statement of its day or a later one is applied.",
            )
            .takes::<InboundDismissal>()
            .gives::<BankStatementJson>(200, "The statement.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ]
}

pub fn routes() -> Vec<Route> {
    let mut routes = vec![
        route!(Get "/v2/bank/statements" Organization "list_bank_statements" list)
            .members(Permission::View)
            .about(TAG, "List statements of bank accounts")
            .describe(
                "A statement waits until the one of the banking day before it is applied. One that contradicts it is \
                 in quarantine.",
            )
            .asks::<BankStatementsQuery>()
            .gives::<ListEnvelope<BankStatementJson>>(200, "One page of the list."),
        route!(Get "/v2/bank/statements/{bank_statement_id}" Organization "get_bank_statement" show)
            .members(Permission::View)
            .about(TAG, "Get a statement with its lines")
            .describe("Returns a statement with its balances, and why it waits or is in quarantine.")
            .gives::<BankStatementWithLines>(200, "The statement.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/bank/deposit-references" Organization "list_deposit_references" references)
            .members(Permission::View)
            .about(TAG, "List the references for deposits by wire")
            .describe(
                "A credit of a settlement account with the reference of an app fills the wallet of that app, when the \
                 statement is applied.",
            )
            .gives::<Vec<DepositReferenceJson>>(200, "The references of all apps."),
        route!(Get "/v2/bank/reconciliation" Organization "get_bank_reconciliation" reconciliation)
            .members(Permission::View)
            .about(TAG, "Compare the bank's balance with the ledger")
            .describe(
                "For a statement that is applied. Unbooked payments, lines in suspense and open statements are those \
                 of now.",
            )
            .asks::<ReconciliationQuery>()
            .gives::<ReconciliationJson>(200, "The reconciliation.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/bank/settlement-accounts/{settlement_account_id}/end" Organization "end_settlement_account" end_account)
            .members(Permission::Govern)
            .about(TAG, "Take a settlement account out of use")
            .describe(
                "Refused while the account has money, or lines, files and returns that are not booked. A repeated call \
                 changes nothing.",
            )
            .takes::<SettlementAccountAct>()
            .gives::<SettlementAccountJson>(200, "The settlement account.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ];
    routes.extend(changes());
    routes
}
