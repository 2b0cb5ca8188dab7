//! The state transitions of a delivery (docs/decisions.md 12).

use super::model::DeliveryStatus;
use crate::world::states::TransitionRow;

/// Seconds from each failed attempt to the next one. The first attempt is made at once, and the eighth is the last.
pub const WAITS_SECONDS: [i64; 7] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/// The longest wait that a receiver may request with `Retry-After`.
pub const WAIT_MAX_SECONDS: i64 = 36_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryEvent {
    /// The receiver responded with 2xx.
    Accepted,
    /// An attempt failed, and more attempts remain.
    Failed,
    FailedForGood,
    /// The receiver responded with 410.
    ReceiverGone,
    EndpointDisabled,
    Replayed,
}

impl DeliveryEvent {
    const ALL: [Self; 6] =
        [Self::Accepted, Self::Failed, Self::FailedForGood, Self::ReceiverGone, Self::EndpointDisabled, Self::Replayed];

    const fn words(self) -> &'static str {
        match self {
            Self::Accepted => "the receiver responds with 2xx",
            Self::Failed => "one of the first seven attempts fails",
            Self::FailedForGood => "the eighth attempt fails",
            Self::ReceiverGone => "the receiver responds with 410",
            Self::EndpointDisabled => "its endpoint is disabled when it is due",
            Self::Replayed => "it is replayed",
        }
    }
}

/// Returns the next state; `None` if the event came too late and changes nothing.
pub const fn transition(status: DeliveryStatus, event: DeliveryEvent) -> Option<DeliveryStatus> {
    use DeliveryStatus::{Dead, Pending, Succeeded};
    match (status, event) {
        (Pending, DeliveryEvent::Accepted) => Some(Succeeded),
        (Pending, DeliveryEvent::Failed) => Some(Pending),
        (Pending, DeliveryEvent::FailedForGood | DeliveryEvent::ReceiverGone | DeliveryEvent::EndpointDisabled) => {
            Some(Dead)
        }
        (Pending | Succeeded | Dead, DeliveryEvent::Replayed) => Some(Pending),
        (
            Succeeded | Dead,
            DeliveryEvent::Accepted
            | DeliveryEvent::Failed
            | DeliveryEvent::FailedForGood
            | DeliveryEvent::ReceiverGone
            | DeliveryEvent::EndpointDisabled,
        ) => None,
    }
}

/// Returns the seconds to wait after this many failed attempts; `None` after the last one.
pub fn wait_seconds(tries: i64) -> Option<i64> {
    let seal_context = usize::try_from(tries.saturating_sub(1)).ok()?;
    WAITS_SECONDS.get(seal_context).copied()
}

/// Returns every transition: from, event, to.
pub fn transitions() -> Vec<TransitionRow> {
    let mut transitions = Vec::new();
    for from in DeliveryStatus::ALL {
        for event in DeliveryEvent::ALL {
            if let Some(to) = transition(*from, event) {
                transitions.push((from.as_str(), event.words().to_owned(), to.as_str()));
            }
        }
    }
    transitions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_made_at_the_promised_distances() {
        let waits: Vec<Option<i64>> = (1..=9).map(wait_seconds).collect();
        let (minute, hour) = (60, 3_600);
        let promised = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour].map(Some);
        assert_eq!(waits[..7], promised);
        assert_eq!(waits[7..], [None, None], "the eighth is the last");
        assert_eq!(wait_seconds(0), None);
    }

    #[test]
    fn every_pair_of_status_and_event() {
        let reported: Vec<String> =
            transitions().iter().map(|(from, when, to)| format!("{from}: {when} -> {to}")).collect();
        assert_eq!(
            reported,
            [
                "pending: the receiver responds with 2xx -> succeeded",
                "pending: one of the first seven attempts fails -> pending",
                "pending: the eighth attempt fails -> dead",
                "pending: the receiver responds with 410 -> dead",
                "pending: its endpoint is disabled when it is due -> dead",
                "pending: it is replayed -> pending",
                "succeeded: it is replayed -> pending",
                "dead: it is replayed -> pending",
            ]
        );
    }
}
