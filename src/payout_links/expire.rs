//! What the passing of time does to a link: it expires, or its payee is reminded.

use super::model::PayoutLink;
use super::rules::{self, LinkEvent, Transition};
use crate::engine::Command;
use crate::ids::{OrgId, PayoutLinkId};
use crate::jobs::{self, Leased};
use crate::world::record::key;
use crate::world::{Halt, World};

/// The time of a link is over: unless it was claimed or canceled, its money goes back.
#[derive(Clone, Debug)]
pub struct Expire {
    /// The job.
    pub leased: Leased,
    /// The link.
    pub link: PayoutLinkId,
}

impl Command for Expire {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let Some(link) = world.get::<PayoutLink>(key![self.leased.org, self.link])? else { return Ok(()) };
        match rules::transition(link.status, LinkEvent::Expired) {
            Transition::Moved(to) => super::cancel::release(world, &link, to).map(|_| ()),
            // Claimed or canceled before: there is nothing to take back.
            Transition::AlreadyApplied | Transition::Refused(_) => Ok(()),
        }
    }
}

/// The maker asked for a reminder: the link is delivered once more, if it still may be.
#[derive(Clone, Debug)]
pub struct Remind {
    /// The job.
    pub leased: Leased,
    /// The link.
    pub link: PayoutLinkId,
}

impl Command for Remind {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

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
