//! The payee of an expired link asks the sender for a new one.

use super::rows;
use super::rules;
use super::token::ClaimToken;
use crate::apps;
use crate::engine::Command;
use crate::events::EventName;
use crate::world::{Halt, World};

/// POST /v2/claims/{token}/new-link
///
/// It moves no money and sends no message: the sender learns of it by the link's event. A repetition changes nothing.
#[derive(Clone, Debug)]
pub struct RequestNewLink {
    pub token: ClaimToken,
}

impl Command for RequestNewLink {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let link = rows::by_token(world, &self.token)?;
        apps::find(world, link.scope())?;
        rules::must_have_expired(&link, world.now())?;
        if link.new_link_requested_at.is_some() {
            return Ok(());
        }

        // From here it must succeed.
        let now = world.now();
        let requested = |link: &mut super::PayoutLink| link.new_link_requested_at = Some(now);
        rows::change(world, &link, EventName::PayoutLinkUpdated, requested).map(|_| ())
    }
}
