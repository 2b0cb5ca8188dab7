//! The states of an originator, a settlement account and a route. Pure.

use crate::ids::MemberId;
use crate::refusal::{Code, Refusal};
use crate::world::record::words;
use crate::world::states::{self, TransitionRow};

words! {
    /// The state of a part of a bank's set-up.
    pub enum SetupStatus {
        /// Waits for the approval of a second person.
        Draft = "draft",
        /// In use.
        Approved = "approved",
        /// Out of use.
        Ended = "ended",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupEvent {
    /// By a second person.
    Approved,
    Ended,
}

impl SetupEvent {
    /// All events, for tests and docs/states.md.
    pub const ALL: [Self; 2] = [Self::Approved, Self::Ended];
}

pub(super) fn apply(noun: &str, status: SetupStatus, event: SetupEvent) -> Result<SetupStatus, Refusal> {
    states::apply(noun, status, |status| transition(status, event), way_out)
}

/// Returns what a caller can do with a part of a set-up in a state.
const fn way_out(status: SetupStatus) -> &'static str {
    match status {
        SetupStatus::Draft => "Let another member approve it, or end it.",
        SetupStatus::Approved => "It is in use: end it to replace it.",
        SetupStatus::Ended => "Its status is final: add another one.",
    }
}

const fn transition(status: SetupStatus, event: SetupEvent) -> Option<SetupStatus> {
    match (status, event) {
        (SetupStatus::Draft, SetupEvent::Approved) => Some(SetupStatus::Approved),
        (SetupStatus::Draft | SetupStatus::Approved, SetupEvent::Ended) => Some(SetupStatus::Ended),
        (SetupStatus::Approved | SetupStatus::Ended, SetupEvent::Approved)
        | (SetupStatus::Ended, SetupEvent::Ended) => None,
    }
}

/// Returns all transitions for docs/states.md.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&SetupEvent::ALL, transition)
}

/// Originators or settlement accounts of one connection, or routes of one rail, at most; ended ones do not count.
const PARTS_MAX: usize = 1_000;

/// Refuses one more if there are [`PARTS_MAX`] that have not ended.
pub(super) fn has_room(parts: &str, statuses: impl Iterator<Item = SetupStatus>) -> Result<(), Refusal> {
    if statuses.filter(|status| *status != SetupStatus::Ended).count() < PARTS_MAX {
        return Ok(());
    }
    let message = format!("There are {PARTS_MAX} {parts}, which is the limit. End one first.");
    Err(Refusal::over_limit("parts_of_a_bank", PARTS_MAX, message))
}

/// Refuses the person who made the object.
///
/// # Errors
/// `self-approval`.
pub fn is_second_person(made_by: MemberId, member: MemberId) -> Result<(), Refusal> {
    if made_by == member {
        let message = "The member who made, changed or uploaded it cannot approve it. Let another member do so.";
        return Err(Refusal::field(Code::SelfApproval, "/acting_user_id", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn every_pair_of_state_and_event() {
        let to = |status| SetupEvent::ALL.map(|event| transition(status, event));
        assert_eq!(to(SetupStatus::Draft), [Some(SetupStatus::Approved), Some(SetupStatus::Ended)]);
        assert_eq!(to(SetupStatus::Approved), [None, Some(SetupStatus::Ended)]);
        assert_eq!(to(SetupStatus::Ended), [None, None]);
    }

    #[test]
    fn a_maker_does_not_approve_their_own_work() {
        let member = |number| MemberId(Uuid::from_u128(number));
        assert_eq!(is_second_person(member(1), member(1)).unwrap_err().code, Code::SelfApproval);
        assert!(is_second_person(member(1), member(2)).is_ok());
    }
}
