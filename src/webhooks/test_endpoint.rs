//! Tests a webhook endpoint with an event of its own.

use std::sync::Arc;

use super::json::WebhookEndpointJson;
use super::model::WebhookEndpoint;
use super::rows::{find, refuse_disabled};
use crate::engine::Command;
use crate::events::{self, EventName, NewEvent};
use crate::ids::WebhookEndpointId;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Emits the event of a test, which travels like every other event: through the log, signed, with retries.
#[derive(Clone, Copy, Debug)]
pub struct TestEndpoint {
    pub scope: Scope,
    pub endpoint: WebhookEndpointId,
}

impl Command for TestEndpoint {
    type Reply = Arc<WebhookEndpoint>;

    fn decide(&self, world: &mut World) -> Result<Arc<WebhookEndpoint>, Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;
        refuse_disabled(&endpoint)?;

        // From here it must succeed. An endpoint has no versions; the position in the log increases like one.
        let version = events::length(world, self.scope)? + 1;
        let object = WebhookEndpointJson::from(&*endpoint);
        let new = NewEvent::of(EventName::WebhookEndpointTested, endpoint.id.0, version, &object);
        events::emit(world, self.scope, new)?;
        Ok(endpoint)
    }
}
