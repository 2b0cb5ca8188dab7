//! Claims a link for a user.

use super::rows;
use std::sync::Arc;

use super::model::PayoutLink;
use super::rules;
use crate::events::EventName;
use crate::ledger::holds::{self, CapturedBy, Closed};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::taxes;
use crate::transfers;
use crate::users::User;
use crate::world::{Halt, World};

/// Claims the link: captures its hold into the payee's wallet. Once, and never after its end.
pub fn claim(world: &mut World, link: &Arc<PayoutLink>, user: &User) -> Result<Arc<PayoutLink>, Halt> {
    rules::may_open(link, world.now())?;
    let to = rules::apply(link, rules::LinkEvent::Claimed)?;
    let scope = link.scope();
    if holds::capture(world, scope, link.transfer, CapturedBy::User(user.id))? == Closed::Before {
        return Err(Refusal::new(Code::AlreadyClaimed, "The money of this link is already claimed.")
            .because(Reason::PaidOut)
            .into());
    }

    // From here it must succeed.
    if !link.tax_exempt {
        taxes::count_received(world, scope, user.id, link.amount)?;
    }
    let hold = transfers::find(world, scope, link.transfer)?;
    let now = world.now();
    transfers::advance(world, &hold, transfers::rules::TransferEvent::Completed, |hold| {
        hold.completed_at = Some(now);
        hold.user_id = Some(user.id);
    })?;
    rows::change(world, link, EventName::PayoutLinkClaimed, |link| {
        link.status = to;
        link.claimed_user = Some(user.id);
    })
}
