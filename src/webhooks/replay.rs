//! Replays a delivery.

use std::sync::Arc;

use super::model::{DeliveryStatus, WebhookDelivery};
use super::rows::{call_courier, find, refuse_disabled};
use super::rules::{self, DeliveryEvent};
use crate::engine::Command;
use crate::ids::{WebhookDeliveryId, WebhookEndpointId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Sends an event to an endpoint again: at once, and then by the schedule from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct ReplayDelivery {
    pub scope: Scope,
    pub endpoint: WebhookEndpointId,
    pub delivery: WebhookDeliveryId,
}

impl Command for ReplayDelivery {
    type Reply = Arc<WebhookDelivery>;

    fn decide(&self, world: &mut World) -> Result<Arc<WebhookDelivery>, Halt> {
        let endpoint = find(world, self.scope, self.endpoint)?;
        let delivery = world.get::<WebhookDelivery>(key![self.scope.org, self.delivery])?;
        let delivery = delivery.filter(|delivery| delivery.endpoint == endpoint.id);
        let delivery = delivery.ok_or_else(|| Refusal::not_found("delivery"))?;
        refuse_disabled(&endpoint)?;

        // From here it must succeed.
        let now = world.now();
        let to = rules::transition(delivery.status, DeliveryEvent::Replayed).unwrap_or(DeliveryStatus::Pending);
        let delivery = world.change(&delivery, |delivery| {
            delivery.status = to;
            delivery.tries = 0;
            delivery.due_at = Some(now);
            delivery.updated_at = now;
        });
        call_courier(world, &endpoint)?;
        Ok(delivery)
    }
}
