//! What is kept of a user.

use serde::{Deserialize, Serialize};

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutMethodId, UserId};
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::platform::Platform;
use crate::world::record::{Document, record, words};

words! {
    /// Where a user stands.
    pub enum UserStatus {
        /// May receive transfers and links; no payout methods, no debits.
        Unverified = "unverified", // docs/decisions.md 6
        /// Holds the phone.
        Verified = "verified", // docs/specification.md
        /// Somebody must look first: the name is on a list.
        InReview = "in_review", // docs/decisions.md 6
        /// Deleted, or shut out.
        Disabled = "disabled", // docs/decisions.md 6
    }
}

words! {
    /// Whether the tax office knows name and number together.
    #[derive(Default)]
    pub enum TaxIdVerification {
        /// Nobody asked for it.
        #[default]
        NotRequired = "not_required",
        /// It is due.
        Unsubmitted = "unsubmitted",
        /// It was sent in.
        Pending = "pending",
        /// They match.
        Matched = "matched",
        /// They do not.
        Mismatched = "mismatched",
    }
}

words! {
    /// What the sanctions screening says.
    #[derive(Default)]
    pub enum OfacStatus {
        /// Nothing.
        #[default]
        Unflagged = "unflagged",
        /// The name is like one on the list; a document would settle it.
        IdVerificationRequired = "id_verification_required",
        /// The name is on the list; somebody looks at it.
        InReview = "in_review",
        /// It is the person on the list.
        Flagged = "flagged",
    }
}

words! {
    /// How a background check stands.
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
    /// Who pays the tax.
    pub enum EntityType {
        /// A person, with an SSN.
        Individual = "individual",
        /// A business, with an EIN.
        Business = "business",
    }
}

words! {
    /// The forms that an adjustment may concern.
    pub enum Form1099 {
        /// Pay of those who are not employed.
        Nec = "1099-NEC",
        /// Payments through cards and networks.
        K = "1099-K",
    }
}

/// What was paid elsewhere and counts towards a year's form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Adjustment1099 {
    /// The tax year.
    pub year: i64,
    /// Which form.
    pub form: Form1099,
    /// In cents.
    #[schema(value_type = i64)]
    pub amount: Cents,
}

/// What a W-9 told, without the number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct W9 {
    /// Who pays the tax.
    pub entity_type: EntityType,
    /// The business's name.
    pub business_name: Option<String>,
    /// The end of the number, for people.
    pub tax_id_last4: String,
}

/// What is known of a user's compliance. What follows from other columns (the address, the date of birth) is
/// not repeated here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compliance {
    /// Name and number together.
    pub tax_id_verification: TaxIdVerification,
    /// The W-9, for US persons.
    pub w9: Option<W9>,
    /// Whether a W-8BEN was given, by others.
    pub w8_ben_collected: bool,
    /// Whether a document was checked.
    pub id_verified: bool,
    /// What a background check found.
    pub has_criminal_activity: bool,
    /// How the background check stands.
    pub background_check: BackgroundCheckStatus,
    /// When that changed last, in microseconds since 1970.
    pub background_check_updated_micros: Option<i64>,
    /// Warnings.
    pub flags: Flags,
    /// When payout methods were set up of late, in microseconds since 1970, oldest first; see `warnings.rs`.
    #[serde(default)]
    pub methods_set_up_micros: Vec<i64>,
}

/// Warnings about a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags {
    /// The name is on a sanctions list.
    pub ofac: bool,
    /// What the screening says.
    pub ofac_status: OfacStatus,
    /// A payout method is shared with other users. It holds nothing up: families share accounts.
    pub payout_method: bool,
    /// Payout methods change suspiciously often. It holds payouts up.
    pub payout_method_cycle: bool,
    /// The name on an account is another. It holds payouts up.
    pub name_mismatch: bool,
}

record! {
    /// A person who may be paid, known to an organization by the phone.
    pub struct User in "users" {
        key (org, id)
        unique BY_PHONE (org, phone_e164)
        many BY_EMAIL (org, email);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: UserId,
        /// The digits of the country code; `None` once the person is erased, like every other personal column.
        pub phone_country_code: Option<String>,
        /// The digits after it.
        pub phone_national: Option<String>,
        /// Both: the person's identity within the organization (docs/decisions.md 6).
        pub phone_e164: Option<String>,
        /// When the person proved to hold the phone.
        pub phone_verified_at: Option<Time>,
        /// When the person proved to read the address; only then does the address tell who somebody is.
        pub email_verified_at: Option<Time>,
        /// The app that wrote the phone number; `None` once it is verified, and where the payee or the organization wrote it.
        pub phone_app: Option<AppId>,
        /// When `phone_app`, or the organization, wrote it.
        pub phone_set_at: Option<Time>,
        /// First name.
        pub first_name: Option<String>,
        /// Last name.
        pub last_name: Option<String>,
        /// E-mail address.
        pub email: Option<String>,
        /// The app that wrote the e-mail address, as for the phone number.
        pub email_app: Option<AppId>,
        /// When `email_app`, or the organization, wrote it.
        pub email_set_at: Option<Time>,
        /// Where the user stands; `rules.rs` says what it may become.
        pub status: UserStatus,
        /// ISO 3166-1 alpha-2.
        pub country: Option<String>,
        /// Sealed as `YYYY-MM-DD` beside the user's id (Purpose::TaxId: identity data of the tax forms).
        pub sealed_date_of_birth: Option<Vec<u8>>,
        /// What was paid elsewhere.
        pub adjustment_1099: Option<Document<Adjustment1099>>,
        /// Sealed as JSON beside the user's id.
        pub sealed_address: Option<Vec<u8>>,
        /// The W-9 or W-8BEN as JSON, sealed beside the user's id.
        pub sealed_tax_form: Option<Vec<u8>>,
        /// A keyed hash of the tax id, by which the same one is recognized at two users.
        pub tax_id_hash: Option<Vec<u8>>,
        /// The rest of compliance.
        pub compliance: Document<Compliance>,
        /// Counts the changes that are told as events, from 1.
        pub version: i64,
        /// When the user was made.
        pub created_at: Time,
        /// When the person was erased.
        pub deleted_at: Option<Time>,
        /// Since when the payee has frozen automatic payouts.
        pub payouts_frozen_at: Option<Time>,
    }
}

impl User {
    /// First and last name, as far as they are known.
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = [&self.first_name, &self.last_name].into_iter().flatten().map(String::as_str).collect();
        parts.join(" ")
    }

    /// Whether the person proved to hold the phone, or to read the address.
    pub const fn is_verified(&self) -> bool {
        self.phone_verified_at.is_some() || self.email_verified_at.is_some()
    }

    /// Whether first and last name are known.
    pub const fn has_name(&self) -> bool {
        self.first_name.is_some() && self.last_name.is_some()
    }

    /// Whether there is a tax form that counts. One whose name and number do not belong together does not: another is
    /// due in its place.
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
    /// The profile that one app has of a payee. Only this app writes it; other apps of the organization never see it.
    pub struct AppUser in "app_users" {
        key (org, app, user_id)
        many OF_USER (org, user_id);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// The user.
        pub user_id: UserId,
        /// Since when.
        pub connected_at: Time,
        /// When the app deleted the user while other apps were connected. The app then sees an erased user.
        pub disconnected_at: Option<Time>,
        /// Whether the app's payouts go to `default_payout_method` at once.
        pub auto_payout_enabled: bool,
        /// The method for such payouts: one of this app's methods of this user.
        pub default_payout_method: Option<PayoutMethodId>,
        /// The app's note.
        pub metadata: Option<String>,
        /// Rails that the app does not offer to this user.
        pub payout_options_exclude_list: Document<Vec<Platform>>,
        /// Counts the events of this user in the app's log, from 1.
        pub version: i64,
    }
}

impl AppUser {
    /// Whether the app may pay the user.
    pub const fn is_connected(&self) -> bool {
        self.disconnected_at.is_none()
    }

    /// Whether a method is one that this profile may use.
    pub fn owns(&self, method: &PayoutMethod) -> bool {
        (method.org, method.app, method.user_id) == (self.org, self.app, self.user_id)
    }

    /// Forgets what the app keeps about the user.
    pub(super) fn clear(&mut self) {
        self.auto_payout_enabled = false;
        self.default_payout_method = None;
        self.metadata = None;
        self.payout_options_exclude_list = Document(Vec::new());
    }
}
