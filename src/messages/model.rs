//! The records of messages, and their enumerations.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::Time;
use crate::ids::{AppId, MessageId, NoticeId, OrgId, PayoutLinkId, TransferId};
use crate::language::Language;
use crate::money::Cents;
use crate::world::record::{Document, record, words};

words! {
    /// The channel by which a message reaches a person.
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
    /// The state of a message.
    pub enum MessageStatus {
        /// Waiting to be sent, or to be retried.
        Queued = "queued",
        /// Accepted by the provider; arrival is not confirmed.
        Sent = "sent",
        /// Arrived.
        Delivered = "delivered",
        /// Not delivered; no more retries.
        Failed = "failed",
    }
}

words! {
    /// The proof that a six-digit code gives.
    pub enum CodePurpose {
        /// The user has the phone (send-verification-token).
        Verification = "verification",
        /// The visitor of a link is its payee.
        Claim = "claim",
        /// The payee enables frozen automatic payouts again.
        Unfreeze = "unfreeze",
        /// The payee agrees to a new phone number or e-mail address, and has it.
        ContactChange = "contact_change",
    }
}

words! {
    /// What a reply to a text message asks for.
    pub enum Keyword {
        /// No more text messages.
        Stop = "stop",
        /// The sender and its contact.
        Help = "help",
        /// Text messages again.
        Start = "start",
    }
}

words! {
    /// A change to the destination of a payee's money.
    pub enum PayeeChange {
        /// A payout method was added.
        NewMethod = "new_method",
        /// Another method became the default.
        NewDefault = "new_default",
        /// Automatic payouts were enabled.
        AutoPayout = "auto_payout",
        /// The e-mail address was changed.
        Email = "email",
        /// The phone number was changed.
        Phone = "phone",
    }
}

/// The content of a message, without a secret in clear: the worker loads the link and opens the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Template {
    ClaimLink {
        link: PayoutLinkId,
        /// The number of this delivery of the link, from 1.
        delivery: u32,
    },
    Code {
        /// The code, sealed (`verification`).
        #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
        sealed_code: Vec<u8>,
        purpose: CodePurpose,
    },
    /// A payout failed or was returned; the money waits for another method, or is back in the app's wallet.
    PayoutFailed {
        transfer: TransferId,
        amount_cents: Cents,
        app_name: String,
        /// In words for payees, in the message's language.
        reason: String,
        /// Who returned it after it had arrived: `your bank`, in the message's language; `None` if it did not arrive.
        #[serde(default)]
        returned_by: Option<String>,
        /// Whether the money is back in the app's wallet.
        #[serde(default)]
        back_at_app: bool,
    },
    /// A payout was canceled before it was sent to its rail; the money waits for another try, or is back in the app's
    /// wallet.
    PayoutCanceled {
        transfer: TransferId,
        /// Cents that would have arrived.
        amount_cents: Cents,
        app_name: String,
        /// Whether the money is back in the app's wallet.
        back_at_app: bool,
    },
    /// A payout was sent by the payee's automatic payouts.
    PaidByPreference {
        transfer: TransferId,
        amount_cents: Cents,
        app_name: String,
        /// Masked: `Checking account ••6789`.
        method: String,
        /// In words for payees, in the message's language.
        arrival: String,
        message: Option<String>,
    },
    /// Money is being collected from the payer's bank account.
    PaymentCollected {
        transfer: TransferId,
        amount_cents: Cents,
        /// The end of the account's number.
        account: String,
    },
    /// A payout has arrived: the receipt.
    PayoutCompleted {
        transfer: TransferId,
        amount_cents: Cents,
        /// The payee's fee, in cents.
        fee_cents: Cents,
        app_name: String,
        /// Masked.
        method: String,
    },
    /// The destination of the payee's money was changed.
    PayeeChanged {
        notice: NoticeId,
        app_name: String,
        changes: Vec<PayeeChange>,
        /// The added or chosen method, masked.
        method: Option<String>,
    },
    /// The answer to a reply with a word that counts.
    ReplyAnswer { keyword: Keyword, is_spanish: bool },
}

impl Template {
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
            Self::ReplyAnswer { .. } => "reply_answer",
        }
    }
}

/// Replaces the phone or the address of an erased person.
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

    /// Returns whether the recipient was erased, so that the message is never sent.
    pub fn is_erased(&self) -> bool {
        self.recipient == ERASED
    }

    /// Returns whether the sender is notified of arrival or failure, as the creator of a link is.
    pub fn is_awaited(&self) -> bool {
        match self.template.0 {
            Template::ClaimLink { .. } => true,
            Template::Code { .. }
            | Template::PayoutFailed { .. }
            | Template::PayoutCanceled { .. }
            | Template::PaidByPreference { .. }
            | Template::PaymentCollected { .. }
            | Template::PayoutCompleted { .. }
            | Template::PayeeChanged { .. }
            | Template::ReplyAnswer { .. } => false,
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
    pub struct Message in "messages" {
        key (org, id)
        many BY_RECIPIENT (org, recipient);
        pub org: OrgId,
        pub id: MessageId,
        pub app: AppId,
        pub channel: Channel,
        /// E.164 or an address; `erased` after erasure.
        pub recipient: String,
        pub template: Document<Template>,
        pub status: MessageStatus,
        pub error: Option<String>,
        pub created_at: Time,
        pub sent_at: Option<Time>,
        pub reference: Option<String>,
        /// Since when the provider may have accepted it without a recorded outcome.
        pub in_doubt_since: Option<Time>,
        /// `None` for the language of the app.
        pub language: Option<Language>,
    }
}

record! {
    /// A message as its recipient would receive it. Only in the sandbox, which sends no messages. Its id is the
    /// message's.
    pub struct InboxMessage in "inbox_messages" {
        key (org, id)
        many BY_RECIPIENT (org, recipient);
        pub org: OrgId,
        pub id: MessageId,
        pub app: AppId,
        pub channel: Channel,
        /// E.164 or an address.
        pub recipient: String,
        /// Empty, as `text` and `link`, if the text is composed when it is read.
        pub subject: String,
        pub text: String,
        pub link: Option<String>,
        pub code: Option<String>,
        pub created_at: Time,
        pub of_link: Option<Document<LinkText>>,
    }
}

/// The parts of a text with a claim link that its link does not have, or that may change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkText {
    pub link: PayoutLinkId,
    /// The number of the delivery, from 1.
    pub delivery: u32,
    pub app_name: String,
    /// The address without the link's token.
    pub address_start: String,
    /// `None` for the language of the app.
    #[serde(default)]
    pub language: Option<Language>,
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
