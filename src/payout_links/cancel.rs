//! Takes an unclaimed link back and releases its money.

use std::sync::Arc;

use super::model::{LinkStatus, PayoutLink};
use super::rules::{self, LinkEvent};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{OrgId, PayoutLinkId};
use crate::ledger::holds::{self, Closed};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers;
use crate::world::{Halt, World};

/// DELETE /v2/payout-links/{payout_link_id}
#[derive(Clone, Copy, Debug)]
pub struct Cancel {
    /// The app.
    pub scope: Scope,
    /// The link.
    pub link: PayoutLinkId,
}

impl Command for Cancel {
    type Reply = Arc<PayoutLink>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Arc<PayoutLink>, Halt> {
        let link = super::find(world, self.scope, self.link)?;
        let to = rules::apply(&link, LinkEvent::Canceled)?;
        if link.status == LinkStatus::Canceled {
            return Ok(link);
        }

        // From here it must succeed.
        release(world, &link, to)
    }
}

/// Gives the held money back to the app and ends the link. Used by cancel and expiry alike.
pub(super) fn release(world: &mut World, link: &Arc<PayoutLink>, to: LinkStatus) -> Result<Arc<PayoutLink>, Halt> {
    let scope = link.scope();
    // What waits for its money holds none yet. If the pull goes through all the same, the app's wallet has it.
    if link.status != LinkStatus::FundsPending && holds::release(world, scope, link.transfer)? == Closed::Before {
        // The link says that its hold is open, the hold says it was released: one of the two rows is damaged.
        return Err(Refusal::new(Code::InternalError, "The money of this link is already released.").into());
    }
    let transfer = transfers::find(world, scope, link.transfer)?;
    transfers::advance(world, &transfer, transfers::rules::TransferEvent::Canceled, |_| ())?;
    super::change(world, link, EventName::PayoutLinkUpdated, |link| link.status = to)
}
