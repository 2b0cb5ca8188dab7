//! Records that a transfer was sent to its rail.

use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{JobId, TransferId};
use crate::jobs::{self, Leased, Work};
use crate::rails::ItemStatus;
use crate::refusal::Refusal;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferStatus};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Records that the rail has the transfer, and schedules the query for its outcome.
#[derive(Clone, Debug)]
pub struct Submitted {
    pub leased: Leased,
    pub transfer: TransferId,
    pub item_status: ItemStatus,
}

impl Command for Submitted {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Transfer>(key![self.leased.org, self.transfer])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        record(world, &self.leased, self.transfer, self.item_status).map(|_| ())
    }
}

/// Records that the rail has the transfer; returns the job that queries its outcome.
pub(super) fn record(
    world: &mut World,
    leased: &Leased,
    transfer: TransferId,
    item_status: ItemStatus,
) -> Result<Option<JobId>, Halt> {
    let org = leased.org;
    let found = world.get::<Transfer>(key![org, transfer])?;
    let transfer = found.ok_or_else(|| Refusal::not_found("transfer"))?;
    jobs::finish(world, leased)?;
    if !transfer.waits_for_rail() {
        return Ok(None);
    }
    let settles_at = due(item_status, world.now());
    if transfer.status == TransferStatus::Pending {
        // Approval made it pending and emitted the event.
        world.change(&transfer, |transfer| transfer.settles_at = Some(settles_at));
    } else {
        transfers::advance(world, &transfer, TransferEvent::Submitted, |transfer| {
            transfer.settles_at = Some(settles_at);
        })?;
    }
    Ok(Some(jobs::enqueue_at(world, org, Work::FollowTransfer { transfer: transfer.id.0 }, settles_at)))
}

/// Returns when to query the outcome; at once if the rail has it already.
fn due(item_status: ItemStatus, now: Time) -> Time {
    match item_status {
        ItemStatus::Accepted { settles_at } => settles_at,
        ItemStatus::Completed | ItemStatus::Failed(_) | ItemStatus::Returned(_) | ItemStatus::Unknown => now,
    }
}
