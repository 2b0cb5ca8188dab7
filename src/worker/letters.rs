//! Composes a message at the moment in which it is sent, and sends it.

use crate::apps;
use crate::http::{Bursar, Scope};
use crate::ids::{MessageId, OrgId, PayoutLinkId};
use crate::messages::{self, Channel, Composed, Conclusion, Letter, Message, Template};
use crate::payout_links;
use crate::refusal::{Code, Refusal};
use crate::transfers;
use crate::users::verification;
use crate::world::{Halt, World};

/// A phone number that ends so cannot be reached in the sandbox (decisions.md 13).
const UNREACHABLE: &str = "0199";

/// Sends a message; what it was, and how that went.
pub(super) async fn send(bursar: &Bursar, org: OrgId, id: MessageId) -> Result<(Template, Conclusion), Refusal> {
    let message = bursar.read(move |world| messages::find(world, org, id)).await?;
    let composed = compose(bursar, &message).await?;
    Ok((message.template.0.clone(), to_inbox(&message, composed)))
}

/// The sandbox's carrier: nothing leaves the machine, everything can be read in the inbox.
fn to_inbox(message: &Message, composed: Composed) -> Conclusion {
    let unreachable = match message.channel {
        Channel::Sms | Channel::Voice => message.recipient.ends_with(UNREACHABLE),
        Channel::Email => false,
    };
    if unreachable {
        let reason = "The carrier reports that this number cannot be reached.".to_owned();
        return Conclusion::Failed { reason, retry: false };
    }
    Conclusion::Delivered { inbox: Some(composed) }
}

async fn compose(bursar: &Bursar, message: &Message) -> Result<Composed, Refusal> {
    let scope = Scope { org: message.org, app: message.app };
    let template = message.template.0.clone();
    let (app_name, link) = bursar
        .read(move |world| {
            let app_name = apps::find(world, scope)?.name.clone();
            let link = match link_of(world, scope, &template)? {
                Some(id) => Some(payout_links::find(world, scope, id)?),
                None => None,
            };
            Ok((app_name, link))
        })
        .await?;
    let address = link.as_ref().and_then(|link| payout_links::address(bursar, link));
    let app_name = app_name.as_str();
    let letter = match &message.template.0 {
        Template::ClaimLink { delivery, .. } => {
            let (link, address) = link.as_ref().zip(address.as_deref()).ok_or_else(unreadable)?;
            let (amount, message) = (link.amount, link.message.as_deref());
            Letter::ClaimLink { app_name, amount, message, link: address, again: *delivery > 1 }
        }
        Template::Code { sealed_code, purpose } => {
            let code = verification::open_code(&bursar.vault, scope.org, sealed_code).map_err(|_| unreadable())?;
            return Ok(messages::compose(&Letter::Code { app_name, code: &code, purpose: *purpose }));
        }
        Template::PayoutOnItsWay { amount_cents, arrival, .. } => {
            Letter::PayoutOnItsWay { app_name, amount: *amount_cents, arrival }
        }
        Template::PayoutFailed { amount_cents, reason, back_at_app, .. } => {
            let (reason, link) = (reason.trim_end_matches('.'), address.as_deref());
            Letter::PayoutFailed { app_name, amount: *amount_cents, reason, link, back_at_app: *back_at_app }
        }
        Template::PaidByPreference { amount_cents, method, arrival, message, .. } => {
            let message = message.as_deref();
            Letter::PaidByPreference { app_name, amount: *amount_cents, method, arrival, message }
        }
    };
    Ok(messages::compose(&letter))
}

/// The link that a message speaks of: the one to claim, or the one whose payout failed.
fn link_of(world: &mut World, scope: Scope, template: &Template) -> Result<Option<PayoutLinkId>, Halt> {
    match template {
        Template::ClaimLink { link, .. } => Ok(Some(*link)),
        Template::PayoutFailed { transfer, .. } => Ok(transfers::find(world, scope, *transfer)?.payout_link),
        Template::Code { .. } | Template::PayoutOnItsWay { .. } | Template::PaidByPreference { .. } => Ok(None),
    }
}

fn unreadable() -> Refusal {
    Refusal::new(Code::InternalError, "A message cannot be composed: its sealed part does not open.")
}
