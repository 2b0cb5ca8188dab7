use super::model::ClaimSession;
use super::session;
use crate::engine::Command;
use crate::payout_links::{self, ClaimToken, PayoutLink};
use crate::world::record::key;
use crate::world::{Halt, World};

/// POST /v2/claims/{token}/end. A repetition changes nothing.
#[derive(Clone, Debug)]
pub struct EndSession {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
}

impl Command for EndSession {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let link = payout_links::by_token(world, &self.token)?;
        let session = session::shown(world, &link, self.session_hash.as_deref())?;
        if let Some(session) = session.filter(|session| session.ended_at.is_none()) {
            let now = world.now();
            world.change(&session, |session| session.ended_at = Some(now));
        }
        Ok(())
    }
}

/// Ends every session of a link, before a newer one is opened.
pub(super) fn end_all(world: &mut World, link: &PayoutLink) -> Result<(), Halt> {
    let now = world.now();
    for session in world.all::<ClaimSession>(ClaimSession::OF_LINK, key![link.org, link.id])? {
        if session.ended_at.is_none() {
            world.change(&session, |session| session.ended_at = Some(now));
        }
    }
    Ok(())
}
