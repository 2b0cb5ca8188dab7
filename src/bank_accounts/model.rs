use uuid::Uuid;

use crate::clock::Time;
use crate::ids::{AppId, BankAccountId, OrgId};
use crate::payout_methods::{AccountType, Validation};
use crate::world::record::{record, words};

words! {
    /// Who holds a bank account.
    pub enum HolderType {
        /// A person.
        Individual = "individual",
        /// A company.
        Company = "company",
    }
}

record! {
    /// A bank account in the United States. Its number is sealed; the row shows only its last digits.
    pub struct BankAccount in "bank_accounts" {
        key (org, id)
        many OF_HOLDER (org, holder, in_use);
        pub org: OrgId,
        pub id: BankAccountId,
        /// The app that uses it.
        pub app: AppId,
        /// The id of the app, payment customer or vendor that holds it.
        pub holder: Uuid,
        pub name: String,
        pub account_type: AccountType,
        /// `None` if the request did not say it; see [`BankAccount::held_by`].
        pub holder_type: Option<HolderType>,
        /// Nine digits; they identify a bank, not an account.
        pub routing_number: String,
        pub bank_name: Option<String>,
        pub last4: String,
        /// Opened by [`super::open`].
        pub sealed_number: Vec<u8>,
        /// A keyed hash of routing number, number and type, which identifies the same account.
        pub fingerprint: Vec<u8>,
        pub rtp_enabled: bool,
        /// Whether money can be sent to it or pulled from it; false from `disabled_at` on.
        pub in_use: bool,
        pub created_at: Time,
        pub disabled_at: Option<Time>,
        /// `removed`, `replaced`, or the code of the failure that disabled it.
        pub disabled_reason: Option<String>,
        /// When the account was first validated.
        pub validated_at: Option<Time>,
        pub validation: Option<Validation>,
        pub version: i64,
    }
}

impl BankAccount {
    /// Returns who holds it, where the request that added it did not say so: the accounts of an app and of a vendor are a
    /// company's, those of a payer a person's.
    #[must_use]
    pub fn held_by(&self, otherwise: HolderType) -> HolderType {
        self.holder_type.unwrap_or(otherwise)
    }
}
