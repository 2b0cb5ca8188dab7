//! What may become of a hold: it is opened once, and captured or released once (invariant 7).

use super::model::HoldState;
use crate::refusal::{Code, Refusal};

/// What is to be done with a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldEvent {
    /// The money goes where it was set aside for.
    Capture,
    /// The money goes back.
    Release,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldTransition {
    /// The hold is in this state now.
    Moved(HoldState),
    /// It was so before; no money moves again.
    AlreadyApplied,
    /// It cannot be.
    Refused(HoldRefusal),
}

/// Why a hold cannot be closed in the way that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldRefusal {
    /// The money went where it was set aside for, and cannot go back.
    AlreadyCaptured,
    /// The money went back, and cannot go anywhere else.
    AlreadyReleased,
}

impl From<HoldRefusal> for Refusal {
    fn from(refusal: HoldRefusal) -> Self {
        let message = match refusal {
            HoldRefusal::AlreadyCaptured => "The held money was already captured.",
            HoldRefusal::AlreadyReleased => "The held money was already released.",
        };
        Self::new(Code::InvalidState, message)
    }
}

/// Every state of a hold with everything that can be asked of it.
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
