//! Finds and changes the rows.

use std::sync::Arc;

use super::json;
use super::model::{Transfer, TransferKind, TransferStatus};
use super::rules;
use super::rules::TransferEvent;
use crate::events::{self, EventName, NewEvent};
use crate::ids::{OrgId, PaymentCustomerId, TransferId, UserId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

pub fn find(world: &mut World, scope: Scope, id: TransferId) -> Result<Arc<Transfer>, Halt> {
    match world.get::<Transfer>(key![scope.org, id])? {
        Some(transfer) if transfer.app == scope.app => Ok(transfer),
        Some(_) | None => Err(Refusal::not_found("transfer").into()),
    }
}

/// Returns whether a user of the app has a transfer in flight.
pub fn under_way(world: &mut World, scope: Scope, user: UserId) -> Result<bool, Halt> {
    let transfers = world.all::<Transfer>(Transfer::UNDER_WAY, key![scope.org, Some(user.0)])?;
    Ok(transfers.iter().any(|transfer| transfer.app == scope.app))
}

/// Returns whether a payment of this customer is in flight.
pub fn under_way_of_customer(world: &World, org: OrgId, customer: PaymentCustomerId) -> Result<bool, Halt> {
    Ok(!world.all::<Transfer>(Transfer::UNDER_WAY, key![org, Some(customer.0)])?.is_empty())
}

/// Adds a new transfer and emits its event.
pub fn open(world: &mut World, transfer: Transfer) -> Result<Arc<Transfer>, Halt> {
    let under_way_of = transfer.whose_while_under_way();
    let transfer = world.add(Transfer { under_way_of, ..transfer });
    emit(world, &transfer)?;
    Ok(transfer)
}

/// Moves a transfer to its next state if the rules allow it, and emits the event.
pub fn advance(
    world: &mut World,
    transfer: &Arc<Transfer>,
    event: TransferEvent,
    edit: impl FnOnce(&mut Transfer),
) -> Result<Arc<Transfer>, Halt> {
    let to = rules::apply(transfer.status, event)?;
    let now = world.now();
    let transfer = world.change(transfer, |transfer| {
        transfer.status = to;
        transfer.updated_at = now;
        transfer.version += 1;
        edit(transfer);
        if transfer.status != TransferStatus::Pending {
            (transfer.held_for, transfer.held_until) = (None, None);
        }
        transfer.under_way_of = transfer.whose_while_under_way();
    });
    emit(world, &transfer)?;
    Ok(transfer)
}

/// Records a change of a transfer that is no transition: increments the version and emits an event.
pub fn touch(world: &mut World, transfer: &Arc<Transfer>) -> Result<(), Halt> {
    let now = world.now();
    let transfer = world.change(transfer, |transfer| {
        transfer.updated_at = now;
        transfer.version += 1;
    });
    emit(world, &transfer)
}

/// Emits the one event of each transition. All events of a payment have one name, because apps wait for payments under
/// one name (docs/decisions.md 12).
fn emit(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    let name = match (transfer.kind, transfer.status) {
        (TransferKind::Payment, _) => EventName::PaymentUpdated,
        (_, TransferStatus::Completed) => EventName::TransferCompleted,
        (_, TransferStatus::Failed) => EventName::TransferFailed,
        (_, TransferStatus::Flagged) => EventName::TransferFlagged,
        (
            _,
            TransferStatus::Created | TransferStatus::Pending | TransferStatus::Reversed | TransferStatus::Canceled,
        ) => EventName::TransferUpdated,
    };
    let object = json::without_transactions(world, transfer)?;
    events::emit(world, transfer.scope(), NewEvent::of(name, transfer.id.0, transfer.version, &object))
}
