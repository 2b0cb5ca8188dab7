//! Checks that each sealed value opens in its own row. A part of `bursar verify`, if the keys are available.

use super::sealed::{Seal, Sealed, for_each_sealed};
use crate::ledger::verify::Finding;
use crate::store::{Reads, Snapshot, StoreError};
use crate::vault::Vault;
use crate::world::record::Corrupt;
use crate::world::{Record as _, Row, Table, ValueRef};

/// The invariant that a sealed value opens only in its row and column.
const INVARIANT: u8 = 30;
/// Records of each kind that a sample opens at least.
const FIRST: u64 = 1_000;
/// The fraction of the other records that a sample opens.
const ONE_IN: u64 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The first records of each kind, and a random sample of the others.
    Sample,
    All,
}

#[derive(Clone, Debug, Default)]
pub struct SealReport {
    pub seals: u64,
    /// Seals that are not under the active key.
    pub older: u64,
    /// Seals that do not open, or that contradict visible columns.
    pub findings: Vec<Finding>,
}

/// Opens the seals of all organizations.
pub fn check(reads: &Reads, vault: &Vault, extent: Extent) -> Result<SealReport, StoreError> {
    reads.snapshot(|snapshot| {
        let mut opened = SealReport::default();
        for_each_sealed!(R => check_all::<R>(snapshot, vault, extent, &mut opened)?);
        Ok(opened)
    })
}

/// The progress of a key rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Records with seals.
    pub records: u64,
    /// Records whose seals are all under the active key.
    pub current: u64,
}

/// Counts records without opening their seals.
pub fn progress(reads: &Reads, vault: &Vault) -> Result<Progress, StoreError> {
    reads.snapshot(|snapshot| {
        let mut found = Progress::default();
        for_each_sealed!(R => snapshot.each::<R>(|record| {
            if !record.seals().is_empty() {
                found.records += 1;
                found.current += u64::from(record.is_current(vault));
            }
            Ok(())
        })?);
        Ok(found)
    })
}

fn check_all<R: Sealed>(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    extent: Extent,
    opened: &mut SealReport,
) -> Result<(), StoreError> {
    let mut seen = 0_u64;
    snapshot.each::<R>(|record| {
        seen += 1;
        opened.older += u64::from(!record.is_current(vault));
        if extent == Extent::Sample && seen > FIRST && rand::random_range(0..ONE_IN) > 0 {
            return Ok(());
        }
        opened.seals += u64::try_from(record.seals().len()).unwrap_or(u64::MAX);
        opened.findings.extend(found_in(record, vault));
        Ok(())
    })
}

/// Returns the defect of a record's seals.
fn found_in<R: Sealed>(record: &R, vault: &Vault) -> Option<Finding> {
    let what = match record.contradiction(vault) {
        Ok(None) => return None,
        Ok(Some(what)) => what,
        Err(_) => "a sealed value cannot be decrypted in this row",
    };
    let id = match record.key().last() {
        Some(ValueRef::Id(id)) => id.to_string(),
        Some(ValueRef::Text(text)) => text.to_owned(),
        _ => String::new(),
    };
    Some(Finding { invariant: INVARIANT, what: what.to_owned(), place: format!("{} {id}", R::TABLE.name) })
}

#[must_use]
pub fn tables() -> Vec<&'static str> {
    let mut tables = Vec::new();
    for_each_sealed!(R => tables.push(R::TABLE.name));
    tables
}

/// Returns the seals of one row, and their defect.
pub fn of_row(table: &Table, row: &Row, vault: &Vault) -> Result<(Vec<Seal>, Option<Finding>), Corrupt> {
    for_each_sealed!(R => if table.name == R::TABLE.name {
        let record = (R::TABLE.decode)(row)?.downcast::<R>().expect("a table decodes its own record");
        return Ok((record.seals(), found_in(&*record, vault)));
    });
    Ok((Vec::new(), None))
}
