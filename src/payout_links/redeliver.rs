//! Sends a link once more.

use std::sync::Arc;

use super::model::PayoutLink;
use super::rules;
use crate::engine::Command;
use crate::ids::{OrgId, PayoutLinkId};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// POST /v2/payout-links/{payout_link_id}/redeliver
///
/// At most five deliveries in all, the first included (docs/specification.md 14). Redelivers of one
/// link meet in the engine one after the other, so no two of them can count the same number. A deleted user is not
/// written to: 409 `user-inactive`.
#[derive(Clone, Copy, Debug)]
pub struct Redeliver {
    /// The app.
    pub scope: Scope,
    /// The link.
    pub link: PayoutLinkId,
}

impl Command for Redeliver {
    type Reply = Arc<PayoutLink>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<PayoutLink>(key![self.scope.org, self.link])]
    }

    fn decide(&self, world: &mut World) -> Result<Arc<PayoutLink>, Halt> {
        let link = super::find(world, self.scope, self.link)?;
        rules::may_deliver(&link, world.now())?;
        super::deliver::refuse_erased(world, &link)?;

        // From here it must succeed.
        super::deliver::deliver(world, &link)
    }
}
