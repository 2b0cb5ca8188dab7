//! Delivers a link again.

use super::rows;
use std::sync::Arc;

use super::model::PayoutLink;
use super::rules;
use crate::engine::Command;
use crate::ids::PayoutLinkId;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// POST /v2/payout-links/{payout_link_id}/redeliver
///
/// At most five deliveries, including the first (docs/specification.md 14). The engine runs the redeliveries of one
/// link one after the other, so two cannot read the same count. A deleted user receives no messages: 409
/// `user-inactive`.
#[derive(Clone, Copy, Debug)]
pub struct Redeliver {
    pub scope: Scope,
    pub link: PayoutLinkId,
}

impl Command for Redeliver {
    type Reply = Arc<PayoutLink>;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<PayoutLink>(key![self.scope.org, self.link])]
    }

    fn decide(&self, world: &mut World) -> Result<Arc<PayoutLink>, Halt> {
        let link = rows::find(world, self.scope, self.link)?;
        rules::may_deliver(&link, world.now())?;
        super::deliver::refuse_erased(world, &link)?;
        super::deliver::deliver(world, &link)
    }
}
