use serde::Serialize;
use utoipa::ToSchema;

use super::model::VerificationRecipient;
use crate::clock::Time;
use crate::ids::{OrgId, VerificationId};
use crate::messages::{Channel, CodePurpose};
use crate::world::record::key;
use crate::world::{Halt, World};

/// A phone number or an e-mail address to which codes are sent, as shown in the events `verification.*`. Contains
/// neither the code nor the unmasked recipient.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VerificationJson {
    /// The id, common to all codes of one recipient.
    pub id: VerificationId,
    /// When the code was sent, or the recipient was locked or unlocked.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The channel by which codes are sent.
    pub channel: Channel,
    /// What the code proves.
    pub purpose: CodePurpose,
    /// The phone number or e-mail address, masked.
    #[schema(example = "***6789")]
    pub to: String,
    /// Codes sent to the recipient within the last hour for this purpose, including this one; five at most.
    #[schema(value_type = i64)]
    pub sends_last_hour: usize,
    /// Codes of this kind that the app sent today, including this one.
    pub sends_today: i64,
    /// Wrong codes that count; the count is dropped 30 days after the last wrong code.
    pub wrong_codes: i64,
    /// Whether codes are neither sent nor compared until an organization key or a signed-in administrator unlocks the
    /// recipient.
    pub locked: bool,
}

impl VerificationJson {
    /// Returns the counts of a phone number or an e-mail address; `None` if no code was ever sent to it.
    pub fn counted(world: &World, org: OrgId, recipient: &str) -> Result<Option<Self>, Halt> {
        let counted = world.get::<VerificationRecipient>(key![org, recipient.to_owned()])?;
        Ok(counted.map(|counted| Self::of(&counted, CodePurpose::Verification, world.now())))
    }

    pub(super) fn of(counted: &VerificationRecipient, purpose: CodePurpose, now: Time) -> Self {
        Self {
            id: counted.id,
            created: now,
            channel: channel_to(&counted.recipient),
            purpose,
            to: masked(&counted.recipient),
            sends_last_hour: 0,
            sends_today: 0,
            wrong_codes: counted.tally().total(now),
            locked: counted.locked_at.is_some(),
        }
    }
}

fn channel_to(recipient: &str) -> Channel {
    if recipient.contains('@') { Channel::Email } else { Channel::Sms }
}

/// Masks a phone number or an e-mail address for readers who may recognize it but must not learn it.
pub fn masked(recipient: &str) -> String {
    match crate::email::Email::parse(recipient) {
        Ok(address) => address.masked(),
        Err(_) => crate::text::mask_last4(recipient),
    }
}
