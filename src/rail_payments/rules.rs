//! The states of a payment at its provider. Pure.

use super::model::PaymentStatus;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaymentEvent {
    /// The provider is about to be called.
    Attempted,
    Accepted,
    Completed,
    Failed,
    Returned,
    Withdrawn,
}

impl PaymentEvent {
    /// All events, for tests and docs/states.md.
    const ALL: [Self; 6] =
        [Self::Attempted, Self::Accepted, Self::Completed, Self::Failed, Self::Returned, Self::Withdrawn];
}

/// Returns the next state; `None` for an event that changes nothing: it is known, late, or contradicts the outcome.
pub(super) const fn transition(status: PaymentStatus, event: PaymentEvent) -> Option<PaymentStatus> {
    use PaymentStatus::{Accepted, Attempted, Completed, Failed, Queued, Returned, Withdrawn};
    match (status, event) {
        (Queued | Attempted, PaymentEvent::Attempted) => Some(Attempted),
        (Queued, PaymentEvent::Withdrawn) => Some(Withdrawn),
        (Attempted, PaymentEvent::Accepted) => Some(Accepted),
        (Attempted | Accepted, PaymentEvent::Completed) => Some(Completed),
        // A queued payment whose account was changed in the store fails without a call.
        (Queued | Attempted | Accepted, PaymentEvent::Failed) => Some(Failed),
        (Attempted | Accepted | Completed, PaymentEvent::Returned) => Some(Returned),
        (Queued, PaymentEvent::Accepted | PaymentEvent::Completed | PaymentEvent::Returned)
        | (Attempted, PaymentEvent::Withdrawn)
        | (Accepted, PaymentEvent::Attempted | PaymentEvent::Accepted | PaymentEvent::Withdrawn)
        | (
            Completed,
            PaymentEvent::Attempted
            | PaymentEvent::Accepted
            | PaymentEvent::Completed
            | PaymentEvent::Failed
            | PaymentEvent::Withdrawn,
        )
        | (
            Failed | Returned | Withdrawn,
            PaymentEvent::Attempted
            | PaymentEvent::Accepted
            | PaymentEvent::Completed
            | PaymentEvent::Failed
            | PaymentEvent::Returned
            | PaymentEvent::Withdrawn,
        ) => None,
    }
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&PaymentEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        let table: String = transitions().iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect();
        let expected = "queued Attempted attempted\nqueued Failed failed\nqueued Withdrawn withdrawn\n\
            attempted Attempted attempted\nattempted Accepted accepted\nattempted Completed completed\n\
            attempted Failed failed\nattempted Returned returned\naccepted Completed completed\n\
            accepted Failed failed\naccepted Returned returned\ncompleted Returned returned\n";
        assert_eq!(table, expected);
    }
}
