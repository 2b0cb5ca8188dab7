//! What the outcome of a prenote does to its account, and to the transfers that wait for it.

use std::sync::Arc;

use super::outcomes::{Fact, bring};
use crate::apps::{self, App};
use crate::bank_accounts;
use crate::bank_files::{self, BankEntry, EntryKind, EntryStatus, FarEnd};
use crate::ids::{BankAccountId, PayoutMethodId};
use crate::ledger::Account;
use crate::payment_customers::{self, PaymentCustomer};
use crate::payout_methods::Validation;
use crate::rails::failures::{FailureCode, MethodOutcome};
use crate::scope::Scope;
use crate::transfers::Transfer;
use crate::users;
use crate::vendors::Vendor;
use crate::world::record::key;
use crate::world::{Halt, World};

/// An entry that moves money settled, which validates its account.
pub(super) fn validated_by(world: &mut World, entry: &BankEntry) -> Result<(), Halt> {
    bank_files::far_end(world, entry)?.validate(world, Some(Validation::Entry));
    Ok(())
}

/// The bank did not return a prenote in time: its account is validated.
pub(super) fn accepted(world: &mut World, prenote: &BankEntry) -> Result<(), Halt> {
    bank_files::far_end(world, prenote)?.validate(world, Some(Validation::Prenote));
    resume(world, prenote)
}

/// A prenote was refused, or cannot be sent: the transfers that wait for it fail, and its account goes out of use as after
/// the return of a payment.
pub(super) fn refused(world: &mut World, prenote: &BankEntry, code: FailureCode) -> Result<(), Halt> {
    let waiting = bank_files::waiting_for(world, prenote.org, prenote.transfer)?;
    world.each(waiting, |world, transfer| fail(world, prenote, &transfer, code))?;
    disable(world, prenote, code)
}

/// A prenote was returned after its account was validated by it. Payments that joined a file come back alone.
pub(super) fn undone(world: &mut World, prenote: &BankEntry, code: FailureCode) -> Result<(), Halt> {
    invalidate(world, prenote)?;
    disable(world, prenote, code)
}

/// The file of a prenote was canceled: the transfers that wait for it wait for another one.
pub(super) fn canceled(world: &mut World, prenote: &Arc<BankEntry>) -> Result<(), Halt> {
    if prenote.status == EntryStatus::Settled {
        invalidate(world, prenote)?;
    }
    let now = world.now();
    world.change(prenote, |entry| (entry.status, entry.ended_at) = (EntryStatus::Canceled, Some(now)));
    resume(world, prenote)
}

/// The bank reported other numbers of an account: they are validated, and the transfers that wait for prenotes of the old
/// ones go to the new account.
///
/// # Errors
/// The store's.
pub fn corrected(
    world: &mut World,
    prenotes: &[Arc<BankEntry>],
    to: (Option<PayoutMethodId>, Option<BankAccountId>),
) -> Result<(), Halt> {
    for prenote in prenotes {
        for transfer in bank_files::waiting_for(world, prenote.org, prenote.transfer)? {
            world.change(&transfer, |transfer| (transfer.payout_method, transfer.bank_account) = to);
        }
        bank_files::close_prenote(world, prenote, None)?;
        resume(world, prenote)?;
    }
    Ok(())
}

/// The bank reported that the numbers of a prenote's account are wrong, and the new ones wait for a member, or are not valid:
/// no payment goes to the old ones.
///
/// # Errors
/// The store's.
pub fn not_corrected(world: &mut World, entry: &Arc<BankEntry>) -> Result<(), Halt> {
    if (entry.kind, entry.status) != (EntryKind::Prenote, EntryStatus::Joined) {
        return Ok(());
    }
    let code = FailureCode::InvalidAccountNumber;
    bank_files::close_prenote(world, entry, Some(code))?;
    refused(world, entry, code)
}

fn resume(world: &mut World, prenote: &BankEntry) -> Result<(), Halt> {
    // One after another: the first one may add the prenote for which the others wait.
    for transfer in bank_files::waiting_for(world, prenote.org, prenote.transfer)? {
        if let Some(code) = bank_files::resume(world, prenote, &transfer)? {
            fail(world, prenote, &transfer, code)?;
        }
    }
    Ok(())
}

fn fail(world: &mut World, prenote: &BankEntry, transfer: &Arc<Transfer>, code: FailureCode) -> Result<(), Halt> {
    // Nothing was posted, so no ledger account outside is used.
    bring(world, transfer, Fact::Failed(code), Account::Unbooked(transfer.app, prenote.settlement_account))
}

fn invalidate(world: &mut World, prenote: &BankEntry) -> Result<(), Halt> {
    let account = bank_files::far_end(world, prenote)?;
    if account.validation() == Some(Validation::Prenote) {
        account.validate(world, None);
    }
    Ok(())
}

/// Takes the account of a prenote out of use. That of a vendor stays: members approved it.
fn disable(world: &mut World, prenote: &BankEntry, code: FailureCode) -> Result<(), Halt> {
    if code.failure().method == MethodOutcome::Kept {
        return Ok(());
    }
    let org = prenote.org;
    let account = match bank_files::far_end(world, prenote)? {
        FarEnd::Method(method) => {
            let scope = Scope { org, app: prenote.app };
            let user = users::find(world, scope, method.user_id)?;
            return users::disable_payout_method(world, scope, &user, &method, code.as_str()).map(|_| ());
        }
        FarEnd::Account(account) => account,
    };
    if world.get::<PaymentCustomer>(key![org, account.holder])?.is_some() {
        return payment_customers::disable_account(world, &account, code.as_str());
    }
    if !account.in_use || world.get::<Vendor>(key![org, account.holder])?.is_some() {
        return Ok(());
    }
    bank_accounts::disable(world, &account, code.as_str());
    match world.get::<App>(key![org, account.holder])? {
        Some(app) => apps::touch(world, &app).map(|_| ()),
        None => Ok(()),
    }
}
