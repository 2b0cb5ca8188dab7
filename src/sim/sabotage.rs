//! What is broken on purpose, so that each check is seen to find what it is for.

use super::chance::Chance;
use super::checks::read;
use crate::events::Event;
use crate::funding::Debt;
use crate::payables::{Payable, PayableStatus};
use crate::payout_link_batches::{BatchRow, RowStatus};
use crate::payout_links::{LinkStatus, PayoutLink};
use crate::payout_requests::PayoutRequest;
use crate::store::memory::{Change, Memory};
use crate::users::{TaxYear, User, UserStatus};
use crate::vendors::VendorPaymentMethod;
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
    /// A reader of lists counts pages off from the beginning.
    PagesByCount,
    /// Links whose money is not there go out.
    UnfundedLinks,
    /// What apps owe is forgotten.
    ForgottenDebts,
    /// Reviews are forgotten: the store says that there is none.
    ForgottenReviews,
    /// Vendors' accounts are paid to as soon as they are confirmed.
    RestlessAccounts,
    /// What was paid in a year is forgotten.
    ForgottenTaxYears,
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
            | Self::CarrierDenies
            | Self::PagesByCount => {}
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
            Self::UnfundedLinks => {
                let waits = |link: &PayoutLink| link.status == LinkStatus::FundsPending;
                overwrite(changes, memory, waits, "status", &Value::Text("created".to_owned()));
            }
            Self::ForgottenDebts => overwrite(changes, memory, |_: &Debt| true, "left_open", &Value::Int(0)),
            Self::ForgottenReviews => {
                let reviewed = |user: &User| user.status == UserStatus::InReview;
                // Those who look at what was committed see what should be there.
                overwrite(&mut changes.clone(), memory, reviewed, "status", &Value::Text("verified".to_owned()));
            }
            Self::RestlessAccounts => {
                let rests = |account: &VendorPaymentMethod| account.usable_at.is_some();
                let long_ago = Value::Time(crate::clock::Time::from_micros(0));
                overwrite(&mut changes.clone(), memory, rests, "usable_at", &long_ago);
            }
            Self::ForgottenTaxYears => {
                overwrite(&mut changes.clone(), memory, |_: &TaxYear| true, "reportable", &Value::Int(0));
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
