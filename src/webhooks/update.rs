//! Changes a webhook endpoint.

use std::sync::Arc;

use super::model::{DisabledReason, EndpointStatus, WebhookEndpoint};
use super::rows::{find, of_app};
use crate::engine::Command;
use crate::events::{self, EventName};
use crate::ids::WebhookEndpointId;
use crate::patch::Patch;
use crate::scope::Scope;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Changes an endpoint. Fields that are not sent stay as they are.
#[derive(Clone, Debug)]
pub struct UpdateEndpoint {
    pub scope: Scope,
    pub endpoint: WebhookEndpointId,
    pub url: Option<String>,
    pub description: Patch<String>,
    /// An emptied value subscribes to all events.
    pub events: Patch<Vec<EventName>>,
    pub status: Option<EndpointStatus>,
}

impl Command for UpdateEndpoint {
    type Reply = Arc<WebhookEndpoint>;

    fn decide(&self, world: &mut World) -> Result<Arc<WebhookEndpoint>, Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;

        // From here it must succeed.
        let endpoint = match (endpoint.status, self.status) {
            (EndpointStatus::Disabled, Some(EndpointStatus::Enabled)) => enable(world, &endpoint)?,
            (EndpointStatus::Enabled, Some(EndpointStatus::Disabled)) => {
                disable(world, &endpoint, DisabledReason::Requested)?
            }
            (EndpointStatus::Enabled, Some(EndpointStatus::Enabled) | None)
            | (EndpointStatus::Disabled, Some(EndpointStatus::Disabled) | None) => endpoint,
        };
        let now = world.now();
        Ok(world.change(&endpoint, |endpoint| {
            if let Some(url) = &self.url {
                endpoint.url.clone_from(url);
            }
            match &self.description {
                Patch::Keep => {}
                Patch::Clear => endpoint.description = None,
                Patch::Set(description) => endpoint.description = Some(description.clone()),
            }
            match &self.events {
                Patch::Keep => {}
                Patch::Clear => endpoint.events = None,
                Patch::Set(events) => endpoint.events = Some(Document(events.clone())),
            }
            endpoint.updated_at = now;
        }))
    }
}

/// Enables an endpoint from now on. Earlier events are not sent; the log has them.
fn enable(world: &mut World, endpoint: &Arc<WebhookEndpoint>) -> Result<Arc<WebhookEndpoint>, Halt> {
    let since_sequence = events::subscribe(world, endpoint.scope())?;
    Ok(world.change(endpoint, |endpoint| {
        endpoint.status = EndpointStatus::Enabled;
        endpoint.disabled_reason = None;
        endpoint.since_sequence = since_sequence;
    }))
}

/// Disables an endpoint. A pending delivery ends when its next attempt is due.
pub(super) fn disable(
    world: &mut World,
    endpoint: &Arc<WebhookEndpoint>,
    reason: DisabledReason,
) -> Result<Arc<WebhookEndpoint>, Halt> {
    let now = world.now();
    let endpoint = world.change(endpoint, |endpoint| {
        endpoint.status = EndpointStatus::Disabled;
        endpoint.disabled_reason = Some(reason);
        endpoint.updated_at = now;
    });
    unsubscribe(world, Scope { org: endpoint.org, app: endpoint.app })?;
    Ok(endpoint)
}

/// Ends the app's subscription if no endpoint is enabled, so that events queue no job.
pub(super) fn unsubscribe(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let endpoints = of_app(world, scope)?;
    if endpoints.iter().any(|endpoint| endpoint.status == EndpointStatus::Enabled) {
        return Ok(());
    }
    events::unsubscribe(world, scope)
}
