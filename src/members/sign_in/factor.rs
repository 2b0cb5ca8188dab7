//! A member's second factor: TOTP, and the recovery codes that replace it.

use std::sync::Arc;

use super::model::MemberFactor;
use crate::engine::Command;
use crate::ids::{MemberId, OrgId};
use crate::members::find;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::vault::{Purpose, SealContext};
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// Returns the context that seals a confirmed secret: the column `sealed_totp`.
pub fn confirmed_place(org: OrgId, member: MemberId) -> SealContext {
    SealContext::new(Purpose::Login, org, "member_factors", member.0, "sealed_totp")
}

/// Returns the context that seals a secret before its first code: the column `sealed_pending`.
pub fn pending_seal_context(org: OrgId, member: MemberId) -> SealContext {
    SealContext::new(Purpose::Login, org, "member_factors", member.0, "sealed_pending")
}

/// POST /v2/member-sessions/current/totp: stores a secret that waits for its first code. The previous factor stays
/// valid until then.
#[derive(Clone, Debug)]
pub struct StartTotp {
    pub org: OrgId,
    pub member: MemberId,
    /// The hash that matched the password.
    pub password_hash: String,
    pub secret: Vec<u8>,
}

impl Command for StartTotp {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        same_password(world, self.org, self.member, &self.password_hash)?;
        let factor = world.get::<MemberFactor>(key![self.org, self.member])?;

        // From here it must succeed.
        let now = world.now();
        let factor = factor.unwrap_or_else(|| {
            world.add(MemberFactor {
                org: self.org,
                member: self.member,
                sealed_totp: None,
                totp_step: 0,
                sealed_pending: None,
                recovery: Document::default(),
                updated_at: now,
            })
        });
        world.change(&factor, |factor| {
            factor.sealed_pending = Some(self.secret.clone());
            factor.updated_at = now;
        });
        Ok(())
    }
}

/// A secret whose first code was right.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// The secret, sealed for `sealed_pending`.
    pub pending: Vec<u8>,
    /// The same secret, sealed for `sealed_totp`.
    pub sealed: Vec<u8>,
    /// The time step of the code.
    pub step: i64,
}

/// POST /v2/member-sessions/current/totp/confirm: the pending secret becomes the factor.
#[derive(Clone, Debug)]
pub struct ConfirmTotp {
    pub org: OrgId,
    pub member: MemberId,
    /// `None` for a wrong code.
    pub proof: Option<Confirmed>,
    /// Keyed hashes of the new recovery codes.
    pub recovery: Vec<String>,
}

impl Command for ConfirmTotp {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let factor = world.get::<MemberFactor>(key![self.org, self.member])?;
        let Some(factor) = factor.filter(|factor| factor.sealed_pending.is_some()) else {
            let message = "No second factor is waiting for confirmation. Set up a second factor first.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::StepMissing).into());
        };
        let proof = self.proof.as_ref().filter(|proof| factor.sealed_pending.as_ref() == Some(&proof.pending));
        let Some(proof) = proof else {
            let message = "is not the current code of this secret; enter the code that the authenticator shows now";
            return Err(Refusal::field(Code::WrongToken, "/code", message).because(Reason::CodeWrong).into());
        };

        // From here it must succeed.
        let now = world.now();
        world.change(&factor, |factor| {
            factor.sealed_totp = Some(proof.sealed.clone());
            factor.totp_step = proof.step;
            factor.sealed_pending = None;
            factor.recovery.0.clone_from(&self.recovery);
            factor.updated_at = now;
        });
        Ok(())
    }
}

/// DELETE /v2/member-sessions/current/totp, by the member with their password; or DELETE /v2/members/{member_id}/totp,
/// by the organization's key. Without a factor nothing changes.
#[derive(Clone, Debug)]
pub struct RemoveTotp {
    pub org: OrgId,
    pub member: MemberId,
    /// The hash that matched the password; `None` for the organization's key.
    pub password_hash: Option<String>,
}

impl Command for RemoveTotp {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        match &self.password_hash {
            Some(hash) => same_password(world, self.org, self.member, hash)?,
            None => find(world, self.org, self.member).map(|_| ())?,
        }
        forget(world, self.org, self.member)
    }
}

pub(super) fn forget(world: &mut World, org: OrgId, member: MemberId) -> Result<(), Halt> {
    let factor: Option<Arc<MemberFactor>> = world.get::<MemberFactor>(key![org, member])?;
    if let Some(factor) = factor {
        world.remove(&factor);
    }
    Ok(())
}

/// Refuses if the password was changed since it was checked.
pub(super) fn same_password(world: &World, org: OrgId, member: MemberId, hash: &str) -> Result<(), Halt> {
    let member = world.get::<crate::members::Member>(key![org, member])?;
    if member.is_some_and(|member| member.password_hash.as_deref() == Some(hash)) {
        return Ok(());
    }
    Err(Refusal::new(Code::InvalidState, "The password was changed during this request. Sign in again.")
        .because(Reason::VersionDiffers)
        .into())
}
