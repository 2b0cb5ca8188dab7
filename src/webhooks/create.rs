//! Creates a webhook endpoint.

use std::sync::Arc;

use super::model::{EndpointStatus, WebhookEndpoint};
use super::rows::{ENDPOINTS_MAX, of_app, seal_context};
use crate::engine::Command;
use crate::events::{self, EventName};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::vault::Unsealed;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Creates an endpoint. It receives the events from now on.
#[derive(Clone, Debug)]
pub struct CreateEndpoint {
    pub scope: Scope,
    pub url: String,
    pub description: Option<String>,
    /// `None` for all.
    pub events: Option<Vec<EventName>>,
    pub secret: Unsealed,
}

impl Command for CreateEndpoint {
    type Reply = Arc<WebhookEndpoint>;

    fn decide(&self, world: &mut World) -> Result<Arc<WebhookEndpoint>, Halt> {
        if of_app(world, self.scope)?.len() >= ENDPOINTS_MAX {
            let message =
                format!("The app has {ENDPOINTS_MAX} webhook endpoints, which is the limit. Delete one first.");
            return Err(Refusal::over_limit("webhook_endpoints", ENDPOINTS_MAX, message).into());
        }

        // From here it must succeed.
        let since_sequence = events::subscribe(world, self.scope)?;
        let (id, now) = (world.id(), world.now());
        Ok(world.add(WebhookEndpoint {
            org: self.scope.org,
            id,
            app: self.scope.app,
            url: self.url.clone(),
            description: self.description.clone(),
            events: self.events.clone().map(Document),
            status: EndpointStatus::Enabled,
            disabled_reason: None,
            secret: self.secret.seal(&seal_context(self.scope, id, "secret")),
            previous_secret: None,
            previous_secret_until: None,
            since_sequence,
            courier: None,
            calls: 0,
            created_at: now,
            updated_at: now,
        }))
    }
}
