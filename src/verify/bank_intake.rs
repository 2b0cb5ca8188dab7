//! Passes files of banks and their reports to their check (invariant 40).

use super::groups::together;
use crate::bank_files::BankEntry;
use crate::bank_intake::{BankItem, InboundFile, proof};
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};
use crate::world::Key;
use crate::world::record::key;

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut checker = proof::Checker::default();
    snapshot.each::<InboundFile>(|file| {
        checker.file(file);
        Ok(())
    })?;
    together::<BankItem>(snapshot, |items| {
        let keys: Vec<Key> =
            items.iter().filter_map(|item| item.transfer.map(|transfer| key![item.org, transfer])).collect();
        let mut entries = snapshot.get_all::<BankEntry>(&keys)?.into_iter();
        for item in items {
            let entry = item.transfer.and_then(|_| entries.next()).flatten();
            checker.item(item, entry.as_deref());
        }
        Ok(())
    })?;
    Ok(checker.findings())
}
