//! Payments to an account whose numbers its bank corrected (invariant 66).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{BankEntry, BankFile, EntryStatus};
use super::rows;
use crate::ids::{BankAccountId, BankFileId, PayoutMethodId};
use crate::scope::Scope;
use crate::transfers;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The account that takes the place of another one: a payout method, or a bank account.
pub type NewEnd = (Option<PayoutMethodId>, Option<BankAccountId>);

/// Moves the payments of an account to the one that takes its place: those in files that are not written at once, the
/// others when their file moves into another window and is written again.
///
/// # Errors
/// The store's.
pub fn correct_entries(world: &mut World, mut entries: Vec<Arc<BankEntry>>, to: NewEnd) -> Result<(), Halt> {
    entries.retain(|entry| entry.status == EntryStatus::Joined);
    let files = world.each(&entries, |world, entry| rows::find(world, entry.org, entry.file))?;
    let mut unwritten: BTreeMap<BankFileId, Arc<BankFile>> = BTreeMap::new();
    for (entry, file) in entries.iter().zip(files) {
        if file.sha256.is_some() {
            world.change(entry, |entry| {
                (entry.corrected_in, entry.corrected_method, entry.corrected_account) = (Some(file.id), to.0, to.1);
            });
        } else {
            move_entry(world, entry, to)?;
            unwritten.insert(file.id, file);
        }
    }
    // Bytes that a worker has built of these files are old.
    for file in unwritten.values() {
        rows::change(world, file, |_| ());
    }
    Ok(())
}

/// Moves the payments of a file that will be written again.
pub(super) fn apply_corrections(world: &mut World, file: &BankFile) -> Result<(), Halt> {
    let mut entries = world.all::<BankEntry>(BankEntry::CORRECTED, key![file.org, Some(file.id)])?;
    entries.retain(|entry| entry.status == EntryStatus::Joined);
    world.each(&entries, |world, entry| move_entry(world, entry, (entry.corrected_method, entry.corrected_account)))?;
    Ok(())
}

fn move_entry(world: &mut World, entry: &Arc<BankEntry>, (method, account): NewEnd) -> Result<(), Halt> {
    if entry.is_of_transfer() {
        let transfer = transfers::find(world, Scope { org: entry.org, app: entry.app }, entry.moves())?;
        world.change(&transfer, |transfer| (transfer.payout_method, transfer.bank_account) = (method, account));
    }
    world.change(entry, |entry| {
        (entry.payout_method, entry.bank_account) = (method, account);
        (entry.corrected_in, entry.corrected_method, entry.corrected_account) = (None, None, None);
    });
    Ok(())
}
