//! Payout links: claimable links that carry an amount (docs/specification.md, Payout link).
//!
//! Creating one holds the money, at once or after it was pulled from the app's bank. A claim captures the hold; cancel
//! and expiry release it. Invariants: a link is claimed at most once and never after expiry or cancel (9); it is
//! delivered at most five times (10); its hold is captured or released once (7). `payouts` pays the money out, and
//! `claims` has the payee's steps.
//!
//! Start at `rules.rs`, then `create.rs`.

mod cancel;
mod claim;
mod create;
mod deliver;
mod expire;
mod funded;
mod http;
mod json;
mod model;
mod redeliver;
mod reported;
pub mod rules;
mod token;

pub use cancel::Cancel;
pub use claim::claim;
pub use create::{Create, DeliveryRequest, NewLink, create, wants};
pub use deliver::{ClaimLinkDelivered, DeliverInDoubt, claim_link_delivered, deliver_first, made_for};
pub use expire::{Expire, Remind};
pub use funded::{funded, not_funded};
pub use http::{NewPayoutLink, PayeeInput, check_token, made, reports, routes};
pub use json::{PayoutLinkJson, address, address_under, json, without_address};
pub use model::{AccountingData, DeliveryMethod, FundingSource, LinkStatus, Payee, PayoutLink};
pub use redeliver::Redeliver;
pub use reported::Reported;
pub use token::{ClaimToken, NewToken, opens_with, place_in as token_seal_context};

use std::sync::Arc;

use crate::events::{self, EventName, NewEvent};
use crate::ids::{PayoutLinkId, UserId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// The most deliveries of a link, including the first (docs/specification.md 14).
pub const DELIVERIES_MAX: u32 = 5;

pub fn find(world: &mut World, scope: Scope, id: PayoutLinkId) -> Result<Arc<PayoutLink>, Halt> {
    match world.get::<PayoutLink>(key![scope.org, id])? {
        Some(link) if link.app == scope.app => Ok(link),
        Some(_) | None => Err(Refusal::not_found("payout link").into()),
    }
}

/// Removes an erased payee's data and the texts of payee and sender from a link. The link then belongs to the erased
/// user: it cannot be claimed, and its money returns to the sender at expiry.
pub fn erase(world: &mut World, link: &Arc<PayoutLink>, user: UserId) -> Result<(), Halt> {
    let texts = [&link.message, &link.memo, &link.metadata, &link.description];
    if link.payee.0 == Payee::default() && texts.iter().all(|text| text.is_none()) {
        return Ok(());
    }
    change(world, link, EventName::PayoutLinkUpdated, |link| {
        link.payee = Document(Payee::default());
        (link.payee_phone, link.payee_email) = (None, None);
        link.delivery_error = None;
        (link.message, link.memo, link.metadata, link.description) = (None, None, None, None);
        link.for_user = link.for_user.or_else(|| link.claimed_user.is_none().then_some(user));
    })?;
    Ok(())
}

/// Returns the link that a claim token opens.
pub fn by_token(world: &mut World, token: &ClaimToken) -> Result<Arc<PayoutLink>, Halt> {
    let found = world.find::<PayoutLink>(PayoutLink::BY_TOKEN, key![token.org, token.hash])?;
    // The hash could be copied from another row; the seal cannot.
    let found = found.filter(|link| token::opens_with(&token.vault, link));
    found.ok_or_else(|| Refusal::not_found("payout link").into())
}

/// Changes a link and emits one event for the transition.
pub(crate) fn change(
    world: &mut World,
    link: &Arc<PayoutLink>,
    name: EventName,
    edit: impl FnOnce(&mut PayoutLink),
) -> Result<Arc<PayoutLink>, Halt> {
    let now = world.now();
    let link = world.change(link, |link| {
        edit(link);
        link.payee_user = link.claimed_user.or(link.for_user);
        link.updated_at = now;
        link.version += 1;
    });
    emit(world, &link, name)?;
    Ok(link)
}

fn emit(world: &mut World, link: &PayoutLink, name: EventName) -> Result<(), Halt> {
    events::emit(world, link.scope(), NewEvent::of(name, link.id.0, link.version, &without_address(link)))
}
