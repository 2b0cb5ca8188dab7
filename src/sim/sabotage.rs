//! What is broken on purpose, so that each check is seen to find what it is for.

use super::chance::Chance;
use super::checks::read;
use crate::events::Event;
use crate::payables::{Payable, PayableStatus};
use crate::payout_link_batches::{BatchRow, RowStatus};
use crate::payout_requests::PayoutRequest;
use crate::store::memory::{Change, Memory};
use crate::world::{Record, Value};

/// What is broken on purpose, to see that a check finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Nothing.
    None,
    /// The rail takes a second item for the same transfer.
    RailTakesTwice,
    /// One delivery fewer is allowed than the product allows: as if the product allowed one too many.
    OneDeliveryTooMany,
    /// The store says that it is durable and is not.
    LazyStore,
    /// Commits lose an event now and then.
    LostEvents,
    /// A worker whose lease was taken over commits all the same.
    StaleLeases,
    /// Approved bills forget who approved them.
    ForgottenApprovals,
    /// Approved requests forget which link they made.
    ForgottenLinks,
    /// Rows of a batch that succeeded say that they failed.
    DeniedRows,
    /// The carrier denies having taken what it took.
    CarrierDenies,
}

impl Sabotage {
    /// Breaks what was committed, and the store with it, where that is how it breaks things.
    pub(super) fn tamper(self, changes: &mut Vec<Change>, memory: &Memory, chance: &mut Chance) {
        match self {
            Self::None
            | Self::RailTakesTwice
            | Self::OneDeliveryTooMany
            | Self::LazyStore
            | Self::StaleLeases
            | Self::CarrierDenies => {}
            Self::LostEvents => {
                let event = changes.iter().position(|change| change.table == Event::TABLE);
                if let Some(place) = event.filter(|_| chance.one_in(50)) {
                    let lost = changes.remove(place);
                    memory.tamper(lost.table, lost.key, None);
                }
            }
            Self::ForgottenApprovals => {
                let approved = |payable: &Payable| payable.status == PayableStatus::Approved;
                overwrite(changes, memory, approved, "approval_steps", &Value::Text("[]".to_owned()));
            }
            Self::DeniedRows => {
                let succeeded = |row: &BatchRow| row.status == RowStatus::Succeeded;
                overwrite(changes, memory, succeeded, "status", &Value::Text("failed".to_owned()));
            }
            Self::ForgottenLinks => {
                overwrite(changes, memory, |_: &PayoutRequest| true, "payout_link", &Value::Null);
            }
        }
    }
}

/// Writes something else into a column of the rows of a kind that are so.
fn overwrite<R: Record>(
    changes: &mut [Change],
    memory: &Memory,
    is_meant: impl Fn(&R) -> bool,
    column: &str,
    value: &Value,
) {
    let column = R::TABLE.position(column).expect("a column of the record");
    for change in changes.iter_mut().filter(|change| change.table == R::TABLE) {
        if let Some(row) = &mut change.after
            && read::<R>(row).is_some_and(|record| is_meant(&record))
        {
            row[column] = value.clone();
            memory.tamper(change.table, change.key.clone(), Some(row.clone()));
        }
    }
}
