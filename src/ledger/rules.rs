//! The transitions of a hold: it is opened once, and captured or released once (invariant 7).

use super::model::HoldState;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldEvent {
    /// The money goes to the payee.
    Capture,
    /// The money goes back to the app.
    Release,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldTransition {
    Moved(HoldState),
    /// The hold was in this state; no money moves again.
    AlreadyApplied,
    Refused(HoldRefusal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldRefusal {
    AlreadyCaptured,
    AlreadyReleased,
}

impl From<HoldRefusal> for Refusal {
    fn from(refusal: HoldRefusal) -> Self {
        let message = match refusal {
            HoldRefusal::AlreadyCaptured => "The held money was already captured.",
            HoldRefusal::AlreadyReleased => "The held money was already released.",
        };
        Self::new(Code::InvalidState, message).because(Reason::AlreadyDone)
    }
}

/// Returns the transition for every state and event.
pub(super) fn transition(state: HoldState, event: HoldEvent) -> HoldTransition {
    match (state, event) {
        (HoldState::Open, HoldEvent::Capture) => HoldTransition::Moved(HoldState::Captured),
        (HoldState::Open, HoldEvent::Release) => HoldTransition::Moved(HoldState::Released),
        (HoldState::Captured, HoldEvent::Capture) | (HoldState::Released, HoldEvent::Release) => {
            HoldTransition::AlreadyApplied
        }
        (HoldState::Captured, HoldEvent::Release) => HoldTransition::Refused(HoldRefusal::AlreadyCaptured),
        (HoldState::Released, HoldEvent::Capture) => HoldTransition::Refused(HoldRefusal::AlreadyReleased),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs() {
        let print: Vec<String> = HoldState::ALL
            .iter()
            .flat_map(|state| [HoldEvent::Capture, HoldEvent::Release].map(|event| (*state, event)))
            .map(|(state, event)| format!("{state} + {event:?} -> {:?}", transition(state, event)))
            .collect();
        insta::assert_snapshot!(print.join("\n"), @r"
        open + Capture -> Moved(Captured)
        open + Release -> Moved(Released)
        captured + Capture -> AlreadyApplied
        captured + Release -> Refused(AlreadyCaptured)
        released + Capture -> Refused(AlreadyReleased)
        released + Release -> AlreadyApplied
        ");
    }
}
