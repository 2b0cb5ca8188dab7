//! Continues or fails a link in funds_pending when its pull has an outcome.

use super::rows;
use std::sync::Arc;

use super::cancel::release;
use super::deliver::{deliver_unasked, refuse_erased};
use super::model::PayoutLink;
use super::rules::{self, LinkEvent, Transition};
use crate::events::EventName;
use crate::ledger::holds;
use crate::rails::failures::FailureCode;
use crate::transfers::{self, Transfer};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Holds the pulled money and delivers the link. If the link has already ended, the money stays in the wallet. If the
/// user that it was made for was deleted, the link ends too.
pub fn funded(world: &mut World, pull: &Transfer) -> Result<(), Halt> {
    let Some(link) = waiting(world, pull)? else { return Ok(()) };
    let Transition::Moved(to) = rules::transition(link.status, LinkEvent::Funded) else { return Ok(()) };
    if world.attempt(|world| refuse_erased(world, &link))?.is_err() {
        let to = rules::apply(&link, LinkEvent::Canceled)?;
        return release(world, &link, to).map(|_| ());
    }
    holds::open_pulled(world, link.scope(), link.transfer, link.amount)?;

    // From here it must succeed.
    let hold = transfers::find(world, link.scope(), link.transfer)?;
    transfers::advance(world, &hold, transfers::rules::TransferEvent::Submitted, |_| ())?;
    let link = rows::change(world, &link, EventName::PayoutLinkUpdated, |link| link.status = to)?;
    deliver_unasked(world, &link)
}

/// Fails the link, because the bank did not pay. It was never delivered.
pub fn not_funded(world: &mut World, pull: &Transfer, code: FailureCode) -> Result<(), Halt> {
    let Some(link) = waiting(world, pull)? else { return Ok(()) };
    let Transition::Moved(to) = rules::transition(link.status, LinkEvent::FundingFailed) else { return Ok(()) };

    // From here it must succeed.
    let hold = transfers::find(world, link.scope(), link.transfer)?;
    transfers::advance(world, &hold, transfers::rules::TransferEvent::Failed, |hold| hold.error = Some(code))?;
    rows::change(world, &link, EventName::PayoutLinkFailed, |link| link.status = to).map(|_| ())
}

/// Returns the link of a pull, if there is one.
fn waiting(world: &World, pull: &Transfer) -> Result<Option<Arc<PayoutLink>>, Halt> {
    match pull.payout_link {
        Some(link) => world.get::<PayoutLink>(key![pull.org, link]),
        None => Ok(None),
    }
}
