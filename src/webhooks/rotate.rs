//! Rotates an endpoint's secret, with a period in which both secrets sign.

use std::sync::Arc;

use super::model::WebhookEndpoint;
use super::rows::{OVERLAP_SECONDS, find, seal_context};
use crate::engine::Command;
use crate::ids::WebhookEndpointId;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vault::Unsealed;
use crate::world::{Halt, World};

/// Replaces an endpoint's secret. The previous one signs too for [`OVERLAP_SECONDS`]; older ones do not.
#[derive(Clone, Debug)]
pub struct RotateSecret {
    pub scope: Scope,
    pub endpoint: WebhookEndpointId,
    pub secret: Unsealed,
}

impl Command for RotateSecret {
    type Reply = Arc<WebhookEndpoint>;

    fn decide(&self, world: &mut World) -> Result<Arc<WebhookEndpoint>, Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;
        let seal_context = |column| seal_context(self.scope, endpoint.id, column);
        let before = self.secret.moved(&endpoint.secret, &seal_context("secret"), &seal_context("previous_secret"));
        let before = before.map_err(|_| damaged())?;

        // From here it must succeed.
        let now = world.now();
        Ok(world.change(&endpoint, |endpoint| {
            endpoint.secret = self.secret.seal(&seal_context("secret"));
            endpoint.previous_secret = Some(before);
            endpoint.previous_secret_until = Some(now.plus_seconds(OVERLAP_SECONDS));
            endpoint.updated_at = now;
        }))
    }
}

fn damaged() -> Refusal {
    let message = "The secret of this endpoint cannot be decrypted. Delete the endpoint and create another one.";
    Refusal::new(Code::InternalError, message)
}
