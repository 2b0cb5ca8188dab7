//! The states of a statement. Pure.

use super::model::StatementStatus;
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementEvent {
    /// Its lines are booked.
    Applied,
    /// Its opening balance contradicts the statement before it.
    Contradicted,
    Discarded,
    /// A member discarded it by mistake.
    Restored,
}

impl StatementEvent {
    const ALL: [Self; 4] = [Self::Applied, Self::Contradicted, Self::Discarded, Self::Restored];
}

/// # Errors
/// `invalid-state`.
pub(super) fn apply(status: StatementStatus, event: StatementEvent) -> Result<StatementStatus, Refusal> {
    states::apply("bank statement", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a statement in a state.
const fn way_out(status: StatementStatus) -> &'static str {
    match status {
        StatementStatus::Waiting => "Confirm it, discard it, or wait for the statement before it.",
        StatementStatus::Quarantined => "Discard it, and ask the bank for a correct one.",
        StatementStatus::Applied => "Its status is final: correct single lines with /v2/bank/items.",
        StatementStatus::Discarded => "Restore it, or ask the bank for the statement again.",
    }
}

const fn transition(status: StatementStatus, event: StatementEvent) -> Option<StatementStatus> {
    use StatementStatus::{Applied, Discarded, Quarantined, Waiting};
    match (status, event) {
        (Waiting, StatementEvent::Applied) => Some(Applied),
        (Waiting, StatementEvent::Contradicted) => Some(Quarantined),
        (Waiting | Quarantined, StatementEvent::Discarded) => Some(Discarded),
        (Discarded, StatementEvent::Restored) => Some(Waiting),
        (Applied | Quarantined | Discarded, StatementEvent::Applied | StatementEvent::Contradicted)
        | (Applied | Discarded, StatementEvent::Discarded)
        | (Waiting | Applied | Quarantined, StatementEvent::Restored) => None,
    }
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&StatementEvent::ALL, transition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_applied_once() {
        let table: String = transitions().iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect();
        let expected = "waiting Applied applied\nwaiting Contradicted quarantined\nwaiting Discarded discarded\n\
            quarantined Discarded discarded\ndiscarded Restored waiting\n";
        assert_eq!(table, expected);
    }
}
