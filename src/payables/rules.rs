//! The state transitions of a payable (docs/states.md). Pure.

use super::model::{ApprovalStep, Payable, PayableStatus};
use crate::clock::Time;
use crate::ids::MemberId;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayableEvent {
    /// A member changed it, or its file.
    Updated,
    Canceled,
    Submitted,
    /// A member approved, and more approvals are required.
    StepApproved,
    /// The last required member approved.
    Approved,
    Rejected,
    PaymentInitiated,
    PaymentCompleted,
    /// The payment failed, and the money is back.
    PaymentFailed,
    /// The payment had arrived and was returned.
    PaymentReturned,
}

impl PayableEvent {
    pub const ALL: [Self; 10] = [
        Self::Updated,
        Self::Canceled,
        Self::Submitted,
        Self::StepApproved,
        Self::Approved,
        Self::Rejected,
        Self::PaymentInitiated,
        Self::PaymentCompleted,
        Self::PaymentFailed,
        Self::PaymentReturned,
    ];
}

/// Returns the next state, or the refusal.
pub fn apply(status: PayableStatus, event: PayableEvent) -> Result<PayableStatus, Refusal> {
    states::apply("payable", status, |status| transition(status, event), way_out)
}

/// The number of history entries beyond which a payable accepts no more changes, because each change writes the whole
/// history. Approvals, rejections, payments and cancellations are always accepted.
pub const HISTORY_MAX: usize = 200;

/// Checks that a payable, or its file, can be changed.
///
/// # Errors
/// `invalid-state`; `limit-exceeded` after [`HISTORY_MAX`] entries.
pub fn may_be_changed(payable: &Payable) -> Result<(), Refusal> {
    apply(payable.status, PayableEvent::Updated)?;
    if payable.action_history.0.len() < HISTORY_MAX {
        return Ok(());
    }
    let message = format!(
        "The payable has {HISTORY_MAX} actions, which is the limit. Submit it unchanged, or create a new payable."
    );
    Err(Refusal::over_limit("payable_actions", HISTORY_MAX, message))
}

/// Returns what a caller can do with a payable in a state.
const fn way_out(status: PayableStatus) -> &'static str {
    match status {
        PayableStatus::Created => "Submit it for approval, change it, or cancel it.",
        PayableStatus::SubmittedForApproval => "Approve it, or reject it; a rejected payable can be changed.",
        PayableStatus::Rejected => "Change it and submit it again; a changed payable can be canceled too.",
        PayableStatus::Approved => "Pay it.",
        PayableStatus::PaymentInitiated => "Wait for the outcome of its payment.",
        PayableStatus::PaymentFailed => "Pay it again, or reject it to change its account.",
        PayableStatus::Canceled | PayableStatus::PaymentCompleted => "Its status is final: create a new payable.",
    }
}

const fn transition(status: PayableStatus, event: PayableEvent) -> Option<PayableStatus> {
    use PayableStatus::{
        Approved, Canceled, Created, PaymentCompleted, PaymentFailed, PaymentInitiated, Rejected, SubmittedForApproval,
    };
    match (status, event) {
        // A change creates a rejected bill again: its earlier approvals are void.
        (Created | Rejected, PayableEvent::Updated) => Some(Created),
        (Created, PayableEvent::Canceled) => Some(Canceled),
        (Created, PayableEvent::Submitted) | (SubmittedForApproval, PayableEvent::StepApproved) => {
            Some(SubmittedForApproval)
        }
        (SubmittedForApproval, PayableEvent::Approved) => Some(Approved),
        // A failed payment can be rejected, because another account requires another approval.
        (SubmittedForApproval | PaymentFailed, PayableEvent::Rejected) => Some(Rejected),
        (Approved | PaymentFailed, PayableEvent::PaymentInitiated) => Some(PaymentInitiated),
        (PaymentInitiated, PayableEvent::PaymentCompleted) => Some(PaymentCompleted),
        (PaymentInitiated, PayableEvent::PaymentFailed) | (PaymentCompleted, PayableEvent::PaymentReturned) => {
            Some(PaymentFailed)
        }
        (
            SubmittedForApproval | Approved | PaymentInitiated | PaymentFailed | PaymentCompleted | Canceled,
            PayableEvent::Updated,
        )
        | (
            SubmittedForApproval | Rejected | Approved | PaymentInitiated | PaymentFailed | PaymentCompleted | Canceled,
            PayableEvent::Canceled | PayableEvent::Submitted,
        )
        | (
            Created | Rejected | Approved | PaymentInitiated | PaymentFailed | PaymentCompleted | Canceled,
            PayableEvent::StepApproved | PayableEvent::Approved,
        )
        | (Created | Rejected | Approved | PaymentInitiated | PaymentCompleted | Canceled, PayableEvent::Rejected)
        | (
            Created | SubmittedForApproval | Rejected | PaymentInitiated | PaymentCompleted | Canceled,
            PayableEvent::PaymentInitiated,
        )
        | (
            Created | SubmittedForApproval | Rejected | Approved | PaymentFailed | PaymentCompleted | Canceled,
            PayableEvent::PaymentCompleted | PayableEvent::PaymentFailed,
        )
        | (
            Created | SubmittedForApproval | Rejected | Approved | PaymentInitiated | PaymentFailed | Canceled,
            PayableEvent::PaymentReturned,
        ) => None,
    }
}

/// Returns whether a bill in this state may still be paid. It keeps its vendor and account until it is paid or
/// canceled.
pub const fn is_open(status: PayableStatus) -> bool {
    match status {
        PayableStatus::Created
        | PayableStatus::SubmittedForApproval
        | PayableStatus::Rejected
        | PayableStatus::Approved
        | PayableStatus::PaymentInitiated
        | PayableStatus::PaymentFailed => true,
        PayableStatus::Canceled | PayableStatus::PaymentCompleted => false,
    }
}

/// Rejects an approval by the submitter, in every role (docs/decisions.md 10).
pub fn is_not_submitter(submitted_by: Option<MemberId>, approver: MemberId) -> Result<(), Refusal> {
    if submitted_by == Some(approver) {
        let message = "A member cannot approve a payable that they submitted, administrators included. Let another \
                       member approve it.";
        return Err(Refusal::field(Code::SelfApproval, "/acting_user_id", message));
    }
    Ok(())
}

/// Returns the steps after this member approved in the first one that is not complete.
///
/// # Errors
/// `not-permitted` for a member in no step; `invalid-state` for a repeated approval or a step that is not current.
pub fn approved_by(
    steps: &[ApprovalStep],
    member: MemberId,
    now: Time,
    comment: Option<&str>,
) -> Result<Vec<ApprovalStep>, Refusal> {
    let mut steps = steps.to_vec();
    let is_named = steps.iter().any(|step| step.approvals.iter().any(|approval| approval.member == member));
    if !is_named {
        let message = "This payable requires the approval of other members; see approval_steps.";
        return Err(Refusal::field(Code::NotPermitted, "/acting_user_id", message).because(Reason::OtherApprovers));
    }
    let Some(current) = steps.iter_mut().find(|step| step.completed_at.is_none()) else {
        return Err(Refusal::new(Code::InvalidState, "All approval steps are complete. Pay the payable.")
            .because(Reason::AlreadyDone));
    };
    let Some(approval) = current.approvals.iter_mut().find(|approval| approval.member == member) else {
        let message = "The current approval step requires other members; see approval_steps. Approve when your step is the current one.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::OtherApprovers));
    };
    if approval.given == Some(true) {
        let message = "This member has already approved in this step. Let another member of the step approve.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::AlreadyDone));
    }

    // From here it must succeed.
    approval.given = Some(true);
    approval.at = Some(now);
    approval.comment = comment.map(str::to_owned);
    if has_enough(current) {
        current.completed_at = Some(now);
    }
    Ok(steps)
}

/// Returns whether a step has enough approvals, each member counted once.
pub fn has_enough(step: &ApprovalStep) -> bool {
    let mut given: Vec<MemberId> =
        step.approvals.iter().filter(|approval| approval.given == Some(true)).map(|approval| approval.member).collect();
    given.sort_unstable();
    given.dedup();
    given.len() >= usize::try_from(step.num_approvals_required).unwrap_or(usize::MAX)
}

/// Returns every transition for docs/states.md: from, event, to.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&PayableEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::super::model::Approval;
    use super::*;
    use uuid::Uuid;

    #[test]
    fn every_pair_of_state_and_event() {
        let table: String = transitions().iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect();
        // docs/decisions.md 10: created → canceled | submitted; submitted → approved | rejected;
        // rejected → created by an update;
        // approved → payment_initiated → payment_completed | payment_failed → payment_initiated by a retry.
        // A failed payment may be rejected; a payment that arrived and was returned counts as failed.
        let expected = "created Updated created\ncreated Canceled canceled\n\
            created Submitted submitted_for_approval\n\
            submitted_for_approval StepApproved submitted_for_approval\nsubmitted_for_approval Approved approved\n\
            submitted_for_approval Rejected rejected\nrejected Updated created\n\
            approved PaymentInitiated payment_initiated\npayment_initiated PaymentCompleted payment_completed\n\
            payment_initiated PaymentFailed payment_failed\npayment_failed Rejected rejected\n\
            payment_failed PaymentInitiated payment_initiated\npayment_completed PaymentReturned payment_failed\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_refusal_names_the_states_that_would_do() {
        let refused = apply(PayableStatus::Created, PayableEvent::PaymentInitiated).unwrap_err();
        let message = "The payable is created; this call requires status approved or payment_failed. Submit it for \
                       approval, change it, or cancel it.";
        assert_eq!(refused.message, message);
    }

    #[test]
    fn only_what_was_approved_is_ever_paid() {
        let before: Vec<PayableStatus> = PayableStatus::ALL
            .iter()
            .copied()
            .filter(|status| apply(*status, PayableEvent::PaymentInitiated).is_ok())
            .collect();
        assert_eq!(before, [PayableStatus::Approved, PayableStatus::PaymentFailed]);
    }

    fn member(number: u128) -> MemberId {
        MemberId(Uuid::from_u128(number))
    }

    fn approvals(required: u32, members: &[u128]) -> ApprovalStep {
        let approval = |number: &u128| Approval {
            member: member(*number),
            number: i64::try_from(*number).unwrap(),
            name: String::new(),
            given: None,
            at: None,
            comment: None,
        };
        let approvals = members.iter().map(approval).collect();
        ApprovalStep { num_approvals_required: required, approvals, completed_at: None }
    }

    #[test]
    fn steps_come_one_after_the_other_and_each_member_counts_once_in_each() {
        let now = Time::from_micros(7);
        let approve = |steps: &[ApprovalStep], number| approved_by(steps, member(number), now, None);
        let code = |refused: Result<Vec<ApprovalStep>, Refusal>| refused.unwrap_err().code;
        let steps = [approvals(2, &[1, 2, 3]), approvals(1, &[3, 4])];

        assert_eq!(code(approve(&steps, 9)), Code::NotPermitted, "a stranger");
        assert_eq!(code(approve(&steps, 4)), Code::InvalidState, "their step has not come");
        let steps = approve(&steps, 1).unwrap();
        assert_eq!(steps[0].completed_at, None, "one of two");
        assert_eq!(code(approve(&steps, 1)), Code::InvalidState, "once is enough of them");
        let steps = approve(&steps, 3).unwrap();
        assert_eq!(steps[0].completed_at, Some(now));
        assert_eq!(code(approve(&steps, 2)), Code::InvalidState, "too late");
        let steps = approve(&steps, 3).unwrap();
        assert!(steps.iter().all(|step| step.completed_at.is_some()), "the same member, in another step");
        assert_eq!(code(approve(&steps, 4)), Code::InvalidState, "nothing is left to approve");
    }

    #[test]
    fn the_submitter_does_not_approve() {
        assert_eq!(is_not_submitter(Some(member(1)), member(1)).unwrap_err().code, Code::SelfApproval);
        assert!(is_not_submitter(Some(member(1)), member(2)).is_ok());
        assert!(is_not_submitter(None, member(1)).is_ok());
    }
}
