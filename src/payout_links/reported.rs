//! Records a gateway's report about a text message, usually one with a link.

use super::deliver::{after_message, of_message};
use crate::engine::Command;
use crate::ids::{MessageId, OrgId};
use crate::messages::{self, Template};
use crate::providers::Report;
use crate::world::{Halt, World};

/// POST /carriers/sms/{org_id}/{message_id}
///
/// Reports may be repeated, late or out of order: a known or outdated one changes nothing.
#[derive(Clone, Debug)]
pub struct Reported {
    /// From the path.
    pub org: OrgId,
    /// From the path.
    pub message: MessageId,
    pub report: Report,
}

impl Command for Reported {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let message = messages::find(world, self.org, self.message)?;
        let link = match message.template.0 {
            Template::ClaimLink { link, .. } => Some(of_message(world, self.org, link)?),
            Template::Code { .. }
            | Template::PayoutFailed { .. }
            | Template::PayoutCanceled { .. }
            | Template::PaidByPreference { .. }
            | Template::PaymentCollected { .. }
            | Template::PayoutCompleted { .. }
            | Template::PayeeChanged { .. }
            | Template::ReplyAnswer { .. } => None,
        };

        // From here it must succeed.
        let new = messages::record_report(world, &message, &self.report);
        match (new, link) {
            (Some(message), Some(link)) => after_message(world, &link, &message),
            (Some(_) | None, _) => Ok(()),
        }
    }
}
