//! Finds and changes the rows.

use std::sync::Arc;

use super::json::PayableJson;
use super::model::{Action, ActionKind, Payable, PayableStatus, StatusChange};
use super::rules;
use super::rules::PayableEvent;
use crate::acting::Actor;
use crate::apps;
use crate::events::{self, EventName, NewEvent};
use crate::ids::{PayableId, VendorPaymentMethodId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors::Vendor;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns a payable of the app. Error: `not-found`.
pub fn find(world: &World, scope: Scope, id: PayableId) -> Result<Arc<Payable>, Halt> {
    match world.get::<Payable>(key![scope.org, id])? {
        Some(payable) if payable.app == scope.app => Ok(payable),
        Some(_) | None => Err(Refusal::not_found("payable").into()),
    }
}

/// Returns whether bills that are neither paid nor canceled name this vendor, or this payment method of it.
pub fn are_open(world: &World, vendor: &Vendor, method: Option<VendorPaymentMethodId>) -> Result<bool, Halt> {
    let open = world.all::<Payable>(Payable::OPEN_OF_VENDOR, key![vendor.org, Some(vendor.id)])?;
    Ok(open.iter().any(|payable| method.is_none() || payable.payment_method == method))
}

/// Refuses the deletion of an app with bills that are neither paid nor canceled; for reads only.
///
/// # Errors
/// `invalid-state`.
pub fn refuse_open(world: &World, scope: Scope) -> Result<(), Halt> {
    let open: Vec<PayableStatus> =
        PayableStatus::ALL.iter().copied().filter(|status| rules::is_open(*status)).collect();
    if apps::has_any::<Payable>(world, scope, &open)? {
        let message = "The app has open payables. Cancel the created ones, pay the approved ones, and reject, update \
                       and cancel those that are submitted or failed.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
    }
    Ok(())
}

pub(super) struct HistoryEntry {
    pub kind: ActionKind,
    /// `None` when the app itself acts.
    pub actor: Option<Actor>,
    pub comment: Option<String>,
}

impl HistoryEntry {
    pub fn of(kind: ActionKind, actor: Actor) -> Self {
        Self { kind, actor: Some(actor), comment: None }
    }
}

/// Moves a bill to its next state if the rules allow it, records the actor, and emits one event for the transition.
pub(super) fn advance(
    world: &mut World,
    payable: &Arc<Payable>,
    event: PayableEvent,
    entry: Option<HistoryEntry>,
    edit: impl FnOnce(&mut Payable),
) -> Result<Arc<Payable>, Halt> {
    let to = rules::apply(payable.status, event)?;
    let now = world.now();
    let payable = world.change(payable, |payable| {
        if to != payable.status {
            payable.status = to;
            payable.status_history.0.push(StatusChange { status: to, at: now });
        }
        if let Some(HistoryEntry { kind, actor, comment }) = entry {
            payable.action_history.0.push(Action { kind, actor, comment, at: now });
        }
        edit(payable);
        payable.open_vendor = payable.vendor.filter(|_| rules::is_open(payable.status));
        payable.updated_at = now;
        payable.version += 1;
    });
    emit(world, &payable)?;
    Ok(payable)
}

pub(super) fn emit(world: &mut World, payable: &Payable) -> Result<(), Halt> {
    let (name, object) = (EventName::PayableUpdated, PayableJson::from(payable));
    events::emit(world, payable.scope(), NewEvent::of(name, payable.id.0, payable.version, &object))
}
