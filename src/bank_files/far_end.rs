//! The account at the other end of an entry: a user's payout method, or the bank account of an app, a payer or a vendor.

use std::sync::Arc;

use super::model::BankEntry;
use crate::bank_accounts::{self, BankAccount};
use crate::ids::{BankAccountId, OrgId, PayoutMethodId, UserId};
use crate::payout_methods::{self, Details, PayoutMethod, UsBank, Validation};
use crate::refusal::{Code, Refusal};
use crate::transfers::Transfer;
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
    found(world, entry.org, entry.bank_account, (entry.user_id, entry.payout_method))
}

/// Returns the account at the other end of a transfer.
pub(super) fn far_end_of(world: &World, transfer: &Transfer) -> Result<FarEnd, Halt> {
    found(world, transfer.org, transfer.bank_account, (transfer.user_id, transfer.payout_method))
}

fn found(
    world: &World,
    org: OrgId,
    account: Option<BankAccountId>,
    method: (Option<UserId>, Option<PayoutMethodId>),
) -> Result<FarEnd, Halt> {
    if let Some(account) = account {
        let account = world.get::<BankAccount>(key![org, account])?;
        return Ok(FarEnd::Account(account.ok_or_else(|| Refusal::not_found("bank account"))?));
    }
    let (Some(user), Some(method)) = method else {
        return Err(Refusal::new(Code::InternalError, "An entry of a bank file names no account.").into());
    };
    Ok(FarEnd::Method(payout_methods::paid_to(world, org, user, method)?))
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

    #[must_use]
    pub fn validation(&self) -> Option<Validation> {
        match self {
            Self::Method(method) => method.validation,
            Self::Account(account) => account.validation,
        }
    }

    /// Records what validates the account, or that nothing does.
    pub fn validate(&self, world: &mut World, validation: Option<Validation>) {
        match self {
            Self::Method(method) => payout_methods::validate(world, method, validation),
            Self::Account(account) => bank_accounts::validate(world, account, validation),
        }
    }

    /// Returns why the account is out of use, if it is.
    #[must_use]
    pub fn disabled_for(&self) -> Option<&str> {
        let (in_use, reason) = match self {
            Self::Method(method) => (method.in_use, method.disabled_reason.as_deref()),
            Self::Account(account) => (account.in_use, account.disabled_reason.as_deref()),
        };
        if in_use { None } else { Some(reason.unwrap_or_default()) }
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
