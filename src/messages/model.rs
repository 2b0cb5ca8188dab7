//! What is kept of a message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::Time;
use crate::ids::{AppId, MessageId, NoticeId, OrgId, PayoutLinkId, TransferId};
use crate::money::Cents;
use crate::world::record::{Document, record, words};

words! {
    /// How a message reaches a person.
    pub enum Channel {
        /// A text message.
        Sms = "sms",
        /// An e-mail.
        Email = "email",
        /// A call that reads the text aloud.
        Voice = "voice",
    }
}

words! {
    /// What became of a message.
    pub enum MessageStatus {
        /// Waits to be sent, perhaps again.
        Queued = "queued",
        /// A carrier took it; whether it arrived is not known.
        Sent = "sent",
        /// It arrived.
        Delivered = "delivered",
        /// Was given up.
        Failed = "failed",
    }
}

words! {
    /// What a six-digit code proves.
    pub enum CodePurpose {
        /// That a user holds the phone (send-verification-token).
        Verification = "verification",
        /// That whoever opened a link is its payee.
        Claim = "claim",
        /// That the payee starts frozen automatic payouts again.
        Unfreeze = "unfreeze",
        /// That the payee agrees to another phone number or e-mail address, and holds it.
        ContactChange = "contact_change",
    }
}

words! {
    /// A change to where a payee's money goes.
    pub enum PayeeChange {
        /// A payout method was added.
        NewMethod = "new_method",
        /// Another method became the default.
        NewDefault = "new_default",
        /// Automatic payouts were switched on.
        AutoPayout = "auto_payout",
        /// The e-mail address was changed.
        Email = "email",
        /// The phone number was changed.
        Phone = "phone",
    }
}

/// What is to be said, without any secret in clear: the worker reads the link, and opens the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Template {
    /// Here is your money: a link to claim it.
    ClaimLink {
        /// The link.
        link: PayoutLinkId,
        /// Which of its deliveries this is, from 1.
        delivery: u32,
    },
    /// A six-digit code.
    Code {
        /// The code, sealed (`users::verification`).
        #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
        sealed_code: Vec<u8>,
        /// What it proves.
        purpose: CodePurpose,
    },
    /// A payout came back; the money waits for another method, or is the app's again.
    PayoutFailed {
        /// The payout.
        transfer: TransferId,
        /// What came back, in cents.
        amount_cents: Cents,
        /// Who pays.
        app_name: String,
        /// Why, for people.
        reason: String,
        /// Whether the money is the app's again.
        #[serde(default)]
        back_at_app: bool,
    },
    /// A payout was taken back before its rail was told of it; the money waits for another try, or is the app's again.
    PayoutCanceled {
        /// The payout.
        transfer: TransferId,
        /// What would have arrived, in cents.
        amount_cents: Cents,
        /// Who pays.
        app_name: String,
        /// Whether the money is the app's again.
        back_at_app: bool,
    },
    /// A payout to a user with auto payout on: it went the way the person chose once.
    PaidByPreference {
        /// The payout.
        transfer: TransferId,
        /// What arrives, in cents.
        amount_cents: Cents,
        /// Who pays.
        app_name: String,
        /// Where to, masked: `Bank account (ACH) ***6789`.
        method: String,
        /// When it arrives, for people.
        arrival: String,
        /// What the payer says to the person.
        message: Option<String>,
    },
    /// Money is being collected from the payer's bank account.
    PaymentCollected {
        /// The payment.
        transfer: TransferId,
        /// How much, in cents.
        amount_cents: Cents,
        /// The end of the account's number.
        account: String,
    },
    /// A payout has arrived: the receipt.
    PayoutCompleted {
        /// The payout.
        transfer: TransferId,
        /// What arrived, in cents.
        amount_cents: Cents,
        /// What the payee paid for it, in cents.
        fee_cents: Cents,
        /// Who pays.
        app_name: String,
        /// Where to, masked.
        method: String,
    },
    /// Where the payee's money goes was changed.
    PayeeChanged {
        /// The notice whose link freezes automatic payouts.
        notice: NoticeId,
        /// The app at which it was changed.
        app_name: String,
        /// What was changed.
        changes: Vec<PayeeChange>,
        /// The method that was added or chosen, masked.
        method: Option<String>,
    },
}

impl Template {
    /// The word for what is said.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ClaimLink { .. } => "claim_link",
            Self::Code { .. } => "code",
            Self::PayoutFailed { .. } => "payout_failed",
            Self::PayoutCanceled { .. } => "payout_canceled",
            Self::PaidByPreference { .. } => "paid_by_preference",
            Self::PaymentCollected { .. } => "payment_collected",
            Self::PayoutCompleted { .. } => "payout_completed",
            Self::PayeeChanged { .. } => "payee_changed",
        }
    }
}

/// Stands where the phone or the address of an erased person stood.
const ERASED: &str = "erased";

impl Message {
    /// Erases the recipient and the payer's message.
    pub fn erase(&mut self) {
        self.recipient = ERASED.to_owned();
        self.reference = None;
        self.error = None;
        if let Template::PaidByPreference { method, message, .. } = &mut self.template.0 {
            ERASED.clone_into(method);
            *message = None;
        }
    }

    /// Whether the person that it is for was erased: it goes to nobody.
    pub fn is_erased(&self) -> bool {
        self.recipient == ERASED
    }

    /// Whether somebody is told when it has arrived, or could not: the maker of a link.
    pub fn is_awaited(&self) -> bool {
        match self.template.0 {
            Template::ClaimLink { .. } => true,
            Template::Code { .. }
            | Template::PayoutFailed { .. }
            | Template::PayoutCanceled { .. }
            | Template::PaidByPreference { .. }
            | Template::PaymentCollected { .. }
            | Template::PayoutCompleted { .. }
            | Template::PayeeChanged { .. } => false,
        }
    }
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

record! {
    /// A message to a person.
    pub struct Message in "messages" {
        key (org, id)
        many BY_RECIPIENT (org, recipient);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: MessageId,
        /// On whose behalf.
        pub app: AppId,
        /// By which way.
        pub channel: Channel,
        /// E.164 or an address; `erased` once the person is.
        pub recipient: String,
        /// What is to be said.
        pub template: Document<Template>,
        /// What became of it.
        pub status: MessageStatus,
        /// What went wrong the last time.
        pub error: Option<String>,
        /// When it was queued.
        pub created_at: Time,
        /// When it was sent.
        pub sent_at: Option<Time>,
        /// What the carrier calls it.
        pub reference: Option<String>,
        /// Since when a carrier may have taken it without our knowing.
        pub in_doubt_since: Option<Time>,
    }
}

record! {
    /// What a person would have received. Only in the sandbox, where nothing leaves the machine.
    /// One row for each message, under the message's own id.
    pub struct InboxMessage in "inbox_messages" {
        key (org, id)
        many BY_RECIPIENT (org, recipient);
        /// The organization.
        pub org: OrgId,
        /// The message's id.
        pub id: MessageId,
        /// On whose behalf.
        pub app: AppId,
        /// By which way.
        pub channel: Channel,
        /// E.164 or an address.
        pub recipient: String,
        /// One line.
        pub subject: String,
        /// The whole text.
        pub text: String,
        /// The claim link in the text.
        pub link: Option<String>,
        /// The code in the text.
        pub code: Option<String>,
        /// When it was received.
        pub created_at: Time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_code_is_base64_in_the_store() {
        let template = Template::Code { sealed_code: vec![1, 2, 255], purpose: CodePurpose::Claim };
        let json = serde_json::to_string(&template).unwrap();
        assert_eq!(json, r#"{"kind":"code","sealed_code":"AQL/","purpose":"claim"}"#);
        assert_eq!(serde_json::from_str::<Template>(&json).unwrap(), template);
    }
}
