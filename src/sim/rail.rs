//! The simulated rails, with records that share nothing with the ledger.
//!
//! A rail identifies items by our reference, as real ones do by an idempotency key: a repeated instruction creates one
//! item. It may accept an item and lose the response, settle late, fail, and return money after it arrived.

use std::collections::{BTreeSet, HashMap};

use super::chance::Chance;
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{OrgId, TransferId};
use crate::ledger::verify::Finding;
use crate::money::Cents;
use crate::rails::failures::FailureCode;
use crate::rails::sandbox::simulated_outcome;
use crate::rails::{Instruction, ItemStatus};
use crate::transfers::{Transfer, TransferStatus};

/// An item in the rail's records.
#[derive(Clone, Debug)]
struct Item {
    amount: Cents,
    settles_at: Time,
    fails_with: Option<FailureCode>,
    returns: Option<(Time, FailureCode)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    ItemStatus(ItemStatus),
    /// No response in time. The rail may have accepted the item.
    Silence,
}

pub(super) type Reference = (OrgId, TransferId);

#[derive(Default)]
pub(super) struct Rail {
    items: HashMap<Reference, Vec<Item>>,
    /// Returns that it has to report, by time.
    returns: BTreeSet<(Time, Reference)>,
    /// Negative control: accepts a second item for the same reference.
    takes_twice: bool,
    /// Whether it has no faults or delays. On when the simulation drains.
    pub sound: bool,
}

impl Rail {
    pub fn new(takes_twice: bool) -> Self {
        Self { takes_twice, ..Self::default() }
    }

    pub fn take(&mut self, instruction: &Instruction, now: Time, chance: &mut Chance) -> Heard {
        let reference = (instruction.org, instruction.transfer);
        if !self.sound && chance.one_in(60) {
            // The call never reached the rail.
            return Heard::Silence;
        }
        if self.takes_twice || !self.items.contains_key(&reference) {
            let item = item(instruction, now, chance);
            if let Some((returns_at, _)) = item.returns {
                self.returns.insert((returns_at, reference));
            }
            self.items.entry(reference).or_default().push(item);
        }
        if !self.sound && chance.one_in(40) {
            return Heard::Silence;
        }
        Heard::ItemStatus(self.item_status(reference, now))
    }

    /// Returns the status of a transfer.
    pub fn look_up(&mut self, reference: Reference, now: Time, chance: &mut Chance) -> Heard {
        if !self.sound && chance.one_in(50) {
            return Heard::Silence;
        }
        if !self.sound
            && chance.one_in(30)
            && let Some(item) = self.items.get_mut(&reference).and_then(|items| items.first_mut())
            && item.settles_at > now
        {
            // A delay: items that were due settle later.
            let later = chance.between(1, 2 * DAY_SECONDS);
            item.settles_at = item.settles_at.plus_seconds(later);
            if let Some((returns_at, code)) = item.returns {
                self.returns.remove(&(returns_at, reference));
                item.returns = Some((returns_at.plus_seconds(later), code));
                self.returns.insert((returns_at.plus_seconds(later), reference));
            }
        }
        Heard::ItemStatus(self.item_status(reference, now))
    }

    /// Returns the next due return.
    pub fn due_return(&self, now: Time) -> Option<Reference> {
        self.returns.first().filter(|(returns_at, _)| *returns_at <= now).map(|(_, reference)| *reference)
    }

    pub fn next_return(&self) -> Option<Time> {
        self.returns.first().map(|(returns_at, _)| *returns_at)
    }

    /// Records that a return was processed; the rail does not report it again.
    pub fn reported(&mut self, reference: Reference) {
        self.returns.retain(|(_, reported)| *reported != reference);
    }

    /// Compares a transfer with the rail's records: at most one item (6), and no outcome that the rail did not give.
    pub fn disagreement(&self, transfer: &Transfer, now: Time) -> Option<Finding> {
        let reference = (transfer.org, transfer.id);
        let items = self.items.get(&reference).map_or(0, Vec::len);
        let says = self.item_status(reference, now);
        let agrees = match transfer.status {
            TransferStatus::Created | TransferStatus::Flagged => true,
            TransferStatus::Canceled => items == 0,
            // An approved payout is pending before its rail receives it.
            TransferStatus::Pending => items == 1 || transfer.waits_for_rail(),
            TransferStatus::Completed => matches!(says, ItemStatus::Completed | ItemStatus::Returned(_)),
            TransferStatus::Failed => matches!(says, ItemStatus::Failed(_)),
            TransferStatus::Reversed => matches!(says, ItemStatus::Returned(_)),
        };
        let amount_agrees = self.items.get(&reference).is_none_or(|items| items[0].amount == transfer.arrives);
        if items <= 1 && agrees && amount_agrees {
            return None;
        }
        let invariant = if items > 1 { 6 } else { 5 };
        let what = format!("is {}; the rail has {items} items of it and reports {says:?}", transfer.status);
        Some(Finding { invariant, what, place: format!("transfer {}", transfer.id) })
    }

    fn item_status(&self, reference: Reference, now: Time) -> ItemStatus {
        let Some(item) = self.items.get(&reference).and_then(|items| items.first()) else { return ItemStatus::Unknown };
        if now < item.settles_at {
            return ItemStatus::Accepted { settles_at: item.settles_at };
        }
        match (item.fails_with, item.returns) {
            (Some(code), _) => ItemStatus::Failed(code),
            (None, Some((returns_at, code))) if now >= returns_at => ItemStatus::Returned(code),
            (None, _) => ItemStatus::Completed,
        }
    }
}

/// Returns a new item. Magic destinations decide its outcome (docs/decisions.md 13), chance that of the others.
fn item(instruction: &Instruction, now: Time, chance: &mut Chance) -> Item {
    let magic = simulated_outcome(&instruction.far_end);
    let settles_at = match chance.position(4) {
        0 => now,
        1 => now.plus_seconds(chance.between(1, 60)),
        _ => now.plus_seconds(chance.between(60, 3 * DAY_SECONDS)),
    };
    let fails_with = magic.fails_with.or_else(|| chance.one_in(25).then_some(FailureCode::RejectedByRail));
    let returned_with = magic.returned_with.or_else(|| chance.one_in(40).then_some(FailureCode::RefusedByReceiver));
    let returns_at = settles_at.plus_seconds(chance.between(1, 4 * DAY_SECONDS));
    let returns = returned_with.filter(|_| fails_with.is_none()).map(|code| (returns_at, code));
    Item { amount: instruction.amount, settles_at, fails_with, returns }
}
