//! Webhooks: an app's events, sent to URLs of its choice (docs/decisions.md 12).
//!
//! An event is written where it happens and nowhere else ([`crate::events`]). Where an app has an endpoint, the
//! first event after a quiet while leaves one job behind ([`feed`]): it reads the log from where it was read last,
//! and writes a delivery for each endpoint that wants the event. Each endpoint with something to deliver has one
//! job, its courier ([`attempt`]), which makes the calls that are due and writes down what came of them.
//!
//! Invariant: every event after an endpoint's beginning, of a name that it asks for, has exactly one delivery to it,
//! and a delivery ends by a 2xx or dead, never forgotten. So a receiver gets each event at least once: a call whose
//! result could not be written down is made again. The order is that of the log as long as all goes well.
//!
//! Deliberately absent: a second copy of the event, which is read from the log for each attempt; and any row that
//! the money's own commits would have to write for an endpoint.
//!
//! Start at [`feed::Feed`], then [`attempt::Attempted`]; the calls are made in `worker/webhooks.rs`.

pub mod attempt;
mod create;
mod delete;
pub mod feed;
mod http;
mod json;
mod model;
mod replay;
mod rotate;
pub mod rules;
pub mod signature;
mod update;

use std::sync::Arc;

pub use attempt::{Attempted, Outcome, Round, round};
pub use create::CreateEndpoint;
pub use feed::Feed;
pub use http::routes;
pub use model::{DeliveryError, DeliveryStatus, EndpointStatus, WebhookDelivery, WebhookEndpoint};
pub use rules::transitions;

use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::{OrgId, WebhookDeliveryId, WebhookEndpointId};
use crate::jobs::{self, Work};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::vault::{Purpose, SealContext, Tampered, Vault};
use crate::world::query::{Compare, Condition, Direction, Query};
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, Record, World};
use signature::Secret;

/// Endpoints of one app at most.
pub const ENDPOINTS_MAX: usize = 16;
/// How long the secret before a rotation still signs beside the new one.
pub const OVERLAP_SECONDS: i64 = DAY_SECONDS;
/// How long a delivery is kept after it last changed.
const KEEP_SECONDS: i64 = 30 * DAY_SECONDS;

/// An endpoint of the app.
///
/// # Errors
/// `not-found`.
pub fn find(world: &mut World, scope: Scope, id: WebhookEndpointId) -> Result<Arc<WebhookEndpoint>, Halt> {
    match world.get::<WebhookEndpoint>(key![scope.org, id])? {
        Some(endpoint) if endpoint.app == scope.app => Ok(endpoint),
        Some(_) | None => Err(Refusal::not_found("webhook endpoint").into()),
    }
}

/// The app's endpoints.
fn of_app(world: &mut World, scope: Scope) -> Result<Vec<Arc<WebhookEndpoint>>, Halt> {
    world.all::<WebhookEndpoint>(WebhookEndpoint::OF_APP, key![scope.org, scope.app])
}

/// Where a secret of an endpoint is sealed: bound to its app as well. `column` is `secret` or `previous_secret`.
pub fn seal_context(scope: Scope, endpoint: WebhookEndpointId, column: &str) -> SealContext {
    SealContext::new(Purpose::Webhook, scope.org, "webhook_endpoints", endpoint.0, column)
        .bound_to(scope.app.0)
        .formerly([*scope.org.0.as_bytes(), *scope.app.0.as_bytes()].concat())
}

/// The secrets that sign now: the endpoint's own first, then the one before it while both are valid.
///
/// # Errors
/// When the store was changed, or the master key is another.
pub fn secrets(vault: &Vault, endpoint: &WebhookEndpoint, now: Time) -> Result<Vec<Secret>, Tampered> {
    let scope = Scope { org: endpoint.org, app: endpoint.app };
    let previous = endpoint.previous_secret.as_ref().filter(|_| endpoint.previous_is_valid(now));
    let sealed =
        std::iter::once(("secret", &endpoint.secret)).chain(previous.map(|sealed| ("previous_secret", sealed)));
    let open = |(column, sealed): (_, &Vec<u8>)| vault.open(&seal_context(scope, endpoint.id, column), sealed);
    sealed.map(|sealed| open(sealed).map(Secret::from_bytes)).collect()
}

/// Sees to it that an endpoint's courier looks at once; gives it one when it has none.
///
/// A courier that is out already has not seen what we just added: it finds `calls` changed when it comes back.
fn call_courier(world: &mut World, endpoint: &Arc<WebhookEndpoint>) -> Result<(), Halt> {
    let waits = match endpoint.courier {
        Some(job) => jobs::hasten(world, endpoint.org, job)?,
        None => false,
    };
    let courier = match endpoint.courier.filter(|_| waits) {
        Some(job) => job,
        None => jobs::enqueue(world, endpoint.org, Work::CallWebhook { endpoint: endpoint.id.0 }),
    };
    world.change(endpoint, |endpoint| {
        endpoint.courier = Some(courier);
        endpoint.calls += 1;
    });
    Ok(())
}

/// Deliveries that ended so, and have not changed for so long that they are cleared away, oldest first, of all
/// organizations. One that is still to be made is never cleared away.
pub fn outlived(ended: DeliveryStatus, now: Time, limit: usize) -> Query {
    let table = <WebhookDelivery as Record>::TABLE;
    let order = table.position("updated_at").expect("deliveries know when they changed");
    let until = now.plus_seconds(-KEEP_SECONDS).to_value();
    let query = Query {
        table,
        conditions: vec![Condition { column: order, compare: Compare::Less, value: until }],
        through: None,
        order,
        direction: Direction::Ascending,
        after: None,
        limit,
    };
    query.filter("status", Compare::Equal, ended.to_value())
}

/// Clears a delivery away that was kept long enough. The event stays in the log.
#[derive(Clone, Copy, Debug)]
pub struct Forget {
    /// The organization.
    pub org: OrgId,
    /// The delivery.
    pub delivery: WebhookDeliveryId,
}

impl Command for Forget {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let Some(delivery) = world.get::<WebhookDelivery>(key![self.org, self.delivery])? else { return Ok(()) };
        // It may have been asked for again meanwhile.
        let has_ended = delivery.status != DeliveryStatus::Pending;
        if has_ended && delivery.updated_at < world.now().plus_seconds(-KEEP_SECONDS) {
            world.remove(&delivery);
        }
        Ok(())
    }
}
