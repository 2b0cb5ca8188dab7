//! The state transitions of a transfer (docs/states.md).

use super::model::{Transfer, TransferStatus};
use crate::money::Cents;
use crate::rails::failures::FailureCode;
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferEvent {
    Flagged,
    /// A member approved it after the review.
    Cleared,
    /// Sent to the rail, or held.
    Submitted,
    Completed,
    Failed,
    Canceled,
    /// The money arrived and was returned.
    Returned,
}

impl TransferEvent {
    pub const ALL: [Self; 7] =
        [Self::Flagged, Self::Cleared, Self::Submitted, Self::Completed, Self::Failed, Self::Canceled, Self::Returned];
}

/// Returns the next state, or the refusal.
pub fn apply(status: TransferStatus, event: TransferEvent) -> Result<TransferStatus, Refusal> {
    states::apply("transfer", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a transfer in a state.
const fn way_out(status: TransferStatus) -> &'static str {
    match status {
        TransferStatus::Created | TransferStatus::Pending => {
            "It is in progress and needs no approval: wait for its outcome, or cancel a payout that its rail does not have yet."
        }
        TransferStatus::Flagged => "Approve it, or cancel it.",
        TransferStatus::Completed => {
            "Its money has arrived: to get it back, ask the payee, or reverse its entry in a NACHA file."
        }
        TransferStatus::Failed | TransferStatus::Reversed | TransferStatus::Canceled => {
            "Its money is back: create a new transfer."
        }
    }
}

const fn transition(status: TransferStatus, event: TransferEvent) -> Option<TransferStatus> {
    use TransferStatus::{Canceled, Completed, Created, Failed, Flagged, Pending, Reversed};
    match (status, event) {
        (Created, TransferEvent::Flagged) => Some(Flagged),
        (Flagged, TransferEvent::Cleared) | (Created, TransferEvent::Submitted) => Some(Pending),
        (Created | Pending, TransferEvent::Completed) => Some(Completed),
        (Created | Pending | Flagged, TransferEvent::Failed) => Some(Failed),
        (Created | Pending | Flagged, TransferEvent::Canceled) => Some(Canceled),
        (Completed, TransferEvent::Returned) => Some(Reversed),
        (Created, TransferEvent::Cleared | TransferEvent::Returned)
        | (
            Flagged,
            TransferEvent::Flagged | TransferEvent::Submitted | TransferEvent::Completed | TransferEvent::Returned,
        )
        | (
            Pending,
            TransferEvent::Flagged | TransferEvent::Cleared | TransferEvent::Submitted | TransferEvent::Returned,
        )
        | (
            Completed,
            TransferEvent::Flagged
            | TransferEvent::Cleared
            | TransferEvent::Submitted
            | TransferEvent::Completed
            | TransferEvent::Failed
            | TransferEvent::Canceled,
        )
        | (
            Failed | Reversed | Canceled,
            TransferEvent::Flagged
            | TransferEvent::Cleared
            | TransferEvent::Submitted
            | TransferEvent::Completed
            | TransferEvent::Failed
            | TransferEvent::Canceled
            | TransferEvent::Returned,
        ) => None,
    }
}

/// Returns whether the money of a claimed link came back because its sender recalled it. Then it belongs to the sender.
pub fn is_recalled(transfer: &Transfer) -> bool {
    transfer.payout_link.is_some() && transfer.error == Some(FailureCode::ReturnedOnRequest)
}

/// Returns the cents that a payout took, or is taking, from the payee's wallet. A failed payout gave back all of it. A
/// payout that was returned after it arrived gave back all but its fee, which was earned; what its sender recalled, the
/// payee does not get again.
pub fn taken(transfer: &Transfer) -> Option<Cents> {
    match transfer.status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending | TransferStatus::Completed => {
            Some(transfer.amount)
        }
        TransferStatus::Reversed if is_recalled(transfer) => Some(transfer.amount),
        TransferStatus::Reversed => transfer.amount.checked_sub(transfer.arrives),
        TransferStatus::Failed | TransferStatus::Canceled => Some(Cents::ZERO),
    }
}

/// Returns every transition for docs/states.md: from, event, to.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&TransferEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        let table: String = transitions().iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect();
        // docs/decisions.md 8: created → pending; created → flagged → pending;
        // pending → completed | failed | canceled; completed → reversed.
        // Movements within the ledger complete, fail or are canceled directly from created.
        let expected = "created Flagged flagged\ncreated Submitted pending\ncreated Completed completed\n\
            created Failed failed\ncreated Canceled canceled\nflagged Cleared pending\nflagged Failed failed\n\
            flagged Canceled canceled\npending Completed completed\npending Failed failed\npending Canceled canceled\n\
            completed Returned reversed\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_refusal_names_the_states_that_would_do() {
        let refused = apply(TransferStatus::Canceled, TransferEvent::Cleared).unwrap_err();
        let message = "The transfer is canceled; this call requires status flagged. Its money is back: create a new \
                       transfer.";
        assert_eq!(refused.message, message);
    }

    #[test]
    fn nothing_leaves_a_terminal_state() {
        for status in [TransferStatus::Failed, TransferStatus::Reversed, TransferStatus::Canceled] {
            assert!(TransferEvent::ALL.iter().all(|event| apply(status, *event).is_err()));
        }
    }
}
