//! The changes of a batch to one table.

use super::key::Key;
use super::record::{Row, Table, Value};

#[derive(Debug)]
pub struct TableChanges {
    pub table: &'static Table,
    pub inserts: Vec<Row>,
    /// Rows with changed values and the same primary key.
    pub updates: Vec<Row>,
    /// For each of [`Self::updates`], the columns that differ from the stored row, so that unchanged columns and their
    /// indexes are not written. A row without an entry is written as a whole.
    pub changed: Vec<Columns>,
    /// Primary keys.
    pub deletes: Vec<Key>,
}

/// A set of a table's columns, by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Columns(u64);

impl Columns {
    pub const ALL: Self = Self(u64::MAX);

    /// Returns the columns in which two rows of a table differ.
    pub fn differing(left: &Row, right: &Row) -> Self {
        let differs = |(position, (left, right)): (usize, (&Value, &Value))| u64::from(left != right) << position;
        Self(left.iter().zip(right).enumerate().map(differs).sum())
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, position: usize) -> bool {
        self.0 >> position & 1 == 1
    }
}
