//! Cancels an unclaimed link and releases its money.

use super::rows;
use std::sync::Arc;

use super::model::{LinkStatus, PayoutLink};
use super::rules::{self, LinkEvent};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::PayoutLinkId;
use crate::ledger::holds::{self, Closed};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers;
use crate::world::{Halt, World};

/// DELETE /v2/payout-links/{payout_link_id}
#[derive(Clone, Copy, Debug)]
pub struct Cancel {
    pub scope: Scope,
    pub link: PayoutLinkId,
}

impl Command for Cancel {
    type Reply = Arc<PayoutLink>;

    fn decide(&self, world: &mut World) -> Result<Arc<PayoutLink>, Halt> {
        let link = rows::find(world, self.scope, self.link)?;
        let to = rules::apply(&link, LinkEvent::Canceled)?;
        if link.status == LinkStatus::Canceled {
            return Ok(link);
        }

        // From here it must succeed.
        release(world, &link, to)
    }
}

/// Releases the held money to the app and ends the link. Cancel and expiry share it.
pub(super) fn release(world: &mut World, link: &Arc<PayoutLink>, to: LinkStatus) -> Result<Arc<PayoutLink>, Halt> {
    let scope = link.scope();
    // A link in funds_pending holds no money yet. If its pull completes later, the money stays in the app's wallet.
    if link.status != LinkStatus::FundsPending && holds::release(world, scope, link.transfer)? == Closed::Before {
        // The hold of an open link is open; if not, one of the two rows is damaged.
        return Err(Refusal::new(Code::InternalError, "The money of this link is already released.").into());
    }
    let transfer = transfers::find(world, scope, link.transfer)?;
    transfers::advance(world, &transfer, transfers::rules::TransferEvent::Canceled, |_| ())?;
    rows::change(world, link, EventName::PayoutLinkUpdated, |link| link.status = to)
}
