//! How a simulated worker sends a message, part by part, as the real one does (`worker::letters`): an attempt is
//! recorded before the call, and an attempt in doubt is queried.

use super::super::chance::Chance;
use super::super::provider::{Found, Provider, Reported};
use super::super::system::System;
use super::hand::{Finished, Hand, Known, Outside};
use crate::ids::{MessageId, PayoutLinkId};
use crate::jobs::Leased;
use crate::messages::{self, AttemptOutcome, Before, Message, Template};
use crate::refusal::Refusal;

/// Performs the next part of sending a message. Returns `None` if the worker died.
pub(super) fn send(
    hand: &Hand,
    id: MessageId,
    system: &System,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> Result<Option<Finished>, Refusal> {
    let message = system.read(|world| messages::find(world, hand.leased.org, id))?;
    let (now, link) = (system.now(), link_of(&message));
    let concluded = |outcome| Some(Finished::Message { message: id, link, outcome });
    if Provider::is_inbox(&message) {
        return Ok(concluded(outside.provider.put_into_inbox(&message, outside.vault)));
    }
    Ok(match hand.known {
        Known::Nothing | Known::NotTaken => Some(Finished::Attempt(id, Before::NotQueried)),
        Known::Noted => match outside.provider.hand_over(&message, now, outside.vault, chance) {
            Reported::AttemptOutcome(outcome) => concluded(outcome),
            Reported::Died => None,
        },
        Known::InDoubt => match outside.provider.look_up(&message, now, chance) {
            Found::Taken => concluded(AttemptOutcome::Taken { reference: Some(id.to_string()) }),
            Found::NotTaken => Some(Finished::Attempt(id, Before::NotTaken { asked_at: now })),
            Found::Silence => concluded(AttemptOutcome::InDoubt { reason: "the list was not available".to_owned() }),
            Found::Unsupported => Some(match link {
                Some(link) => Finished::AttemptAgain(id, link),
                None => Finished::Attempt(id, Before::Untold),
            }),
        },
    })
}

/// Queries the provider whether a message arrived.
pub(super) fn follow(
    leased: &Leased,
    id: MessageId,
    system: &System,
    outside: &Outside<'_>,
    chance: &mut Chance,
) -> Result<Finished, Refusal> {
    let message = system.read(|world| messages::find(world, leased.org, id))?;
    let heard = outside.provider.follow(chance);
    let link = link_of(&message);
    Ok(heard.map_or(Finished::OnItsWay, |outcome| Finished::Message { message: id, link, outcome }))
}

fn link_of(message: &Message) -> Option<PayoutLinkId> {
    match &message.template.0 {
        Template::ClaimLink { link, .. } => Some(*link),
        Template::Code { .. }
        | Template::PayoutCanceled { .. }
        | Template::PayoutFailed { .. }
        | Template::PaidByPreference { .. }
        | Template::PaymentCollected { .. }
        | Template::PayoutCompleted { .. }
        | Template::PayeeChanged { .. }
        | Template::ReplyAnswer { .. } => None,
    }
}
