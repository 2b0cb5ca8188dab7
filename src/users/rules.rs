//! What may become of a user, and what that allows.

use super::model::{User, UserStatus};
use crate::refusal::{Code, Refusal};

/// What happens to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserEvent {
    /// The person proved to hold the phone.
    Verify,
    /// The name is on a list.
    Flag,
    /// The user is deleted or shut out.
    Disable,
}

/// What an event leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To this status.
    Moved(UserStatus),
    /// Nowhere: it is so already.
    AlreadyThere,
    /// Nowhere: a disabled user stays disabled.
    Refused,
}

/// The transitions. A review ends by a person's decision only: neither a verified phone nor another name ends it.
pub const fn next(status: UserStatus, event: UserEvent) -> Next {
    use UserEvent::{Disable, Flag, Verify};
    use UserStatus::{Disabled, InReview, Unverified, Verified};
    match (status, event) {
        (Unverified, Verify) => Next::Moved(Verified),
        (Verified | InReview, Verify) => Next::AlreadyThere,
        (Unverified | Verified, Flag) => Next::Moved(InReview),
        (InReview, Flag) => Next::AlreadyThere,
        (Unverified | Verified | InReview, Disable) => Next::Moved(Disabled),
        (Disabled, Disable) => Next::AlreadyThere,
        (Disabled, Verify | Flag) => Next::Refused,
    }
}

/// The status after an event that was allowed.
pub const fn status_after(status: UserStatus, event: UserEvent) -> UserStatus {
    match next(status, event) {
        Next::Moved(to) => to,
        Next::AlreadyThere | Next::Refused => status,
    }
}

/// Refuses what a disabled user may not do, which is everything but being read.
///
/// # Errors
/// `user-inactive`.
pub fn must_be_active(user: &User) -> Result<(), Refusal> {
    match user.status {
        UserStatus::Unverified | UserStatus::Verified | UserStatus::InReview => Ok(()),
        UserStatus::Disabled => Err(Refusal::new(Code::UserInactive, "The user is disabled or was deleted.")),
    }
}

/// Refuses what only a verified user may do: payout methods and debits (decisions.md 6).
///
/// # Errors
/// `user-inactive`, `invalid-state`.
pub fn must_be_verified(user: &User) -> Result<(), Refusal> {
    must_be_active(user)?;
    if user.is_verified() {
        return Ok(());
    }
    let message = "The user is not verified yet. Send a verification token and let the user enter it first.";
    Err(Refusal::new(Code::InvalidState, message))
}

/// Every move from state to state, for docs/states.md: from, what happens, to.
pub fn moves() -> Vec<(&'static str, String, &'static str)> {
    let events = [UserEvent::Verify, UserEvent::Flag, UserEvent::Disable];
    let pairs = UserStatus::ALL.iter().flat_map(|status| events.map(|event| (*status, event)));
    pairs
        .filter_map(|(status, event)| match next(status, event) {
            Next::Moved(to) => Some((status.as_str(), format!("{event:?}"), to.as_str())),
            Next::AlreadyThere | Next::Refused => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs() {
        use UserEvent::{Disable, Flag, Verify};
        let print: Vec<String> = UserStatus::ALL
            .iter()
            .flat_map(|status| [Verify, Flag, Disable].map(|event| (*status, event)))
            .map(|(status, event)| format!("{status} + {event:?} -> {:?}", next(status, event)))
            .collect();
        insta::assert_snapshot!(print.join("\n"), @r"
        unverified + Verify -> Moved(Verified)
        unverified + Flag -> Moved(InReview)
        unverified + Disable -> Moved(Disabled)
        verified + Verify -> AlreadyThere
        verified + Flag -> Moved(InReview)
        verified + Disable -> Moved(Disabled)
        in_review + Verify -> AlreadyThere
        in_review + Flag -> AlreadyThere
        in_review + Disable -> Moved(Disabled)
        disabled + Verify -> Refused
        disabled + Flag -> Refused
        disabled + Disable -> AlreadyThere
        ");
    }
}
