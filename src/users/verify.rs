//! A user proves to hold the phone.

use super::model::User;
use super::rules::{self, UserEvent};
use super::verification::{self, Checked, CodeContext, NewCode};
use super::{UserJson, change, contacts, find, json};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{MessageId, OrgId, UserId};
use crate::messages::Channel;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Sends a user a code.
#[derive(Clone, Debug)]
pub struct SendVerificationToken {
    /// The app.
    pub scope: Scope,
    /// The user.
    pub user: UserId,
    /// Whether the code is read aloud in a call rather than sent as a text.
    pub use_voice: bool,
    /// The code.
    pub code: NewCode,
}

impl Command for SendVerificationToken {
    type Reply = MessageId;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<MessageId, Halt> {
        let user = find(world, self.scope, self.user)?;
        let recipient = unverified_phone(&user)?;

        // From here it must succeed, but for the limits of sending.
        let channel = if self.use_voice { Channel::Voice } else { Channel::Sms };
        let to =
            verification::Recipient { channel, recipient, code_context: CodeContext::verification(self.scope.app) };
        verification::start(world, self.scope, &to, &self.code)
    }
}

/// Takes the code that a user entered.
#[derive(Clone, Debug)]
pub struct Verify {
    /// The app.
    pub scope: Scope,
    /// The user.
    pub user: UserId,
    /// The keyed hash of what was entered.
    pub offered_hash: Vec<u8>,
}

impl Command for Verify {
    /// The user, or why the code was not the right one: a wrong try is counted, so it is no refusal here.
    type Reply = Result<Box<UserJson>, Checked>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let user = find(world, self.scope, self.user)?;
        let recipient = unverified_phone(&user)?;
        let code_context = CodeContext::verification(self.scope.app);
        match verification::check(world, self.scope, recipient, code_context, &self.offered_hash)? {
            Checked::Right => {}
            wrong @ (Checked::NoCode
            | Checked::Expired
            | Checked::Dead
            | Checked::Wrong { .. }
            | Checked::Waiting(_)
            | Checked::Locked) => {
                return Ok(Err(wrong));
            }
        }

        // From here it must succeed.
        let now = world.now();
        let user = change(world, &user, EventName::UserUpdated, |user| {
            user.phone_verified_at = Some(now);
            contacts::end_freeze(user, (user.phone_app, user.phone_set_at));
            user.status = rules::status_after(user.status, UserEvent::Verify);
        })?;
        Ok(Ok(Box::new(json(world, self.scope, &user)?)))
    }
}

/// The phone of a user who has still to prove it. Who has done so already gets a 400 (docs/decisions.md 6).
fn unverified_phone(user: &User) -> Result<&str, Refusal> {
    rules::must_be_active(user)?;
    if user.phone_verified_at.is_some() {
        return Err(Refusal::new(Code::InvalidInput, "The user is already verified."));
    }
    let missing = || Refusal::new(Code::UserInfoMissing, "The user has no phone number.");
    user.phone_e164.as_deref().ok_or_else(missing)
}
