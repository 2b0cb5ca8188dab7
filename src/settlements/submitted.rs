//! A transfer was handed to its rail.

use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{OrgId, TransferId};
use crate::jobs::{self, Leased, Work};
use crate::rails::ItemStatus;
use crate::refusal::Refusal;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferStatus};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The rail has the transfer. Its outcome is asked for when it is due.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// The job that handed it over.
    pub leased: Leased,
    /// The transfer.
    pub transfer: TransferId,
    /// What the rail said.
    pub item_status: ItemStatus,
}

impl Command for Submitted {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Transfer>(key![self.leased.org, self.transfer])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        let found = world.get::<Transfer>(key![org, self.transfer])?;
        let transfer = found.ok_or_else(|| Refusal::not_found("transfer"))?;
        jobs::finish(world, &self.leased)?;
        if !transfer.waits_for_rail() {
            return Ok(());
        }
        let settles_at = self.due(world.now());
        if transfer.status == TransferStatus::Pending {
            // It was approved: it is pending since then, and that was told.
            world.change(&transfer, |transfer| transfer.settles_at = Some(settles_at));
        } else {
            transfers::advance(world, &transfer, TransferEvent::Submitted, |transfer| {
                transfer.settles_at = Some(settles_at);
            })?;
        }
        jobs::enqueue_at(world, org, Work::FollowTransfer { transfer: self.transfer.0 }, settles_at);
        Ok(())
    }
}

impl Submitted {
    /// When to ask for the outcome; at once when the rail decided already.
    fn due(&self, now: Time) -> Time {
        match self.item_status {
            ItemStatus::Accepted { settles_at } => settles_at,
            ItemStatus::Completed | ItemStatus::Failed(_) | ItemStatus::Returned(_) | ItemStatus::Unknown => now,
        }
    }
}
