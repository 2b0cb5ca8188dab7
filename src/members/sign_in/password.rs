use super::factor::same_password;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId};
use crate::members::change::change;
use crate::members::{Member, find};
use crate::world::{Halt, World};

/// POST /v2/member-sessions/current/password. Ends every session of the member.
#[derive(Clone, Debug)]
pub struct ChangePassword {
    pub org: OrgId,
    pub member: MemberId,
    /// The hash that matched the current password.
    pub current_hash: String,
    pub new_hash: String,
}

impl Command for ChangePassword {
    type Reply = Member;

    fn decide(&self, world: &mut World) -> Result<Member, Halt> {
        let member = find(world, self.org, self.member)?;
        same_password(world, self.org, self.member, &self.current_hash)?;

        // From here it must succeed.
        let member = change(world, &member, |member| member.password_hash = Some(self.new_hash.clone()))?;
        acts::record(world, self.org, NewAct::of(ActKind::MemberChanged, None, member.id).by(Some(member.id)))?;
        Ok(Member::clone(&member))
    }
}
