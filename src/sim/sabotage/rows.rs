//! Rows that a fault removes or changes.

use crate::sim::checks::changed::read;
use crate::store::memory::{Change, Memory};
use crate::world::{Record, Row, Value};

/// Loses the first added row of a kind that matches.
pub(super) fn lose<R: Record>(changes: &mut Vec<Change>, memory: &Memory, is_meant: impl Fn(&R) -> bool) {
    let is_added = |change: &Change| change.table == R::TABLE && change.before.is_none();
    let matches = |row: &Row| read::<R>(row).is_some_and(|record| is_meant(&record));
    let added = changes.iter().position(|change| is_added(change) && change.after.as_ref().is_some_and(&matches));
    if let Some(place) = added {
        let lost = changes.remove(place);
        memory.tamper(lost.table, lost.key, None);
    }
}

/// Overwrites a column of the matching rows of a kind.
pub(super) fn overwrite<R: Record>(
    changes: &mut [Change],
    memory: &Memory,
    is_meant: impl Fn(&R) -> bool,
    column: &str,
    value: &Value,
) {
    let column = R::TABLE.position(column).expect("a column of the record");
    for change in changes.iter_mut().filter(|change| change.table == R::TABLE) {
        if let Some(row) = &mut change.after
            && read::<R>(row).is_some_and(|record| is_meant(&record))
        {
            row[column] = value.clone();
            memory.tamper(change.table, change.key.clone(), Some(row.clone()));
        }
    }
}
