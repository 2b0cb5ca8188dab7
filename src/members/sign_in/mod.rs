//! The sign-in of members: password, second factor, session.
//!
//! Invariants: a session, a set-up token and a recovery code are stored as keyed hashes and shown once; every request
//! reads its session in the session's own organization, and again in the commit, so an ended session opens nothing in
//! any process; a TOTP time step is accepted once; a recovery code is used once; a change of the password or of the
//! role, and a removal, end every session of the member.
//!
//! Deliberately absent: the routes that take a session (the table of routes), and the acting member in accounts payable
//! (`acting`). Start at `rules.rs`, then `open.rs`.

mod end;
mod factor;
mod http;
mod model;
mod open;
mod password;
pub mod rules;
mod set_up;
mod token;
pub mod totp;

pub use end::{EndSession, Touch, end_all};
pub use factor::{ConfirmTotp, Confirmed, RemoveTotp, StartTotp, confirmed_place, pending_seal_context};
pub use http::{routes, set_password};
pub use model::{MemberFactor, MemberSession, MemberSetUp};
pub use open::{OpenSession, OpenedSession, Proof};
pub use password::ChangePassword;
pub use set_up::{Invite, SetUp};
pub use token::{Kind, NewToken, Token};

use std::sync::Arc;

use super::model::{Member, MemberStatus};
use crate::ids::{MemberId, MemberSessionId, OrgId};
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
    let set_up = set_up::valid(world, org, hash)?;
    super::find(world, org, set_up.member)
}

/// Removes the second factor and the set-up token of a removed member.
pub fn forget(world: &mut World, org: OrgId, member: MemberId) -> Result<(), Halt> {
    factor::forget(world, org, member)?;
    set_up::forget(world, org, member)
}

pub fn ended() -> Refusal {
    Refusal::new(Code::Unauthorized, "The member session is not valid or has ended. Sign in again.")
}
