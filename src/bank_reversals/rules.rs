//! The states of an order to reverse, and its times. Pure.

use super::model::ReversalStatus;
use crate::clock::{DAY_SECONDS, Time};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::states::{self, TransitionRow};

/// The banking days after the settlement in which the ACH rules allow a reversal.
pub(super) const BANKING_DAYS: u32 = 5;
/// The time after the error was found in which the ACH rules require the reversal.
const FOUND_SECONDS: i64 = DAY_SECONDS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReversalEvent {
    /// By another member than the one who proposed it.
    Approved,
    Dismissed,
    /// All of its entries are in their files.
    Joined,
}

impl ReversalEvent {
    const ALL: [Self; 3] = [Self::Approved, Self::Dismissed, Self::Joined];
}

/// # Errors
/// `invalid-state`.
pub(super) fn apply(status: ReversalStatus, event: ReversalEvent) -> Result<ReversalStatus, Refusal> {
    states::apply("bank reversal", status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with an order in a state.
const fn way_out(status: ReversalStatus) -> &'static str {
    match status {
        ReversalStatus::Proposed => "Let another member approve it, or dismiss it.",
        ReversalStatus::Approved | ReversalStatus::Joined => {
            "It is approved and in the next files: to stop it, cancel such a file before its cut-off."
        }
        ReversalStatus::Dismissed => "Its status is final: propose another reversal.",
    }
}

const fn transition(status: ReversalStatus, event: ReversalEvent) -> Option<ReversalStatus> {
    use ReversalStatus::{Approved, Dismissed, Joined, Proposed};
    match (status, event) {
        (Proposed, ReversalEvent::Approved) => Some(Approved),
        (Proposed, ReversalEvent::Dismissed) => Some(Dismissed),
        (Approved, ReversalEvent::Joined) => Some(Joined),
        (Approved | Joined | Dismissed, ReversalEvent::Approved | ReversalEvent::Dismissed)
        | (Proposed | Joined | Dismissed, ReversalEvent::Joined) => None,
    }
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&ReversalEvent::ALL, transition)
}

/// Refuses an error that was found in the future, or more than 24 hours ago.
///
/// # Errors
/// `invalid-input`.
pub(super) fn is_found_lately(found_at: Time, now: Time) -> Result<(), Refusal> {
    if found_at > now {
        let message = "must not be in the future";
        return Err(Refusal::field(Code::InvalidInput, "/found_at", message));
    }
    if now.seconds_since(found_at) > FOUND_SECONDS {
        let message = "was more than 24 hours ago, the time in which the ACH rules require a reversal. Ask the bank to \
                       recall the payment";
        return Err(Refusal::field(Code::InvalidState, "/found_at", message).because(Reason::TooLate));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        let table: String = transitions().iter().map(|(from, what, to)| format!("{from} {what} {to}\n")).collect();
        let expected = "proposed Approved approved\nproposed Dismissed dismissed\napproved Joined joined\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn an_error_is_reversed_within_24_hours_after_it_was_found() {
        let now = Time::from_micros(1_000_000_000_000);
        let is_allowed = |seconds: i64| is_found_lately(now.plus_seconds(seconds), now).is_ok();
        assert_eq!([1, 0, -86_400, -86_401].map(is_allowed), [false, true, true, false]);
    }
}
