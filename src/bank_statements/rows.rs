//! Finds and changes the rows.

use std::sync::Arc;

use super::model::{BankBalance, BankStatement, StatementStatus};
use crate::bank_files;
use crate::bank_intake;
use crate::banking::routes;
use crate::ids::{BankStatementId, OrgId, SettlementAccountId};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, World};

/// # Errors
/// `not-found`.
pub fn find(world: &World, org: OrgId, id: BankStatementId) -> Result<Arc<BankStatement>, Halt> {
    let found = world.get::<BankStatement>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("bank statement"))?)
}

/// Returns the last applied statement of an account.
pub fn balance(world: &World, org: OrgId, account: SettlementAccountId) -> Result<Option<Arc<BankBalance>>, Halt> {
    world.get::<BankBalance>(key![org, account])
}

/// Returns the statement of a day that is not discarded: there is one at most.
pub fn same_day(
    world: &World,
    org: OrgId,
    account: SettlementAccountId,
    day: &str,
) -> Result<Option<Arc<BankStatement>>, Halt> {
    let found = of_day(world, org, account, day)?;
    Ok(found.into_iter().find(|statement| statement.status != StatementStatus::Discarded))
}

pub fn of_day(
    world: &World,
    org: OrgId,
    account: SettlementAccountId,
    day: &str,
) -> Result<Vec<Arc<BankStatement>>, Halt> {
    world.all::<BankStatement>(BankStatement::BY_DAY, key![org, account, day.to_owned()])
}

/// Returns the statements of an account in a state, oldest day first.
pub fn in_state(
    world: &World,
    org: OrgId,
    account: SettlementAccountId,
    status: StatementStatus,
) -> Result<Vec<Arc<BankStatement>>, Halt> {
    let mut found = world.all::<BankStatement>(BankStatement::BY_STATUS, key![org, account, status])?;
    found.sort_by(|one, other| (&one.booked_on, one.id).cmp(&(&other.booked_on, other.id)));
    Ok(found)
}

pub fn change(
    world: &mut World,
    before: &Arc<BankStatement>,
    edit: impl FnOnce(&mut BankStatement),
) -> Arc<BankStatement> {
    let now = world.now();
    world.change(before, |statement| {
        edit(statement);
        statement.updated_at = now;
        statement.version += 1;
    })
}

/// Returns what is open in an account: nothing may be, when it is taken out of use.
///
/// # Errors
/// The store's.
pub fn open_matter(world: &mut World, org: OrgId, account: SettlementAccountId) -> Result<Option<String>, Halt> {
    if routes::of_account(world, org, account)? {
        return Ok(Some("a route that is in force or will be".to_owned()));
    }
    if let Some(file) = bank_files::in_flight(world, org, account)? {
        return Ok(Some(format!("the file {file}, of which payments may still come back")));
    }
    if let Some(last) = balance(world, org, account)?.filter(|last| !last.closing.is_zero()) {
        return Ok(Some(format!("a balance of {}", last.closing.dollars())));
    }
    if !bank_intake::in_suspense(world, org, account)?.is_empty() {
        return Ok(Some("lines in suspense".to_owned()));
    }
    if !bank_files::awaiting_debit(world, org, account)?.is_empty() {
        return Ok(Some("files that the bank has not debited".to_owned()));
    }
    if !bank_files::awaiting_credit(world, org, account)?.is_empty() {
        return Ok(Some("returned payments that the bank has not credited".to_owned()));
    }
    for status in [StatementStatus::Waiting, StatementStatus::Quarantined] {
        if !in_state(world, org, account, status)?.is_empty() {
            return Ok(Some(format!("a {status} statement")));
        }
    }
    Ok(None)
}
