//! Finds and changes the rows.

use std::sync::Arc;

use super::json::PayoutLinkBatchJson;
use super::model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use crate::apps;
use crate::events::{self, EventName, NewEvent};
use crate::ids::{OrgId, PayoutLinkBatchId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::query::{Compare, Direction, Query};
use crate::world::record::{Cell, key};
use crate::world::{Halt, World};

/// Returns a batch of the app. Error: `not-found`.
pub fn find(world: &mut World, scope: Scope, id: PayoutLinkBatchId) -> Result<Arc<PayoutLinkBatch>, Halt> {
    match world.get::<PayoutLinkBatch>(key![scope.org, id])? {
        Some(batch) if batch.app == scope.app => Ok(batch),
        Some(_) | None => Err(Refusal::not_found("payout link batch").into()),
    }
}

/// Selects the waiting rows in order, at most `limit`.
pub fn waiting(org: OrgId, batch: PayoutLinkBatchId, limit: usize) -> Query {
    let mut rows = Query::of::<BatchRow>(org.to_value(), "number", limit)
        .filter("batch", Compare::Equal, batch.to_value())
        .filter("status", Compare::Equal, RowStatus::Waiting.to_value());
    rows.direction = Direction::Ascending;
    rows
}

/// Refuses the deletion of an app while links of a batch are being created; for reads only.
///
/// # Errors
/// `invalid-state`.
pub fn refuse_open(world: &World, scope: Scope) -> Result<(), Halt> {
    if apps::has_any::<PayoutLinkBatch>(world, scope, &[BatchStatus::Submitted, BatchStatus::Processing])? {
        let message = "The app has batches in progress. Wait until they are complete.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
    }
    Ok(())
}

/// Moves a batch to its next state and emits one event for the transition. Progress between transitions is counted
/// without an event.
pub(super) fn change(
    world: &mut World,
    batch: &Arc<PayoutLinkBatch>,
    edit: impl FnOnce(&mut PayoutLinkBatch),
) -> Result<Arc<PayoutLinkBatch>, Halt> {
    let batch = world.change(batch, |batch| {
        edit(batch);
        batch.version += 1;
    });
    emit(world, &batch)?;
    Ok(batch)
}

pub(super) fn emit(world: &mut World, batch: &PayoutLinkBatch) -> Result<(), Halt> {
    let (name, object) = (EventName::PayoutLinkBatchUpdated, PayoutLinkBatchJson::from(batch));
    let new = NewEvent::of(name, batch.id.0, batch.version, &object);
    events::emit(world, batch.scope(), new)
}
