use super::model::User;
use super::rows::find;
use super::rules::{self, UserEvent};
use super::{UserJson, change, contacts, json};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{MessageId, UserId};
use crate::messages::Channel;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::verification::{self, Checked, CodeContext, NewCode};
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub struct SendVerificationToken {
    pub scope: Scope,
    pub user: UserId,
    /// Whether the code is read aloud in a call instead of sent as a text message.
    pub use_voice: bool,
    pub code: NewCode,
}

impl Command for SendVerificationToken {
    type Reply = MessageId;

    fn decide(&self, world: &mut World) -> Result<MessageId, Halt> {
        let user = find(world, self.scope, self.user)?;
        let recipient = unverified_phone(&user)?;

        // From here it must succeed, except for the send limits.
        let channel = if self.use_voice { Channel::Voice } else { Channel::Sms };
        let to =
            verification::Recipient { channel, recipient, code_context: CodeContext::verification(self.scope.app) };
        verification::start(world, self.scope, &to, &self.code)
    }
}

#[derive(Clone, Debug)]
pub struct Verify {
    pub scope: Scope,
    pub user: UserId,
    pub offered_hash: Vec<u8>,
}

impl Command for Verify {
    /// A wrong code is counted, which needs a commit, so it is a reply and not a refusal.
    type Reply = Result<Box<UserJson>, Checked>;

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

/// Rejects a verified user with `invalid-input` (docs/decisions.md 6).
fn unverified_phone(user: &User) -> Result<&str, Refusal> {
    rules::must_be_active(user)?;
    if user.phone_verified_at.is_some() {
        return Err(Refusal::new(Code::InvalidInput, "The user is already verified."));
    }
    let missing = || {
        Refusal::new(Code::UserInfoMissing, "The user has no phone number. Set one with PATCH /v2/users/{user_id}.")
            .because(Reason::ContactMissing)
    };
    user.phone_e164.as_deref().ok_or_else(missing)
}
