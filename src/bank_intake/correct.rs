//! Applies the numbers that a payee's bank reported.

use std::sync::Arc;

use super::model::ItemReason;
use crate::bank_files::{self, BankEntry, EntryStatus};
use crate::ids::{OrgId, PayoutMethodId, TransferId};
use crate::payout_methods::{self, SealedDetails};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::transfers;
use crate::users;
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
    let method = payout_methods::paid_to(world, org, entry.user_id, entry.payout_method)?;
    if !method.in_use {
        return Ok(Err(ItemReason::MethodNotInUse));
    }
    let user = users::find(world, scope, entry.user_id)?;
    let waiting = unwritten(world, org, method.id)?;
    let new = users::correct_payout_method(world, scope, &user, &method, details)?.id;
    for entry in waiting {
        let transfer = transfers::find(world, Scope { org, app: entry.app }, entry.transfer)?;
        world.change(&transfer, |transfer| transfer.payout_method = Some(new));
        world.change(&entry, |entry| entry.payout_method = new);
    }
    Ok(Ok(new))
}

/// Returns the payments to an account whose files are not written.
fn unwritten(world: &mut World, org: OrgId, method: PayoutMethodId) -> Result<Vec<Arc<BankEntry>>, Halt> {
    let mut entries = bank_files::of_method(world, org, method)?;
    entries.retain(|entry| entry.status == EntryStatus::Joined);
    let files = world.each(&entries, |world, entry| bank_files::find(world, org, entry.file))?;
    let unwritten = entries.into_iter().zip(files).filter(|(_, file)| file.sha256.is_none());
    Ok(unwritten.map(|(entry, _)| entry).collect())
}
