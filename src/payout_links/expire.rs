//! The timed changes of a link: it expires, or its payee is reminded.

use super::model::PayoutLink;
use super::rules::{self, LinkEvent, Transition};
use crate::engine::Command;
use crate::ids::PayoutLinkId;
use crate::jobs::{self, Leased};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Expires a link and releases its money, unless it was claimed or canceled.
#[derive(Clone, Debug)]
pub struct Expire {
    pub leased: Leased,
    pub link: PayoutLinkId,
}

impl Command for Expire {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let Some(link) = world.get::<PayoutLink>(key![self.leased.org, self.link])? else { return Ok(()) };
        match rules::transition(link.status, LinkEvent::Expired) {
            Transition::Moved(to) => super::cancel::release(world, &link, to).map(|_| ()),
            // Claimed or canceled: no money is left to release.
            Transition::AlreadyApplied | Transition::Refused(_) => Ok(()),
        }
    }
}

/// Delivers a link again at the requested time of its reminder, if it may still be delivered.
#[derive(Clone, Debug)]
pub struct Remind {
    pub leased: Leased,
    pub link: PayoutLinkId,
}

impl Command for Remind {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let Some(link) = world.get::<PayoutLink>(key![self.leased.org, self.link])? else { return Ok(()) };
        if rules::may_deliver(&link, world.now()).is_err() {
            return Ok(());
        }
        if world.attempt(|world| super::deliver::refuse_erased(world, &link))?.is_err() {
            return Ok(());
        }
        super::deliver::deliver_unasked(world, &link)
    }
}
