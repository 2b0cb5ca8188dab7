use std::sync::Arc;

use super::model::MemberSession;
use super::rules;
use crate::engine::Command;
use crate::ids::{MemberId, MemberSessionId, OrgId};
use crate::members::{self, find};
use crate::permission::Permission;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// DELETE /v2/member-sessions/{session_id}. A second end changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct EndSession {
    pub org: OrgId,
    pub session: MemberSessionId,
    /// The member who ends it; `None` for the organization's key.
    pub by: Option<MemberId>,
}

impl Command for EndSession {
    type Reply = MemberSession;

    fn decide(&self, world: &mut World) -> Result<MemberSession, Halt> {
        let session = world.get::<MemberSession>(key![self.org, self.session])?;
        let session = session.ok_or_else(|| Refusal::not_found("member session"))?;
        if let Some(by) = self.by.filter(|by| *by != session.member) {
            let by = find(world, self.org, by)?;
            if !members::may(by.role, Permission::Govern) {
                let message = "A member ends their own sessions; an admin ends those of others.";
                return Err(Refusal::new(Code::NotPermitted, message).because(Reason::RoleNotAllowed).into());
            }
        }
        if !rules::is_live(&session, world.now()) {
            return Ok(MemberSession::clone(&session));
        }

        // From here it must succeed.
        Ok(MemberSession::clone(&end(world, &session)))
    }
}

/// Records that a session is in use. Callers run it at most every five minutes.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub org: OrgId,
    pub session: MemberSessionId,
}

impl Command for Touch {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let now = world.now();
        if let Some(session) = world.get::<MemberSession>(key![self.org, self.session])?
            && rules::is_live(&session, now)
        {
            world.change(&session, |session| session.last_used_at = now);
        }
        Ok(())
    }
}

pub fn end_all(world: &mut World, org: OrgId, member: MemberId) -> Result<(), Halt> {
    let now = world.now();
    for session in world.all::<MemberSession>(MemberSession::OF_MEMBER, key![org, member])? {
        if rules::is_live(&session, now) {
            end(world, &session);
        }
    }
    Ok(())
}

/// Removes a member's sessions that ended long ago, and ends the oldest live ones to make room for one more.
pub(super) fn clear_away(world: &mut World, sessions: Vec<Arc<MemberSession>>) {
    let now = world.now();
    let (mut live, over): (Vec<_>, Vec<_>) = sessions.into_iter().partition(|session| rules::is_live(session, now));
    for session in over {
        if now.seconds_since(rules::ends_at(&session)) >= rules::KEPT_SECONDS {
            world.remove(&session);
        }
    }
    live.sort_by_key(|session| session.created_at);
    let room = live.len().saturating_sub(rules::LIVE_MAX - 1);
    for session in live.iter().take(room) {
        end(world, session);
    }
}

fn end(world: &mut World, session: &Arc<MemberSession>) -> Arc<MemberSession> {
    let now = world.now();
    world.change(session, |session| session.ended_at = Some(now))
}
