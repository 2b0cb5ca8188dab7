//! Passes bank files, their entries and the unbooked money to their checks (invariants 38, 39, 63 and 64).

use super::groups::together;
use crate::bank_files::{BankEntry, BankFile, held_proof, proof};
use crate::bank_reversals::{self, BankReversal};
use crate::banking::originators::Originator;
use crate::ledger::LedgerAccount;
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};
use crate::transfers::Transfer;
use crate::world::Key;
use crate::world::record::key;

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut checker = proof::Checker::default();
    let mut held = held_proof::Checker::default();
    let mut reversals = bank_reversals::proof::Checker::default();
    snapshot.each::<Originator>(|originator| {
        checker.originator(originator);
        Ok(())
    })?;
    snapshot.each::<BankFile>(|file| {
        checker.file(file);
        held.file(file);
        Ok(())
    })?;
    together::<BankEntry>(snapshot, |entries| {
        let keys: Vec<Key> = entries.iter().map(|entry| key![entry.org, entry.moves()]).collect();
        for (entry, transfer) in entries.iter().zip(snapshot.get_all::<Transfer>(&keys)?) {
            checker.entry(entry, transfer.as_deref());
            held.entry(entry, transfer.as_deref());
            reversals.entry(entry);
        }
        Ok(())
    })?;
    snapshot.each::<Transfer>(|transfer| {
        held.transfer(transfer);
        Ok(())
    })?;
    snapshot.each::<LedgerAccount>(|account| {
        checker.account(account);
        Ok(())
    })?;
    snapshot.each::<BankReversal>(|reversal| {
        reversals.reversal(reversal);
        Ok(())
    })?;
    let mut findings = checker.findings();
    findings.extend(held.findings());
    findings.extend(reversals.findings());
    Ok(findings)
}
