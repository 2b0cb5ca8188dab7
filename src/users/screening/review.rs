//! A review ends: an administrator of the organization says that it is somebody else, or the person on the list.

use super::json::{ScreeningJson, document};
use super::model::{HitStatus, ScreeningHit};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{MemberId, OrgId, UserId};
use crate::members::{self, Role};
use crate::refusal::{Code, Refusal};
use crate::users::model::{OfacStatus, User};
use crate::users::rules::{self, Transition, UserEvent};
use crate::users::{change, find_in_organization};
use crate::world::record::{key, words};
use crate::world::{Halt, World};

words! {
    /// What a reviewer found.
    pub enum Decision {
        /// It is somebody else: the user is as before, and is not asked about for this again.
        Clear = "clear",
        /// It is the person on the list: the user is shut out, and their money stays where it is.
        Confirm = "confirm",
    }
}

/// Decides all open hits of a user.
#[derive(Clone, Debug)]
pub struct DecideScreening {
    /// The organization.
    pub org: OrgId,
    /// The user.
    pub user: UserId,
    /// Who decides: an administrator.
    pub acting: MemberId,
    /// What.
    pub decision: Decision,
    /// Why.
    pub comment: String,
}

impl Command for DecideScreening {
    type Reply = ScreeningJson;

    fn organization(&self) -> OrgId {
        self.org
    }

    fn decide(&self, world: &mut World) -> Result<ScreeningJson, Halt> {
        let user = find_in_organization(world, self.org, self.user)?;
        let member = members::find(world, self.org, self.acting)?;
        if member.role != Role::Admin {
            let message = "Only a member with the role admin can decide a sanctions review.";
            return Err(Refusal::field(Code::NotPermitted, "/acting_user_id", message).into());
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
                Decision::Confirm => (true, OfacStatus::Flagged),
            };
        })?;
        document(world, &user)
    }
}

impl DecideScreening {
    /// The user's next status. A confirmation that was a mistake can be taken back by clearing; a deleted user has
    /// no name left to decide about.
    fn next(&self, user: &User) -> Result<crate::users::UserStatus, Refusal> {
        let not_now = |message: &str| Refusal::new(Code::InvalidState, message);
        if user.deleted_at.is_some() {
            return Err(not_now("The user was deleted."));
        }
        let event = match self.decision {
            Decision::Clear if user.is_verified() => UserEvent::ClearVerified,
            Decision::Clear => UserEvent::ClearUnverified,
            Decision::Confirm => UserEvent::Confirm,
        };
        match rules::transition(user.status, event) {
            Transition::Moved(to) => Ok(to),
            Transition::AlreadyApplied => Err(not_now("The review already ended with the same decision.")),
            Transition::Refused => Err(not_now("The user is not under review.")),
        }
    }
}
