//! What a fact about an entry of a file does to its transfer, or to the entry that it reverses.
//!
//! A reversal moves no money before it settles. Then its original goes back as a returned payment does. If the original
//! went back in another way, or the reversal is returned afterwards, the difference is the app's: it gets what came twice,
//! and covers what left twice.

use std::sync::Arc;

use super::outcomes::{Fact, bring};
use super::prenotes;
use crate::apps;
use crate::bank_files::{self, BankEntry, EntryKind, EntryStatus, FileStatus};
use crate::bank_reversals::{self, Ended};
use crate::funding;
use crate::ids::TransferId;
use crate::ledger::{self, Account, postings};
use crate::platform::Platform;
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::transfers::{self, Transfer};
use crate::world::{Halt, World};

const fn unbooked(entry: &BankEntry) -> Account {
    Account::Unbooked(entry.app, entry.settlement_account)
}

fn transfer_of(world: &mut World, entry: &BankEntry) -> Result<Arc<Transfer>, Halt> {
    transfers::find(world, Scope { org: entry.org, app: entry.app }, entry.moves())
}

/// Presumes an entry settled.
pub(super) fn settle(world: &mut World, entry: &Arc<BankEntry>) -> Result<(), Halt> {
    arrived(world, entry)?;
    let now = world.now();
    world.change(entry, |entry| (entry.status, entry.ended_at) = (EntryStatus::Settled, Some(now)));
    Ok(())
}

/// The money of an entry has arrived.
pub(super) fn arrived(world: &mut World, entry: &BankEntry) -> Result<(), Halt> {
    match entry.kind {
        EntryKind::Payment | EntryKind::Retry => {
            let transfer = transfer_of(world, entry)?;
            bring(world, &transfer, Fact::Arrived, unbooked(entry))?;
            prenotes::validated_by(world, entry)
        }
        EntryKind::Reversal => reversed(world, entry),
        EntryKind::Prenote => prenotes::accepted(world, entry),
    }
}

/// A debit came back before it was presumed settled. If it is presented again, its transfer stays pending until the last one
/// ends; returns the new entry then.
pub(super) fn present_again(
    world: &mut World,
    entry: &BankEntry,
    code: FailureCode,
) -> Result<Option<TransferId>, Halt> {
    if code != FailureCode::InsufficientFunds {
        return Ok(None);
    }
    let app = apps::find_even_deleted(world, Scope { org: entry.org, app: entry.app })?;
    if app.deleted_at.is_some() {
        return Ok(None);
    }
    let Some(again) = bank_files::present_again(world, entry, app.settings.0.debit_retries)? else {
        return Ok(None);
    };
    let next = bank_files::entry(world, entry.org, again)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    let settles_at = bank_files::find(world, entry.org, next.file)?.settles_at;
    let transfer = transfer_of(world, entry)?;
    let transfer = world.change(&transfer, |transfer| transfer.settles_at = Some(settles_at));
    transfers::touch(world, &transfer)?;
    Ok(Some(again))
}

/// The money of an entry did not arrive. `was_sent`: the bank had the entry.
pub(super) fn failed(world: &mut World, entry: &BankEntry, code: FailureCode, was_sent: bool) -> Result<(), Halt> {
    match entry.kind {
        EntryKind::Payment | EntryKind::Retry => {
            let transfer = transfer_of(world, entry)?;
            bring(world, &transfer, Fact::Failed(code), unbooked(entry))
        }
        // The original stays as it is: what it moved is lost to the app, or kept by it.
        EntryKind::Reversal if was_sent => bank_reversals::count_ended(world, entry, Ended::Returned),
        EntryKind::Reversal => {
            bank_files::not_reversed(world, entry)?;
            bank_reversals::count_ended(world, entry, Ended::Unsent)
        }
        EntryKind::Prenote => prenotes::refused(world, entry, code),
    }
}

/// The money of an entry came back after it had arrived.
pub(super) fn came_back(world: &mut World, entry: &BankEntry, code: FailureCode) -> Result<(), Halt> {
    match (entry.kind, entry.status) {
        // Its reversal took the money back already.
        (EntryKind::Payment | EntryKind::Retry, EntryStatus::Reversed) => {
            move_for_app(world, entry, entry.direction == Direction::Credit)
        }
        (EntryKind::Payment | EntryKind::Retry, _) => {
            let transfer = transfer_of(world, entry)?;
            bring(world, &transfer, Fact::CameBack(code), unbooked(entry))
        }
        (EntryKind::Reversal, _) => {
            move_for_app(world, entry, entry.direction == Direction::Credit)?;
            bank_reversals::count_ended(world, entry, Ended::Returned)
        }
        (EntryKind::Prenote, _) => prenotes::undone(world, entry, code),
    }
}

/// An entry came back, or its bank refused it: a reversal of it that the bank cannot have yet is not sent.
pub(super) fn call_off_reversal(world: &mut World, entry: &BankEntry, code: FailureCode) -> Result<(), Halt> {
    let Some(follower) = entry.followed_by else { return Ok(()) };
    let Some(reversal) = bank_files::entry(world, entry.org, follower)? else { return Ok(()) };
    if (reversal.kind, reversal.status) != (EntryKind::Reversal, EntryStatus::Joined) {
        return Ok(());
    }
    if bank_files::pull_out(world, &reversal)? {
        failed(world, &reversal, code, false)?;
    }
    Ok(())
}

/// A reversal took effect: its original goes back.
fn reversed(world: &mut World, reversal: &BankEntry) -> Result<(), Halt> {
    bank_reversals::count_ended(world, reversal, Ended::Settled)?;
    let find = |world: &World| match reversal.follows {
        Some(original) => bank_files::entry(world, reversal.org, original),
        None => Ok(None),
    };
    let Some(mut original) = find(world)? else { return move_for_app(world, reversal, is_pull(reversal)) };
    let file = bank_files::find(world, original.org, original.file)?;
    let is_pending = (original.status, file.status) == (EntryStatus::Joined, FileStatus::Sent);
    let transfer = transfer_of(world, reversal)?;
    if is_pending && is_pull(&original) {
        // What the bank collected is back at the payer. Its app never had it, and nothing begins that waits for it.
        bring(world, &transfer, Fact::Failed(FailureCode::ReturnedOnRequest), unbooked(&original))?;
    } else {
        // The bank pays the original first, also where it is presumed settled later than its reversal.
        if is_pending {
            settle(world, &original)?;
            original = find(world)?.unwrap_or(original);
        }
        if original.status != EntryStatus::Settled {
            // The money of the original came back already, or never moved.
            return move_for_app(world, reversal, is_pull(reversal));
        }
        let transfer = transfer_of(world, reversal)?;
        bring(world, &transfer, Fact::CameBack(FailureCode::ReturnedOnRequest), unbooked(&original))?;
    }
    let now = world.now();
    world.change(&original, |entry| (entry.status, entry.ended_at) = (EntryStatus::Reversed, Some(now)));
    Ok(())
}

fn is_pull(entry: &BankEntry) -> bool {
    entry.direction == Direction::Debit
}

/// Gives the amount of an entry to its app, or takes it from the app, which owes what it does not have.
fn move_for_app(world: &mut World, entry: &BankEntry, is_gain: bool) -> Result<(), Halt> {
    let transfer = transfer_of(world, entry)?;
    let (scope, platform) = (transfer.scope(), transfer.platform.unwrap_or(Platform::Ach));
    let of = (scope, transfer.id, platform, entry.amount);
    let outside = unbooked(entry);
    if is_gain {
        return ledger::post(world, &postings::came_twice(of).through(outside));
    }
    let covered = postings::left_twice(of).through(outside);
    let uncovered = postings::left_twice_uncovered(of).through(outside);
    funding::make_up(world, &transfer, &covered, &uncovered)
}
