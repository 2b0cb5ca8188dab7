//! Turns events of the log into deliveries.

use super::model::{DeliveryStatus, WebhookDelivery, WebhookEndpoint};
use super::rows::{call_courier, of_app};
use crate::engine::Command;
use crate::events::{self, Event};
use crate::jobs::{self, Leased};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// The events that one commit reads from the log.
const EVENTS_MAX: i64 = 64;

/// Adds a delivery of each unread event for each endpoint that subscribes to it.
#[derive(Clone, Debug)]
pub struct Feed {
    pub leased: Leased,
    /// The app that owns the log.
    pub scope: Scope,
}

impl Command for Feed {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let endpoints = of_app(world, self.scope)?;
        let unread = events::take_unread(world, self.scope, EVENTS_MAX)?;
        for endpoint in &endpoints {
            let wanted = unread.events.iter().filter(|event| endpoint.wants(event));
            if wanted.map(|event| deliver(world, endpoint, event)).count() > 0 {
                call_courier(world, endpoint)?;
            }
        }
        if unread.more {
            let now = world.now();
            return jobs::put_off(world, &self.leased, now, None);
        }
        jobs::finish(world, &self.leased)
    }
}

fn deliver(world: &mut World, endpoint: &WebhookEndpoint, event: &Event) {
    let (id, now) = (world.id(), world.now());
    world.add(WebhookDelivery {
        org: endpoint.org,
        id,
        app: endpoint.app,
        endpoint: endpoint.id,
        sequence: event.sequence,
        event: event.id,
        name: event.name,
        status: DeliveryStatus::Pending,
        attempts: 0,
        tries: 0,
        response_status: None,
        response_body: None,
        error: None,
        // Deliveries of one commit keep the order of their events.
        due_at: Some(event.created_at.min(now)),
        created_at: now,
        updated_at: now,
    });
}
