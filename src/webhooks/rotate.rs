//! Another secret, with an overlap in which both sign.

use std::sync::Arc;

use super::model::WebhookEndpoint;
use super::{OVERLAP_SECONDS, find};
use crate::engine::Command;
use crate::http::Scope;
use crate::ids::{OrgId, WebhookEndpointId};
use crate::world::{Halt, World};

/// Gives an endpoint another secret. The one before signs too, for [`OVERLAP_SECONDS`]; one before that no more.
#[derive(Clone, Debug)]
pub struct RotateSecret {
    /// The app.
    pub scope: Scope,
    /// Which.
    pub endpoint: WebhookEndpointId,
    /// The new secret, sealed.
    pub secret: Vec<u8>,
}

impl Command for RotateSecret {
    type Reply = Arc<WebhookEndpoint>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Arc<WebhookEndpoint>, Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;

        // From here it must succeed.
        let now = world.now();
        Ok(world.change(&endpoint, |endpoint| {
            let before = std::mem::replace(&mut endpoint.secret, self.secret.clone());
            endpoint.previous_secret = Some(before);
            endpoint.previous_secret_until = Some(now.plus_seconds(OVERLAP_SECONDS));
            endpoint.updated_at = now;
        }))
    }
}
