//! The bank account in a request, and the sealing of its number before a command sees it.

use std::fmt;

use super::model::{BankAccount, HolderType};
use crate::bank::{AccountNumber, RoutingNumber};
use crate::input::input;
use crate::input::types::{Line, NAME_MAX, word_input};
use crate::payout_methods::{AccountType, UsBank, known_bank};
use crate::vault::{Purpose, SealContext, Unsealed, Vault};

/// The name on an account: a person's first and last, or a company's.
pub type HolderName = Line<{ NAME_MAX * 2 }>;

/// The digits of a number that responses show.
const LAST_DIGITS: usize = 4;

word_input!(AccountType);
word_input!(HolderType);

input! {
    /// A bank account in the United States.
    pub struct BankAccountInput {
        /// The account holder's name.
        pub name: HolderName,
        /// Four to seventeen digits. Stored encrypted; responses show the last four.
        pub account_number: AccountNumber,
        /// Nine digits, the last a check digit.
        pub routing_number: RoutingNumber,
        /// checking (the default) or savings.
        pub account_type: Option<AccountType>,
        /// individual or company, which decides how a bank's file names the entry. Defaults to company for an app and a
        /// vendor, and to individual for a payer.
        pub holder_type: Option<HolderType>,
    }
}

input! {
    /// A bank account in the United States whose holder is known.
    pub struct OwnAccountInput {
        /// The account holder's name. Defaults to the known name of the holder.
        pub name: Option<HolderName>,
        /// Four to seventeen digits. Stored encrypted; responses show the last four.
        pub account_number: AccountNumber,
        /// Nine digits, the last a check digit.
        pub routing_number: RoutingNumber,
        /// checking (the default) or savings.
        pub account_type: Option<AccountType>,
        /// individual or company, which decides how a bank's file names the entry. Defaults to company for an app and a
        /// vendor, and to individual for a payer.
        pub holder_type: Option<HolderType>,
    }
}

/// A bank account for a command, which seals its number into the row that it adds.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedAccount {
    pub name: String,
    pub account_type: AccountType,
    pub holder_type: Option<HolderType>,
    pub routing_number: String,
    pub bank_name: Option<String>,
    pub last4: String,
    pub number: Unsealed,
    /// A keyed hash of routing number, number and type.
    pub fingerprint: Vec<u8>,
    /// Whether the account takes instant payments.
    pub rtp_enabled: bool,
}

impl fmt::Debug for SealedAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedAccount(***{})", self.last4)
    }
}

impl BankAccountInput {
    /// Returns the account for a command. `nonce` must never be used twice.
    #[must_use]
    pub fn sealed(&self, vault: &Vault, nonce: [u8; 24]) -> SealedAccount {
        sealed(
            self.name.0.trim(),
            &self.account_number,
            &self.routing_number,
            (self.account_type, self.holder_type),
            vault,
            nonce,
        )
    }
}

impl OwnAccountInput {
    /// Returns the account for a command. `nonce` must never be used twice. If the name is missing, the command adds
    /// the holder's name with [`SealedAccount::named`].
    #[must_use]
    pub fn sealed(&self, vault: &Vault, nonce: [u8; 24]) -> SealedAccount {
        let name = self.name.as_ref().map_or("", |name| name.0.trim());
        sealed(name, &self.account_number, &self.routing_number, (self.account_type, self.holder_type), vault, nonce)
    }
}

impl SealedAccount {
    /// Returns the account with this name if it has none.
    #[must_use]
    pub fn named(&self, holder: &str) -> Self {
        let name = if self.name.is_empty() { holder.to_owned() } else { self.name.clone() };
        Self { name, ..self.clone() }
    }
}

/// Returns the seal context of an account's number, which includes the holder and the bank.
pub fn seal_context(account: &BankAccount) -> SealContext {
    SealContext::new(Purpose::BankAccount, account.org, "bank_accounts", account.id.0, "sealed_number")
        .bound_to(account.holder)
        .bound_to(&account.routing_number)
        .bound_to(account.account_type.as_str())
        .formerly(&account.fingerprint)
}

/// Returns an account with other numbers, for the holder of this one. `nonce` must never be used twice.
#[must_use]
pub fn sealed_with(account: &BankAccount, bank: &UsBank, vault: &Vault, nonce: [u8; 24]) -> SealedAccount {
    let (digits, routing_number) = (bank.account_number.as_bytes(), bank.routing_number.as_str());
    let known = known_bank(routing_number);
    let shown = bank.account_number.len().saturating_sub(LAST_DIGITS);
    SealedAccount {
        name: account.name.clone(),
        account_type: bank.account_type,
        holder_type: account.holder_type,
        routing_number: routing_number.to_owned(),
        bank_name: known.map(|(name, _)| name.to_owned()),
        last4: bank.account_number.get(shown..).unwrap_or_default().to_owned(),
        number: Unsealed::new(vault, digits, nonce),
        fingerprint: fingerprint(routing_number, digits, bank.account_type, vault),
        rtp_enabled: known.is_some_and(|(_, instant)| instant),
    }
}

pub fn fingerprint(routing_number: &str, number: &[u8], account_type: AccountType, vault: &Vault) -> Vec<u8> {
    let parts = [b"bank account".as_slice(), routing_number.as_bytes(), number, account_type.as_str().as_bytes()];
    vault.guessable_hash(Purpose::Fingerprint, &parts).to_vec()
}

fn sealed(
    name: &str,
    number: &AccountNumber,
    routing_number: &RoutingNumber,
    (account_type, holder_type): (Option<AccountType>, Option<HolderType>),
    vault: &Vault,
    nonce: [u8; 24],
) -> SealedAccount {
    let account_type = account_type.unwrap_or(AccountType::Checking);
    let (digits, routing_number) = (number.expose().as_bytes(), routing_number.as_str());
    let known = known_bank(routing_number);
    SealedAccount {
        name: name.to_owned(),
        account_type,
        holder_type,
        routing_number: routing_number.to_owned(),
        bank_name: known.map(|(name, _)| name.to_owned()),
        last4: number.last4().to_owned(),
        number: Unsealed::new(vault, digits, nonce),
        fingerprint: fingerprint(routing_number, digits, account_type, vault),
        rtp_enabled: known.is_some_and(|(_, instant)| instant),
    }
}
