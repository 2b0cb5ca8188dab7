//! Where the data live: an enum of stores that know records and no noun.
//!
//! A store loads rows by index in bulk, reads pages, and commits all changes of a
//! batch at once. Deliberately absent: business rules, and writing outside a commit.

pub mod memory;
mod snapshot;
mod sql;
pub mod sqlite;

use crate::world::record::Corrupt;
use crate::world::{Row, TableChanges, Want};

pub use memory::Memory;
pub use snapshot::Snapshot;
pub use sqlite::Sqlite;

/// Why a read failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store could not be read.
    #[error("the store could not be read: {0}")]
    Read(String),
    /// It was read, but a row makes no sense.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
}

/// Why a commit did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Certainly nothing was written: a unique index or a rule of the schema stood against it.
    #[error("the store refused the changes: {0}")]
    Refused(String),
    /// It may or may not have been written. Nobody may guess.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
}

/// The writing half of a store. One executor owns it.
pub enum Store {
    /// One file, embedded in the program.
    Sqlite(Box<sqlite::Writer>),
    /// In memory, for tests and the simulator; can crash, lose and stay silent.
    Memory(Memory),
}

impl Store {
    /// Answers look-ups, in their order.
    pub fn load(&mut self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(writer) => writer.load(wants),
            Self::Memory(memory) => memory.load(wants),
        }
    }

    /// Writes all changes, or none. When it answers `Ok`, they are durable.
    pub fn commit(&mut self, changes: &[TableChanges]) -> Result<(), CommitError> {
        match self {
            Self::Sqlite(writer) => writer.commit(changes),
            Self::Memory(memory) => memory.commit(changes),
        }
    }
}

/// The reading half: many may read at once, and none waits for the writer.
#[derive(Clone)]
pub enum Reads {
    /// Read connections to the file.
    Sqlite(sqlite::Readers),
    /// The same memory.
    Memory(Memory),
}

impl Reads {
    /// Answers look-ups, in their order, from one consistent state.
    pub fn load(&self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(readers) => readers.load(wants),
            Self::Memory(memory) => memory.clone().load(wants),
        }
    }
    /// Looks at one consistent state, however long it takes; commits go on beside it.
    pub fn snapshot<T>(&self, look: impl FnOnce(&Snapshot<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(readers) => readers.snapshot(look),
            Self::Memory(memory) => memory.snapshot(look),
        }
    }
}
