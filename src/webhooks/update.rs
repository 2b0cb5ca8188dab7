//! What may be changed of an endpoint.

use std::sync::Arc;

use super::model::{DisabledReason, EndpointStatus, WebhookEndpoint};
use super::{find, of_app};
use crate::engine::Command;
use crate::events::{self, EventName};
use crate::ids::{OrgId, WebhookEndpointId};
use crate::patch::Patch;
use crate::scope::Scope;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Changes an endpoint. What is not sent stays.
#[derive(Clone, Debug)]
pub struct UpdateEndpoint {
    /// The app.
    pub scope: Scope,
    /// Which.
    pub endpoint: WebhookEndpointId,
    /// Another URL.
    pub url: Option<String>,
    /// Another description.
    pub description: Patch<String>,
    /// Other events; emptied, it is told of all.
    pub events: Patch<Vec<EventName>>,
    /// Enabled or disabled.
    pub status: Option<EndpointStatus>,
}

impl Command for UpdateEndpoint {
    type Reply = Arc<WebhookEndpoint>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

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

/// From now on it is told again. What happened meanwhile is not made up for: the log has it.
fn enable(world: &mut World, endpoint: &Arc<WebhookEndpoint>) -> Result<Arc<WebhookEndpoint>, Halt> {
    let scope = Scope { org: endpoint.org, app: endpoint.app };
    let since_sequence = events::subscribe(world, scope)?;
    Ok(world.change(endpoint, |endpoint| {
        endpoint.status = EndpointStatus::Enabled;
        endpoint.disabled_reason = None;
        endpoint.since_sequence = since_sequence;
    }))
}

/// It is told of nothing more. What is pending for it ends when it would have been due.
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

/// Where no endpoint is enabled any more, the app's events leave no job behind.
pub(super) fn unsubscribe(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let endpoints = of_app(world, scope)?;
    if endpoints.iter().any(|endpoint| endpoint.status == EndpointStatus::Enabled) {
        return Ok(());
    }
    events::unsubscribe(world, scope)
}
