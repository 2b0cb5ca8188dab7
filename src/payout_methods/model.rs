//! What is kept of a payout method.

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutMethodId, UserId};
use crate::platform::Platform;
use crate::world::record::{record, words};

words! {
    /// Who added a payout method to an app.
    #[derive(Default)]
    pub enum MethodOrigin {
        /// The app, through the API.
        #[default]
        App = "app",
        /// The payee, in a claim session of the app.
        Payee = "payee",
        /// The holder of a link that names no payee, for the money of that link alone: no app, list, default or debit uses it.
        Guest = "guest",
        /// Either, or another app: stored before origins were recorded, while several apps were connected. Used only where a
        /// payout names it.
        Unknown = "unknown",
    }
}

record! {
    /// A way to be paid that a user has set up. What is needed to pay is sealed; what people may see
    /// stands beside it.
    pub struct PayoutMethod in "payout_methods" {
        key (org, id)
        many OF_USER (org, user_id)
        many BY_FINGERPRINT (org, fingerprint);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: PayoutMethodId,
        /// Whose it is.
        pub user_id: UserId,
        /// The app that uses it. An account that a payee uses with two apps has two rows.
        pub app: AppId,
        /// Who added it.
        pub origin: MethodOrigin,
        /// The rail.
        pub platform: Platform,
        /// For people: `Checking account`.
        pub description: String,
        /// The end of the number: `6789`; `None` where there is no number.
        pub mask: Option<String>,
        /// The details, sealed; see `Details::open`.
        pub sealed_details: Vec<u8>,
        /// A keyed hash of platform and details, by which the same account is recognized twice.
        pub fingerprint: Vec<u8>,
        /// The bank, where it is known.
        pub bank_name: Option<String>,
        /// The bank's routing number; it names a bank, not a person.
        pub routing_number: Option<String>,
        /// The address at a wallet.
        pub email: Option<String>,
        /// The phone at a wallet, E.164.
        pub phone_number: Option<String>,
        /// The tag at wallet_c.
        pub cash_tag: Option<String>,
        /// The handle at a wallet.
        pub handle: Option<String>,
        /// Whose account it is, where the details say so; compared with the user's name.
        pub holder_name: Option<String>,
        /// Where the money arrives, ISO 3166-1 alpha-2.
        pub country: Option<String>,
        /// In which currency it arrives.
        pub currency: String,
        /// Whether the account takes instant payments (docs/decisions.md 7).
        pub rtp_enabled: bool,
        /// The app's own words.
        pub metadata: Option<String>,
        /// Whether it can be paid to; false from `disabled_at` on. Lists filter by it.
        pub in_use: bool,
        /// When it was set up.
        pub created_at: Time,
        /// When it was taken out of use, by the user or because a payout to it failed for good.
        pub disabled_at: Option<Time>,
        /// Why: `removed`, or the failure's code.
        pub disabled_reason: Option<String>,
        /// Counts its changes, from 1.
        pub version: i64,
    }
}

impl PayoutMethod {
    /// How its owner tells it from others: `Checking account ••6789`, `Wallet A jane@example.com`. For the owner
    /// alone: an address or a handle stands in it whole.
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
