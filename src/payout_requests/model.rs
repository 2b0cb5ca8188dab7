//! The record of a payout request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutLinkId, PayoutRequestId, UserId};
use crate::money::Cents;
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    /// Where a request stands.
    pub enum RequestStatus {
        /// Submitted; nobody has decided.
        Created = "created", // docs/specification.md
        /// Granted; it has made its link.
        Approved = "approved",
        /// Turned down, for good.
        Rejected = "rejected",
    }
}

/// The phone of the person who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestPayee {
    /// Country calling code, digits.
    #[schema(required)]
    pub country_code: Option<String>,
    /// Phone number within its country.
    #[schema(required)]
    pub phone_number: Option<String>,
}

record! {
    /// A person's request to be paid.
    pub struct PayoutRequest in "payout_requests" {
        key (org, id)
        unique BY_LINK (org, payout_link)
        many OF_USER (org, user_id)
        many BY_PHONE (org, payee_phone);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: PayoutRequestId,
        /// The app.
        pub app: AppId,
        /// Cents. Never changes.
        pub amount: Cents,
        /// Where it stands.
        pub status: RequestStatus,
        /// The phone of the person who asks.
        pub payee: Document<RequestPayee>,
        /// The same in E.164, for look-ups.
        pub payee_phone: Option<String>,
        /// The address of the user who asks, in small letters, for look-ups.
        pub payee_email: Option<String>,
        /// The user that it was submitted for, when a user was named.
        pub for_user: Option<UserId>,
        /// The user who asks: the one that was named, or who had the phone when it was submitted.
        pub user_id: Option<UserId>,
        /// The link that it made.
        pub payout_link: Option<PayoutLinkId>,
        /// Memo; becomes the link's.
        pub memo: Option<String>,
        /// Metadata; becomes the link's.
        pub metadata: Option<String>,
        /// Whether a client id alone submitted it: such requests are limited until a decision.
        pub by_client: bool,
        /// Why it was rejected.
        pub comment: Option<String>,
        /// Goes up with each change.
        pub version: i64,
        /// When it was submitted.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
    }
}

record! {
    /// How many requests that a client id alone submitted to an app are undecided.
    pub struct PublicRequests in "public_payout_requests" {
        key (org, app);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// Undecided requests.
        pub undecided: i64,
    }
}

impl PayoutRequest {
    /// The app it belongs to.
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}
