//! What is broken on purpose, so that each check is seen to find what it is for.

use super::chance::Chance;
use super::checks::read;
use crate::apps::App;
use crate::events::Event;
use crate::funding::Debt;
use crate::http::idempotency::StoredAnswer;
use crate::jobs::Job;
use crate::ledger::{Hold, HoldState, LedgerAccount, PlaceKind};
use crate::payables::{Payable, PayableStatus};
use crate::payout_link_batches::{BatchRow, RowStatus};
use crate::payout_links::{LinkStatus, PayoutLink};
use crate::payout_requests::PayoutRequest;
use crate::store::memory::{Change, Memory};
use crate::users::{TaxYear, User, UserStatus};
use crate::vendors::VendorPaymentMethod;
use crate::world::record::Cell as _;
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
    /// Wallets say something else than their entries.
    WrongBalances,
    /// Holds that were captured are open again.
    ReopenedHolds,
    /// Answers that were kept for a key are forgotten.
    ForgottenAnswers,
    /// Events do not follow from those before them.
    BrokenChain,
    /// Links are another organization's app's.
    CrossedTenants,
    /// Jobs get lost now and then.
    LostJobs,
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
            Self::LostEvents if chance.one_in(50) => lose::<Event>(changes, memory),
            Self::LostJobs if chance.one_in(50) => lose::<Job>(changes, memory),
            Self::LostEvents | Self::LostJobs => {}
            Self::ForgottenAnswers => lose::<StoredAnswer>(&mut changes.clone(), memory),
            Self::WrongBalances => {
                let is_wallet = |account: &LedgerAccount| account.kind == PlaceKind::AppWallet;
                overwrite(changes, memory, is_wallet, "balance", &Value::Int(1));
            }
            Self::ReopenedHolds => {
                let captured = |hold: &Hold| hold.state == HoldState::Captured;
                overwrite(changes, memory, captured, "state", &Value::Text("open".to_owned()));
            }
            Self::BrokenChain => overwrite(changes, memory, |_: &Event| true, "hash", &Value::Bytes(vec![0; 32])),
            Self::CrossedTenants => {
                let apps = memory.rows(App::TABLE);
                if let Some([org, app, ..]) = apps.last().map(Vec::as_slice) {
                    let foreign = |link: &PayoutLink| link.org.to_value() != *org;
                    overwrite(changes, memory, foreign, "app", app);
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

/// Loses the first row of a kind that was added.
fn lose<R: Record>(changes: &mut Vec<Change>, memory: &Memory) {
    let added = changes.iter().position(|change| change.table == R::TABLE && change.before.is_none());
    if let Some(place) = added {
        let lost = changes.remove(place);
        memory.tamper(lost.table, lost.key, None);
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
