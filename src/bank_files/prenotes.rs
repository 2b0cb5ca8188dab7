//! Prenotes: entries without money, by which the bank of an account says whether the account exists. A payment that needs
//! the answer waits, and joins a file when its account is validated.

use std::sync::Arc;

use super::carrier::{Carrier, carrier_by, carrier_from, of_prenote};
use super::classes::{class_of_own, class_of_payment};
use super::far_end::{FarEnd, far_end_of};
use super::join::{add, enter, first_entry, remove};
use super::model::{BankEntry, BankFile, EntryKind, EntryStatus, FileStatus};
use super::rows;
use crate::bank_accounts::HolderType;
use crate::banking::originators::EntryClass;
use crate::ids::TransferId;
use crate::money::Cents;
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::refusal::Code;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferKind, TransferStatus};
use crate::world::{Halt, World};

/// Adds a transfer to the open file of its window, or lets it wait for a prenote, and makes it pending. `name` is the
/// holder's of the account.
///
/// # Errors
/// `internal-error` for a transfer without an account; `invalid-state` if no window takes the prenote.
pub fn join(world: &mut World, carrier: &Carrier, transfer: &Arc<Transfer>, name: &str) -> Result<Arc<Transfer>, Halt> {
    if carrier.validates {
        let account = far_end_of(world, transfer)?;
        if !is_validated(world, &account)? {
            return hold(world, carrier, transfer, (&account, name));
        }
    }
    enter(world, carrier, transfer, name)
}

/// Returns whether an account is validated, also by an entry that settled before validations were recorded.
fn is_validated(world: &World, account: &FarEnd) -> Result<bool, Halt> {
    if account.validation().is_some() {
        return Ok(true);
    }
    let has_settled = |entry: &Arc<BankEntry>| {
        entry.is_of_transfer() && matches!(entry.status, EntryStatus::Settled | EntryStatus::Reversed)
    };
    Ok(entries_of(world, account)?.iter().any(has_settled))
}

fn entries_of(world: &World, account: &FarEnd) -> Result<Vec<Arc<BankEntry>>, Halt> {
    match account {
        FarEnd::Method(method) => rows::of_method(world, method.org, method.id),
        FarEnd::Account(account) => rows::of_account(world, account.org, account.id),
    }
}

/// Returns the prenotes of an account whose outcome is open.
///
/// # Errors
/// The store's.
pub fn open_prenotes(world: &World, account: &FarEnd) -> Result<Vec<Arc<BankEntry>>, Halt> {
    let mut entries = entries_of(world, account)?;
    entries.retain(|entry| (entry.kind, entry.status) == (EntryKind::Prenote, EntryStatus::Joined));
    Ok(entries)
}

/// Lets a transfer wait for the prenote of its account, originator and direction, which it adds if there is none.
fn hold(
    world: &mut World,
    carrier: &Carrier,
    transfer: &Arc<Transfer>,
    (account, name): (&FarEnd, &str),
) -> Result<Arc<Transfer>, Halt> {
    let (prenote, file) = match open_prenote(world, carrier, account)? {
        Some(found) => found,
        None => add_prenote(world, carrier, transfer, name)?,
    };
    let held = |transfer: &mut Transfer| {
        (transfer.held_for, transfer.held_until) = (Some(prenote), Some(file.settles_at));
    };
    if transfer.status == TransferStatus::Pending {
        let transfer = world.change(transfer, held);
        transfers::touch(world, &transfer)?;
        return transfers::find(world, transfer.scope(), transfer.id);
    }
    transfers::advance(world, transfer, TransferEvent::Submitted, held)
}

fn open_prenote(
    world: &World,
    carrier: &Carrier,
    account: &FarEnd,
) -> Result<Option<(TransferId, Arc<BankFile>)>, Halt> {
    for prenote in open_prenotes(world, account)? {
        let file = rows::find(world, prenote.org, prenote.file)?;
        if (file.originator, file.direction) == (carrier.parts.originator, carrier.direction) {
            return Ok(Some((prenote.transfer, file)));
        }
    }
    Ok(None)
}

fn add_prenote(
    world: &mut World,
    carrier: &Carrier,
    transfer: &Transfer,
    name: &str,
) -> Result<(TransferId, Arc<BankFile>), Halt> {
    let carrier = of_prenote(world, transfer.org, carrier)?;
    let id = world.id();
    let prenote = BankEntry {
        transfer: id,
        kind: EntryKind::Prenote,
        of_transfer: Some(transfer.id),
        amount: Cents::ZERO,
        ..first_entry(world, &carrier, transfer, name)
    };
    Ok((id, add(world, &carrier, prenote)?))
}

/// Lets a transfer that waits continue after the outcome of its prenote: it joins the next file if its account is
/// validated, or waits for another prenote. Returns the reason if it must fail instead.
///
/// # Errors
/// The store's.
pub fn resume(world: &mut World, prenote: &BankEntry, transfer: &Arc<Transfer>) -> Result<Option<FailureCode>, Halt> {
    let account = far_end_of(world, transfer)?;
    let Some(name) = prenote.name.clone().filter(|_| !account.is_erased()) else {
        return Ok(Some(FailureCode::InvalidAccountNumber));
    };
    if let Some(code) = obstacle(transfer, &account) {
        return Ok(Some(code));
    }
    let carrier = match again(world, transfer, &account)? {
        Ok(carrier) => carrier,
        Err(code) => return Ok(Some(code)),
    };
    if is_validated(world, &account)? {
        let transfer = world.change(transfer, |transfer| (transfer.held_for, transfer.held_until) = (None, None));
        let transfer = enter(world, &carrier, &transfer, &name)?;
        transfers::touch(world, &transfer)?;
    } else {
        hold(world, &carrier, transfer, (&account, &name))?;
    }
    Ok(None)
}

/// Returns why nothing may go to an account any more. A payee who removes an account still gets what was ordered before;
/// from an account that its owner removed nothing is collected.
fn obstacle(transfer: &Transfer, account: &FarEnd) -> Option<FailureCode> {
    let reason = account.disabled_for()?;
    let failure = FailureCode::ALL.iter().copied().find(|code| code.as_str() == reason);
    let is_debit = transfer.direction() == Some(Direction::Debit);
    failure.or(is_debit.then_some(FailureCode::PaymentStopped))
}

/// Returns the carrier of a transfer that waited, by the route and the limits in force now, or the reason if they refuse it.
fn again(world: &World, transfer: &Transfer, account: &FarEnd) -> Result<Result<Carrier, FailureCode>, Halt> {
    let (scope, amount) = (transfer.scope(), transfer.arrives);
    let found = match (transfer.platform, transfer.direction()) {
        (Some(platform), Some(Direction::Credit)) => {
            carrier_by(world, scope, (platform, holder(account, HolderType::Company)), amount)
        }
        (Some(_), Some(Direction::Debit)) => {
            class_of(world, transfer, account).and_then(|class| carrier_from(world, scope, class, amount))
        }
        (_, _) => Ok(None),
    };
    match found {
        Ok(found) => Ok(found.ok_or(FailureCode::RejectedByRail)),
        Err(Halt::Refuse(refusal)) if refusal.code == Code::LimitExceeded => Ok(Err(FailureCode::LimitExceeded)),
        Err(Halt::Refuse(refusal)) if [Code::InvalidState, Code::InvalidInput].contains(&refusal.code) => {
            Ok(Err(FailureCode::RejectedByRail))
        }
        Err(halt) => Err(halt),
    }
}

fn holder(account: &FarEnd, otherwise: HolderType) -> HolderType {
    match account {
        FarEnd::Method(_) => HolderType::Individual,
        FarEnd::Account(account) => account.held_by(otherwise),
    }
}

/// Returns the class of a debit that waited.
fn class_of(world: &World, transfer: &Transfer, account: &FarEnd) -> Result<EntryClass, Halt> {
    match (transfer.kind, transfers::debit(world, transfer)?) {
        (TransferKind::Payment, Some(debit)) => {
            Ok(class_of_payment(holder(account, HolderType::Individual), &debit.mandate.0)?)
        }
        (_, _) => Ok(class_of_own(holder(account, HolderType::Company))),
    }
}

/// Ends a prenote whose outcome is known before its settlement: it leaves a file that is not written.
///
/// # Errors
/// The store's.
pub fn close_prenote(world: &mut World, prenote: &Arc<BankEntry>, error: Option<FailureCode>) -> Result<(), Halt> {
    let file = rows::find(world, prenote.org, prenote.file)?;
    if matches!(file.status, FileStatus::Open | FileStatus::Sealed) && file.sha256.is_none() {
        return remove(world, &file, prenote);
    }
    let now = world.now();
    world.change(prenote, |prenote| {
        (prenote.status, prenote.ended_at, prenote.error) = (EntryStatus::Settled, Some(now), error);
    });
    Ok(())
}
