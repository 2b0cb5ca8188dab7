//! Passes bank files, their entries and the unbooked money to their checks (invariants 38 and 39).

use super::groups::together;
use crate::bank_files::{BankEntry, BankFile, proof};
use crate::ledger::LedgerAccount;
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};
use crate::transfers::Transfer;
use crate::world::Key;
use crate::world::record::key;

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut checker = proof::Checker::default();
    snapshot.each::<BankFile>(|file| {
        checker.file(file);
        Ok(())
    })?;
    together::<BankEntry>(snapshot, |entries| {
        let keys: Vec<Key> = entries.iter().map(|entry| key![entry.org, entry.transfer]).collect();
        for (entry, transfer) in entries.iter().zip(snapshot.get_all::<Transfer>(&keys)?) {
            checker.entry(entry, transfer.as_deref());
        }
        Ok(())
    })?;
    snapshot.each::<LedgerAccount>(|account| {
        checker.account(account);
        Ok(())
    })?;
    Ok(checker.findings())
}
