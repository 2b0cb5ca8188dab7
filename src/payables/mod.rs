//! Payables: vendors' bills, their approval and their payment (docs/specification.md, Payable; docs/decisions.md 10 and 16).
//!
//! A bill is prepared by one member, approved by others and paid by another. When it is submitted, what will be paid
//! (amount, vendor, account) and whose approval it needs are copied into it and change no more; paying pays that
//! copy. Invariants (12): a bill is paid at most once, only approved, at the approved amount; who submitted it does
//! not approve it. Commands on one bill meet in the engine one after the other, so nothing here can be raced.
//! Deliberately absent: any role that may do everything, and who acts, which is `acting`.
//!
//! Start at `rules.rs`, then `submit.rs`, `approve.rs`, `pay.rs`.

mod approve;
mod cancel;
mod create;
mod file;
mod http;
mod inputs;
mod items;
mod json;
mod model;
mod pay;
mod reject;
pub mod rules;
mod settle;
mod submit;
mod update;
pub mod verify;

pub use approve::Approve;
pub use cancel::Cancel;
pub use create::Create;
pub use file::{DeleteFile, FILE_BYTES_MAX, SetFile};
pub use http::routes;
pub use inputs::Currency;
pub use items::Item;
pub use json::{PayableJson, json};
pub use model::{
    Action, ActionKind, Approval, ApprovalStep, Attempt, FundingSource, Payable, PayableFile, PayableStatus,
    StatusChange, Terms,
};
pub use pay::Pay;
pub use reject::Reject;
pub use settle::{complete, fail, take_back};
pub use submit::Submit;
pub use update::{PayablePatch, Update};

use std::sync::Arc;

use crate::acting::Actor;
use crate::apps;
use crate::events::{self, EventName, NewEvent};
use crate::ids::{PayableId, VendorPaymentMethodId};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors::Vendor;
use crate::world::record::key;
use crate::world::{Halt, World};
use rules::PayableEvent;

/// A payable of the app.
///
/// # Errors
/// `not-found`.
pub fn find(world: &World, scope: Scope, id: PayableId) -> Result<Arc<Payable>, Halt> {
    match world.get::<Payable>(key![scope.org, id])? {
        Some(payable) if payable.app == scope.app => Ok(payable),
        Some(_) | None => Err(Refusal::not_found("payable").into()),
    }
}

/// Whether bills that are neither paid nor canceled name this vendor, or one account of it.
pub fn are_open(world: &World, vendor: &Vendor, method: Option<VendorPaymentMethodId>) -> Result<bool, Halt> {
    let open = world.all::<Payable>(Payable::OPEN_OF_VENDOR, key![vendor.org, Some(vendor.id)])?;
    Ok(open.iter().any(|payable| method.is_none() || payable.payment_method == method))
}

/// An app is not deleted while bills of it are neither paid nor canceled; for reads only.
///
/// # Errors
/// `invalid-state`.
pub fn refuse_open(world: &World, scope: Scope) -> Result<(), Halt> {
    let open: Vec<PayableStatus> =
        PayableStatus::ALL.iter().copied().filter(|status| rules::is_open(*status)).collect();
    if apps::has_any::<Payable>(world, scope, &open)? {
        let message = "The app has open payables. Cancel the created ones, pay the approved ones, and reject, update \
                       and cancel those that are submitted or failed.";
        return Err(Refusal::new(Code::InvalidState, message).into());
    }
    Ok(())
}

/// Who did what, for the history.
struct HistoryEntry {
    kind: ActionKind,
    /// `None` when the app itself acts.
    actor: Option<Actor>,
    comment: Option<String>,
}

impl HistoryEntry {
    fn of(kind: ActionKind, actor: Actor) -> Self {
        Self { kind, actor: Some(actor), comment: None }
    }
}

/// Moves a bill along its states, if the rules allow it, keeps who did it, and tells of it: each transition is one
/// event.
fn advance(
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

/// Tells of a payable as it is now.
fn emit(world: &mut World, payable: &Payable) -> Result<(), Halt> {
    let (name, object) = (EventName::PayableUpdated, PayableJson::from(payable));
    events::emit(world, payable.scope(), NewEvent::of(name, payable.id.0, payable.version, &object))
}
