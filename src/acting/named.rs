//! The acting member, and the proof of their identity.

use serde::{Deserialize, Serialize};

use crate::apps::{self, MemberProof};
use crate::caller::Caller;
use crate::ids::{MemberId, MemberSessionId, OrgId};
use crate::members::may;
use crate::members::{self, Member, MemberStatus, Role, sign_in};
use crate::permission::Permission as Act;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Returns whether a member may approve bills now. Histories and policies may name members who no longer can.
pub fn may_approve(member: &Member) -> bool {
    member.status == MemberStatus::Active && may(member.role, Act::Approve)
}

/// A member in a history, as they were when they acted; later changes do not affect it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub member: MemberId,
    /// Shown as `user_id` in histories.
    pub number: i64,
    pub name: String,
    pub role: Role,
    /// The member's own session, if the request had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<MemberSessionId>,
}

impl From<&Member> for Actor {
    fn from(member: &Member) -> Self {
        Self { member: member.id, number: member.number, name: member.name.clone(), role: member.role, session: None }
    }
}

/// The member that a request names, and the session that proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub member: MemberId,
    /// `None` if only a key names the member.
    pub session: Option<MemberSessionId>,
}

impl Named {
    /// Returns the member that this caller names. A session of another member proves nothing.
    pub fn by(caller: &Caller, member: MemberId) -> Self {
        let session = caller.member.filter(|signed_in| signed_in.member == member).map(|signed_in| signed_in.session);
        Self { member, session }
    }
}

/// Returns the acting member, with the proof that the app's settings require: for submit, approve, reject, pay and
/// confirm.
///
/// Fails with `member-proof-required` without the member's own session if the app requires one, with `unauthorized` if
/// it has ended, and like [`acting`].
pub fn proven(world: &mut World, scope: Scope, named: Named, act: Act) -> Result<Actor, Halt> {
    let required = apps::find(world, scope)?.settings.0.member_proof == MemberProof::Required;
    let message = "This app requires the member's own session. Sign in with POST /v2/member-sessions and send the \
                   session in the header Member-Session.";
    with_proof(world, scope.org, named, required.then_some(message), act)
}

/// Returns the acting member of an act that concerns the organization and no app. `must_prove` requires the member's
/// own session. Fails like [`proven`].
pub fn of_organization(world: &mut World, org: OrgId, named: Named, must_prove: bool, act: Act) -> Result<Actor, Halt> {
    let message = "In production this call requires the member's own session. Sign in with POST /v2/member-sessions and \
                   send the session in the header Member-Session.";
    with_proof(world, org, named, must_prove.then_some(message), act)
}

/// `missing` is the refusal's message if a session is required and the request has none.
fn with_proof(world: &mut World, org: OrgId, named: Named, missing: Option<&str>, act: Act) -> Result<Actor, Halt> {
    let session = match named.session {
        Some(session) => Some(sign_in::of_member(world, org, session, named.member)?.0.id),
        None => None,
    };
    if let (None, Some(message)) = (session, missing) {
        return Err(Refusal::field(Code::MemberProofRequired, "Member-Session", message).into());
    }
    let actor = acting(world, org, named.member, act)?;
    Ok(Actor { session, ..actor })
}

/// Returns the acting member. Fails with `not-found` if the organization has no such active member, and `not-permitted`
/// if the role does not allow the action.
pub fn acting(world: &mut World, org: OrgId, member: MemberId, act: Act) -> Result<Actor, Halt> {
    let member = members::find(world, org, member)?;
    if !may(member.role, act) {
        let message = format!(
            "{} has the role {}. This call requires one of the roles: {}.",
            member.name,
            member.role,
            members::roles_that_may(act)
        );
        return Err(Refusal::field(Code::NotPermitted, "/acting_user_id", message)
            .because(Reason::RoleNotAllowed)
            .into());
    }
    Ok(Actor::from(&*member))
}

/// Returns the acting member if the request names one; otherwise the app acts, with its key.
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
        for role in Role::ALL {
            // Own, View, Prepare, Approve, Pay, Confirm, Govern.
            let expected = match role {
                Role::Admin => [true; 7],
                Role::Viewer => [true, true, false, false, false, false, false],
                Role::Payer => [true, true, false, false, true, true, false],
                Role::ApApprover => [true, true, false, true, false, true, false],
                Role::ApCreator => [true, true, true, false, false, true, false],
            };
            assert_eq!(Act::ALL.map(|act| may(*role, act)), expected, "{role}");
        }
    }
}
