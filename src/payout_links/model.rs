//! The record of a payout link and its enumerations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::clock::Time;
use crate::fees::Party;
use crate::ids::{AppId, OrgId, PayoutLinkId, TransferId, UserId};
use crate::money::Cents;
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    // docs/decisions.md 9
    /// The state of a link.
    pub enum LinkStatus {
        /// Created.
        Created = "created",
        /// Waiting for its money, which is pulled from the app's bank account.
        FundsPending = "funds_pending", // docs/specification.md
        /// A message with the link is about to be sent.
        DeliveryPending = "delivery_pending",
        /// The message could not be delivered.
        DeliveryFailed = "delivery_failed",
        /// The message was sent.
        Sent = "sent",
        /// The message arrived, or the link was returned to its creator.
        Delivered = "delivered",
        /// The payee claimed it.
        Claimed = "claimed",
        /// Reserved.
        Reversed = "reversed",
        /// Canceled by the app.
        Canceled = "canceled",
        /// Not claimed in time.
        Expired = "expired",
        /// Its money did not arrive.
        Failed = "failed",
    }
}

words! {
    /// The channel by which a link is delivered.
    pub enum DeliveryMethod {
        /// By text message.
        Sms = "sms",
        /// Not delivered: the sender gives it to the payee.
        Link = "link", // docs/specification.md
        /// By e-mail.
        Email = "email", // docs/specification.md
        /// To every known contact.
        All = "all",
    }
}

words! {
    /// The source of the money for a link.
    pub enum FundingSource {
        /// The app's wallet.
        ServiceBalance = "service_balance", // docs/specification.md
        /// The app's bank account: the link waits until the money is pulled.
        Ach = "ach",
    }
}

/// The payee, as far as the sender knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Payee {
    /// The first name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// The last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// The e-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// The country calling code, digits.
    #[schema(required)]
    pub country_code: Option<String>,
    /// The phone number within its country.
    #[schema(required)]
    pub phone_number: Option<String>,
}

impl Payee {
    pub fn full_name(&self) -> Option<String> {
        Some(format!("{} {}", self.first_name.as_ref()?, self.last_name.as_ref()?))
    }

    pub fn e164(&self) -> Option<String> {
        Some(format!("+{}{}", self.country_code.as_ref()?, self.phone_number.as_ref()?))
    }
}

/// References into your accounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountingData {
    /// An account in your ledger.
    #[schema(required)]
    pub ledger_account_id: Option<i64>,
    /// A class in your ledger.
    #[schema(required)]
    pub ledger_class_id: Option<i64>,
}

record! {
    pub struct PayoutLink in "payout_links" {
        key (org, id)
        unique BY_TOKEN (org, token_layout, token_hash)
        many OF_USER (org, payee_user);
        pub org: OrgId,
        pub id: PayoutLinkId,
        pub app: AppId,
        /// `None` if the claim token contains the link's id; else 1, and it is found by its hash.
        pub token_layout: Option<i64>,
        /// Keyed hash of a token that is found by it; else empty.
        pub token_hash: Vec<u8>,
        /// For the `link` field.
        pub sealed_token: Vec<u8>,
        /// Cents. Never changes.
        pub amount: Cents,
        pub status: LinkStatus,
        pub payee: Document<Payee>,
        /// In E.164, for queries.
        pub payee_phone: Option<String>,
        /// In lower case, for queries.
        pub payee_email: Option<String>,
        /// The user that the sender named.
        pub for_user: Option<UserId>,
        pub delivery_method: DeliveryMethod,
        /// Why the last attempt to deliver failed, in the provider's words.
        pub delivery_error: Option<String>,
        pub message: Option<String>,
        pub deliveries: u32,
        pub tax_exempt: bool,
        /// Whether a tax form is required for any amount.
        pub collect_compliance: bool,
        pub claimed_user: Option<UserId>,
        /// The user that the link was made for, or who claimed it; the claim requires that both are the same. For
        /// queries.
        pub payee_user: Option<UserId>,
        pub flow: Option<Uuid>,
        /// The transfer that holds the money.
        pub transfer: TransferId,
        pub memo: Option<String>,
        pub metadata: Option<String>,
        pub description: Option<String>,
        pub accounting_data: Document<AccountingData>,
        pub created_by_email: Option<String>,
        pub funding_source: FundingSource,
        /// `None` for the app's default.
        pub fee_party: Option<Party>,
        /// Cents that its payouts took, or are taking, from the payee's wallet. A change of it is no transition of the
        /// link: it emits no event and does not change the version.
        pub paid_out: Cents,
        pub newest_payout: Option<TransferId>,
        /// All payouts, in every state.
        pub payouts: u32,
        pub expires_at: Time,
        /// When the payee asked for a new link, after this one had expired.
        pub new_link_requested_at: Option<Time>,
        /// Incremented by each change.
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

impl PayoutLink {
    /// Returns the unpaid rest in cents: the amount less the amounts of its payouts.
    pub fn remaining(&self) -> Cents {
        self.amount.checked_sub(self.paid_out).unwrap_or(Cents::ZERO)
    }

    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}
