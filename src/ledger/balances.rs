//! The trial balance, now or at a past moment.

use std::sync::Arc;

use super::account::Account;
use super::model::{LedgerAccount, Transaction};
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::world::query::Compare;
use crate::world::record::{Cell, key};
use crate::world::{Halt, Query, Want, World};

/// Returns the ledger accounts of an app, or of the whole organization, with their balances at a moment, in the order
/// in which they were opened.
///
/// The balances are those after the last transaction at or before the moment. A prefix of the ledger always balances,
/// so concurrent postings do not matter.
pub fn trial_balance(
    world: &World,
    org: OrgId,
    app: Option<AppId>,
    as_of: Time,
) -> Result<Vec<(Arc<LedgerAccount>, Cents)>, Halt> {
    let (index, values) = match app {
        Some(app) => (LedgerAccount::BY_APP, key![org, Some(app)]),
        None => (LedgerAccount::BY_ORGANIZATION, key![org]),
    };
    let last = last_transaction(org, as_of);
    // Load both from one state of the store: an account that has not changed since the moment must have all its entries
    // up to that transaction.
    world.require([Want::by::<LedgerAccount>(index, values.clone()), Want::Page(last.clone())])?;
    let mut accounts = world.all::<LedgerAccount>(index, values)?;
    accounts.sort_by_key(|account| account.number);
    let last = world.page::<Transaction>(&last)?.first().map_or(0, |transaction| transaction.number);

    let unchanged = |account: &LedgerAccount| account.changed_at <= as_of;
    let changed = accounts.iter().filter(|account| !unchanged(account));
    world.require(changed.flat_map(|account| entries_up_to(account, last).map(Want::Page)))?;
    let mut balances = Vec::new();
    for account in accounts {
        if unchanged(&account) {
            let balance = account.balance;
            balances.push((account, balance));
        } else if let Some(balance) = balance_after(world, &account, last)? {
            balances.push((account, balance));
        }
        // An account without an entry up to then was not open yet.
    }
    Ok(balances)
}

fn last_transaction(org: OrgId, as_of: Time) -> Query {
    Query::of::<Transaction>(org.to_value(), "number", 1).filter(
        "created_at",
        Compare::Less,
        as_of.plus_micros(1).to_value(),
    )
}

/// Returns the balance after the account's last entry up to a transaction.
fn balance_after(world: &World, account: &LedgerAccount, number: i64) -> Result<Option<Cents>, Halt> {
    let [left, arrived] = entries_up_to(account, number).map(|query| world.page::<Transaction>(&query));
    let newest = left?.into_iter().chain(arrived?).max_by_key(|transaction| transaction.number);
    Ok(newest.and_then(|transaction| transaction.entry_in(account.id)).map(|entry| entry.balance_after))
}

/// Selects the last transaction up to this one that took money from the account, and the last that brought some.
fn entries_up_to(account: &LedgerAccount, number: i64) -> [Query; 2] {
    sides(account).map(|side| side.filter("number", Compare::Less, number.saturating_add(1).to_value()))
}

/// Selects the transactions whose source is the account, and those whose destination it is.
pub fn sides(account: &LedgerAccount) -> [Query; 2] {
    ["source", "destination"]
        .map(|side| Query::of::<Transaction>(account.org.to_value(), "number", 1).equal(side, account.id))
}

/// Returns the balance of an account, in cents.
pub fn balance(world: &World, org: OrgId, account: Account) -> Result<Cents, Halt> {
    let row = world.get::<LedgerAccount>(key![org, account.id(org)])?;
    Ok(row.map_or(Cents::ZERO, |row| row.balance))
}
