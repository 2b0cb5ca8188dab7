use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutLinkId, PayoutRequestId, UserId};
use crate::money::Cents;
use crate::phone::PhoneNumber;
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    /// The state of a payout request.
    pub enum RequestStatus {
        /// Submitted and undecided.
        Created = "created", // docs/specification.md
        /// Approved; its link was created.
        Approved = "approved",
        /// Rejected for good.
        Rejected = "rejected",
    }
}

/// The phone number of the person who asks.
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
    pub struct PayoutRequest in "payout_requests" {
        key (org, id)
        unique BY_LINK (org, payout_link)
        many OF_USER (org, user_id)
        many BY_PHONE (org, payee_phone);
        pub org: OrgId,
        pub id: PayoutRequestId,
        pub app: AppId,
        /// Never changes.
        pub amount: Cents,
        pub status: RequestStatus,
        pub payee: Document<RequestPayee>,
        /// E.164, for queries.
        pub payee_phone: Option<String>,
        /// Lower case, for queries.
        pub payee_email: Option<String>,
        /// The named user; unknown ids are possible from a client id alone.
        pub for_user: Option<UserId>,
        /// The requesting user: the named one, or the owner of the phone number at submission.
        pub user_id: Option<UserId>,
        pub payout_link: Option<PayoutLinkId>,
        /// Copied to the link.
        pub memo: Option<String>,
        /// Copied to the link.
        pub metadata: Option<String>,
        /// Submitted with a client id alone; the number of such undecided requests is limited.
        pub by_client: bool,
        pub comment: Option<String>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

record! {
    /// The number of undecided requests of an app that were submitted with a client id alone.
    pub struct PublicRequests in "public_payout_requests" {
        key (org, app);
        pub org: OrgId,
        pub app: AppId,
        pub undecided: i64,
    }
}

impl PayoutRequest {
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}

/// Identifies the person who asks (docs/specification.md 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The owner of this phone number.
    Phone(PhoneNumber),
    User(UserId),
}

#[derive(Clone, Debug)]
pub struct NewRequest {
    pub amount: Cents,
    pub asker: Asker,
    pub memo: Option<String>,
    pub metadata: Option<String>,
}

impl NewRequest {
    pub fn names_user(&self) -> bool {
        matches!(self.asker, Asker::User(_))
    }
}
