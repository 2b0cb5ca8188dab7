//! An endpoint that is not wanted any more.

use super::find;
use super::update::unsubscribe;
use crate::engine::Command;
use crate::ids::{OrgId, WebhookEndpointId};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Deletes an endpoint with its secrets. Its courier finds nobody to call; its deliveries go when their time is over.
#[derive(Clone, Copy, Debug)]
pub struct DeleteEndpoint {
    /// The app.
    pub scope: Scope,
    /// Which.
    pub endpoint: WebhookEndpointId,
}

impl Command for DeleteEndpoint {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;

        // From here it must succeed.
        world.remove(&endpoint);
        unsubscribe(world, self.scope)
    }
}
