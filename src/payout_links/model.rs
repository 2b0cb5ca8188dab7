//! The record of a payout link, and its closed sets of words.

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
    /// Where a link stands (docs/decisions.md 9).
    pub enum LinkStatus {
        /// Made.
        Created = "created",
        /// The money for it is on its way to us.
        FundsPending = "funds_pending", // docs/specification.md
        /// A message with it is about to be sent.
        DeliveryPending = "delivery_pending",
        /// The message could not be delivered.
        DeliveryFailed = "delivery_failed",
        /// The message was sent.
        Sent = "sent",
        /// The message arrived, or the link was handed to its maker.
        Delivered = "delivered",
        /// The payee took it.
        Claimed = "claimed",
        /// Claimed, and the money came back for good.
        Reversed = "reversed",
        /// Taken back by its maker.
        Canceled = "canceled",
        /// Nobody took it in time.
        Expired = "expired",
        /// The money for it did not come.
        Failed = "failed",
    }
}

words! {
    /// How a link is brought to the payee.
    pub enum DeliveryMethod {
        /// By text message.
        Sms = "sms",
        /// Not at all: its maker hands it over.
        Link = "link", // docs/specification.md
        /// By e-mail.
        Email = "email", // docs/specification.md
        /// By every address that is known.
        All = "all",
    }
}

words! {
    /// Where the money for a link comes from.
    pub enum FundingSource {
        /// The app's wallet.
        ServiceBalance = "service_balance", // docs/specification.md
        /// The app's bank account: pulled for this link, which waits for it.
        Ach = "ach",
    }
}

/// Who is to be paid, as far as the maker knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Payee {
    /// First name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// Last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// Country calling code, digits.
    #[schema(required)]
    pub country_code: Option<String>,
    /// Phone number within its country.
    #[schema(required)]
    pub phone_number: Option<String>,
}

impl Payee {
    /// First and last name, when both are known.
    pub fn full_name(&self) -> Option<String> {
        Some(format!("{} {}", self.first_name.as_ref()?, self.last_name.as_ref()?))
    }

    /// The phone in E.164, when there is one.
    pub fn e164(&self) -> Option<String> {
        Some(format!("+{}{}", self.country_code.as_ref()?, self.phone_number.as_ref()?))
    }
}

/// References into the maker's accounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountingData {
    /// Account in the maker's ledger.
    #[schema(required)]
    pub ledger_account_id: Option<i64>,
    /// Class in the maker's ledger.
    #[schema(required)]
    pub ledger_class_id: Option<i64>,
}

record! {
    /// A claimable link.
    pub struct PayoutLink in "payout_links" {
        key (org, id)
        unique BY_TOKEN (org, token_hash)
        many OF_USER (org, payee_user);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: PayoutLinkId,
        /// The app.
        pub app: AppId,
        /// Keyed hash of the claim token.
        pub token_hash: Vec<u8>,
        /// The claim token, sealed; for the `link` field.
        pub sealed_token: Vec<u8>,
        /// Cents. Never changes.
        pub amount: Cents,
        /// Where it stands.
        pub status: LinkStatus,
        /// Who is to be paid.
        pub payee: Document<Payee>,
        /// The payee's phone in E.164, for look-ups.
        pub payee_phone: Option<String>,
        /// The payee's address in small letters, for look-ups.
        pub payee_email: Option<String>,
        /// The user that it was made for, when its maker named one.
        pub for_user: Option<UserId>,
        /// How it is delivered.
        pub delivery_method: DeliveryMethod,
        /// Why the last attempt to deliver failed, in the provider's words.
        pub delivery_error: Option<String>,
        /// The maker's words to the payee.
        pub message: Option<String>,
        /// How often it was delivered, or is about to be: at most five times.
        pub deliveries: u32,
        /// Kept out of tax reports.
        pub tax_exempt: bool,
        /// Whether a tax form is asked for whatever the amount.
        pub collect_compliance: bool,
        /// Who claimed it.
        pub claimed_user: Option<UserId>,
        /// Whose it is: the user that it was made for, and from the claim on who claimed it, which is then the same. For
        /// look-ups.
        pub payee_user: Option<UserId>,
        /// The onboarding flow it belongs to.
        pub flow: Option<Uuid>,
        /// The transfer that holds its money.
        pub transfer: TransferId,
        /// Memo.
        pub memo: Option<String>,
        /// Metadata.
        pub metadata: Option<String>,
        /// Description.
        pub description: Option<String>,
        /// Accounting references.
        pub accounting_data: Document<AccountingData>,
        /// Who made it, where a person did.
        pub created_by_email: Option<String>,
        /// Where its money comes from.
        pub funding_source: FundingSource,
        /// Who pays the fees of the payout; the app's default when empty.
        pub fee_party: Option<Party>,
        /// Cents that its payouts took out of the payee's wallet, or are taking. It moves with them and is no transition
        /// of the link: there is no event, and no new version.
        pub paid_out: Cents,
        /// The newest of its payouts.
        pub newest_payout: Option<TransferId>,
        /// How many payouts were made of it, whatever became of them.
        pub payouts: u32,
        /// When it expires.
        pub expires_at: Time,
        /// Goes up with each change.
        pub version: i64,
        /// When it was made.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
    }
}

impl PayoutLink {
    /// What its payee has not taken yet, in cents: its amount less what its payouts took.
    pub fn remaining(&self) -> Cents {
        self.amount.checked_sub(self.paid_out).unwrap_or(Cents::ZERO)
    }

    /// The app it belongs to.
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}
