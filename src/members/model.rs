use std::sync::Arc;

use crate::clock::Time;
use crate::ids::{MemberId, OrgId};
use crate::refusal::{Code, Refusal};
use crate::world::record::{key, record, words};
use crate::world::{Halt, World};

words! {
    /// The permissions of a member.
    pub enum Role {
        /// All acts except approving their own submissions.
        Admin = "admin",
        /// Read only.
        Viewer = "viewer",
        /// Pay approved bills.
        Payer = "payer",
        /// Approve and reject.
        ApApprover = "ap_approver",
        /// Create and submit.
        ApCreator = "ap_creator",
    }
}

words! {
    /// Whether a member still belongs to the organization.
    pub enum MemberStatus {
        /// May act.
        Active = "active",
        /// May not act any more; histories still name the member.
        Removed = "removed",
    }
}

record! {
    /// A person of an organization.
    pub struct Member in "members" {
        key (org, id)
        many OF_ORG (org);
        pub org: OrgId,
        /// The value of `acting_user_id`.
        pub id: MemberId,
        /// The `user_id` in histories: 1 for an organization's first member.
        pub number: i64,
        pub name: String,
        /// Unique among the organization's active members.
        pub email: String,
        pub role: Role,
        pub status: MemberStatus,
        /// `None` for a member who cannot sign in.
        pub password_hash: Option<String>,
        pub created_at: Time,
        pub removed_at: Option<Time>,
        pub version: i64,
    }
}

/// The input for a new member.
#[derive(Clone, Debug)]
pub struct NewMember {
    pub id: MemberId,
    pub name: String,
    pub email: String,
    pub role: Role,
    /// See [`super::password`].
    pub password_hash: Option<String>,
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
            "is the address of another member of the organization",
        ));
    }
    Ok(())
}

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
