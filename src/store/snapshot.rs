//! One consistent state of a store, for whoever looks at everything: `bursar verify` and the simulator.
//!
//! Rows are handed out one at a time, so that a table may be larger than the memory. Deliberately absent:
//! a way to keep a snapshot. While one is open the embedded store's log cannot start over, so it grows.

use std::sync::Arc;

use super::StoreError;
use super::memory;
use super::postgres;
use super::sqlite;
use crate::world::record::AnyRecord;
use crate::world::{Record, Row, Table};

/// See the module's comment.
pub enum Snapshot<'a> {
    /// A read transaction.
    Sqlite(&'a rusqlite::Transaction<'a>),
    /// The same, on a server.
    Postgres(&'a postgres::State<'a>),
    /// The memory, which nobody else touches meanwhile.
    Memory(&'a memory::Tables),
}

impl Snapshot<'_> {
    /// Shows every record of a kind, of all organizations, in the order of the primary key.
    pub fn each<R: Record>(&self, mut visit: impl FnMut(&R) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut show = |row| visit(&*typed::<R>(decoded(R::TABLE, &row)?));
        // Not generic from here on: the readers below are compiled once instead of for each kind of record.
        let show: &mut dyn FnMut(Row) -> Result<(), StoreError> = &mut show;
        self.rows(R::TABLE, 0, show)
    }

    /// Shows the rows of a table, of all organizations, in the order of the primary key, without the first so many.
    pub fn rows<E: From<StoreError>>(
        &self,
        table: &'static Table,
        skip: u64,
        mut show: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Sqlite(transaction) => sqlite::each(transaction, table, skip, &mut show),
            Self::Postgres(state) => state.each(table, skip, &mut show),
            Self::Memory(tables) => {
                let skip = usize::try_from(skip).unwrap_or(usize::MAX);
                tables.rows(table).skip(skip).cloned().try_for_each(show)
            }
        }
    }

    /// The record with this primary key.
    pub fn get<R: Record>(&self, key: &Row) -> Result<Option<Arc<R>>, StoreError> {
        let table = R::TABLE;
        let row = match self {
            Self::Sqlite(transaction) => sqlite::get(transaction, table, key)?,
            Self::Postgres(state) => state.get(table, key)?,
            Self::Memory(tables) => tables.get(table, key).cloned(),
        };
        row.map(|row| decoded(table, &row).map(typed)).transpose()
    }

    /// The records with these primary keys, in the order of the keys. Over a server that is one question.
    pub fn get_all<R: Record>(&self, keys: &[Row]) -> Result<Vec<Option<Arc<R>>>, StoreError> {
        let table = R::TABLE;
        let rows = match self {
            Self::Sqlite(transaction) => {
                keys.iter().map(|key| sqlite::get(transaction, table, key)).collect::<Result<Vec<_>, _>>()?
            }
            Self::Postgres(state) => state.get_all(table, keys)?,
            Self::Memory(tables) => keys.iter().map(|key| tables.get(table, key).cloned()).collect(),
        };
        rows.into_iter().map(|row| row.map(|row| decoded(table, &row).map(typed)).transpose()).collect()
    }
}

fn decoded(table: &'static Table, row: &Row) -> Result<AnyRecord, StoreError> {
    Ok((table.decode)(row)?)
}

fn typed<R: Record>(record: AnyRecord) -> Arc<R> {
    record.downcast::<R>().expect("a table only ever holds its own records")
}
