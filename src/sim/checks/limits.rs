//! Checks an app's movements against its organization's limits, and held payments against the wallet. Sums come from
//! transfers and transactions alone, not from the product's own sums.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;
use uuid::Uuid;

use super::super::requests::{BillAct, Moving, Request, Wish};
use super::changed::{changed, written};
use crate::apps::{App, Settings};
use crate::bank_files::{BankEntry, EntryKind};
use crate::clock::{DAY_SECONDS, Time};
use crate::http::{Answer, Content};
use crate::ids::{AppId, LedgerAccountId, OrgId, TransferId};
use crate::ledger::verify::Finding;
use crate::ledger::{LedgerAccount, LedgerAccountKind, Transaction};
use crate::money::Cents;
use crate::scope::Scope;
use crate::store::memory::Change;
use crate::transfers::{Debit, Transfer, TransferKind, TransferStatus};

/// The invariant that movements stay within the limits.
const LIMITS: u8 = 21;
/// The invariant that held payments stay out of the wallet.
const HELD: u8 = 22;

/// A sum of movements per day: all of a kind, or those of one payer.
type Sum = (OrgId, AppId, TransferKind, Option<Uuid>, String);

#[derive(Default)]
pub(super) struct Limits {
    settings: HashMap<(OrgId, AppId), Settings>,
    sums: BTreeMap<Sum, i64>,
    /// Marks of withdrawals that were requested with an app key.
    withdrawn_by_app: HashSet<String>,
    places: HashMap<(OrgId, LedgerAccountId), LedgerAccountKind>,
    hold_days: HashMap<(OrgId, TransferId), i64>,
    /// The transfers with a reversal.
    reversed: HashSet<(OrgId, TransferId)>,
    arrived: HashMap<(OrgId, TransferId), Time>,
}

impl Limits {
    pub(super) fn sent(&mut self, request: &Request) {
        if let Wish::Move(Moving::Withdraw { mark, .. }) = &request.wish
            && request.comes_with_app_key()
        {
            self.withdrawn_by_app.insert(mark.clone());
        }
    }

    /// An app key never pays a bill above the approval limit.
    pub(super) fn answered(&self, request: &Request, answer: &Answer) -> Option<Finding> {
        let (Wish::Bill(billing), Content::Json(body)) = (&request.wish, &answer.content) else { return None };
        let by_app = request.comes_with_app_key() && billing.session.is_none();
        if !matches!(billing.act, BillAct::Pay(_)) || answer.status >= 400 || !by_app {
            return None;
        }
        let Scope { org, app } = request.scope;
        let limit = self.settings.get(&(org, app))?.payable_approval_limit?;
        let body: Value = serde_json::from_str(body).ok()?;
        let amount = body["amount"].as_i64()?;
        (amount > limit.get()).then(|| finding(LIMITS, "an app's key paid a bill above the approval limit", app.0))
    }

    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        for app in written::<App>(changes) {
            self.settings.insert((app.org, app.id), app.settings.0.clone());
        }
        let mut findings = Vec::new();
        let mut touched = Vec::new();
        for change in changed::<Transfer>(changes) {
            let Some(after) = change.after else { continue };
            let was_counted = change.before.is_some_and(|before| counts(&before));
            let amount = after.amount.get().abs();
            let change = amount * (i64::from(counts(&after)) - i64::from(was_counted));
            for sum in sums_of(&after) {
                *self.sums.entry(sum.clone()).or_default() += change;
                touched.push((sum, amount, after.id));
            }
            findings.extend(self.thieving(&after));
        }
        findings.extend(touched.iter().filter_map(|(sum, amount, id)| self.exceeded(sum, *amount, *id)));
        findings.extend(self.held(changes));
        findings
    }

    /// Returns the limit that this movement exceeds.
    fn exceeded(&self, sum: &Sum, amount: i64, id: TransferId) -> Option<Finding> {
        let (org, app, kind, payer, day) = sum;
        let settings = self.settings.get(&(*org, *app))?;
        let limits = match kind {
            TransferKind::Payout => settings.payout_limits,
            TransferKind::Payable => settings.payable_limits,
            TransferKind::Balance => settings.transfer_limits,
            TransferKind::Payment => settings.payment_limits,
            TransferKind::Refill | TransferKind::Settlement => return None,
        };
        let above = |limit: Option<Cents>, sum: i64| limit.is_some_and(|limit| sum > limit.get());
        if above(limits.each, amount) {
            return Some(finding(LIMITS, &format!("a {kind} of {amount} cents is above its limit"), id.0));
        }
        let total = self.sums.get(sum).copied().unwrap_or(0);
        let limit = if payer.is_some() { limits.per_payer_per_day } else { limits.per_day };
        above(limit, total)
            .then(|| finding(LIMITS, &format!("{total} cents of {kind}s on {day} are above the limit"), id.0))
    }

    /// Rejects a withdrawal with the app key from an app that has payout limits.
    fn thieving(&self, transfer: &Transfer) -> Option<Finding> {
        let asked = self.withdrawn_by_app.contains(transfer.metadata.as_ref()?);
        let limited =
            self.settings.get(&(transfer.org, transfer.app))?.payout_limits != Settings::default().payout_limits;
        (asked && limited).then(|| finding(LIMITS, "an app's key withdrew around its limits", transfer.id.0))
    }

    /// Checks that a held payment reaches the wallet only after its hold days.
    fn held(&mut self, changes: &[Change]) -> Vec<Finding> {
        for debit in written::<Debit>(changes) {
            self.hold_days.insert((debit.org, debit.id), debit.hold_days);
        }
        for account in written::<LedgerAccount>(changes) {
            self.places.insert((account.org, account.id), account.kind);
        }
        // What a bank moved twice is the app's at once.
        let reversals = written::<BankEntry>(changes).filter(|entry| entry.kind == EntryKind::Reversal);
        self.reversed.extend(reversals.map(|entry| (entry.org, entry.moves())));
        let mut findings = Vec::new();
        for posted in written::<Transaction>(changes) {
            let Some(transfer) = posted.transfer.filter(|id| !self.reversed.contains(&(posted.org, *id))) else {
                continue;
            };
            let Some(days) = self.hold_days.get(&(posted.org, transfer)).copied().filter(|days| *days > 0) else {
                continue;
            };
            match self.places.get(&(posted.org, posted.destination)) {
                Some(LedgerAccountKind::AppCollected) => {
                    self.arrived.insert((posted.org, transfer), posted.created_at);
                }
                Some(LedgerAccountKind::AppWallet) => {
                    let arrived = self.arrived.get(&(posted.org, transfer)).copied();
                    let over = arrived.is_some_and(|at| posted.created_at >= at.plus_seconds(days * DAY_SECONDS));
                    findings.extend(
                        (!over).then(|| finding(HELD, "a held payment is in the wallet too early", transfer.0)),
                    );
                }
                Some(_) | None => {}
            }
        }
        findings
    }
}

/// Whether a transfer counts towards the day on which it was created.
fn counts(transfer: &Transfer) -> bool {
    !matches!(transfer.status, TransferStatus::Failed | TransferStatus::Canceled)
}

fn sums_of(transfer: &Transfer) -> Vec<Sum> {
    let (day, kind) = (transfer.created_at.date().to_string(), transfer.kind);
    let sum = |payer| (transfer.org, transfer.app, kind, payer, day.clone());
    match kind {
        TransferKind::Payout | TransferKind::Payable => vec![sum(None)],
        TransferKind::Balance if transfer.amount.is_negative() => vec![sum(None)],
        TransferKind::Payment => {
            let payer = transfer.user_id.map(|user| user.0).or(transfer.customer.map(|customer| customer.0));
            vec![sum(None), sum(payer)]
        }
        TransferKind::Balance | TransferKind::Refill | TransferKind::Settlement => Vec::new(),
    }
}

fn finding(invariant: u8, what: &str, place: Uuid) -> Finding {
    Finding { invariant, what: what.to_owned(), place: place.to_string() }
}
