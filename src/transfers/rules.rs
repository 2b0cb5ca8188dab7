//! How a transfer moves from state to state (docs/states.md).

use super::model::{Transfer, TransferStatus};
use crate::money::Cents;
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

/// What can happen to a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferEvent {
    /// Stopped for a review.
    Flagged,
    /// The review let it go.
    Cleared,
    /// Handed to the rail, or set aside in a hold.
    Submitted,
    /// The money arrived.
    Completed,
    /// It did not.
    Failed,
    /// Taken back before it arrived.
    Canceled,
    /// It came back after it had arrived.
    Returned,
}

impl TransferEvent {
    /// All, for the tests and docs/states.md.
    pub const ALL: [Self; 7] =
        [Self::Flagged, Self::Cleared, Self::Submitted, Self::Completed, Self::Failed, Self::Canceled, Self::Returned];
}

/// The next state, or why there is none.
pub fn apply(status: TransferStatus, event: TransferEvent) -> Result<TransferStatus, Refusal> {
    states::apply("transfer", status, |status| transition(status, event))
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

/// What a payout took, or is taking, out of the payee's wallet, in cents. A payout that failed gave all of it
/// back. One that came back after it had arrived gave back what had arrived: its fee was earned.
pub fn taken(transfer: &Transfer) -> Option<Cents> {
    match transfer.status {
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending | TransferStatus::Completed => {
            Some(transfer.amount)
        }
        TransferStatus::Reversed => transfer.amount.checked_sub(transfer.arrives),
        TransferStatus::Failed | TransferStatus::Canceled => Some(Cents::ZERO),
    }
}

/// Every move from state to state, for docs/states.md: from, what happens, to.
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
        // Movements inside the house complete, fail or are canceled at once from created.
        let expected = "created Flagged flagged\ncreated Submitted pending\ncreated Completed completed\n\
            created Failed failed\ncreated Canceled canceled\nflagged Cleared pending\nflagged Failed failed\n\
            flagged Canceled canceled\npending Completed completed\npending Failed failed\npending Canceled canceled\n\
            completed Returned reversed\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_refusal_names_the_states_that_would_do() {
        let refused = apply(TransferStatus::Canceled, TransferEvent::Cleared).unwrap_err();
        assert_eq!(refused.message, "The transfer is canceled; this call requires status flagged.");
    }

    #[test]
    fn nothing_leaves_a_terminal_state() {
        for status in [TransferStatus::Failed, TransferStatus::Reversed, TransferStatus::Canceled] {
            assert!(TransferEvent::ALL.iter().all(|event| apply(status, *event).is_err()));
        }
    }
}
