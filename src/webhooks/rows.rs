//! Finds and changes the rows.

use std::sync::Arc;

use super::model::{EndpointStatus, WebhookEndpoint};
use super::signature::Secret;
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::WebhookEndpointId;
use crate::jobs::{self, Work};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::vault::{Purpose, SealContext, Tampered, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

pub const ENDPOINTS_MAX: usize = 16;
/// How long the secret before a rotation still signs, together with the new one.
pub const OVERLAP_SECONDS: i64 = DAY_SECONDS;

/// Returns an endpoint of the app. Error: `not-found`.
pub fn find(world: &mut World, scope: Scope, id: WebhookEndpointId) -> Result<Arc<WebhookEndpoint>, Halt> {
    match world.get::<WebhookEndpoint>(key![scope.org, id])? {
        Some(endpoint) if endpoint.app == scope.app => Ok(endpoint),
        Some(_) | None => Err(Refusal::not_found("webhook endpoint").into()),
    }
}

/// Error: `invalid-state`.
pub(super) fn refuse_disabled(endpoint: &WebhookEndpoint) -> Result<(), Refusal> {
    match endpoint.status {
        EndpointStatus::Enabled => Ok(()),
        EndpointStatus::Disabled => {
            let message = "The endpoint is disabled. Enable it first: PATCH it with the status enabled.";
            let allowed = vec![EndpointStatus::Enabled.as_str()];
            Err(Refusal::in_status(message, endpoint.status.as_str(), allowed))
        }
    }
}

pub(super) fn of_app(world: &mut World, scope: Scope) -> Result<Vec<Arc<WebhookEndpoint>>, Halt> {
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
    let scope = endpoint.scope();
    let previous = endpoint.previous_secret.as_ref().filter(|_| endpoint.previous_is_valid(now));
    let sealed =
        std::iter::once(("secret", &endpoint.secret)).chain(previous.map(|sealed| ("previous_secret", sealed)));
    let open = |(column, sealed): (_, &Vec<u8>)| vault.open(&seal_context(scope, endpoint.id, column), sealed);
    sealed.map(|sealed| open(sealed).map(Secret::from_bytes)).collect()
}

/// Runs an endpoint's job at once, or creates the job. A job that is already running has not read the new delivery: it
/// finds `calls` changed when it ends.
pub(super) fn call_courier(world: &mut World, endpoint: &Arc<WebhookEndpoint>) -> Result<(), Halt> {
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
