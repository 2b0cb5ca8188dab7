use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutMethodId, UserId};
use crate::platform::Platform;
use crate::world::record::{record, words};

words! {
    /// The origin of a payout method.
    #[derive(Default)]
    pub enum MethodOrigin {
        /// The app, through the API.
        #[default]
        App = "app",
        /// The payee, in a claim session of the app.
        Payee = "payee",
        /// The holder of a link without a named payee, for that link only: never listed, debited or used as a default
        /// or by an app.
        Guest = "guest",
        /// The app, the payee or another app: stored before origins were recorded, while several apps were connected.
        /// Used only where a payout names it.
        Unknown = "unknown",
    }
}

/// The `disabled_reason` of a method whose bank reported other numbers.
pub const CORRECTED: &str = "corrected_by_bank";

record! {
    /// A user's destination on one rail. The details are sealed; the other fields are the visible part.
    pub struct PayoutMethod in "payout_methods" {
        key (org, id)
        many OF_USER (org, user_id)
        many BY_FINGERPRINT (org, fingerprint);
        pub org: OrgId,
        pub id: PayoutMethodId,
        pub user_id: UserId,
        /// An account that a payee uses with two apps has two rows.
        pub app: AppId,
        pub origin: MethodOrigin,
        pub platform: Platform,
        /// Shown to people: `Checking account`.
        pub description: String,
        /// The end of the number: `6789`; `None` without a number.
        pub mask: Option<String>,
        /// See [`Details::open`](super::Details::open).
        pub sealed_details: Vec<u8>,
        /// A keyed hash of rail and details, to recognize equal accounts.
        pub fingerprint: Vec<u8>,
        pub bank_name: Option<String>,
        /// Names a bank, not a person, so it is not sealed.
        pub routing_number: Option<String>,
        pub email: Option<String>,
        /// E.164.
        pub phone_number: Option<String>,
        /// The tag at wallet_c.
        pub cash_tag: Option<String>,
        pub handle: Option<String>,
        /// The account holder, if the details have one; compared with the user's name.
        pub holder_name: Option<String>,
        /// The country in which the money arrives, ISO 3166-1 alpha-2.
        pub country: Option<String>,
        pub currency: String,
        /// Whether the account takes instant payments (docs/decisions.md 7).
        pub rtp_enabled: bool,
        /// Whether the details have what a bank needs in a message ([`SealedDetails::gaps`](super::SealedDetails::gaps)).
        pub addressed: bool,
        /// The app's own text.
        pub metadata: Option<String>,
        /// Whether it can be paid; false from `disabled_at`. Lists filter by it.
        pub in_use: bool,
        pub created_at: Time,
        pub disabled_at: Option<Time>,
        /// `removed`, [`CORRECTED`], or the code of a permanent payout failure.
        pub disabled_reason: Option<String>,
        /// Counts the changes, from 1.
        pub version: i64,
    }
}

impl PayoutMethod {
    /// Returns the text by which the owner recognizes the method: `Checking account ••6789`, `Wallet A
    /// jane@example.com`. For the owner only, because it contains addresses and handles in full.
    #[must_use]
    pub fn distinguished(&self) -> String {
        let end = self.mask.as_ref().map(|mask| format!("••{mask}"));
        let name = self.email.as_ref().or(self.cash_tag.as_ref()).or(self.handle.as_ref()).cloned();
        match end.or(name) {
            Some(which) => format!("{} {which}", self.description),
            None => self.description.clone(),
        }
    }
}
