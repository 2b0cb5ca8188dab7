//! Payout requests: what people ask to be paid (docs/specification.md 10, 11).
//!
//! Anyone who has an app's client id may submit one, because a request moves nothing. The app approves it, which
//! makes a payout link just as `payout_links` does, or rejects it. Invariant: an approved request has made
//! exactly one link, any other none (13). Deliberately absent: a way to change a request; its amount is what was
//! asked for, or nothing. Start at `rules.rs`, then `approve.rs`.

mod approve;
mod http;
mod json;
mod model;
mod quota;
mod reject;
pub mod rules;
mod submit;

pub use approve::Approve;
pub use http::routes;
pub use json::{PayoutRequestJson, Shown};
pub use model::{PayoutRequest, PublicRequests, RequestPayee, RequestStatus};
pub use reject::Reject;
pub use submit::{Asker, NewRequest, Submit};

use std::sync::Arc;

use crate::apps;
use crate::events::{self, EventName, NewEvent};
use crate::ids::PayoutRequestId;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// A request of the app.
///
/// # Errors
/// `not-found`.
pub fn find(world: &mut World, scope: Scope, id: PayoutRequestId) -> Result<Arc<PayoutRequest>, Halt> {
    match world.get::<PayoutRequest>(key![scope.org, id])? {
        Some(request) if request.app == scope.app => Ok(request),
        Some(_) | None => Err(Refusal::not_found("payout request").into()),
    }
}

/// Takes an erased payee out of a request that they made, and what was said about it.
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

/// An app is not deleted while nobody has decided on a request of it; for reads only.
///
/// # Errors
/// `invalid-state`.
pub fn refuse_open(world: &World, scope: Scope) -> Result<(), Halt> {
    if apps::has_any::<PayoutRequest>(world, scope, &[RequestStatus::Created])? {
        let message = "The app has open payout requests. Approve or reject them first.";
        return Err(Refusal::new(Code::InvalidState, message).into());
    }
    Ok(())
}

/// Changes a request and tells of it. Each transition is one event.
fn change(
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

fn emit(world: &mut World, request: Arc<PayoutRequest>) -> Result<Shown, Halt> {
    let shown = Shown::of(world, request)?;
    let request = &shown.request;
    let name = EventName::PayoutRequestUpdated;
    let new = NewEvent::of(name, request.id.0, request.version, &shown.without_address());
    events::emit(world, request.scope(), new)?;
    Ok(shown)
}
