//! Removes expired deliveries. The events stay in the log.

use super::model::{DeliveryStatus, WebhookDelivery};
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::{OrgId, WebhookDeliveryId};
use crate::world::query::{Compare, Condition, Direction, Query};
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, Record, World};

/// How long a delivery is kept after its last change.
const KEEP_SECONDS: i64 = 30 * DAY_SECONDS;

/// Returns deliveries in this final state that are old enough to be removed, oldest first, of all organizations.
/// Pending ones are never removed.
pub fn outlived(ended: DeliveryStatus, now: Time, limit: usize) -> Query {
    let table = <WebhookDelivery as Record>::TABLE;
    let order = table.position("updated_at").expect("deliveries know when they changed");
    let until = now.plus_seconds(-KEEP_SECONDS).to_value();
    let query = Query {
        table,
        conditions: vec![Condition { column: order, compare: Compare::Less, value: until }],
        through: None,
        order,
        direction: Direction::Ascending,
        after: None,
        limit,
    };
    query.filter("status", Compare::Equal, ended.to_value())
}

/// Removes an expired delivery. The event stays in the log.
#[derive(Clone, Copy, Debug)]
pub struct Forget {
    pub org: OrgId,
    pub delivery: WebhookDeliveryId,
}

impl Command for Forget {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let Some(delivery) = world.get::<WebhookDelivery>(key![self.org, self.delivery])? else { return Ok(()) };
        // It may have been replayed since the query.
        let has_ended = delivery.status != DeliveryStatus::Pending;
        if has_ended && delivery.updated_at < world.now().plus_seconds(-KEEP_SECONDS) {
            world.remove(&delivery);
        }
        Ok(())
    }
}
