//! Finds and changes the rows.

use std::sync::Arc;

use super::model::{BankBalance, BankStatement, StatementStatus};
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
