use super::json::{ScreeningJson, document};
use super::model::{HitStatus, ScreeningHit};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{MemberId, OrgId, UserId};
use crate::members::{self, Role};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::users::model::{OfacStatus, User, UserStatus};
use crate::users::rules::{self, Transition, UserEvent};
use crate::users::{change, find_in_organization};
use crate::world::record::{key, words};
use crate::world::{Halt, World};

words! {
    /// A reviewer's decision.
    pub enum Decision {
        /// The user is another person: the previous status returns, and the match is not reported again.
        Clear = "clear",
        /// The user is the person on the list, or the bank's suspicion is right: the user is disabled, and the money in
        /// the wallet stays there.
        Confirm = "confirm",
    }
}

#[derive(Clone, Debug)]
pub struct DecideScreening {
    pub org: OrgId,
    pub user: UserId,
    /// Must be a member with the role admin.
    pub acting: MemberId,
    pub decision: Decision,
    pub comment: String,
}

impl Command for DecideScreening {
    type Reply = ScreeningJson;

    fn decide(&self, world: &mut World) -> Result<ScreeningJson, Halt> {
        let user = find_in_organization(world, self.org, self.user)?;
        let member = members::find(world, self.org, self.acting)?;
        if member.role != Role::Admin {
            let message = "Only a member with the role admin can decide a sanctions review.";
            return Err(Refusal::field(Code::NotPermitted, "/acting_user_id", message)
                .because(Reason::RoleNotAllowed)
                .into());
        }
        let to = self.next(&user)?;
        let hits = world.all::<ScreeningHit>(ScreeningHit::OF_USER, key![self.org, user.id])?;

        // From here it must succeed.
        let now = world.now();
        let (before, after) = match self.decision {
            Decision::Clear => ([HitStatus::Open, HitStatus::Confirmed], HitStatus::Cleared),
            Decision::Confirm => ([HitStatus::Open, HitStatus::Open], HitStatus::Confirmed),
        };
        for hit in hits.iter().filter(|hit| before.contains(&hit.status)) {
            world.change(hit, |hit| {
                hit.status = after;
                hit.decided_by = Some(member.id);
                hit.comment = Some(self.comment.clone());
                hit.decided_at = Some(now);
            });
        }
        let user = change(world, &user, EventName::UserUpdated, |user| {
            user.status = to;
            let flags = &mut user.compliance.0.flags;
            (flags.ofac, flags.ofac_status) = match self.decision {
                Decision::Clear => (false, OfacStatus::Unflagged),
                Decision::Confirm if flags.ofac => (true, OfacStatus::Flagged),
                // A bank's suspicion of fraud.
                Decision::Confirm => (false, flags.ofac_status),
            };
        })?;
        document(world, &user)
    }
}

impl DecideScreening {
    /// Clearing also revokes a mistaken confirmation. A deleted user has no name to decide about.
    fn next(&self, user: &User) -> Result<crate::users::UserStatus, Refusal> {
        let not_now = |reason, message: &str| Refusal::new(Code::InvalidState, message).because(reason);
        if user.deleted_at.is_some() {
            return Err(not_now(Reason::ObjectDeleted, "The user was deleted, so there is no name to decide about."));
        }
        let event = match self.decision {
            Decision::Clear if user.is_verified() => UserEvent::ClearVerified,
            Decision::Clear => UserEvent::ClearUnverified,
            Decision::Confirm => UserEvent::Confirm,
        };
        match rules::transition(user.status, event) {
            Transition::Moved(to) => Ok(to),
            Transition::AlreadyApplied => Err(not_now(
                Reason::AlreadyDone,
                "The review already ended with the same decision. No action is required.",
            )),
            Transition::Refused => {
                let message =
                    format!("The user is {} and not under review, so there is no decision to make.", user.status);
                let allowed = vec![UserStatus::InReview.as_str(), UserStatus::Disabled.as_str()];
                Err(Refusal::in_status(message, user.status.as_str(), allowed))
            }
        }
    }
}
