//! The sandbox's provider: messages go to an inbox, and nothing leaves the machine.
//!
//! The inbox is an ordinary row, so its message is composed and delivered in one commit, without a read before it,
//! which would cost as much as the commit.

use super::writing::{Pen, Uncomposed, count, find_letter};
use crate::closing;
use crate::engine::Command;
use crate::ids::MessageId;
use crate::jobs::Leased;
use crate::messages::{self, AttemptOutcome, Channel, Template};
use crate::payout_links;
use crate::program::{Bursar, Environment};
use crate::providers::Providers;
use crate::refusal::Refusal;
use crate::world::{Halt, Want, World};

/// A phone number with this ending cannot be reached in the sandbox (docs/decisions.md 13).
const UNREACHABLE: &str = "0199";

/// Returns whether every message goes to the inbox: in the sandbox without providers.
pub(super) fn is_all_there_is(environment: Environment, providers: &Providers) -> bool {
    environment == Environment::Sandbox && providers.mail.is_none() && providers.phone.is_none()
}

/// Puts a message into the inbox and records the outcome.
pub(super) async fn put(bursar: &Bursar, leased: Leased, message: MessageId) -> Result<(), Refusal> {
    let pen = Pen::of(bursar);
    let (channel, outcome) = bursar.engine.run(leased.org, Put { leased, message, pen }).await?;
    count(channel, &outcome);
    Ok(())
}

/// Composes a message and concludes it: in the inbox, or as undeliverable.
pub(super) struct Put {
    pub leased: Leased,
    pub message: MessageId,
    pub pen: Pen,
}

impl Command for Put {
    type Reply = (Channel, AttemptOutcome);

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        vec![self.leased.want(), messages::want(org, self.message), closing::want(org)]
    }

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let letter = find_letter(world, self.leased.org, self.message)?;
        let outcome = self.outcome(&letter)?;
        let message = &letter.message;
        match message.template.0 {
            Template::ClaimLink { link, .. } => {
                payout_links::claim_link_delivered(world, &self.leased, message.id, link, &outcome)?;
            }
            Template::Code { .. }
            | Template::PayoutFailed { .. }
            | Template::PayoutCanceled { .. }
            | Template::PaidByPreference { .. }
            | Template::PaymentCollected { .. }
            | Template::PayoutCompleted { .. }
            | Template::PayeeChanged { .. }
            | Template::ReplyAnswer { .. } => {
                messages::record_outcome(world, &self.leased, message.id, &outcome)?;
            }
        }
        Ok((message.channel, outcome))
    }
}

impl Put {
    fn outcome(&self, letter: &Uncomposed) -> Result<AttemptOutcome, Refusal> {
        let message = &letter.message;
        if let Some(outcome) = &letter.superseded {
            return Ok(outcome.clone());
        }
        let unreachable = match message.channel {
            Channel::Sms | Channel::Voice => message.recipient.ends_with(UNREACHABLE),
            Channel::Email => false,
        };
        if unreachable {
            let reason = "The provider reports that this number is unreachable.".to_owned();
            return Ok(AttemptOutcome::Failed { reason, retry: false });
        }
        Ok(AttemptOutcome::Delivered { inbox: Some(self.pen.inboxed(letter)?) })
    }
}
