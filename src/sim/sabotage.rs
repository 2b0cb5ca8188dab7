mod bank;
mod kinds;
mod rows;

pub use kinds::Sabotage;
use rows::{lose, overwrite};

use super::chance::Chance;
use super::checks::changed::read;
use crate::apps::limit_days::LimitDay;
use crate::apps::{App, MemberProof};
use crate::claims::ClaimSession;
use crate::events::EventSegment;
use crate::funding::Debt;
use crate::idempotency::StoredAnswer;
use crate::jobs::{Job, Work};
use crate::ledger::{Hold, HoldState, LedgerAccount, LedgerAccountKind, Transaction};
use crate::messages::delivery_days::DeliveryDay;
use crate::payables::{Payable, PayableStatus};
use crate::payout_link_batches::{BatchRow, RowStatus};
use crate::payout_links::{LinkStatus, PayoutLink};
use crate::payout_methods::PayoutMethod;
use crate::payout_requests::PayoutRequest;
use crate::store::memory::{Change, Memory};
use crate::users::{AppUser, TaxYear, User, UserStatus};
use crate::vendors::VendorPaymentMethod;
use crate::world::record::{Cell as _, Document};
use crate::world::{Key, Record, Value};

impl Sabotage {
    /// Applies the fault to a commit and the store.
    pub(super) fn tamper(self, changes: &mut Vec<Change>, memory: &Memory, chance: &mut Chance) {
        match self {
            Self::None
            | Self::RailTakesTwice
            | Self::OneDeliveryTooMany
            | Self::LazyStore
            | Self::StaleLeases
            | Self::ProviderDenies
            | Self::PagesByCount
            | Self::KeptFollowUps
            | Self::ThiefHasPhone
            | Self::SendsWithoutLook
            | Self::SendsOtherBytes
            | Self::SendsNothing
            | Self::KnowsNamesOnly
            | Self::MatchesByAmount
            | Self::ReadsPagesAgain
            | Self::AppliesOverGaps => {}
            Self::LostEvents if chance.one_in(50) => lose(changes, memory, is_segment),
            Self::LostJobs if chance.one_in(50) => lose(changes, memory, |job: &Job| !is_of_link(job)),
            Self::LostLinkJobs if chance.one_in(50) => lose(changes, memory, is_of_link),
            Self::LostEvents | Self::LostJobs | Self::LostLinkJobs => {}
            Self::ForgottenAnswers => lose(&mut changes.clone(), memory, |_: &StoredAnswer| true),
            Self::WrongBalances => overwrite(changes, memory, is_wallet, "balance", &Value::Int(1)),
            Self::ReopenedHolds => {
                let captured = |hold: &Hold| hold.state == HoldState::Captured;
                overwrite(changes, memory, captured, "state", &Value::Text("open".to_owned()));
            }
            Self::BrokenChain => overwrite(changes, memory, is_segment, "hash", &Value::Bytes(vec![0; 32])),
            Self::RewrittenLedger => {
                let hooks = Value::Text("elsewhere".to_owned());
                overwrite(&mut changes.clone(), memory, |_: &Transaction| true, "destination_name", &hooks);
            }
            Self::CrossedTenants => cross_tenants(changes, memory),
            Self::ForgottenApprovals | Self::DeniedRows | Self::UnfundedLinks => self.tamper_states(changes, memory),
            Self::ForgottenDebts => overwrite(changes, memory, |_: &Debt| true, "left_open", &Value::Int(0)),
            Self::ForgottenReviews => {
                let reviewed = |user: &User| user.status == UserStatus::InReview;
                // Only the product reads the fault; the checks see the correct rows.
                overwrite(&mut changes.clone(), memory, reviewed, "status", &Value::Text("verified".to_owned()));
            }
            Self::AssertedMembers => ask_no_proof(changes, memory),
            Self::SharedPayees => connect_sisters(changes, memory),
            Self::RestlessAccounts
            | Self::ForgottenTaxYears
            | Self::ForgottenLimits
            | Self::EndlessSessions
            | Self::RestlessMethods
            | Self::ForgottenDeliveries
            | Self::MovedSeals => self.tamper_unseen(changes, memory),
            Self::EntriesInTwoFiles
            | Self::TurnedDebits
            | Self::UnbookedNotCleared
            | Self::LostReports
            | Self::MovedAtBank
            | Self::CompletesUnsent
            | Self::ForgottenAcknowledgements
            | Self::WaitsForNothing
            | Self::PostsNotices
            | Self::LinesMoveTwice
            | Self::ForgottenSuspense => bank::tamper(self, changes, memory),
            Self::HastyReleases => release_at_once(changes, memory),
            Self::SkippedLinks => {
                let skips = Work::SweepLinks { after: uuid::Uuid::max(), idle: false };
                let is_sweep = |job: &Job| job.work.0.swept().is_some();
                overwrite(changes, memory, is_sweep, "work", &Document(skips).to_value());
            }
            Self::ForgottenLinks => {
                overwrite(changes, memory, |_: &PayoutRequest| true, "payout_link", &Value::Null);
            }
        }
    }
}

fn is_wallet(account: &LedgerAccount) -> bool {
    account.kind == LedgerAccountKind::AppWallet
}

fn is_segment(_: &EventSegment) -> bool {
    true
}

fn release_at_once(changes: &mut [Change], memory: &Memory) {
    let releases = |job: &Job| matches!(job.work.0, Work::ReleasePayment { .. });
    overwrite(changes, memory, releases, "due_at", &Value::Time(crate::clock::Time::from_micros(0)));
}

impl Sabotage {
    /// Gives objects another state.
    fn tamper_states(self, changes: &mut [Change], memory: &Memory) {
        let text = |word: &str| Value::Text(word.to_owned());
        if self == Self::ForgottenApprovals {
            let approved = |payable: &Payable| payable.status == PayableStatus::Approved;
            overwrite(changes, memory, approved, "approval_steps", &text("[]"));
        } else if self == Self::DeniedRows {
            let succeeded = |row: &BatchRow| row.status == RowStatus::Succeeded;
            overwrite(changes, memory, succeeded, "status", &text("failed"));
        } else if self == Self::UnfundedLinks {
            let waits = |link: &PayoutLink| link.status == LinkStatus::FundsPending;
            overwrite(changes, memory, waits, "status", &text("created"));
        }
    }

    /// Tampers with the store alone: the product reads the fault, and the checks see the correct rows.
    fn tamper_unseen(self, changes: &[Change], memory: &Memory) {
        let mut unseen = changes.to_vec();
        let (nothing, long_ago) = (Value::Int(0), Value::Time(crate::clock::Time::from_micros(0)));
        if self == Self::RestlessAccounts {
            let rests = |account: &VendorPaymentMethod| account.usable_at.is_some();
            overwrite(&mut unseen, memory, rests, "usable_at", &long_ago);
            overwrite(&mut unseen, memory, rests, "confirmed_at", &long_ago);
        } else if self == Self::ForgottenTaxYears {
            overwrite(&mut unseen, memory, |_: &TaxYear| true, "reportable", &nothing);
        } else if self == Self::ForgottenLimits {
            overwrite(&mut unseen, memory, |_: &LimitDay| true, "total", &nothing);
        } else if self == Self::EndlessSessions {
            overwrite(&mut unseen, memory, |_: &ClaimSession| true, "ended_at", &Value::Null);
        } else if self == Self::RestlessMethods {
            overwrite(&mut unseen, memory, |_: &PayoutMethod| true, "created_at", &long_ago);
        } else if self == Self::ForgottenDeliveries {
            overwrite(&mut unseen, memory, |_: &DeliveryDay| true, "deliveries", &nothing);
        } else if self == Self::MovedSeals {
            move_seals(&unseen, memory);
        }
    }
}

/// Moves links to an app of another organization.
fn cross_tenants(changes: &mut [Change], memory: &Memory) {
    let apps = memory.rows(App::TABLE);
    if let Some([org, app, ..]) = apps.last().map(Vec::as_slice) {
        let foreign = |link: &PayoutLink| link.org.to_value() != *org;
        overwrite(changes, memory, foreign, "app", app);
    }
}

/// Lifts the apps' requirement of member sessions in the store, without a change that the checks see.
fn ask_no_proof(changes: &[Change], memory: &Memory) {
    for change in changes.iter().filter(|change| change.table == App::TABLE) {
        let Some(mut app) = change.after.as_deref().and_then(read::<App>).map(|app| App::clone(&app)) else { continue };
        app.settings.0.member_proof = MemberProof::Asserted;
        memory.tamper(change.table, change.key.clone(), Some(app.values()));
    }
}

/// Connects the other app of the organization to each new user, without a change that the checks see: as if naming a
/// phone number connected an app.
fn connect_sisters(changes: &[Change], memory: &Memory) {
    let apps = memory.rows(App::TABLE);
    let at = |column| AppUser::TABLE.position(column).expect("a column of the record");
    for change in changes.iter().filter(|change| change.table == AppUser::TABLE && change.before.is_none()) {
        let Some(mut row) = change.after.clone() else { continue };
        let Some(sister) = apps.iter().find(|app| app[0] == row[0] && app[1] != row[at("app")]) else { continue };
        row[at("app")] = sister[1].clone();
        row[at("version")] = Value::Int(0);
        let key = [row[0].clone(), sister[1].clone(), row[at("user_id")].clone()];
        if !memory.rows(AppUser::TABLE).iter().any(|known| known[..] == row[..] || known[..3] == key[..]) {
            memory.tamper(change.table, Key::from(&key[..]), Some(row));
        }
    }
}

/// Puts the sealed token of another link into the row of a new one, without a change that the checks see.
fn move_seals(changes: &[Change], memory: &Memory) {
    let sealed = PayoutLink::TABLE.position("sealed_token").expect("a column of the record");
    let mut links = changes.iter().filter(|change| change.table == PayoutLink::TABLE);
    let Some(added) = links.find(|change| change.before.is_none()) else { return };
    let other = memory.rows(PayoutLink::TABLE).into_iter().next();
    if let (Some(other), Some(mut row)) = (other, added.after.clone()) {
        row[sealed].clone_from(&other[sealed]);
        memory.tamper(added.table, added.key.clone(), Some(row));
    }
}

/// Whether a job reminds of a link and expires it, or gives links such jobs.
fn is_of_link(job: &Job) -> bool {
    matches!(job.work.0, Work::ExpireLink { .. } | Work::SweepLinks { .. })
}
