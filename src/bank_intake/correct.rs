//! Applies the numbers that a payee's bank reported.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::ItemReason;
use crate::apps::{self, App};
use crate::bank_accounts::{self, SealedAccount};
use crate::bank_files::{self, BankEntry, BankFile, EntryStatus, FarEnd};
use crate::ids::{BankFileId, OrgId, PayoutMethodId, TransferId};
use crate::payment_customers::{self, PaymentCustomer};
use crate::payout_methods::{SealedDetails, Validation};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::settlements;
use crate::transfers;
use crate::users;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Replaces the account of a payment's payee, and moves payments that are not written yet to the new one. Returns the
/// new payout method, or why there is none.
pub(super) fn correct(
    world: &mut World,
    org: OrgId,
    transfer: TransferId,
    details: &SealedDetails,
) -> Result<Result<PayoutMethodId, ItemReason>, Halt> {
    let entry = bank_files::entry(world, org, transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    let scope = Scope { org, app: entry.app };
    let FarEnd::Method(method) = bank_files::far_end(world, &entry)? else {
        return Ok(Err(ItemReason::NeedsReview));
    };
    if !method.in_use {
        return Ok(Err(ItemReason::MethodNotInUse));
    }
    let user = users::find(world, scope, method.user_id)?;
    let entries = bank_files::of_method(world, org, method.id)?;
    let waiting = unwritten(world, entries)?;
    let prenotes = bank_files::open_prenotes(world, &FarEnd::Method(method.clone()))?;
    let corrected = users::correct_payout_method(world, scope, &user, &method, details)?;
    let new = corrected.id;
    FarEnd::Method(corrected).validate(world, Some(Validation::Correction));
    for entry in waiting {
        if entry.is_of_transfer() {
            let transfer = transfers::find(world, Scope { org, app: entry.app }, entry.moves())?;
            world.change(&transfer, |transfer| transfer.payout_method = Some(new));
        }
        world.change(&entry, |entry| entry.payout_method = Some(new));
    }
    settlements::corrected(world, &prenotes, (Some(new), None))?;
    Ok(Ok(new))
}

/// Replaces the bank account of an app or a payer, and moves payments that are not written yet to the new one. Returns
/// why there is none, if so.
pub(super) fn correct_account(
    world: &mut World,
    org: OrgId,
    transfer: TransferId,
    corrected: &SealedAccount,
) -> Result<Result<(), ItemReason>, Halt> {
    let entry = bank_files::entry(world, org, transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    let FarEnd::Account(account) = bank_files::far_end(world, &entry)? else {
        return Ok(Err(ItemReason::NeedsReview));
    };
    if !account.in_use {
        return Ok(Err(ItemReason::MethodNotInUse));
    }
    let entries = bank_files::of_account(world, org, account.id)?;
    let waiting = unwritten(world, entries)?;
    let prenotes = bank_files::open_prenotes(world, &FarEnd::Account(account.clone()))?;
    let corrected = bank_accounts::correct(world, &account, corrected)?;
    let new = corrected.id;
    FarEnd::Account(corrected).validate(world, Some(Validation::Correction));
    for entry in waiting {
        if entry.is_of_transfer() {
            let transfer = transfers::find(world, Scope { org, app: entry.app }, entry.moves())?;
            world.change(&transfer, |transfer| transfer.bank_account = Some(new));
        }
        world.change(&entry, |entry| entry.bank_account = Some(new));
    }
    settlements::corrected(world, &prenotes, (None, Some(new)))?;
    if let Some(customer) = world.get::<PaymentCustomer>(key![org, account.holder])? {
        payment_customers::touch(world, &customer)?;
    } else if let Some(app) = world.get::<App>(key![org, account.holder])? {
        apps::touch(world, &app)?;
    }
    Ok(Ok(()))
}

/// Returns the payments of an account whose files are not written. Bytes that a worker has built of these files are old.
fn unwritten(world: &mut World, mut entries: Vec<Arc<BankEntry>>) -> Result<Vec<Arc<BankEntry>>, Halt> {
    entries.retain(|entry| entry.status == EntryStatus::Joined);
    let files = world.each(&entries, |world, entry| bank_files::find(world, entry.org, entry.file))?;
    let found = entries.into_iter().zip(files).filter(|(_, file)| file.sha256.is_none());
    let (unwritten, files): (Vec<_>, Vec<_>) = found.unzip();
    let files: BTreeMap<BankFileId, Arc<BankFile>> = files.into_iter().map(|file| (file.id, file)).collect();
    for file in files.values() {
        bank_files::change(world, file, |_| ());
    }
    Ok(unwritten)
}
