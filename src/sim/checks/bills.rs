//! Bills, commit by commit: paid at most once, only approved, as approved, and not approved by who submitted (12).
//!
//! What approved means stands here once more, counted from who said yes.

use std::collections::{BTreeSet, HashMap};

use super::changed;
use crate::ids::{PayableId, TransferId};
use crate::ledger::verify::Finding;
use crate::payables::{Payable, PayableStatus};
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind, TransferStatus};

/// The attempts to pay each bill, by whether their money is away.
#[derive(Default)]
pub(super) struct Bills {
    attempts: HashMap<TransferId, PayableId>,
    away: HashMap<PayableId, BTreeSet<TransferId>>,
}

impl Bills {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for change in changed::<Payable>(changes) {
            let Some(after) = &change.after else { continue };
            for attempt in &after.transfer_history.0 {
                self.attempts.insert(attempt.transfer, after.id);
            }
            let before = change.before.as_ref();
            let moved =
                before.is_some_and(|it| is_bound(it.status) && is_bound(after.status) && it.terms != after.terms);
            let broken = if moved { Some("changed after it was submitted") } else { unapproved(after) };
            findings.extend(broken.map(|what| finding(what, after.id)));
        }
        for transfer in changed::<Transfer>(changes).filter_map(|change| change.after) {
            if transfer.kind == TransferKind::Payable {
                findings.extend(self.attempt(&transfer, changes));
            }
        }
        findings
    }

    /// What is wrong with an attempt to pay.
    fn attempt(&mut self, transfer: &Transfer, changes: &[Change]) -> Option<Finding> {
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
        let approved = payable.terms.as_ref().map(|terms| terms.0.amount);
        (approved != Some(transfer.arrives)).then(|| finding("is paid at another amount than was approved", bill))
    }
}

/// What is wrong with a bill that stands as approved, or beyond.
fn unapproved(payable: &Payable) -> Option<&'static str> {
    let steps = &payable.approval_steps.0;
    let own = |member| payable.submitted_by == Some(member);
    let yes = steps.iter().flat_map(|step| &step.approvals).filter(|approval| approval.given == Some(true));
    if is_bound(payable.status) && yes.clone().any(|approval| own(approval.member)) {
        return Some("was approved by who submitted it");
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
    (needs_all && (lacks || steps.is_empty())).then_some("is approved without all approvals that it needs")
}

/// Whether its terms are fixed.
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

/// Whether the money of a transfer is on its way, or has arrived and stayed.
const fn is_away(status: TransferStatus) -> bool {
    match status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending | TransferStatus::Completed => true,
        TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled => false,
    }
}

fn finding(what: &str, bill: PayableId) -> Finding {
    Finding { invariant: 12, what: what.to_owned(), place: format!("payable {bill}") }
}
