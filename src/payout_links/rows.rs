//! Finds and changes the rows.

use std::sync::Arc;

use super::json::without_address;
use super::model::{Payee, PayoutLink};
use super::token::{ClaimToken, HASHED};
use crate::events::{self, EventName, NewEvent};
use crate::ids::{PayoutLinkId, UserId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

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
    let found = match world.get::<PayoutLink>(key![token.org, token.link])? {
        Some(link) => Some(link),
        None => world.find::<PayoutLink>(PayoutLink::BY_TOKEN, key![token.org, HASHED, token.hash])?,
    };
    found.filter(|link| token.opens(link)).ok_or_else(|| Refusal::not_found("payout link").into())
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

pub(super) fn emit(world: &mut World, link: &PayoutLink, name: EventName) -> Result<(), Halt> {
    events::emit(world, link.scope(), NewEvent::of(name, link.id.0, link.version, &without_address(link)))
}
