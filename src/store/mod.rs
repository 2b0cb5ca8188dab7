//! Where the data live: an enum of stores that know records and no noun.
//!
//! A store loads rows by index in bulk, reads pages, and commits all changes of a
//! batch at once. Deliberately absent: business rules, and writing outside a commit.

mod background;
mod departure;
pub mod memory;
pub mod postgres;
mod reserve;
mod snapshot;
mod sql;
pub mod sqlite;

use crate::clock::Time;
use crate::ids::OrgId;
use crate::world::record::Corrupt;
use crate::world::{Row, TableChanges, Want};

pub use background::BackgroundThread;
pub use departure::{Departing, Departure};
pub use memory::Memory;
pub use postgres::Postgres;
pub use reserve::Reserve;
pub use snapshot::Snapshot;
pub use sqlite::Sqlite;

/// Why a read failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store could not be read.
    #[error("the store cannot be read: {0}")]
    Read(String),
    /// It was read, but a row makes no sense.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// Another writer of a shared store stood in the way, or the connection broke; it may go well the next time.
    #[error("the store cannot be read now: {0}")]
    Again(String),
    /// The storage has no room even for what a look-up needs.
    #[error("the storage is full: {0}")]
    Full(String),
}

/// Why a commit did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Certainly nothing was written: a unique index or a rule of the schema stood against it.
    #[error("the store refused the changes: {0}")]
    Refused(String),
    /// Certainly nothing was written: another writer of a shared store stood in the way, or the connection broke
    /// before the commit was asked for. The same changes may be decided anew.
    #[error("the store cannot commit now: {0}")]
    Again(String),
    /// Certainly nothing was written: the storage has no room.
    #[error("the storage is full: {0}")]
    Full(String),
    /// It may or may not have been written. Nobody may guess.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
}

/// Hears how a commit went, on the thread that wrote it.
pub type OnCommit = Box<dyn FnOnce(Result<(), CommitError>) + Send>;

/// What a store answers at the begin of a batch.
#[derive(Debug)]
pub struct Begun {
    /// The last moment that any process gave to a command of this organization; `None` where nobody else writes.
    pub last: Option<Time>,
    /// The answers to the look-ups, in their order.
    pub answers: Vec<Vec<Row>>,
}

/// The writing half of a store. One executor owns it.
pub enum Store {
    /// One file, embedded in the program.
    Sqlite(Box<sqlite::Writer>),
    /// A server, shared with other processes.
    Postgres(Box<postgres::Writer>),
    /// In memory, for tests and the simulator; can crash, lose and stay silent.
    Memory(Memory),
}

impl Store {
    /// Whether other processes write to it too. Then a batch holds the commands of one organization, and nothing
    /// is kept between two batches.
    pub fn is_shared(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => false,
            Self::Postgres(_) => true,
        }
    }

    /// Begins a batch with its first look-ups. A shared store keeps every other writer out of this organization
    /// until [`Self::commit`] or [`Self::abandon`].
    pub fn begin(&mut self, organization: OrgId, wants: &[Want]) -> Result<Begun, StoreError> {
        match self {
            Self::Sqlite(writer) => Ok(Begun { last: None, answers: writer.load(wants)? }),
            Self::Memory(memory) => Ok(Begun { last: None, answers: memory.load(wants)? }),
            Self::Postgres(writer) => writer.begin(organization, wants),
        }
    }

    /// Answers look-ups, in their order.
    pub fn load(&mut self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(writer) => writer.load(wants),
            Self::Memory(memory) => memory.load(wants),
            Self::Postgres(writer) => writer.load(wants),
        }
    }

    /// Writes all changes of a batch, or none, and ends it. When it answers `Ok`, they are durable. `last` is the
    /// moment of its last command.
    pub fn commit(&mut self, changes: &[TableChanges], last: Time) -> Result<(), CommitError> {
        match self {
            Self::Sqlite(writer) => writer.commit(changes),
            Self::Memory(memory) => memory.commit(changes),
            Self::Postgres(writer) => writer.commit(changes, last),
        }
    }

    /// Begins what [`Self::commit`] does, and comes back before it is done. Until `on_commit` hears how it went, look-ups
    /// may see the changes or not. One after the other: the next may begin when this one has landed. Where the thread
    /// dies that writes, `on_commit` is dropped unheard: then the outcome is unknown.
    pub fn begin_commit(&mut self, changes: Vec<TableChanges>, last: Time, on_commit: OnCommit) {
        match self {
            Self::Sqlite(writer) => writer.begin_commit(changes, on_commit),
            Self::Memory(memory) => memory.begin_commit(changes, on_commit),
            // Another writer of the organization must be kept out until the commit has ended, so it is waited for.
            Self::Postgres(writer) => on_commit(writer.commit(&changes, last)),
        }
    }

    /// Whether another thread does what [`Self::begin_commit`] begins, so that it lands although nobody here does anything.
    pub fn commits_asynchronously(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            Self::Memory(_) | Self::Postgres(_) => false,
        }
    }

    /// Does what [`Self::begin_commit`] began, where no other thread does.
    pub fn finish_commit(&mut self) {
        match self {
            Self::Sqlite(_) | Self::Postgres(_) => {}
            Self::Memory(memory) => memory.finish_commit(),
        }
    }

    /// Ends a batch of which nothing is to be written.
    pub fn abandon(&mut self) {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => {}
            Self::Postgres(writer) => writer.abandon(),
        }
    }
}

/// The reading half: many may read at once, and none waits for the writer.
#[derive(Clone)]
pub enum Reads {
    /// Read connections to the file.
    Sqlite(sqlite::Readers),
    /// Read connections to the server.
    Postgres(postgres::Readers),
    /// The same memory.
    Memory(Memory),
}

impl Reads {
    /// Answers look-ups, in their order, from one consistent state.
    pub fn load(&self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(readers) => readers.load(wants),
            Self::Postgres(readers) => readers.load(wants),
            Self::Memory(memory) => memory.clone().load(wants),
        }
    }

    /// Answers look-ups of single rows where that takes no longer than asking somebody else to; `None` where it may: more
    /// is asked for, all read connections are lent, or the store is a server.
    pub fn load_at_once(&self, wants: &[Want]) -> Option<Result<Vec<Vec<Row>>, StoreError>> {
        match self {
            Self::Sqlite(readers) => readers.load_at_once(wants),
            Self::Postgres(_) => None,
            Self::Memory(memory) => Some(memory.clone().load(wants)),
        }
    }

    /// Limits an embedded store to this many bytes; a server has quotas of its own.
    pub fn limit_storage(&self, quota_bytes: Option<u64>) {
        match self {
            Self::Sqlite(readers) => readers.limit_storage(quota_bytes),
            Self::Postgres(_) | Self::Memory(_) => {}
        }
    }

    /// Whether changes are refused because the storage has no room for them. A server says so with each commit instead.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Sqlite(readers) => readers.is_full(),
            Self::Postgres(_) | Self::Memory(_) => false,
        }
    }

    /// Whether other processes write to the same store.
    pub fn is_shared(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => false,
            Self::Postgres(_) => true,
        }
    }

    /// Whether the store can be written to now; where it is a server, that is asked.
    ///
    /// # Errors
    /// `Read` with the reason when it cannot.
    pub fn reachable(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => Ok(()),
            Self::Postgres(readers) => readers.reachable(),
        }
    }

    /// Looks at one consistent state, however long it takes; commits go on beside it.
    pub fn snapshot<T>(&self, fetch: impl FnOnce(&Snapshot<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(readers) => readers.snapshot(fetch),
            Self::Postgres(readers) => readers.snapshot(fetch),
            Self::Memory(memory) => memory.snapshot(fetch),
        }
    }
}
