//! The transitions of a user's status, and the checks of each status.

use super::model::{User, UserStatus};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserEvent {
    /// The person verified the phone number or the e-mail address.
    Verify,
    Flag,
    /// A review cleared a user with a verified contact.
    ClearVerified,
    /// A review cleared a user without a verified contact.
    ClearUnverified,
    Confirm,
    Disable,
    /// The organization replaced the verified contact.
    Unverify,
}

impl UserEvent {
    pub const ALL: [Self; 7] = [
        Self::Verify,
        Self::Flag,
        Self::ClearVerified,
        Self::ClearUnverified,
        Self::Confirm,
        Self::Disable,
        Self::Unverify,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    Moved(UserStatus),
    /// The status already includes the event.
    AlreadyApplied,
    /// The event is not allowed in this status.
    Refused,
}

/// Defines the transitions. Only a member's decision ends a review; a verified phone or a new name does not. Clearing
/// also revokes a mistaken confirmation; `screening/review.rs` checks the permission.
pub const fn transition(status: UserStatus, event: UserEvent) -> Transition {
    use UserEvent::{ClearUnverified, ClearVerified, Confirm, Disable, Flag, Unverify, Verify};
    use UserStatus::{Disabled, InReview, Unverified, Verified};
    match (status, event) {
        (Unverified, Verify) => Transition::Moved(Verified),
        (Verified | InReview, Verify) => Transition::AlreadyApplied,
        (Unverified | Verified, Flag) => Transition::Moved(InReview),
        (InReview, Flag) => Transition::AlreadyApplied,
        (InReview | Disabled, ClearVerified) => Transition::Moved(Verified),
        (InReview | Disabled, ClearUnverified) => Transition::Moved(Unverified),
        (InReview, Confirm) | (Unverified | Verified | InReview, Disable) => Transition::Moved(Disabled),
        (Disabled, Confirm | Disable) | (Unverified | InReview, Unverify) => Transition::AlreadyApplied,
        (Verified, Unverify) => Transition::Moved(Unverified),
        (Unverified | Verified, ClearVerified | ClearUnverified | Confirm) | (Disabled, Verify | Flag | Unverify) => {
            Transition::Refused
        }
    }
}

pub const fn status_after(status: UserStatus, event: UserEvent) -> UserStatus {
    match transition(status, event) {
        Transition::Moved(to) => to,
        Transition::AlreadyApplied | Transition::Refused => status,
    }
}

/// Rejects a disabled user with `user-inactive`.
pub fn must_be_active(user: &User) -> Result<(), Refusal> {
    match user.status {
        UserStatus::Unverified | UserStatus::Verified | UserStatus::InReview => Ok(()),
        UserStatus::Disabled if user.deleted_at.is_some() => {
            let message = "The user was deleted. Create a new user, or send a payout link.";
            Err(Refusal::new(Code::UserInactive, message).because(Reason::ObjectDeleted))
        }
        UserStatus::Disabled => {
            let message = "The user is disabled after a sanctions review. An admin can reverse that: POST \
                           /v2/users/{user_id}/screening/clear.";
            Err(Refusal::new(Code::UserInactive, message).because(Reason::UserDisabled))
        }
    }
}

/// Rejects a user under review with `invalid-state`.
pub fn must_not_be_reviewed(user: &User) -> Result<(), Refusal> {
    match user.status {
        UserStatus::Verified | UserStatus::Unverified | UserStatus::Disabled => Ok(()),
        UserStatus::InReview => {
            let message = "The payee is under review. The money is safe; it cannot be paid out until the review ends.";
            let allowed = [UserStatus::Verified, UserStatus::Unverified].map(UserStatus::as_str).to_vec();
            Err(Refusal::in_status(message, user.status.as_str(), allowed))
        }
    }
}

/// Rejects a user who may not have payout methods and debits, with `user-inactive`, or with `invalid-state` if not
/// verified.
pub fn must_be_verified(user: &User) -> Result<(), Refusal> {
    must_be_active(user)?;
    if user.is_verified() {
        return Ok(());
    }
    let message = "The user is not verified. Send a verification code and let the user enter it first.";
    Err(Refusal::in_status(message, user.status.as_str(), vec![UserStatus::Verified.as_str()]))
}

/// Returns every transition for docs/states.md: from, event, to.
pub fn transitions() -> Vec<(&'static str, String, &'static str)> {
    let pairs = UserStatus::ALL.iter().flat_map(|status| UserEvent::ALL.map(|event| (*status, event)));
    pairs
        .filter_map(|(status, event)| match transition(status, event) {
            Transition::Moved(to) => Some((status.as_str(), format!("{event:?}"), to.as_str())),
            Transition::AlreadyApplied | Transition::Refused => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs() {
        let print: Vec<String> = UserStatus::ALL
            .iter()
            .flat_map(|status| UserEvent::ALL.map(|event| (*status, event)))
            .map(|(status, event)| format!("{status} + {event:?} -> {:?}", transition(status, event)))
            .collect();
        insta::assert_snapshot!(print.join("\n"), @r"
        unverified + Verify -> Moved(Verified)
        unverified + Flag -> Moved(InReview)
        unverified + ClearVerified -> Refused
        unverified + ClearUnverified -> Refused
        unverified + Confirm -> Refused
        unverified + Disable -> Moved(Disabled)
        unverified + Unverify -> AlreadyApplied
        verified + Verify -> AlreadyApplied
        verified + Flag -> Moved(InReview)
        verified + ClearVerified -> Refused
        verified + ClearUnverified -> Refused
        verified + Confirm -> Refused
        verified + Disable -> Moved(Disabled)
        verified + Unverify -> Moved(Unverified)
        in_review + Verify -> AlreadyApplied
        in_review + Flag -> AlreadyApplied
        in_review + ClearVerified -> Moved(Verified)
        in_review + ClearUnverified -> Moved(Unverified)
        in_review + Confirm -> Moved(Disabled)
        in_review + Disable -> Moved(Disabled)
        in_review + Unverify -> AlreadyApplied
        disabled + Verify -> Refused
        disabled + Flag -> Refused
        disabled + ClearVerified -> Moved(Verified)
        disabled + ClearUnverified -> Moved(Unverified)
        disabled + Confirm -> AlreadyApplied
        disabled + Disable -> AlreadyApplied
        disabled + Unverify -> Refused
        ");
    }
}
