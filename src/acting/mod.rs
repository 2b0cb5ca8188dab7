//! Who acts in accounts payable: members of the organization, each within what their role allows (decisions.md 10).
//!
//! Invariant: every act that moves a bill on bears the name of an active member whose role allows it, as it was at
//! that moment; there is no role that may do everything, an administrator neither: whoever submitted a bill does
//! not approve it, and whoever added a vendor's account does not confirm it. Deliberately absent: members
//! themselves, and those two rules, which need the bill and the account.
//!
//! Start at [`acting`].

mod http;

pub use http::routes;

use serde::{Deserialize, Serialize};

use crate::ids::{MemberId, OrgId};
use crate::members::{self, Member, MemberStatus, Role};
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// What a member does in accounts payable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Creates, updates, cancels and submits bills; adds vendors and their accounts.
    Prepare,
    /// Approves and rejects.
    Approve,
    /// Pays what is approved.
    Pay,
    /// Confirms the account that another member added.
    Confirm,
    /// Says whose approval is needed.
    Govern,
}

/// Whether a role may do this.
pub const fn may(role: Role, act: Act) -> bool {
    match (role, act) {
        (Role::Admin, Act::Prepare | Act::Approve | Act::Pay | Act::Confirm | Act::Govern)
        | (Role::ApCreator, Act::Prepare | Act::Confirm)
        | (Role::ApApprover, Act::Approve | Act::Confirm)
        | (Role::Payer, Act::Pay | Act::Confirm) => true,
        (Role::ApCreator, Act::Approve | Act::Pay | Act::Govern)
        | (Role::ApApprover, Act::Prepare | Act::Pay | Act::Govern)
        | (Role::Payer, Act::Prepare | Act::Approve | Act::Govern)
        | (Role::Viewer, Act::Prepare | Act::Approve | Act::Pay | Act::Confirm | Act::Govern) => false,
    }
}

/// Whether a member may approve bills now. Histories and policies may name members who no longer can.
pub fn may_approve(member: &Member) -> bool {
    member.status == MemberStatus::Active && may(member.role, Act::Approve)
}

/// A member as histories name them: as they were when they acted, whatever becomes of them later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Who.
    pub member: MemberId,
    /// What `user_id` in histories shows.
    pub number: i64,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
}

impl From<&Member> for Actor {
    fn from(member: &Member) -> Self {
        Self { member: member.id, number: member.number, name: member.name.clone(), role: member.role }
    }
}

/// The member who acts, if they may.
///
/// # Errors
/// `not-found` for whoever is no member of the organization, or was removed; `not-permitted` when their role does
/// not allow it.
pub fn acting(world: &mut World, org: OrgId, member: MemberId, act: Act) -> Result<Actor, Halt> {
    let member = members::find(world, org, member)?;
    if !may(member.role, act) {
        let may: Vec<&str> = Role::ALL.iter().filter(|role| self::may(**role, act)).map(|role| role.as_str()).collect();
        let message = format!("{} is {}; this takes: {}.", member.name, member.role, may.join(", "));
        return Err(Refusal::field(Code::NotPermitted, "/acting_user_id", message).into());
    }
    Ok(Actor::from(&*member))
}

/// The same where a request need not name a member; without one the app itself acts, by its key.
pub fn acting_if_named(
    world: &mut World,
    org: OrgId,
    member: Option<MemberId>,
    act: Act,
) -> Result<Option<Actor>, Halt> {
    member.map(|member| acting(world, org, member, act)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_role_and_act() {
        let acts = [Act::Prepare, Act::Approve, Act::Pay, Act::Confirm, Act::Govern];
        for role in Role::ALL {
            let expected = match role {
                Role::Admin => [true; 5],
                Role::Viewer => [false; 5],
                Role::Payer => [false, false, true, true, false],
                Role::ApApprover => [false, true, false, true, false],
                Role::ApCreator => [true, false, false, true, false],
            };
            assert_eq!(acts.map(|act| may(*role, act)), expected, "{role}");
        }
    }
}
