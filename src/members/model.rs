//! The record of a member, its roles and its finders.

use std::sync::Arc;

use crate::clock::Time;
use crate::ids::{MemberId, OrgId};
use crate::refusal::{Code, Refusal};
use crate::world::record::{key, record, words};
use crate::world::{Halt, World};

words! {
    /// What a member may do.
    pub enum Role {
        /// Everything but approving what they submitted.
        Admin = "admin",
        /// Look.
        Viewer = "viewer",
        /// Pay what is approved.
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
        /// May not act any more; histories still name them.
        Removed = "removed",
    }
}

record! {
    /// A person of an organization.
    pub struct Member in "members" {
        key (org, id)
        many OF_ORG (org);
        /// The organization.
        pub org: OrgId,
        /// What `acting_user_id` takes.
        pub id: MemberId,
        /// What `user_id` in histories shows: 1 for an organization's first member.
        pub number: i64,
        /// Their name.
        pub name: String,
        /// Their address; no two active members of an organization have the same.
        pub email: String,
        /// What they may do.
        pub role: Role,
        /// Whether they may act.
        pub status: MemberStatus,
        /// For the dashboard; who has none cannot sign in there.
        pub password_hash: Option<String>,
        /// When they were added.
        pub created_at: Time,
        /// When they were removed.
        pub removed_at: Option<Time>,
        /// Goes up with each change.
        pub version: i64,
    }
}

/// What is known of a member before they are one.
#[derive(Clone, Debug)]
pub struct NewMember {
    /// Their id.
    pub id: MemberId,
    /// Their name.
    pub name: String,
    /// Their address.
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// See [`super::password`].
    pub password_hash: Option<String>,
}

/// A member of the organization who was not removed.
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

/// Adds a member under the next number.
pub fn add(world: &mut World, org: OrgId, new: NewMember) -> Result<Arc<Member>, Halt> {
    let members = world.all::<Member>(Member::OF_ORG, key![org])?;
    email_is_free(&members, &new.email, None)?;

    // From here it must succeed. Removed members count: their numbers stay theirs.
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
