//! A member sets a password with a token, once.

use super::model::MemberSetUp;
use super::rows::valid;
use super::rules;
use crate::clock::Time;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId};
use crate::members::change::change;
use crate::members::{Member, find};
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// POST /v2/members/{member_id}/set-up-token. A further token invalidates the previous one.
#[derive(Clone, Debug)]
pub struct Invite {
    pub org: OrgId,
    pub member: MemberId,
    pub secret_hash: Vec<u8>,
    /// Whether the caller has the organization's key. A member who could replace another's password could sign in as
    /// them.
    pub by_organization: bool,
}

impl Command for Invite {
    type Reply = Time;

    fn decide(&self, world: &mut World) -> Result<Time, Halt> {
        let member = find(world, self.org, self.member)?;
        if member.password_hash.is_some() && !self.by_organization {
            let message = "This member has a password. Replacing it requires an organization key.";
            return Err(Refusal::new(Code::OrganizationKeyRequired, message).into());
        }
        let before = world.get::<MemberSetUp>(key![self.org, self.member])?;

        // From here it must succeed.
        let now = world.now();
        let expires_at = now.plus_seconds(rules::SET_UP_SECONDS);
        let secret_hash = self.secret_hash.clone();
        match before {
            Some(before) => {
                world.change(&before, |it| {
                    it.secret_hash = secret_hash;
                    it.created_at = now;
                    it.expires_at = expires_at;
                });
            }
            None => {
                world.add(MemberSetUp { org: self.org, member: self.member, secret_hash, created_at: now, expires_at });
            }
        }
        Ok(expires_at)
    }
}

/// POST /v2/member-set-ups: removes the token, and ends every session of the member.
#[derive(Clone, Debug)]
pub struct SetUp {
    /// The organization that the token names.
    pub org: OrgId,
    pub secret_hash: Vec<u8>,
    pub password_hash: String,
}

impl Command for SetUp {
    type Reply = Member;

    fn decide(&self, world: &mut World) -> Result<Member, Halt> {
        let set_up = valid(world, self.org, &self.secret_hash)?;
        let member = find(world, self.org, set_up.member)?;

        // From here it must succeed.
        world.remove(&set_up);
        let member = change(world, &member, |member| member.password_hash = Some(self.password_hash.clone()))?;
        acts::record(world, self.org, NewAct::of(ActKind::MemberChanged, None, member.id).by(Some(member.id)))?;
        Ok(Member::clone(&member))
    }
}
