//! One consistent state of a store, for readers of all data: `bursar verify` and the simulator.
//!
//! Rows are returned one at a time, so that a table may be larger than the memory. Snapshots must be short: while one
//! is open the embedded store's log cannot restart, so it grows.

use std::sync::Arc;

use super::error::StoreError;
use super::memory;
use super::postgres;
use super::sqlite;
use crate::world::record::AnyRecord;
use crate::world::{Key, Record, Row, Table};

pub enum Snapshot<'a> {
    Sqlite(&'a rusqlite::Transaction<'a>),
    Postgres(&'a postgres::State<'a>),
    /// Locked, so that no commit changes it.
    Memory(&'a memory::Tables),
}

impl Snapshot<'_> {
    /// Visits every record of a kind, of all organizations, in the order of the primary key.
    pub fn each<R: Record>(&self, mut visit: impl FnMut(&R) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut show = |row| visit(&*typed::<R>(decoded(R::TABLE, &row)?));
        // Not generic from here on: the readers below are compiled once instead of for each kind of record.
        let show: &mut dyn FnMut(Row) -> Result<(), StoreError> = &mut show;
        self.rows(R::TABLE, 0, show)
    }

    /// Visits the rows of a table, of all organizations, in the order of the primary key, after the first `skip`.
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

    pub fn get<R: Record>(&self, key: &Key) -> Result<Option<Arc<R>>, StoreError> {
        let table = R::TABLE;
        let row = match self {
            Self::Sqlite(transaction) => sqlite::get(transaction, table, key)?,
            Self::Postgres(state) => state.get(table, key)?,
            Self::Memory(tables) => tables.get(table, key).cloned(),
        };
        row.map(|row| decoded(table, &row).map(typed)).transpose()
    }

    /// Returns the records with these primary keys, in the order of the keys. A server needs one query.
    pub fn get_all<R: Record>(&self, keys: &[Key]) -> Result<Vec<Option<Arc<R>>>, StoreError> {
        let rows = self.rows_at(R::TABLE, keys)?;
        rows.into_iter().map(|row| row.map(|row| decoded(R::TABLE, &row).map(typed)).transpose()).collect()
    }

    /// Returns the same rows undecoded, so that one damaged row does not hide the others.
    pub fn rows_at(&self, table: &'static Table, keys: &[Key]) -> Result<Vec<Option<Row>>, StoreError> {
        match self {
            Self::Sqlite(transaction) => keys.iter().map(|key| sqlite::get(transaction, table, key)).collect(),
            Self::Postgres(state) => state.get_all(table, keys),
            Self::Memory(tables) => Ok(keys.iter().map(|key| tables.get(table, key).cloned()).collect()),
        }
    }
}

fn decoded(table: &'static Table, row: &Row) -> Result<AnyRecord, StoreError> {
    Ok((table.decode)(row)?)
}

fn typed<R: Record>(record: AnyRecord) -> Arc<R> {
    record.downcast::<R>().expect("a table only ever holds its own records")
}
