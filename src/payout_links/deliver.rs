//! Brings a link to its payee, and takes note of how that went.

use std::sync::Arc;

use super::model::{DeliveryMethod, PayoutLink};
use super::rules::{self, Happening};
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::jobs::Leased;
use crate::messages::{self, Channel, Conclusion, MessageStatus, Template};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The first delivery, in the commit that makes the link.
pub fn deliver_first(world: &mut World, link: &Arc<PayoutLink>) -> Result<Arc<PayoutLink>, Halt> {
    deliver(world, link)
}

/// Delivers a link, which must be allowed. The number goes up before anything is sent:
/// a delivery that was promised counts, whatever becomes of its message.
pub(super) fn deliver(world: &mut World, link: &Arc<PayoutLink>) -> Result<Arc<PayoutLink>, Halt> {
    let to = match link.delivery_method {
        DeliveryMethod::Link => rules::next(link, Happening::Delivered)?,
        DeliveryMethod::Sms | DeliveryMethod::Email | DeliveryMethod::All => {
            rules::next(link, Happening::DeliveryQueued)?
        }
    };
    let link = super::change(world, link, EventName::PayoutLinkUpdated, |link| {
        link.deliveries += 1;
        link.status = to;
    })?;
    for (channel, recipient) in recipients(&link) {
        let template = Template::ClaimLink { link: link.id, delivery: link.deliveries };
        messages::queue(world, link.scope(), channel, &recipient, template);
    }
    Ok(link)
}

fn recipients(link: &PayoutLink) -> Vec<(Channel, String)> {
    let sms = link.payee_phone.clone().map(|phone| (Channel::Sms, phone));
    let email = link.payee.0.email.clone().map(|email| (Channel::Email, email));
    match link.delivery_method {
        DeliveryMethod::Link => Vec::new(),
        DeliveryMethod::Sms => sms.into_iter().collect(),
        DeliveryMethod::Email => email.into_iter().collect(),
        DeliveryMethod::All => sms.into_iter().chain(email).collect(),
    }
}

/// A message with a link was sent, or could not be.
#[derive(Clone, Debug)]
pub struct ClaimLinkDelivered {
    /// The job that sent it.
    pub leased: Leased,
    /// The message.
    pub message: MessageId,
    /// The link.
    pub link: PayoutLinkId,
    /// How it went.
    pub outcome: Conclusion,
}

impl Command for ClaimLinkDelivered {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        let found = world.get::<PayoutLink>(key![org, self.link])?;
        let link = found.ok_or_else(|| Refusal::not_found("payout link"))?;
        let message = messages::record_outcome(world, &self.leased, self.message, &self.outcome)?;
        let happening = match (message.status, &self.outcome) {
            // Only the sandbox sees into the inbox; elsewhere nobody tells us that a message was received.
            (MessageStatus::Sent, Conclusion::Delivered { inbox: Some(_) }) => Happening::Delivered,
            (MessageStatus::Sent, _) => Happening::Sent,
            (MessageStatus::Failed, _) => Happening::DeliveryFailed,
            (MessageStatus::Queued, _) => return Ok(()),
        };
        let to = rules::next(&link, happening)?;
        if to != link.status {
            let name = if happening == Happening::DeliveryFailed {
                EventName::PayoutLinkFailed
            } else {
                EventName::PayoutLinkSent
            };
            super::change(world, &link, name, |link| link.status = to)?;
        }
        Ok(())
    }
}
