//! Finds and adds members.

use std::sync::Arc;

use super::model::{Member, MemberStatus, NewMember};
use crate::ids::{MemberId, OrgId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Adds a member with the next number.
pub fn add(world: &mut World, org: OrgId, new: NewMember) -> Result<Arc<Member>, Halt> {
    let members = world.all::<Member>(Member::OF_ORG, key![org])?;
    email_is_free(&members, &new.email, None)?;

    // From here it must succeed. Removed members keep their numbers, so they count.
    let last = members.iter().map(|member| member.number).max().unwrap_or(0);
    let created_at = world.now();
    Ok(world.add(Member {
        org,
        id: new.id,
        number: last + 1,
        name: new.name,
        email: new.email,
        role: new.role,
        status: MemberStatus::Active,
        password_hash: new.password_hash,
        created_at,
        removed_at: None,
        version: 1,
    }))
}

/// Returns an active member of the organization.
pub fn find(world: &mut World, org: OrgId, id: MemberId) -> Result<Arc<Member>, Halt> {
    match world.get::<Member>(key![org, id])? {
        Some(member) if member.status == MemberStatus::Active => Ok(member),
        Some(_) | None => Err(Refusal::not_found("member").into()),
    }
}

/// Refuses an address that another active member has.
pub fn email_is_free(members: &[Arc<Member>], email: &str, but: Option<MemberId>) -> Result<(), Refusal> {
    let taken = members.iter().any(|member| {
        member.status == MemberStatus::Active && Some(member.id) != but && member.email.eq_ignore_ascii_case(email)
    });
    if taken {
        return Err(Refusal::field(
            Code::InvalidState,
            "/email",
            "is the address of another member of the organization; use another address",
        )
        .because(Reason::AlreadyExists));
    }
    Ok(())
}
