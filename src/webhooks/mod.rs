//! Webhooks: an app's events, sent to URLs of its choice (docs/decisions.md 12).
//!
//! An event is written once, to the log ([`crate::events`]). If the app has an endpoint, the first event after an idle
//! period queues one job ([`feed`]). It reads the log from its last position and adds a delivery for each endpoint that
//! subscribes to the event. Each endpoint with pending deliveries has one job ([`attempt`]), which makes the due calls
//! and records their outcomes.
//!
//! Invariant: every event after an endpoint's creation, with a name that it subscribes to, has exactly one delivery to
//! it, and each delivery ends as succeeded or dead. A receiver gets each event at least once: a call without a recorded
//! outcome is repeated. Without failures, the order is that of the log.
//!
//! Each attempt reads the event from the log, so there is no second copy. Commits that move money write no row for an
//! endpoint.
//!
//! Start at [`feed::Feed`], then [`attempt::Attempted`]; `worker/webhooks.rs` makes the calls.

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

pub const ENDPOINTS_MAX: usize = 16;
/// How long the secret before a rotation still signs, together with the new one.
pub const OVERLAP_SECONDS: i64 = DAY_SECONDS;
/// How long a delivery is kept after its last change.
const KEEP_SECONDS: i64 = 30 * DAY_SECONDS;

/// Returns an endpoint of the app. Error: `not-found`.
pub fn find(world: &mut World, scope: Scope, id: WebhookEndpointId) -> Result<Arc<WebhookEndpoint>, Halt> {
    match world.get::<WebhookEndpoint>(key![scope.org, id])? {
        Some(endpoint) if endpoint.app == scope.app => Ok(endpoint),
        Some(_) | None => Err(Refusal::not_found("webhook endpoint").into()),
    }
}

fn of_app(world: &mut World, scope: Scope) -> Result<Vec<Arc<WebhookEndpoint>>, Halt> {
    world.all::<WebhookEndpoint>(WebhookEndpoint::OF_APP, key![scope.org, scope.app])
}

/// Returns the context of an endpoint's sealed secret, bound to its app too. `column` is `secret` or `previous_secret`.
pub fn seal_context(scope: Scope, endpoint: WebhookEndpointId, column: &str) -> SealContext {
    SealContext::new(Purpose::Webhook, scope.org, "webhook_endpoints", endpoint.0, column)
        .bound_to(scope.app.0)
        .formerly([*scope.org.0.as_bytes(), *scope.app.0.as_bytes()].concat())
}

/// Returns the secrets that sign now: the endpoint's own first, then the one before it while both are valid.
///
/// # Errors
/// If the stored secret was changed, or the master key is another one.
pub fn secrets(vault: &Vault, endpoint: &WebhookEndpoint, now: Time) -> Result<Vec<Secret>, Tampered> {
    let scope = Scope { org: endpoint.org, app: endpoint.app };
    let previous = endpoint.previous_secret.as_ref().filter(|_| endpoint.previous_is_valid(now));
    let sealed =
        std::iter::once(("secret", &endpoint.secret)).chain(previous.map(|sealed| ("previous_secret", sealed)));
    let open = |(column, sealed): (_, &Vec<u8>)| vault.open(&seal_context(scope, endpoint.id, column), sealed);
    sealed.map(|sealed| open(sealed).map(Secret::from_bytes)).collect()
}

/// Runs an endpoint's job at once, or creates the job. A job that is already running has not read the new delivery: it
/// finds `calls` changed when it ends.
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

/// Returns deliveries in this final state that are old enough to be removed, oldest first, of all organizations.
/// Pending ones are never removed.
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

/// Removes an expired delivery. The event stays in the log.
#[derive(Clone, Copy, Debug)]
pub struct Forget {
    pub org: OrgId,
    pub delivery: WebhookDeliveryId,
}

impl Command for Forget {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let Some(delivery) = world.get::<WebhookDelivery>(key![self.org, self.delivery])? else { return Ok(()) };
        // It may have been replayed since the query.
        let has_ended = delivery.status != DeliveryStatus::Pending;
        if has_ended && delivery.updated_at < world.now().plus_seconds(-KEEP_SECONDS) {
            world.remove(&delivery);
        }
        Ok(())
    }
}
