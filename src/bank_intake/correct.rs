//! Applies the numbers that a payee's bank reported.

use super::model::ItemReason;
use crate::apps::{self, App};
use crate::bank_accounts::{self, SealedAccount};
use crate::bank_files::{self, FarEnd};
use crate::ids::{OrgId, PayoutMethodId, TransferId};
use crate::payment_customers::{self, PaymentCustomer};
use crate::payout_methods::{SealedDetails, Validation};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::settlements;
use crate::users;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Replaces the account of a payment's payee, also in payments that are not sent. Returns the new payout method, or why
/// there is none.
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
    let prenotes = bank_files::open_prenotes(world, &FarEnd::Method(method.clone()))?;
    let corrected = users::correct_payout_method(world, scope, &user, &method, details)?;
    let new = corrected.id;
    FarEnd::Method(corrected).validate(world, Some(Validation::Correction));
    bank_files::correct_entries(world, entries, (Some(new), None))?;
    settlements::corrected(world, &prenotes, (Some(new), None))?;
    Ok(Ok(new))
}

/// Replaces the bank account of an app or a payer, also in payments that are not sent. Returns why there is none, if so.
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
    let prenotes = bank_files::open_prenotes(world, &FarEnd::Account(account.clone()))?;
    let corrected = bank_accounts::correct(world, &account, corrected)?;
    let new = corrected.id;
    FarEnd::Account(corrected).validate(world, Some(Validation::Correction));
    bank_files::correct_entries(world, entries, (None, Some(new)))?;
    settlements::corrected(world, &prenotes, (None, Some(new)))?;
    if let Some(customer) = world.get::<PaymentCustomer>(key![org, account.holder])? {
        payment_customers::touch(world, &customer)?;
    } else if let Some(app) = world.get::<App>(key![org, account.holder])? {
        apps::touch(world, &app)?;
    }
    Ok(Ok(()))
}
