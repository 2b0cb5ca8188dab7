//! The account at the other end of an entry: a user's payout method, or the bank account of an app, a payer or a vendor.

use std::sync::Arc;

use super::model::BankEntry;
use crate::bank_accounts::{self, BankAccount};
use crate::payout_methods::{self, Details, PayoutMethod, UsBank};
use crate::refusal::{Code, Refusal};
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The row of the account.
#[derive(Clone, Debug)]
pub enum FarEnd {
    Method(Arc<PayoutMethod>),
    Account(Arc<BankAccount>),
}

/// The account in clear text, only in memory.
#[derive(Clone)]
pub enum OpenedEnd {
    Details(Box<Details>),
    Bank(UsBank),
}

/// Returns the account at the other end of an entry.
///
/// # Errors
/// `not-found`.
pub fn far_end(world: &World, entry: &BankEntry) -> Result<FarEnd, Halt> {
    if let Some(account) = entry.bank_account {
        let account = world.get::<BankAccount>(key![entry.org, account])?;
        return Ok(FarEnd::Account(account.ok_or_else(|| Refusal::not_found("bank account"))?));
    }
    let (Some(user), Some(method)) = (entry.user_id, entry.payout_method) else {
        return Err(Refusal::new(Code::InternalError, "An entry of a bank file names no account.").into());
    };
    Ok(FarEnd::Method(payout_methods::paid_to(world, entry.org, user, method)?))
}

impl FarEnd {
    /// Returns whether its numbers are gone, because its holder was erased.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        match self {
            Self::Method(method) => method.sealed_details.is_empty(),
            Self::Account(account) => account.sealed_number.is_empty(),
        }
    }

    /// Returns the account; `None` if another program changed it although the key is there.
    ///
    /// # Errors
    /// `internal-error` if the key is missing.
    pub fn open(&self, vault: &Vault) -> Result<Option<OpenedEnd>, Refusal> {
        let (opened, sealed) = match self {
            Self::Method(method) => {
                let details = Details::open(method, vault).map(|details| OpenedEnd::Details(Box::new(details)));
                (details, &method.sealed_details)
            }
            Self::Account(account) => {
                let bank = |account_number| UsBank {
                    account_number,
                    routing_number: account.routing_number.clone(),
                    account_type: account.account_type,
                };
                let number = bank_accounts::open(account, vault);
                (number.map(|number| OpenedEnd::Bank(bank(number))), &account.sealed_number)
            }
        };
        match opened {
            Ok(opened) => Ok(Some(opened)),
            Err(_) if vault.has_key_of(sealed) => Ok(None),
            Err(_) => {
                let message = "The sealed number of a bank account cannot be decrypted.";
                Err(Refusal::new(Code::InternalError, message))
            }
        }
    }
}

impl OpenedEnd {
    /// Returns the account at a US bank, if it is one.
    #[must_use]
    pub fn bank(&self) -> Option<&UsBank> {
        match self {
            Self::Details(details) => details.bank(),
            Self::Bank(bank) => Some(bank),
        }
    }

    #[must_use]
    pub fn account_number(&self) -> Option<&str> {
        match self {
            Self::Details(details) => details.account_number(),
            Self::Bank(bank) => Some(&bank.account_number),
        }
    }
}
