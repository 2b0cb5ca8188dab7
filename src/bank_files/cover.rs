//! Whether an account at a bank covers the files that pay from it.

use std::sync::Arc;

use super::model::{BankFile, FileStatus};
use super::rows;
use crate::apps::App;
use crate::ids::{OrgId, SettlementAccountId};
use crate::ledger::{self, Account};
use crate::money::{Cents, MoneyOverflow};
use crate::rails::Direction;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// What files pay, and what their account has for them.
#[derive(Clone, Copy, Debug)]
pub struct Cover {
    pub due: Cents,
    pub available: Cents,
    /// What is missing.
    pub short: Cents,
}

fn too_large(_: MoneyOverflow) -> Refusal {
    Refusal::new(Code::InternalError, "A sum of bank files is too large.")
}

/// Returns the money of an account according to the statements that the ledger has booked.
///
/// # Errors
/// The store's.
pub fn at_bank(world: &mut World, org: OrgId, account: SettlementAccountId) -> Result<Cents, Halt> {
    let apps = world.all::<App>(App::OF_ORG, key![org])?;
    let parts = std::iter::once(None).chain(apps.iter().map(|app| Some(app.id)));
    let balances = world.each(parts, |world, app| ledger::balance(world, org, Account::AtBank(app, account)))?;
    Ok(balances.into_iter().try_fold(Cents::ZERO, Cents::minus).map_err(too_large)?)
}

/// Compares files of an account that are not at the bank with a balance, less what the bank has not booked of other files,
/// plus the debits that have settled. Returns `None` if the account covers them.
///
/// # Errors
/// The store's.
pub fn shortfall(
    world: &mut World,
    (org, account): (OrgId, SettlementAccountId),
    balance: Cents,
    next: &[Arc<BankFile>],
) -> Result<Option<Cover>, Halt> {
    let now = world.now();
    let mut available = balance;
    let files = rows::awaiting_debit(world, org, account)?;
    let open = world.each(&files, |world, file| rows::open_amount(world, file))?;
    for (file, open) in files.iter().zip(open) {
        if file.direction == Direction::Credit || file.settles_at <= now {
            available = available.minus(file.leaving(open)).map_err(too_large)?;
        }
    }
    let next = next.iter().filter(|file| {
        file.settlement_account == account && file.direction == Direction::Credit && file.status != FileStatus::Rejected
    });
    let due = next.map(|file| file.credit).try_fold(Cents::ZERO, Cents::plus).map_err(too_large)?;
    let short = due.minus(available).map_err(too_large)?;
    Ok((!due.is_zero() && short.get() > 0).then_some(Cover { due, available, short }))
}
