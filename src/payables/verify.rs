//! Checks of stored payables (invariant 12): paid at most once, only when approved, at the approved amount, and not
//! approved by their submitter. Pure: the caller supplies the rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::model::{Payable, PayableStatus};
use super::rules;
use crate::ids::TransferId;
use crate::ledger::verify::Finding;
use crate::transfers::{Transfer, TransferKind, TransferStatus};

/// Checks payables one by one, then the transfers. It keeps one id for each attempt to pay.
#[derive(Default)]
pub struct Checker {
    attempts: HashMap<TransferId, u32>,
    findings: Vec<Finding>,
}

impl Checker {
    /// Checks one payable with the transfers of its attempts. Call it for every payable before the transfers.
    pub fn payable(&mut self, payable: &Payable, transfers: &[Option<Arc<Transfer>>]) {
        let mut wrong = Vec::new();
        check_attempts(payable, transfers, &mut wrong);
        check_approval(payable, &mut wrong);
        check_status(payable, transfers, &mut wrong);
        for attempt in &payable.transfer_history.0 {
            *self.attempts.entry(attempt.transfer).or_default() += 1;
        }
        let place = format!("payable {}", payable.id);
        let finding = |what: &str| Finding { invariant: 12, what: what.to_owned(), place: place.clone() };
        self.findings.extend(wrong.into_iter().map(finding));
    }

    /// Checks one transfer. Call it after all payables.
    pub fn transfer(&mut self, transfer: &Transfer) {
        let named = self.attempts.get(&transfer.id).copied().unwrap_or(0);
        if named != u32::from(transfer.kind == TransferKind::Payable) {
            let what = format!("a transfer of type {} is in the history of {named} payables", transfer.kind);
            self.findings.push(Finding { invariant: 12, what, place: format!("transfer {}", transfer.id) });
        }
    }

    pub fn findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// Returns whether the money of a transfer is in flight, or has arrived and was not returned.
pub const fn has_left(status: TransferStatus) -> bool {
    match status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending | TransferStatus::Completed => true,
        TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled => false,
    }
}

fn check_attempts(payable: &Payable, transfers: &[Option<Arc<Transfer>>], wrong: &mut Vec<&'static str>) {
    let found: Vec<&Arc<Transfer>> = transfers.iter().flatten().collect();
    if found.len() != payable.transfer_history.0.len() {
        wrong.push("a transfer of its history is missing");
    }
    if found.iter().filter(|transfer| has_left(transfer.status)).count() > 1 {
        wrong.push("is paid more than once");
    }
    for (attempt, transfer) in payable.transfer_history.0.iter().zip(transfers) {
        let Some(transfer) = transfer else { continue };
        if (transfer.amount, transfer.arrives) != (attempt.terms.amount, attempt.terms.amount) {
            wrong.push("is paid at an amount that was not approved");
        }
        if transfer.bank_account != Some(attempt.terms.bank_account) {
            wrong.push("is paid to an account that was not approved");
        }
    }
    if payable.transfer != payable.transfer_history.0.last().map(|attempt| attempt.transfer) {
        wrong.push("does not show the transfer of its last attempt");
    }
}

fn check_approval(payable: &Payable, wrong: &mut Vec<&'static str>) {
    let steps = &payable.approval_steps.0;
    let approved = steps.iter().flat_map(|step| &step.approvals).filter(|approval| approval.given == Some(true));
    if approved.map(|approval| Some(approval.member)).any(|member| member == payable.submitted_by) {
        wrong.push("was approved by its submitter");
    }
    match payable.status {
        PayableStatus::Approved
        | PayableStatus::PaymentInitiated
        | PayableStatus::PaymentFailed
        | PayableStatus::PaymentCompleted => {
            let complete = |step| rules::has_enough(step) && step.completed_at.is_some();
            if steps.is_empty() || payable.submitted_by.is_none() || !steps.iter().all(complete) {
                wrong.push("is approved, but its approvals are not complete");
            }
            must_be_as_submitted(payable, wrong);
        }
        PayableStatus::SubmittedForApproval => must_be_as_submitted(payable, wrong),
        PayableStatus::Created | PayableStatus::Canceled | PayableStatus::Rejected => {}
    }
}

fn must_be_as_submitted(payable: &Payable, wrong: &mut Vec<&'static str>) {
    let now = (Some(payable.amount), payable.vendor, payable.payment_method);
    let terms = payable.terms.as_ref().map(|terms| terms.0);
    let submitted = (terms.map(|it| it.amount), terms.map(|it| it.vendor), terms.map(|it| it.payment_method));
    if now != submitted {
        wrong.push("differs from the submitted payable");
    }
}

fn check_status(payable: &Payable, transfers: &[Option<Arc<Transfer>>], wrong: &mut Vec<&'static str>) {
    let last = transfers.last().and_then(|transfer| transfer.as_ref()).map(|transfer| transfer.status);
    let left = last.is_some_and(has_left);
    let fits = match payable.status {
        PayableStatus::PaymentInitiated => left && last != Some(TransferStatus::Completed),
        PayableStatus::PaymentCompleted => last == Some(TransferStatus::Completed),
        PayableStatus::PaymentFailed => last.is_some() && !left,
        // A payment may have failed before the bill was rejected and submitted again.
        PayableStatus::Created
        | PayableStatus::Canceled
        | PayableStatus::SubmittedForApproval
        | PayableStatus::Rejected
        | PayableStatus::Approved => !left,
    };
    if !fits {
        wrong.push("its state differs from the state of its last transfer");
    }
    let paying = [PayableStatus::PaymentInitiated, PayableStatus::PaymentCompleted].contains(&payable.status);
    let paid = payable.transfer_history.0.last().map(|attempt| attempt.terms);
    if paying && paid != payable.terms.as_ref().map(|terms| terms.0) {
        wrong.push("is paid on terms that were not approved");
    }
}
