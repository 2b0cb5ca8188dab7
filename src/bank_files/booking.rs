//! Books what the lines of a bank's statement are.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{BankEntry, BankFile};
use super::rows;
use crate::apps;
use crate::ids::{AppId, BankFileId, BankItemId, OrgId, SettlementAccountId, TransferId};
use crate::ledger::{self, postings};
use crate::money::Cents;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferKind};
use crate::world::record::key;
use crate::world::{Halt, World};

/// A line of a statement, with its amount; negative for a debit.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub org: OrgId,
    pub id: BankItemId,
    pub account: SettlementAccountId,
    pub amount: Cents,
}

/// A payment or a file was booked by another line since the line was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaken;

impl From<Overtaken> for Halt {
    fn from(Overtaken: Overtaken) -> Self {
        let message = "A payment of the line was booked by another line. Match the line again.";
        Refusal::new(Code::InvalidState, message).because(Reason::BankExcludes).into()
    }
}

fn differs(what: &str) -> Halt {
    Refusal::new(Code::InternalError, format!("The amount of a line differs from its {what}.")).into()
}

/// Books whole files, each with the shares of its apps, and single payments: a debit, or a credit of what they collect.
///
/// # Errors
/// `invalid-state` if a file or a payment is booked or not at the bank.
pub fn book_payments(
    world: &mut World,
    line: Line,
    files: &[(BankFileId, BTreeMap<AppId, Cents>)],
    payments: &[TransferId],
) -> Result<(), Halt> {
    let mut sum = Cents::ZERO;
    let mut add = |amount: Cents| sum.plus(amount).map(|plus| sum = plus).map_err(|_| differs("payments"));
    let mut whole: Vec<Arc<BankFile>> = Vec::new();
    for (id, shares) in files {
        let file = rows::find(world, line.org, *id)?;
        if file.debit_due != Some(line.account) || file.booked > 0 {
            return Err(Overtaken.into());
        }
        let of_file: i128 = shares.values().map(|amount| i128::from(amount.get())).sum();
        let (_, due) = file.due();
        if of_file != i128::from(due.get()) {
            return Err(Overtaken.into());
        }
        add(file.leaving(due))?;
        whole.push(file);
    }
    let single = world.each(payments, |world, payment| undebited(world, line, *payment))?;
    let single: Option<Vec<Arc<BankEntry>>> = single.into_iter().collect();
    let single = single.ok_or(Overtaken)?;
    for entry in &single {
        if whole.iter().any(|file| file.id == entry.file) {
            return Err(Overtaken.into());
        }
        add(entry.leaving())?;
    }
    if sum != line.amount.negated() {
        return Err(differs("payments"));
    }

    // From here it must succeed.
    for (file, (_, shares)) in whole.iter().zip(files) {
        world.each(shares, |world, (app, amount)| {
            let scope = Scope { org: line.org, app: *app };
            ledger::post(world, &postings::line_of_payments(scope, line.account, file.leaving(*amount)))
        })?;
        rows::change(world, file, |file| {
            (file.debit_due, file.debit_line, file.booked) = (None, Some(line.id), file.due().0);
        });
    }
    world.each(&single, |world, entry| {
        let scope = Scope { org: line.org, app: entry.app };
        ledger::post(world, &postings::line_of_payments(scope, line.account, entry.leaving()))
    })?;
    for entry in single {
        world.change(&entry, |entry| entry.debit_line = Some(line.id));
        let file = rows::find(world, line.org, entry.file)?;
        rows::change(world, &file, |file| {
            file.booked += 1;
            if file.booked == file.due().0 {
                file.debit_due = None;
            }
        });
    }
    Ok(())
}

/// Returns a payment in a file that the bank has not booked.
///
/// # Errors
/// The store's.
pub fn undebited(world: &World, line: Line, transfer: TransferId) -> Result<Option<Arc<BankEntry>>, Halt> {
    let Some(entry) = rows::entry(world, line.org, transfer)? else { return Ok(None) };
    let file = rows::find(world, line.org, entry.file)?;
    let is_due = entry.is_debited() && entry.debit_line.is_none();
    Ok((is_due && file.debit_due == Some(line.account)).then_some(entry))
}

/// Books returned payments: a credit, or a debit of what was collected.
///
/// # Errors
/// `invalid-state` if one is booked, or not returned.
pub fn book_returns(world: &mut World, line: Line, transfers: &[TransferId]) -> Result<(), Halt> {
    let entries = world.each(transfers, |world, transfer| rows::entry(world, line.org, *transfer))?;
    let entries: Option<Vec<Arc<BankEntry>>> = entries.into_iter().collect();
    let entries = entries.ok_or(Overtaken)?;
    let mut sum = Cents::ZERO;
    for entry in &entries {
        if entry.credit_due != Some(line.account) {
            return Err(Overtaken.into());
        }
        sum = sum.plus(entry.leaving()).map_err(|_| differs("returns"))?;
    }
    if sum != line.amount {
        return Err(differs("returns"));
    }

    // From here it must succeed.
    world.each(&entries, |world, entry| {
        let scope = Scope { org: line.org, app: entry.app };
        ledger::post(world, &postings::line_of_payments(scope, line.account, entry.leaving().negated()))
    })?;
    for entry in entries {
        world.change(&entry, |entry| (entry.credit_due, entry.credit_line) = (None, Some(line.id)));
    }
    Ok(())
}

/// Books a deposit of an app; returns its transfer.
///
/// # Errors
/// `invalid-state` if the app is deleted.
pub fn book_deposit(world: &mut World, line: Line, app: AppId) -> Result<TransferId, Halt> {
    let scope = Scope { org: line.org, app };
    match apps::find(world, scope) {
        Ok(_) => {}
        Err(Halt::Refuse(_)) => return Err(Overtaken.into()),
        Err(load @ Halt::Load(_)) => return Err(load),
    }
    let transfer = received(world, scope, line.amount)?;
    ledger::post(world, &postings::line_of_deposit(scope, transfer, line.account, line.amount))?;
    Ok(transfer)
}

/// Adds a completed transfer of type refill, by which the app sees the money.
fn received(world: &mut World, scope: Scope, amount: Cents) -> Result<TransferId, Halt> {
    let (id, now) = (world.id(), world.now());
    let transfer = Transfer::new(scope.org, scope.app, id, TransferKind::Refill, amount, now);
    let transfer = transfers::open(world, transfer)?;
    transfers::advance(world, &transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))?;
    Ok(id)
}

/// Books a fee or interest.
///
/// # Errors
/// The store's.
pub fn book_costs(world: &mut World, line: Line) -> Result<(), Halt> {
    ledger::post(world, &postings::line_of_costs(line.org, line.account, line.amount.negated()))
}

/// Books a line that nothing explains.
///
/// # Errors
/// The store's.
pub fn book_unexplained(world: &mut World, line: Line) -> Result<(), Halt> {
    ledger::post(world, &postings::line_to_explain(line.org, line.account, line.amount))
}

/// A credit in suspense becomes an app's deposit; returns its transfer.
///
/// # Errors
/// The store's.
pub fn assign_to_app(world: &mut World, line: Line, app: AppId) -> Result<TransferId, Halt> {
    let scope = Scope { org: line.org, app };
    let transfer = received(world, scope, line.amount)?;
    ledger::post(world, &postings::assign_to_app(scope, transfer, line.account, line.amount))?;
    Ok(transfer)
}

/// A line in suspense becomes money of the organization's wallet, or is paid from it.
///
/// # Errors
/// `transaction-insufficient-funds` if the wallet does not cover a debit.
pub fn assign_to_organization(world: &mut World, line: Line) -> Result<(), Halt> {
    if line.amount.is_zero() {
        return Ok(());
    }
    ledger::post(world, &postings::assign_to_organization(line.org, line.account, line.amount))
}

/// A line in suspense becomes that of files and payments.
///
/// # Errors
/// `invalid-state` if one is booked or not at the bank.
pub fn assign_to_payments(
    world: &mut World,
    line: Line,
    files: &[BankFileId],
    payments: &[TransferId],
) -> Result<(), Halt> {
    let shares = world.each(files, |world, file| {
        let entries = world.all::<BankEntry>(BankEntry::OF_FILE, key![line.org, *file])?;
        let mut shares = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.is_debited()) {
            let sum: &mut Cents = shares.entry(entry.app).or_insert(Cents::ZERO);
            *sum = sum.plus(entry.amount).map_err(|_| differs("file"))?;
        }
        Ok((*file, shares))
    })?;
    ledger::post(world, &postings::line_of_apps(line.org, line.account, line.amount))?;
    book_payments(world, line, &shares, payments)
}

/// A line in suspense becomes that of returned payments.
///
/// # Errors
/// `invalid-state` if one is credited, or not returned.
pub fn assign_to_returns(world: &mut World, line: Line, transfers: &[TransferId]) -> Result<(), Halt> {
    ledger::post(world, &postings::line_of_apps(line.org, line.account, line.amount))?;
    book_returns(world, line, transfers)
}

/// A line in suspense becomes a cost or an income of the organization.
///
/// # Errors
/// The store's.
pub fn write_off(world: &mut World, line: Line) -> Result<(), Halt> {
    if line.amount.is_zero() {
        return Ok(());
    }
    ledger::post(world, &postings::write_off(line.org, line.account, line.amount))
}
