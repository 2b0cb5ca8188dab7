//! Passes statements, their lines and what they book to their check (invariants 41 to 44).

use crate::bank_files::{BankEntry, BankFile};
use crate::bank_intake::BankItem;
use crate::bank_statements::{BankBalance, BankStatement, proof};
use crate::ledger::LedgerAccount;
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut checker = proof::Checker::default();
    snapshot.each::<BankStatement>(|statement| {
        checker.statement(statement);
        Ok(())
    })?;
    snapshot.each::<BankBalance>(|balance| {
        checker.balance(balance);
        Ok(())
    })?;
    snapshot.each::<LedgerAccount>(|account| {
        checker.account(account);
        Ok(())
    })?;
    snapshot.each::<BankFile>(|file| {
        checker.file(file);
        Ok(())
    })?;
    snapshot.each::<BankEntry>(|entry| {
        checker.entry(entry);
        Ok(())
    })?;
    snapshot.each::<BankItem>(|item| {
        checker.item(item);
        Ok(())
    })?;
    Ok(checker.findings())
}
