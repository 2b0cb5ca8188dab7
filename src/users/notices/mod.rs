//! Notices to a payee about changes to where their money goes (docs/decisions.md 17). Each contact from before the
//! change receives a message with a link that freezes automatic payouts, no matter which caller or route made the
//! change.
//!
//! A payee whose phone replied STOP, and who has no proved e-mail address, gets no notice: their automatic payouts are
//! frozen by the change itself.
//!
//! Invariant: frozen automatic payouts stay frozen until the payee verifies a code that was sent to such a contact, or
//! to a contact that the organization has written since (`contacts::end_freeze`). No key ends the freeze. Start at
//! [`of_changes`], then `freeze.rs`.

mod freeze;
mod model;
mod token;

pub(super) use freeze::freeze;
pub use freeze::{Freeze, NoticeJson, SendNoticeCode, Unfreeze, show};
pub use model::ChangeNotice;
pub use token::NoticeToken;

use super::model::{AppUser, User};
use crate::apps;
use crate::ids::NoticeId;
use crate::messages::{self, Channel, PayeeChange, Template};
use crate::payout_methods::{self, MethodOrigin, PayoutMethod};
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// Notifies a payee of changes to the destination of their money. Takes the user and the app's profile, each before and
/// after, and the added method. Returns whether automatic payouts must be frozen, because no notice reaches the payee.
pub(super) fn of_changes(
    world: &mut World,
    (before, after): (&User, &User),
    (old, new): (&AppUser, &AppUser),
    added: Option<&PayoutMethod>,
) -> Result<bool, Halt> {
    if after.deleted_at.is_some() || new.disconnected_at.is_some() {
        return Ok(false);
    }
    let scope = Scope { org: new.org, app: new.app };
    let is_first = old.default_payout_method.is_none();
    let default = new.default_payout_method.filter(|_| new.default_payout_method != old.default_payout_method);
    let chosen = match default {
        Some(default) => Some(payout_methods::find(world, scope, after.id, default)?),
        None => None,
    };
    let method = added.or(chosen.as_deref());
    // Without a previous default no payout was automatic, so the payee's own first choice redirects nothing. An app's
    // choice does.
    let redirects = !is_first || method.is_some_and(|method| method.origin != MethodOrigin::Payee);
    let changes = [
        (PayeeChange::NewMethod, added.is_some() && redirects),
        (PayeeChange::NewDefault, default.is_some() && redirects && !(is_first && added.is_some())),
        (PayeeChange::AutoPayout, new.auto_payout_enabled && !old.auto_payout_enabled),
        (PayeeChange::Email, is_replaced(before.email.as_ref(), after.email.as_ref())),
        (PayeeChange::Phone, is_replaced(before.phone_e164.as_ref(), after.phone_e164.as_ref())),
    ];
    let changes: Vec<PayeeChange> = changes.into_iter().filter(|(_, is)| *is).map(|(change, _)| change).collect();
    send(world, scope, before, &changes, method)
}

fn is_replaced(before: Option<&String>, after: Option<&String>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => !before.eq_ignore_ascii_case(after),
        (_, None) | (None, Some(_)) => false,
    }
}

/// Sends notices to every contact that was verified before the change, and to the replaced contact. Returns whether a phone
/// that replied STOP leaves none.
fn send(
    world: &mut World,
    scope: Scope,
    before: &User,
    changes: &[PayeeChange],
    method: Option<&PayoutMethod>,
) -> Result<bool, Halt> {
    if changes.is_empty() {
        return Ok(false);
    }
    let proved_phone = before.phone_verified_at.is_some() || changes.contains(&PayeeChange::Phone);
    let proved_email = before.email_verified_at.is_some() || changes.contains(&PayeeChange::Email);
    let phone = before.phone_e164.clone().filter(|_| proved_phone);
    let is_stopped = match &phone {
        Some(phone) => messages::stops::is_stopped(world, scope.org, phone)?,
        None => false,
    };
    let contacts = [
        phone.filter(|_| !is_stopped).map(|phone| (Channel::Sms, phone)),
        before.email.clone().filter(|_| proved_email).map(|email| (Channel::Email, email)),
    ];
    let app = apps::find_even_deleted(world, scope)?;
    let language = before.language.or(app.settings.0.brand.language).unwrap_or_default();
    let method = method.map(|method| method.distinguished(language));
    for (channel, recipient) in contacts.into_iter().flatten() {
        let (id, created_at): (NoticeId, _) = (world.id(), world.now());
        let (changes, method) = (changes.to_vec(), method.clone());
        let template = Template::PayeeChanged {
            notice: id,
            app_name: app.name.clone(),
            changes: changes.clone(),
            method: method.clone(),
        };
        world.add(ChangeNotice {
            org: scope.org,
            id,
            app: scope.app,
            user_id: before.id,
            channel,
            recipient: recipient.clone(),
            changes: Document(changes),
            method,
            created_at,
        });
        messages::queue(world, scope, (channel, &recipient), Some(language), template);
    }
    Ok(is_stopped && !proved_email)
}

pub fn erase(world: &mut World, user: &User) -> Result<(), Halt> {
    for notice in world.all::<ChangeNotice>(ChangeNotice::OF_USER, key![user.org, user.id])? {
        world.remove(&notice);
    }
    Ok(())
}
