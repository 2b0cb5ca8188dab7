//! Finds and changes the rows.

use std::sync::Arc;

use super::json::Shown;
use super::model::{PayoutRequest, RequestPayee, RequestStatus};
use crate::apps;
use crate::events::{self, EventName, NewEvent};
use crate::ids::PayoutRequestId;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// Returns a request of the app, or `not-found`.
pub fn find(world: &mut World, scope: Scope, id: PayoutRequestId) -> Result<Arc<PayoutRequest>, Halt> {
    match world.get::<PayoutRequest>(key![scope.org, id])? {
        Some(request) if request.app == scope.app => Ok(request),
        Some(_) | None => Err(Refusal::not_found("payout request").into()),
    }
}

/// Removes an erased payee's data and the texts about them from a request.
pub fn erase(world: &mut World, request: &Arc<PayoutRequest>) -> Result<(), Halt> {
    let texts = [&request.payee_phone, &request.payee_email, &request.memo, &request.metadata, &request.comment];
    if request.payee.0 == RequestPayee::default() && texts.iter().all(|text| text.is_none()) {
        return Ok(());
    }
    change(world, request, |request| {
        request.payee = Document(RequestPayee::default());
        (request.payee_phone, request.payee_email) = (None, None);
        (request.memo, request.metadata, request.comment) = (None, None, None);
    })?;
    Ok(())
}

/// Refuses the deletion of an app with undecided requests; for reads only.
pub fn refuse_open(world: &World, scope: Scope) -> Result<(), Halt> {
    if apps::has_any::<PayoutRequest>(world, scope, &[RequestStatus::Created])? {
        let message = "The app has open payout requests. Approve or reject them first.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
    }
    Ok(())
}

/// Changes a request and emits its event. Each transition is one event.
pub(super) fn change(
    world: &mut World,
    request: &Arc<PayoutRequest>,
    edit: impl FnOnce(&mut PayoutRequest),
) -> Result<Shown, Halt> {
    let now = world.now();
    let request = world.change(request, |request| {
        edit(request);
        request.updated_at = now;
        request.version += 1;
    });
    emit(world, request)
}

pub(super) fn emit(world: &mut World, request: Arc<PayoutRequest>) -> Result<Shown, Halt> {
    let shown = Shown::of(world, request)?;
    let request = &shown.request;
    let name = EventName::PayoutRequestUpdated;
    let new = NewEvent::of(name, request.id.0, request.version, &shown.without_address());
    events::emit(world, request.scope(), new)?;
    Ok(shown)
}
