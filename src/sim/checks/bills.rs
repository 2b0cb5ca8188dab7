//! Checks bills after each commit (12): paid at most once, only if approved, on the approved terms, and not approved by
//! the submitter.
//!
//! The checks count the approvals and repeat the rules for a vendor's account: the first may be paid at once, a later
//! one a day after a member other than its creator confirmed it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::changed::changed;
use crate::apps::{App, MemberProof};
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{AppId, MemberSessionId, PayableId, TransferId, VendorId, VendorPaymentMethodId};
use crate::ledger::verify::Finding;
use crate::members::sign_in::MemberSession;
use crate::money::Cents;
use crate::payables::{Action, ActionKind, Payable, PayableStatus};
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::vendors::VendorPaymentMethod;

/// The attempts to pay each bill, and those whose money is on its way or paid.
#[derive(Default)]
pub(super) struct Bills {
    attempts: HashMap<TransferId, PayableId>,
    away: HashMap<PayableId, BTreeSet<TransferId>>,
    /// The first account of each vendor.
    first: HashMap<VendorId, VendorPaymentMethodId>,
    accounts: HashMap<VendorPaymentMethodId, Arc<VendorPaymentMethod>>,
    /// Per app: whether members must prove themselves, and the limit above which a first account waits.
    settings: HashMap<AppId, (bool, Option<Cents>)>,
    sessions: HashMap<MemberSessionId, Arc<MemberSession>>,
}

impl Bills {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for app in changed::<App>(changes).filter_map(|change| change.after) {
            let settings = &app.settings.0;
            // The simulation never lifts the requirement, so it holds even if a stored row says otherwise.
            let before = self.settings.get(&app.id).is_some_and(|(required, _)| *required);
            let required = before || settings.member_proof == MemberProof::Required;
            self.settings.insert(app.id, (required, settings.payable_approval_limit));
        }
        for change in changed::<MemberSession>(changes) {
            // An act always precedes the end of its session, so the newest row is sufficient.
            self.sessions.extend(change.after.map(|session| (session.id, session)));
        }
        for change in changed::<Payable>(changes) {
            let Some(after) = &change.after else { continue };
            let done = change.before.as_ref().map_or(0, |before| before.action_history.0.len());
            let unproven = after.action_history.0.iter().skip(done).any(|action| !self.is_proven(after.app, action));
            findings.extend(unproven.then(|| finding("was acted on without the member's own session", after.id)));
            for attempt in &after.transfer_history.0 {
                self.attempts.insert(attempt.transfer, after.id);
            }
            let before = change.before.as_ref();
            let moved =
                before.is_some_and(|it| is_bound(it.status) && is_bound(after.status) && it.terms != after.terms);
            let broken = if moved { Some("changed after it was submitted") } else { unapproved(after) };
            findings.extend(broken.map(|what| finding(what, after.id)));
        }
        for account in changed::<VendorPaymentMethod>(changes).filter_map(|change| change.after) {
            self.first.entry(account.vendor).or_insert(account.id);
            self.accounts.insert(account.id, account);
        }
        for change in changed::<Transfer>(changes) {
            if let Some(transfer) = change.after.filter(|transfer| transfer.kind == TransferKind::Payable) {
                findings.extend(self.attempt(&transfer, change.before.is_none(), changes));
            }
        }
        findings
    }

    /// Returns the fault of an attempt to pay.
    fn attempt(&mut self, transfer: &Transfer, is_new: bool, changes: &[Change]) -> Option<Finding> {
        let Some(bill) = self.attempts.get(&transfer.id).copied() else {
            let place = format!("transfer {}", transfer.id);
            return Some(Finding { invariant: 12, what: "pays no bill".to_owned(), place });
        };
        let away = self.away.entry(bill).or_default();
        if is_away(transfer.status) {
            away.insert(transfer.id);
        } else {
            away.remove(&transfer.id);
        }
        if away.len() > 1 {
            return Some(finding("is being paid twice", bill));
        }
        let payable = changed::<Payable>(changes).filter_map(|it| it.after).find(|payable| payable.id == bill)?;
        let terms = payable.terms.as_ref().map(|terms| &terms.0);
        if terms.map(|terms| terms.amount) != Some(transfer.arrives) {
            return Some(finding("is paid at an amount that was not approved", bill));
        }
        let rested = terms.is_some_and(|terms| {
            self.may_be_paid(payable.app, terms.payment_method, terms.amount, transfer.created_at)
        });
        (is_new && !rested).then(|| finding("is paid to an account that is not confirmed or still rests", bill))
    }

    /// Whether an act that requires a session has one that belongs to the member and was live.
    fn is_proven(&self, app: AppId, action: &Action) -> bool {
        let needs = match action.kind {
            ActionKind::SubmitForApproval
            | ActionKind::Approve
            | ActionKind::Reject
            | ActionKind::InitiatePayment
            | ActionKind::RetryPayment => self.settings.get(&app).is_some_and(|(required, _)| *required),
            ActionKind::Create | ActionKind::Update | ActionKind::Cancel => false,
        };
        let Some(actor) = action.actor.as_ref().filter(|_| needs) else { return !needs };
        let session = actor.session.and_then(|session| self.sessions.get(&session));
        session.is_some_and(|session| {
            session.member == actor.member
                && session.ended_at.is_none_or(|ended| action.at < ended)
                && action.at < session.expires_at
                && action.at.seconds_since(session.last_used_at) < 3_600
        })
    }

    fn may_be_paid(&self, app: AppId, id: VendorPaymentMethodId, amount: Cents, now: Time) -> bool {
        let Some(account) = self.accounts.get(&id) else { return false };
        let is_first = self.first.get(&account.vendor) == Some(&id);
        let by_another = account.confirmed_by.is_some() && account.confirmed_by != account.added_by;
        let rested = account.confirmed_at.is_some_and(|at| now >= at.plus_seconds(DAY_SECONDS));
        let is_large = self.settings.get(&app).and_then(|(_, limit)| *limit).is_some_and(|limit| amount > limit);
        (is_first && (rested || !is_large)) || (by_another && rested)
    }
}

/// Returns the fault in the approvals of a bill.
fn unapproved(payable: &Payable) -> Option<&'static str> {
    let steps = &payable.approval_steps.0;
    let own = |member| payable.submitted_by == Some(member);
    let yes = steps.iter().flat_map(|step| &step.approvals).filter(|approval| approval.given == Some(true));
    if is_bound(payable.status) && yes.clone().any(|approval| own(approval.member)) {
        return Some("was approved by its submitter");
    }
    let needs_all = match payable.status {
        PayableStatus::Approved
        | PayableStatus::PaymentInitiated
        | PayableStatus::PaymentFailed
        | PayableStatus::PaymentCompleted => true,
        PayableStatus::Created
        | PayableStatus::Canceled
        | PayableStatus::SubmittedForApproval
        | PayableStatus::Rejected => false,
    };
    let lacks = steps.iter().any(|step| {
        let yes = step.approvals.iter().filter(|approval| approval.given == Some(true));
        let members: BTreeSet<_> = yes.map(|approval| approval.number).collect();
        u32::try_from(members.len()).unwrap_or(u32::MAX) < step.num_approvals_required
    });
    (needs_all && (lacks || steps.is_empty())).then_some("is approved without all required approvals")
}

/// Whether the terms are fixed.
const fn is_bound(status: PayableStatus) -> bool {
    match status {
        PayableStatus::SubmittedForApproval
        | PayableStatus::Approved
        | PayableStatus::PaymentInitiated
        | PayableStatus::PaymentFailed
        | PayableStatus::PaymentCompleted => true,
        PayableStatus::Created | PayableStatus::Canceled | PayableStatus::Rejected => false,
    }
}

/// Whether the money is on its way or has been paid.
const fn is_away(status: TransferStatus) -> bool {
    match status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending | TransferStatus::Completed => true,
        TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled => false,
    }
}

fn finding(what: &str, bill: PayableId) -> Finding {
    Finding { invariant: 12, what: what.to_owned(), place: format!("payable {bill}") }
}
