use super::model::{MemberFactor, MemberSession};
use super::rows::ended;
use super::{end, rules};
use crate::engine::Command;
use crate::ids::{MemberId, OrgId};
use crate::members::model::Member;
use crate::members::rows::find;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// The proof of the second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    None,
    /// A code that was right for this time step of this sealed secret.
    Totp {
        /// The sealed secret that checked the code.
        secret: Vec<u8>,
        step: i64,
    },
    /// A recovery code, by its keyed hash.
    Recovery(String),
    Wrong,
}

/// POST /v2/member-sessions, for a member whose password was right.
#[derive(Clone, Debug)]
pub struct OpenSession {
    pub org: OrgId,
    pub member: MemberId,
    /// The hash that matched the password; if it was changed since, the sign-in is refused.
    pub password_hash: String,
    pub proof: Proof,
    pub secret_hash: Vec<u8>,
    /// The network from which it is opened.
    pub address: Option<String>,
}

#[derive(Clone, Debug)]
pub struct OpenedSession {
    pub session: MemberSession,
    pub member: Member,
    /// The number of unused recovery codes; `None` without a second factor.
    pub recovery_codes_left: Option<usize>,
}

impl Command for OpenSession {
    type Reply = OpenedSession;

    fn decide(&self, world: &mut World) -> Result<OpenedSession, Halt> {
        let member = find(world, self.org, self.member)?;
        if member.password_hash.as_ref() != Some(&self.password_hash) {
            return Err(ended().into());
        }
        let factor = world.get::<MemberFactor>(key![self.org, self.member])?;
        let factor = factor.filter(|factor| factor.sealed_totp.is_some());
        let after = factor.as_deref().map(|factor| used(factor, &self.proof)).transpose()?;
        let sessions = world.all::<MemberSession>(MemberSession::OF_MEMBER, key![self.org, self.member])?;

        // From here it must succeed.
        let (id, now) = (world.id(), world.now());
        if let (Some(factor), Some(after)) = (&factor, &after) {
            world.change(factor, |factor| {
                factor.totp_step = after.totp_step;
                factor.recovery.0.clone_from(&after.recovery.0);
                factor.updated_at = now;
            });
        }
        end::clear_away(world, sessions);
        let session = world.add(MemberSession {
            org: self.org,
            id,
            member: member.id,
            secret_hash: self.secret_hash.clone(),
            address: self.address.clone(),
            second_factor: factor.is_some(),
            created_at: now,
            last_used_at: now,
            expires_at: now.plus_seconds(rules::LIFE_SECONDS),
            ended_at: None,
        });
        Ok(OpenedSession {
            session: MemberSession::clone(&session),
            member: Member::clone(&member),
            recovery_codes_left: after.map(|after| after.recovery.0.len()),
        })
    }
}

/// Returns the factor after the use of this proof.
///
/// # Errors
///
/// `second-factor-required`, `wrong-token`.
pub(super) fn used(factor: &MemberFactor, proof: &Proof) -> Result<MemberFactor, Refusal> {
    let mut after = factor.clone();
    match proof {
        Proof::None => {
            let message = "This member has a second factor. Send code or recovery_code with the password.";
            Err(Refusal::new(Code::SecondFactorRequired, message))
        }
        Proof::Totp { secret, step } if factor.sealed_totp.as_ref() == Some(secret) && *step > factor.totp_step => {
            after.totp_step = *step;
            Ok(after)
        }
        Proof::Recovery(hash) if factor.recovery.0.contains(hash) => {
            after.recovery.0.retain(|left| left != hash);
            Ok(after)
        }
        Proof::Totp { .. } | Proof::Recovery(_) | Proof::Wrong => {
            let message = "The code is wrong or was used. Wait for the next code, or use a recovery code.";
            Err(Refusal::field(Code::WrongToken, "/code", message).because(Reason::CodeWrong))
        }
    }
}
