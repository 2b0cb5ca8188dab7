//! Deletes a webhook endpoint.

use super::rows::find;
use super::update::unsubscribe;
use crate::engine::Command;
use crate::ids::WebhookEndpointId;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Deletes an endpoint with its secrets. Its job ends without calls; its deliveries are removed when they expire.
#[derive(Clone, Copy, Debug)]
pub struct DeleteEndpoint {
    pub scope: Scope,
    pub endpoint: WebhookEndpointId,
}

impl Command for DeleteEndpoint {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;

        // From here it must succeed.
        world.remove(&endpoint);
        unsubscribe(world, self.scope)
    }
}
