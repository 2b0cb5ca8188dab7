mod bank;

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
use crate::world::{Key, Record, Row, Value};

/// A deliberate fault, to prove that a check finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    None,
    /// The rail accepts a second item for the same transfer.
    RailTakesTwice,
    /// The check allows one delivery fewer than the product, as if the product allowed one too many.
    OneDeliveryTooMany,
    /// The store reports commits as durable before they are.
    LazyStore,
    /// Some commits lose an event.
    LostEvents,
    /// A worker with a stale lease commits.
    StaleLeases,
    /// Approved bills lose their approvals.
    ForgottenApprovals,
    /// Approved requests lose their link.
    ForgottenLinks,
    /// Rows of a batch that succeeded have the status failed.
    DeniedRows,
    /// The provider denies messages that it accepted.
    ProviderDenies,
    /// A reader of lists finds pages by offset.
    PagesByCount,
    /// Links are sent before their money has arrived.
    UnfundedLinks,
    /// Debts of apps are forgotten.
    ForgottenDebts,
    /// The store has no reviews.
    ForgottenReviews,
    /// Apps that require member sessions are served without them.
    AssertedMembers,
    /// Vendors' accounts are paid at once after their confirmation, and new vendors' first accounts at any amount.
    RestlessAccounts,
    /// The sums paid in a year are forgotten.
    ForgottenTaxYears,
    /// Wallet balances differ from their entries.
    WrongBalances,
    /// Captured holds are open again.
    ReopenedHolds,
    ForgottenAnswers,
    /// Events do not follow from their predecessors.
    BrokenChain,
    /// Transactions of the ledger are rewritten, in a column that no sum compares.
    RewrittenLedger,
    /// Links move to another organization's app.
    CrossedTenants,
    /// Jobs get lost that no link needs.
    LostJobs,
    /// Jobs get lost that remind of links and expire them.
    LostLinkJobs,
    /// Sweeps skip links.
    SkippedLinks,
    /// The store connects both apps of an organization to each user that one of them creates.
    SharedPayees,
    /// Sums for limits are forgotten.
    ForgottenLimits,
    /// Held payments are released at once.
    HastyReleases,
    /// The thief at a claim link reads the codes that the payee receives.
    ThiefHasPhone,
    /// Ended claim sessions are open again.
    EndlessSessions,
    /// The store dates every payout method far back.
    RestlessMethods,
    /// Deliveries to a recipient on a day are forgotten.
    ForgottenDeliveries,
    /// New links have the sealed token of another.
    MovedSeals,
    /// Follow-ups that fail keep their changes.
    KeptFollowUps,
    /// A worker that continues a delivery publishes the file without a look at both names.
    SendsWithoutLook,
    /// The bytes that leave differ from those of the records.
    SendsOtherBytes,
    /// A server confirms a name that no file has.
    SendsNothing,
    /// Entries have a second file.
    EntriesInTwoFiles,
    /// The line of a statement debits a file and leaves its money unbooked.
    UnbookedNotCleared,
    /// Files of banks are known by their names only.
    KnowsNamesOnly,
    /// Returns are matched by their amount only.
    MatchesByAmount,
    /// Reports of a file get lost.
    LostReports,
    /// Money at the bank moves without a statement.
    MovedAtBank,
    /// A line of a statement moves the money of a payment twice.
    LinesMoveTwice,
    /// Lines in suspense are forgotten.
    ForgottenSuspense,
    /// Statements are applied over gaps.
    AppliesOverGaps,
}

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
            | Self::AppliesOverGaps => {}
            Self::LostEvents if chance.one_in(50) => lose(changes, memory, |_: &EventSegment| true),
            Self::LostJobs if chance.one_in(50) => lose(changes, memory, |job: &Job| !is_of_link(job)),
            Self::LostLinkJobs if chance.one_in(50) => lose(changes, memory, is_of_link),
            Self::LostEvents | Self::LostJobs | Self::LostLinkJobs => {}
            Self::ForgottenAnswers => lose(&mut changes.clone(), memory, |_: &StoredAnswer| true),
            Self::WrongBalances => {
                let is_wallet = |account: &LedgerAccount| account.kind == LedgerAccountKind::AppWallet;
                overwrite(changes, memory, is_wallet, "balance", &Value::Int(1));
            }
            Self::ReopenedHolds => {
                let captured = |hold: &Hold| hold.state == HoldState::Captured;
                overwrite(changes, memory, captured, "state", &Value::Text("open".to_owned()));
            }
            Self::BrokenChain => {
                overwrite(changes, memory, |_: &EventSegment| true, "hash", &Value::Bytes(vec![0; 32]))
            }
            Self::RewrittenLedger => {
                let hooks = Value::Text("elsewhere".to_owned());
                overwrite(&mut changes.clone(), memory, |_: &Transaction| true, "destination_name", &hooks);
            }
            Self::CrossedTenants => cross_tenants(changes, memory),
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
            | Self::UnbookedNotCleared
            | Self::LostReports
            | Self::MovedAtBank
            | Self::LinesMoveTwice
            | Self::ForgottenSuspense => bank::tamper(self, changes, memory),
            Self::HastyReleases => {
                let releases = |job: &Job| matches!(job.work.0, Work::ReleasePayment { .. });
                overwrite(changes, memory, releases, "due_at", &Value::Time(crate::clock::Time::from_micros(0)));
            }
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

impl Sabotage {
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

/// Loses the first added row of a kind that matches.
fn lose<R: Record>(changes: &mut Vec<Change>, memory: &Memory, is_meant: impl Fn(&R) -> bool) {
    let is_added = |change: &Change| change.table == R::TABLE && change.before.is_none();
    let matches = |row: &Row| read::<R>(row).is_some_and(|record| is_meant(&record));
    let added = changes.iter().position(|change| is_added(change) && change.after.as_ref().is_some_and(&matches));
    if let Some(place) = added {
        let lost = changes.remove(place);
        memory.tamper(lost.table, lost.key, None);
    }
}

/// Overwrites a column of the matching rows of a kind.
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
