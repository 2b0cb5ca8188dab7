//! The transitions of a payout request (docs/states.md).

use super::model::{PayoutRequest, RequestStatus};
use crate::payout_links::PayoutLink;
use crate::refusal::Refusal;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEvent {
    Approved,
    Rejected,
}

impl RequestEvent {
    /// All events, for tests and docs/states.md.
    pub const ALL: [Self; 2] = [Self::Approved, Self::Rejected];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    Moved(RequestStatus),
    /// The request is already in the target state.
    AlreadyApplied,
    Refused,
}

/// Returns the result of an event. A decision is final: a repeat changes nothing, and the opposite is refused.
pub const fn transition(status: RequestStatus, event: RequestEvent) -> Transition {
    use RequestStatus::{Approved, Created, Rejected};
    match (status, event) {
        (Created, RequestEvent::Approved) => Transition::Moved(Approved),
        (Created, RequestEvent::Rejected) => Transition::Moved(Rejected),
        (Approved, RequestEvent::Approved) | (Rejected, RequestEvent::Rejected) => Transition::AlreadyApplied,
        (Approved, RequestEvent::Rejected) | (Rejected, RequestEvent::Approved) => Transition::Refused,
    }
}

/// Returns the next state; `None` if the request is already in it.
///
/// # Errors
/// `invalid-state` if the opposite was decided.
pub fn apply(request: &PayoutRequest, event: RequestEvent) -> Result<Option<RequestStatus>, Refusal> {
    match transition(request.status, event) {
        Transition::Moved(to) => Ok(Some(to)),
        Transition::AlreadyApplied => Ok(None),
        Transition::Refused => {
            let message = format!(
                "The payout request is already {}. The decision is final; the payee can send a new request.",
                request.status
            );
            Err(Refusal::in_status(message, request.status.as_str(), vec![RequestStatus::Created.as_str()]))
        }
    }
}

/// Returns the contradiction between a request and its link (invariant 13), if any.
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

/// Returns all transitions for docs/states.md.
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
