use serde::{Deserialize, Serialize};

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutMethodId, UserId};
use crate::language::Language;
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::platform::Platform;
use crate::world::record::{Document, record, words};

words! {
    /// The status of a user.
    pub enum UserStatus {
        /// May receive transfers and links, but has no payout methods and no debits.
        Unverified = "unverified",
        /// Has verified the phone number or the e-mail address.
        Verified = "verified",
        /// The name matches a sanctions list; an admin must decide.
        InReview = "in_review",
        /// Deleted, or confirmed as a sanctions match.
        Disabled = "disabled",
    }
}

words! {
    /// The check of name and tax number by the tax office.
    #[derive(Default)]
    pub enum TaxIdVerification {
        #[default]
        NotRequired = "not_required",
        /// A tax form is due.
        Unsubmitted = "unsubmitted",
        Pending = "pending",
        Matched = "matched",
        Mismatched = "mismatched",
    }
}

words! {
    /// The result of the sanctions screening.
    #[derive(Default)]
    pub enum OfacStatus {
        #[default]
        Unflagged = "unflagged",
        /// The name is similar to one on the list; an identity document is needed to decide.
        IdVerificationRequired = "id_verification_required",
        /// The name matches the list; a member reviews it.
        InReview = "in_review",
        Flagged = "flagged",
    }
}

words! {
    /// The state of a background check.
    #[derive(Default)]
    pub enum BackgroundCheckStatus {
        #[default]
        NotStarted = "not_started",
        Started = "started",
        Pending = "pending",
        Consider = "consider",
        Pass = "pass",
        Failed = "failed",
        Canceled = "canceled",
        Expired = "expired",
        InformationMismatch = "information_mismatch",
    }
}

words! {
    /// The kind of taxpayer on a W-9.
    pub enum EntityType {
        Individual = "individual",
        Business = "business",
    }
}

words! {
    /// The tax forms that an adjustment can concern.
    pub enum Form1099 {
        /// Nonemployee compensation.
        Nec = "1099-NEC",
        K = "1099-K",
    }
}

/// An amount paid elsewhere that counts towards a year's tax form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Adjustment1099 {
    /// The tax year.
    pub year: i64,
    /// The form on which it is reported.
    pub form: Form1099,
    /// In cents.
    #[schema(value_type = i64)]
    pub amount: Cents,
}

/// The data of a W-9, without the number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct W9 {
    pub entity_type: EntityType,
    pub business_name: Option<String>,
    pub tax_id_last4: String,
}

/// Values that follow from other columns, such as the address, are not repeated here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compliance {
    pub tax_id_verification: TaxIdVerification,
    pub w9: Option<W9>,
    pub w8_ben_collected: bool,
    pub id_verified: bool,
    pub has_criminal_activity: bool,
    pub background_check: BackgroundCheckStatus,
    /// In microseconds since 1970.
    pub background_check_updated_micros: Option<i64>,
    pub flags: Flags,
    /// When payout methods were set up recently, in microseconds since 1970, oldest first; see `warnings.rs`.
    #[serde(default)]
    pub methods_set_up_micros: Vec<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags {
    pub ofac: bool,
    pub ofac_status: OfacStatus,
    /// A payout method is shared with other users. Does not hold payouts, because families share accounts.
    pub payout_method: bool,
    /// Payout methods change suspiciously often. Holds payouts.
    pub payout_method_cycle: bool,
    /// An account has another holder's name. Holds payouts.
    pub name_mismatch: bool,
}

record! {
    /// A person who may be paid, identified within an organization by the phone number.
    pub struct User in "users" {
        key (org, id)
        unique BY_PHONE (org, phone_e164)
        many BY_EMAIL (org, email);
        pub org: OrgId,
        pub id: UserId,
        /// Digits only; `None` once the person is erased, like every other personal column.
        pub phone_country_code: Option<String>,
        pub phone_national: Option<String>,
        /// The identity within the organization (docs/decisions.md 6).
        pub phone_e164: Option<String>,
        pub phone_verified_at: Option<Time>,
        /// The address identifies the person only once it is verified.
        pub email_verified_at: Option<Time>,
        /// The app that wrote the phone number; `None` if it is verified, or if the payee or the organization wrote it.
        pub phone_app: Option<AppId>,
        pub phone_set_at: Option<Time>,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub email: Option<String>,
        /// The app that wrote the e-mail address, by the same rules as `phone_app`.
        pub email_app: Option<AppId>,
        pub email_set_at: Option<Time>,
        pub status: UserStatus,
        pub country: Option<String>,
        /// `YYYY-MM-DD`, sealed with the user's id (Purpose::TaxId: identity data of the tax forms).
        pub sealed_date_of_birth: Option<Vec<u8>>,
        pub adjustment_1099: Option<Document<Adjustment1099>>,
        /// JSON, sealed with the user's id.
        pub sealed_address: Option<Vec<u8>>,
        /// The W-9 or W-8BEN as JSON, sealed with the user's id.
        pub sealed_tax_form: Option<Vec<u8>>,
        /// A keyed hash, which finds users with the same tax id.
        pub tax_id_hash: Option<Vec<u8>>,
        pub compliance: Document<Compliance>,
        /// The number of emitted changes, from 1.
        pub version: i64,
        pub created_at: Time,
        pub deleted_at: Option<Time>,
        /// When the payee froze automatic payouts; `None` if they are not frozen.
        pub payouts_frozen_at: Option<Time>,
        /// The language of the payee's last visit.
        pub language: Option<Language>,
    }
}

impl User {
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = [&self.first_name, &self.last_name].into_iter().flatten().map(String::as_str).collect();
        parts.join(" ")
    }

    pub const fn is_verified(&self) -> bool {
        self.phone_verified_at.is_some() || self.email_verified_at.is_some()
    }

    pub const fn has_name(&self) -> bool {
        self.first_name.is_some() && self.last_name.is_some()
    }

    /// A form whose name and number do not match is invalid; another one is due.
    pub const fn has_tax_form(&self) -> bool {
        match self.compliance.0.tax_id_verification {
            TaxIdVerification::NotRequired
            | TaxIdVerification::Unsubmitted
            | TaxIdVerification::Pending
            | TaxIdVerification::Matched => self.sealed_tax_form.is_some(),
            TaxIdVerification::Mismatched => false,
        }
    }
}

record! {
    /// The profile that one app has of a payee. Only this app reads and writes it.
    pub struct AppUser in "app_users" {
        key (org, app, user_id)
        many OF_USER (org, user_id);
        pub org: OrgId,
        pub app: AppId,
        pub user_id: UserId,
        pub connected_at: Time,
        /// When the app deleted the user while other apps were connected. The app then sees an erased user.
        pub disconnected_at: Option<Time>,
        pub auto_payout_enabled: bool,
        /// One of this app's methods of this user.
        pub default_payout_method: Option<PayoutMethodId>,
        pub metadata: Option<String>,
        pub payout_options_exclude_list: Document<Vec<Platform>>,
        /// The version of the user in the app's log, from 1.
        pub version: i64,
    }
}

impl AppUser {
    pub const fn is_connected(&self) -> bool {
        self.disconnected_at.is_none()
    }

    pub fn owns(&self, method: &PayoutMethod) -> bool {
        (method.org, method.app, method.user_id) == (self.org, self.app, self.user_id)
    }

    pub(super) fn clear(&mut self) {
        self.auto_payout_enabled = false;
        self.default_payout_method = None;
        self.metadata = None;
        self.payout_options_exclude_list = Document(Vec::new());
    }
}
