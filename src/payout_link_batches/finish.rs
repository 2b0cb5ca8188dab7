//! Begins and finishes the processing of a batch.

use super::model::PayoutLinkBatch;
use super::rows::change;
use super::rules::{self, BatchEvent};
use crate::engine::Command;
use crate::ids::PayoutLinkBatchId;
use crate::jobs::{self, Leased};
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Begins the processing of a batch, or continues it after another worker stopped.
#[derive(Clone, Debug)]
pub struct Begin {
    pub leased: Leased,
    pub batch: PayoutLinkBatchId,
}

impl Command for Begin {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::renew(world, &self.leased)?;
        let found = world.get::<PayoutLinkBatch>(key![self.leased.org, self.batch])?;
        let batch = found.ok_or_else(|| Refusal::not_found("payout link batch"))?;
        if let Some(to) = rules::transition(batch.status, BatchEvent::Begun) {
            change(world, &batch, |batch| batch.status = to)?;
        }
        Ok(())
    }
}

/// Finishes the job, and the batch unless another of its jobs finished it first. No row waits any more.
#[derive(Clone, Debug)]
pub struct Finish {
    pub leased: Leased,
    pub batch: PayoutLinkBatchId,
}

impl Command for Finish {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let found = world.get::<PayoutLinkBatch>(key![self.leased.org, self.batch])?;
        let batch = found.ok_or_else(|| Refusal::not_found("payout link batch"))?;
        let Some(event) = rules::ended(&batch) else {
            return Err(Refusal::new(Code::InternalError, "The counts of the batch are wrong.").into());
        };
        if let Some(to) = rules::transition(batch.status, event) {
            let now = world.now();
            change(world, &batch, |batch| {
                batch.status = to;
                batch.completed_at = Some(now);
            })?;
        }
        Ok(())
    }
}
