//! Delivers a link to its payee and records the outcome.

use super::rows;
use std::sync::Arc;

use super::model::{DeliveryMethod, LinkStatus, PayoutLink};
use super::rules::{self, LinkEvent};
use crate::apps::phones;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::jobs::Leased;
use crate::language::Language;
use crate::messages::{self, AttemptOutcome, Before, Begun, Channel, Message, MessageStatus, Template};
use crate::messages::{delivery_days, stops};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::users::{self, User};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Makes the first delivery, in the commit that creates the link, which has checked the phone.
pub fn deliver_first(world: &mut World, link: &Arc<PayoutLink>) -> Result<Arc<PayoutLink>, Halt> {
    let link = prepare(world, link)?;
    queue(world, &link)?;
    Ok(link)
}

/// Returns the current record of the user for which a link was made; `None` if its sender named no user.
pub fn made_for(world: &mut World, link: &PayoutLink) -> Result<Option<Arc<User>>, Halt> {
    match link.for_user {
        Some(user) => users::find_if_known(world, link.scope(), user),
        None => Ok(None),
    }
}

/// Refuses to deliver a link to a deleted user: an erased payee receives no more messages.
///
/// # Errors
/// `user-inactive`.
pub(super) fn refuse_erased(world: &mut World, link: &PayoutLink) -> Result<(), Halt> {
    match made_for(world, link)? {
        Some(user) if user.deleted_at.is_some() => {
            let message = "The user of this link was deleted. Cancel the link and create a new one.";
            Err(Refusal::new(Code::UserInactive, message).because(Reason::ObjectDeleted).into())
        }
        Some(_) | None => Ok(()),
    }
}

/// Delivers a link when no caller waits for the response. A refused delivery is skipped; if the link was never
/// delivered, it records the error.
pub(super) fn deliver_unasked(world: &mut World, link: &Arc<PayoutLink>) -> Result<(), Halt> {
    let Err(refusal) = world.attempt(|world| deliver(world, link))? else { return Ok(()) };
    if link.deliveries > 0 {
        return Ok(());
    }
    let to = rules::apply(link, LinkEvent::DeliveryFailed)?;
    rows::change(world, link, EventName::PayoutLinkFailed, |link| {
        link.status = to;
        link.delivery_error = Some(refusal.message);
    })?;
    Ok(())
}

/// Delivers a link to the present contacts of its user, if it may be delivered. The count is incremented before the
/// message is sent: an accepted delivery counts, even if its message fails.
pub(super) fn deliver(world: &mut World, link: &Arc<PayoutLink>) -> Result<Arc<PayoutLink>, Halt> {
    let link = prepare(world, link)?;
    for (_, phone) in recipients(&link).iter().filter(|(channel, _)| *channel == Channel::Sms) {
        phones::still_writes_to(world, link.scope(), phone)?;
    }
    queue(world, &link)?;
    Ok(link)
}

/// Moves the link to its next state, with the present contacts of its user.
fn prepare(world: &mut World, link: &Arc<PayoutLink>) -> Result<Arc<PayoutLink>, Halt> {
    let to = match link.delivery_method {
        DeliveryMethod::Link => rules::apply(link, LinkEvent::Delivered)?,
        DeliveryMethod::Sms | DeliveryMethod::Email | DeliveryMethod::All => {
            rules::apply(link, LinkEvent::DeliveryQueued)?
        }
    };
    let reached = match made_for(world, link)? {
        Some(user) => Some(users::reached(world, link.scope(), &user)?),
        None => None,
    };
    rows::change(world, link, EventName::PayoutLinkUpdated, |link| {
        link.deliveries += 1;
        link.status = to;
        if let Some(reached) = &reached {
            link.payee_phone.clone_from(&reached.phone_e164);
            link.payee_email = reached.email.as_ref().map(|email| email.to_lowercase());
            let payee = &mut link.payee.0;
            payee.email.clone_from(&reached.email);
            payee.country_code.clone_from(&reached.phone_country_code);
            payee.phone_number.clone_from(&reached.phone_national);
        }
    })
}

/// Queues a message for each recipient, within the daily limits.
fn queue(world: &mut World, link: &PayoutLink) -> Result<(), Halt> {
    let language = language(world, link)?;
    for (channel, recipient) in reached(world, link)? {
        delivery_days::count(world, link.scope(), &recipient, false)?;
        let template = Template::ClaimLink { link: link.id, delivery: link.deliveries };
        messages::queue(world, link.scope(), (channel, &recipient), language, template);
    }
    Ok(())
}

/// Returns the recipients, with the e-mail address in place of a phone that replied STOP. Without an address the text is
/// queued, and the worker refuses it with the reason, so that the link's delivery fails.
fn reached(world: &mut World, link: &PayoutLink) -> Result<Vec<(Channel, String)>, Halt> {
    let mut found = recipients(link);
    let phone = found.iter().find(|(channel, _)| *channel == Channel::Sms).map(|(_, phone)| phone.clone());
    if let (Some(phone), Some(email)) = (phone, link.payee.0.email.clone())
        && stops::is_stopped(world, link.org, &phone)?
    {
        found.retain(|(channel, _)| *channel != Channel::Sms);
        if found.is_empty() {
            found.push((Channel::Email, email));
        }
    }
    Ok(found)
}

/// Returns the language of the payee's last visit, if the link names a payee who is known.
pub fn language(world: &mut World, link: &PayoutLink) -> Result<Option<Language>, Halt> {
    let user = match (made_for(world, link)?, &link.payee_phone) {
        (Some(user), _) => Some(user),
        (None, Some(phone)) => users::by_phone(world, link.org, phone)?,
        (None, None) => None,
    };
    Ok(user.and_then(|user| user.language))
}

pub(super) fn recipients(link: &PayoutLink) -> Vec<(Channel, String)> {
    let sms = link.payee_phone.clone().map(|phone| (Channel::Sms, phone));
    let email = link.payee.0.email.clone().map(|email| (Channel::Email, email));
    match link.delivery_method {
        DeliveryMethod::Link => Vec::new(),
        DeliveryMethod::Sms => sms.into_iter().collect(),
        DeliveryMethod::Email => email.into_iter().collect(),
        DeliveryMethod::All => sms.into_iter().chain(email).collect(),
    }
}

/// A message with a link was sent, or sending failed.
#[derive(Clone, Debug)]
pub struct ClaimLinkDelivered {
    /// The job that sent it.
    pub leased: Leased,
    pub message: MessageId,
    pub link: PayoutLinkId,
    pub outcome: AttemptOutcome,
}

impl Command for ClaimLinkDelivered {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        let link = Want::row::<PayoutLink>(key![org, self.link]);
        vec![self.leased.want(), messages::want(org, self.message), link]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        claim_link_delivered(world, &self.leased, self.message, self.link, &self.outcome)
    }
}

/// Records the outcome of an attempt to send a message with a link: in its job, the message and the link.
///
/// # Errors
/// `resource-busy` when another worker has the lease.
pub fn claim_link_delivered(
    world: &mut World,
    leased: &Leased,
    message: MessageId,
    link: PayoutLinkId,
    outcome: &AttemptOutcome,
) -> Result<(), Halt> {
    let link = of_message(world, leased.org, link)?;
    let Some(message) = messages::record_outcome(world, leased, message, outcome)? else { return Ok(()) };
    match outcome {
        // The link has changed since, so there is nothing to record on it.
        AttemptOutcome::Superseded { .. } => Ok(()),
        AttemptOutcome::Delivered { .. }
        | AttemptOutcome::Taken { .. }
        | AttemptOutcome::InDoubt { .. }
        | AttemptOutcome::Failed { .. } => after_message(world, &link, &message),
    }
}

/// Advances a link after a change of one of its messages.
pub(super) fn after_message(world: &mut World, link: &Arc<PayoutLink>, message: &Message) -> Result<(), Halt> {
    let (event, name) = match message.status {
        // The job retries; the error shows the payer why.
        MessageStatus::Queued => {
            if link.status == LinkStatus::DeliveryPending && link.delivery_error != message.error {
                rows::change(world, link, EventName::PayoutLinkUpdated, |link| {
                    link.delivery_error.clone_from(&message.error);
                })?;
            }
            return Ok(());
        }
        MessageStatus::Sent => (LinkEvent::Sent, EventName::PayoutLinkSent),
        MessageStatus::Delivered => (LinkEvent::Delivered, EventName::PayoutLinkSent),
        MessageStatus::Failed => (LinkEvent::DeliveryFailed, EventName::PayoutLinkFailed),
    };
    let to = rules::apply(link, event)?;
    if to != link.status {
        let error = message.error.clone().filter(|_| message.status == MessageStatus::Failed);
        rows::change(world, link, name, |link| {
            link.status = to;
            link.delivery_error = error;
        })?;
    }
    Ok(())
}

pub(super) fn of_message(world: &mut World, org: OrgId, link: PayoutLinkId) -> Result<Arc<PayoutLink>, Halt> {
    let found = world.get::<PayoutLink>(key![org, link])?;
    found.ok_or_else(|| Refusal::not_found("payout link").into())
}

/// A provider may have accepted a message with a link. Sending it again is another delivery for the provider, so it
/// counts here too: the limit of docs/specification.md 14 applies to the messages that providers see.
#[derive(Clone, Debug)]
pub struct DeliverInDoubt {
    /// The job that sends it.
    pub leased: Leased,
    pub message: MessageId,
    pub link: PayoutLinkId,
}

impl Command for DeliverInDoubt {
    type Reply = Begun;

    fn decide(&self, world: &mut World) -> Result<Begun, Halt> {
        let link = of_message(world, self.leased.org, self.link)?;
        let message = messages::find(world, self.leased.org, self.message)?;
        if let Err(refusal) = rules::may_deliver(&link, world.now()) {
            let reason = format!(
                "The provider may have sent the message and cannot confirm it. It is not sent again: {}",
                refusal.message
            );
            let outcome = AttemptOutcome::Failed { reason, retry: false };
            claim_link_delivered(world, &self.leased, self.message, self.link, &outcome)?;
            return Ok(Begun::Over);
        }
        let begun = messages::begin(world, &self.leased, &message, Before::Untold)?;
        match begun {
            Begun::Send => {
                delivery_days::count(world, link.scope(), &message.recipient, true)?;
                rows::change(world, &link, EventName::PayoutLinkUpdated, |link| link.deliveries += 1)?;
            }
            Begun::Ask | Begun::Over => {}
        }
        Ok(begun)
    }
}
