//! The states of a connection. Pure.

use super::model::ConnectionStatus;
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// A setting changed.
    Changed,
    /// The bank confirmed a test file.
    Tested,
    /// By a second person.
    Approved,
    Paused,
    Resumed,
}

impl ConnectionEvent {
    /// All events, for tests and docs/states.md.
    pub const ALL: [Self; 5] = [Self::Changed, Self::Tested, Self::Approved, Self::Paused, Self::Resumed];
}

pub(super) fn apply(status: ConnectionStatus, event: ConnectionEvent) -> Result<ConnectionStatus, Refusal> {
    states::apply("bank connection", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a connection in a state.
const fn way_out(status: ConnectionStatus) -> &'static str {
    match status {
        ConnectionStatus::Draft => {
            "Test it with a file of GET /v2/bank/connections/{id}/test-file; then another member approves it."
        }
        ConnectionStatus::Tested => "Let another member approve it.",
        ConnectionStatus::Approved => "It is in use: pause it to stop its files.",
        ConnectionStatus::Paused => "Resume it, or change a setting to test it again.",
    }
}

const fn transition(status: ConnectionStatus, event: ConnectionEvent) -> Option<ConnectionStatus> {
    use ConnectionStatus::{Approved, Draft, Paused, Tested};
    match (status, event) {
        (Draft | Tested | Approved | Paused, ConnectionEvent::Changed) => Some(Draft),
        (Draft, ConnectionEvent::Tested) => Some(Tested),
        (Tested, ConnectionEvent::Approved) | (Paused, ConnectionEvent::Resumed) => Some(Approved),
        (Approved, ConnectionEvent::Paused) => Some(Paused),
        (Tested | Approved | Paused, ConnectionEvent::Tested)
        | (Draft | Approved | Paused, ConnectionEvent::Approved)
        | (Draft | Tested | Paused, ConnectionEvent::Paused)
        | (Draft | Tested | Approved, ConnectionEvent::Resumed) => None,
    }
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&ConnectionEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        use ConnectionStatus::{Approved, Draft, Paused, Tested};
        // Changed, Tested, Approved, Paused, Resumed.
        let table = [
            (Draft, [Some(Draft), Some(Tested), None, None, None]),
            (Tested, [Some(Draft), None, Some(Approved), None, None]),
            (Approved, [Some(Draft), None, None, Some(Paused), None]),
            (Paused, [Some(Draft), None, None, None, Some(Approved)]),
        ];
        for (status, expected) in table {
            assert_eq!(ConnectionEvent::ALL.map(|event| transition(status, event)), expected, "{status}");
        }
    }

    #[test]
    fn a_changed_connection_is_in_use_only_after_a_test_and_an_approval() {
        let before = |to| {
            let pairs = ConnectionStatus::ALL
                .iter()
                .flat_map(|from| ConnectionEvent::ALL.map(|event| (*from, event)))
                .filter(|(from, event)| transition(*from, *event) == Some(to));
            pairs.map(|(from, _)| from).collect::<Vec<_>>()
        };
        assert_eq!(before(ConnectionStatus::Approved), [ConnectionStatus::Tested, ConnectionStatus::Paused]);
        assert_eq!(before(ConnectionStatus::Paused), [ConnectionStatus::Approved]);
        assert_eq!(before(ConnectionStatus::Tested), [ConnectionStatus::Draft]);
    }
}
