//! How a payout request moves from state to state (docs/states.md).

use super::model::{PayoutRequest, RequestStatus};
use crate::payout_links::PayoutLink;
use crate::refusal::{Code, Refusal};
use crate::world::states::{self, TransitionRow};

/// What can happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEvent {
    /// The app grants it.
    Approved,
    /// The app turns it down.
    Rejected,
}

impl RequestEvent {
    /// All, for the tests and docs/states.md.
    pub const ALL: [Self; 2] = [Self::Approved, Self::Rejected];
}

/// What a happening does to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// It moves.
    Moved(RequestStatus),
    /// Nothing is left to do.
    AlreadyApplied,
    /// It may not.
    Refused,
}

/// The next state, or why there is none. A decision is made once: who decides the same again changes nothing,
/// and nobody turns it into the other one.
pub const fn transition(status: RequestStatus, event: RequestEvent) -> Transition {
    use RequestStatus::{Approved, Created, Rejected};
    match (status, event) {
        (Created, RequestEvent::Approved) => Transition::Moved(Approved),
        (Created, RequestEvent::Rejected) => Transition::Moved(Rejected),
        (Approved, RequestEvent::Approved) | (Rejected, RequestEvent::Rejected) => Transition::AlreadyApplied,
        (Approved, RequestEvent::Rejected) | (Rejected, RequestEvent::Approved) => Transition::Refused,
    }
}

/// The state to go to; `None` where nothing is left to do.
///
/// # Errors
/// `invalid-state` when the request was decided the other way.
pub fn apply(request: &PayoutRequest, event: RequestEvent) -> Result<Option<RequestStatus>, Refusal> {
    match transition(request.status, event) {
        Transition::Moved(to) => Ok(Some(to)),
        Transition::AlreadyApplied => Ok(None),
        Transition::Refused => {
            let message = format!("The payout request is already {}. The decision is final.", request.status);
            Err(Refusal::new(Code::InvalidState, message))
        }
    }
}

/// What cannot be true of a request and its link together (invariant 13); `None` when all is well.
pub fn contradiction(request: &PayoutRequest, link: Option<&PayoutLink>) -> Option<&'static str> {
    match (request.status, request.payout_link, link) {
        (RequestStatus::Approved, Some(_), Some(link)) => {
            (link.amount != request.amount || link.app != request.app).then_some("its link differs from the request")
        }
        (RequestStatus::Approved, Some(_), None) => Some("its link is missing"),
        (RequestStatus::Approved, None, _) => Some("is approved but has no link"),
        (RequestStatus::Created | RequestStatus::Rejected, None, _) => None,
        (RequestStatus::Created | RequestStatus::Rejected, Some(_), _) => Some("has a link but is not approved"),
    }
}

/// Every move from state to state, for docs/states.md: from, what happens, to.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&RequestEvent::ALL, |status, event| match transition(status, event) {
        Transition::Moved(to) => Some(to),
        Transition::AlreadyApplied | Transition::Refused => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        use RequestStatus::{Approved, Created, Rejected};
        let expected = [
            (Created, [Transition::Moved(Approved), Transition::Moved(Rejected)]),
            (Approved, [Transition::AlreadyApplied, Transition::Refused]),
            (Rejected, [Transition::Refused, Transition::AlreadyApplied]),
        ];
        assert_eq!(expected.map(|(status, _)| status), RequestStatus::ALL);
        for (status, steps) in expected {
            assert_eq!(RequestEvent::ALL.map(|event| transition(status, event)), steps, "{status}");
        }
    }
}
