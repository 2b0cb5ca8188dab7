//! What is kept of a bank account.

use uuid::Uuid;

use crate::clock::Time;
use crate::ids::{AppId, BankAccountId, OrgId};
use crate::payout_methods::AccountType;
use crate::world::record::record;

record! {
    /// An account at a US bank. Its number is sealed; what people may see stands beside it.
    pub struct BankAccount in "bank_accounts" {
        key (org, id)
        many OF_HOLDER (org, holder, in_use);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: BankAccountId,
        /// The app within which it is used.
        pub app: AppId,
        /// Whose it is: the id of the app itself, of a payment customer, or of a vendor.
        pub holder: Uuid,
        /// The name on the account.
        pub name: String,
        /// checking or savings.
        pub account_type: AccountType,
        /// Nine digits; they name a bank, not an account.
        pub routing_number: String,
        /// The bank, where it is known.
        pub bank_name: Option<String>,
        /// The last four digits of the number.
        pub last4: String,
        /// The number, sealed; see [`super::open`].
        pub sealed_number: Vec<u8>,
        /// A keyed hash of routing number, number and type, by which the same account is recognized twice.
        pub fingerprint: Vec<u8>,
        /// Whether it takes instant payments (docs/decisions.md 7).
        pub rtp_enabled: bool,
        /// Whether money can be sent to it or pulled from it; false from `disabled_at` on.
        pub in_use: bool,
        /// When it was added.
        pub created_at: Time,
        /// When it was taken out of use.
        pub disabled_at: Option<Time>,
        /// Why: `removed`, `replaced`, or the code of the failure that showed it to be of no use.
        pub disabled_reason: Option<String>,
        /// Counts its changes, from 1.
        pub version: i64,
    }
}
