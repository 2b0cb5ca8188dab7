//! Finds sessions and set-up tokens.

use std::sync::Arc;

use super::factor;
use super::model::{MemberSession, MemberSetUp};
use super::rules;
use crate::ids::{MemberId, MemberSessionId, OrgId};
use crate::members::model::{Member, MemberStatus};
use crate::members::rows::find;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns the live session with this secret, and its member.
///
/// # Errors
///
/// `unauthorized`.
pub fn by_secret(world: &World, org: OrgId, hash: &[u8]) -> Result<(Arc<MemberSession>, Arc<Member>), Halt> {
    let session = world.find::<MemberSession>(MemberSession::BY_SECRET, key![org, hash.to_vec()])?;
    live(world, session)
}

/// Returns the live session with this id, if it belongs to this member.
///
/// # Errors
///
/// `unauthorized`.
pub fn of_member(
    world: &World,
    org: OrgId,
    session: MemberSessionId,
    member: MemberId,
) -> Result<(Arc<MemberSession>, Arc<Member>), Halt> {
    let session = world.get::<MemberSession>(key![org, session])?;
    live(world, session.filter(|session| session.member == member))
}

fn live(world: &World, session: Option<Arc<MemberSession>>) -> Result<(Arc<MemberSession>, Arc<Member>), Halt> {
    let Some(session) = session.filter(|session| rules::is_live(session, world.now())) else {
        return Err(ended().into());
    };
    match world.get::<Member>(key![session.org, session.member])? {
        Some(member) if member.status == MemberStatus::Active => Ok((session, member)),
        Some(_) | None => Err(ended().into()),
    }
}

/// Returns the member who may set a password with the set-up token of this hash.
///
/// # Errors
///
/// `wrong-token`.
pub fn invited(world: &mut World, org: OrgId, hash: &[u8]) -> Result<Arc<Member>, Halt> {
    let set_up = valid(world, org, hash)?;
    find(world, org, set_up.member)
}

/// Removes the second factor and the set-up token of a removed member.
pub fn forget(world: &mut World, org: OrgId, member: MemberId) -> Result<(), Halt> {
    factor::forget(world, org, member)?;
    forget_set_up(world, org, member)
}

pub fn ended() -> Refusal {
    Refusal::new(Code::Unauthorized, "The member session is not valid or has ended. Sign in again.")
        .because(Reason::SessionMissing)
}

/// Returns the valid token with this hash.
///
/// # Errors
///
/// `wrong-token`.
pub(super) fn valid(world: &World, org: OrgId, secret_hash: &[u8]) -> Result<Arc<MemberSetUp>, Halt> {
    let found = world.find::<MemberSetUp>(MemberSetUp::BY_SECRET, key![org, secret_hash.to_vec()])?;
    found.filter(|it| world.now() < it.expires_at).ok_or_else(|| unknown().into())
}

pub(super) fn unknown() -> Refusal {
    Refusal::field(Code::WrongToken, "/token", "is not a valid set-up token; ask an admin for a new one")
        .because(Reason::SetUpTokenInvalid)
}

fn forget_set_up(world: &mut World, org: OrgId, member: MemberId) -> Result<(), Halt> {
    if let Some(set_up) = world.get::<MemberSetUp>(key![org, member])? {
        world.remove(&set_up);
    }
    Ok(())
}
