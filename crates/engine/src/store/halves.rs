//! The two halves of a store: one writes, the other reads.

use super::cache::{self, Records};
use super::error::{Begun, CommitError, OnCommit, StoreError};
use super::memory::Memory;
use super::reserve::Storage;
use super::snapshot::Snapshot;
use super::{postgres, sqlite};
use crate::clock::Time;
use crate::ids::OrgId;
use crate::world::{Row, TableChanges, Want};

/// The most organizations whose locks one batch of a server holds.
const ORGANIZATIONS_AT_ONCE: usize = 32;

/// The writing half of a store, owned by one executor.
pub enum Store {
    Sqlite(Box<sqlite::Writer>),
    /// A server, shared with other processes.
    Postgres(Box<postgres::Writer>),
    /// In memory, with injected failures, for tests and the simulator.
    Memory(Memory),
}

impl Store {
    /// Returns the most organizations of a batch; `None` if there is no limit.
    pub fn organizations_at_once(&self) -> Option<usize> {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => None,
            Self::Postgres(writer) if writer.is_single() => Some(ORGANIZATIONS_AT_ONCE),
            Self::Postgres(_) => Some(1),
        }
    }

    /// Returns whether other processes write to it too. Then nothing is cached between batches.
    pub fn is_shared(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => false,
            Self::Postgres(_) => true,
        }
    }

    /// Begins a batch with its first reads. A shared store locks out other writers of these organizations until
    /// [`Self::commit`] or [`Self::abandon`]. While a commit is pending it locks nothing, and commits the batch only if
    /// no other writer was there in between; further calls then add organizations to the batch. Fails with `Again` if it
    /// cannot lock several at once, or cannot read without a lock.
    pub fn begin(&mut self, organizations: &[OrgId], wants: &[Want]) -> Result<Begun, StoreError> {
        match self {
            Self::Sqlite(writer) => Ok(Begun { last: None, answers: writer.load(wants)? }),
            Self::Memory(memory) => Ok(Begun { last: None, answers: memory.load(wants)? }),
            Self::Postgres(writer) => writer.begin(organizations, wants),
        }
    }

    /// Returns the rows for each want, in the order of the wants.
    pub fn load(&mut self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(writer) => writer.load(wants),
            Self::Memory(memory) => memory.load(wants),
            Self::Postgres(writer) => writer.load(wants),
        }
    }

    /// Ends a batch: writes all of its changes, or none. `Ok` means durable. `last` is the time of its last command.
    pub fn commit(&mut self, changes: &[TableChanges], last: Time) -> Result<(), CommitError> {
        match self {
            Self::Sqlite(writer) => writer.commit(changes),
            Self::Memory(memory) => memory.commit(changes),
            Self::Postgres(writer) => writer.commit(changes, last),
        }
    }

    /// Starts a commit and returns before it is confirmed. Until `on_commit` is called, reads may or may not see the
    /// changes. Only one commit may be pending. If the writing thread dies, `on_commit` is dropped without a call; then
    /// the outcome is unknown.
    pub fn begin_commit(&mut self, changes: Vec<TableChanges>, last: Time, on_commit: OnCommit) {
        match self {
            Self::Sqlite(writer) => writer.begin_commit(changes, on_commit),
            Self::Memory(memory) => memory.begin_commit(changes, on_commit),
            Self::Postgres(writer) => writer.begin_commit(changes, last, on_commit),
        }
    }

    /// Returns whether another thread performs what [`Self::begin_commit`] starts, so that no further call is needed.
    pub fn commits_asynchronously(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            Self::Memory(_) => false,
            Self::Postgres(writer) => writer.reads_ahead(),
        }
    }

    /// Returns whether the next batch can be decided before the pending commit ends.
    pub fn decides_ahead(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => true,
            Self::Postgres(writer) => writer.reads_ahead(),
        }
    }

    /// Performs the pending commit, if no other thread does.
    pub fn finish_commit(&mut self) {
        match self {
            Self::Sqlite(_) => {}
            Self::Memory(memory) => memory.finish_commit(),
            Self::Postgres(writer) => writer.finish_commit(),
        }
    }

    pub fn abandon(&mut self) {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => {}
            Self::Postgres(writer) => writer.abandon(),
        }
    }
}

/// The reading half. Concurrent reads never wait for the writer.
#[derive(Clone)]
pub enum Reads {
    Sqlite(sqlite::Readers),
    Postgres(postgres::Readers),
    Memory(Memory),
}

impl Reads {
    /// Returns the rows for each want, in order, from one consistent state.
    pub fn load(&self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(readers) => readers.load(wants),
            Self::Postgres(readers) => readers.load(wants),
            Self::Memory(memory) => memory.clone().load(wants),
        }
    }

    /// Returns single records, from one consistent state, if a direct read is as fast as a queued one; `None` if other
    /// rows are wanted, all connections are in use, or the store is a server.
    pub fn load_at_once(&self, wants: &[Want]) -> Option<Result<Vec<Records>, StoreError>> {
        match self {
            Self::Sqlite(readers) => readers.load_at_once(wants),
            Self::Postgres(_) => None,
            Self::Memory(memory) => Some(memory.clone().load(wants).and_then(|rows| cache::records(wants, &rows))),
        }
    }

    /// Limits an embedded store to this many bytes; a server has its own quotas.
    pub fn limit_storage(&self, quota_bytes: Option<u64>) {
        match self {
            Self::Sqlite(readers) => readers.limit_storage(quota_bytes),
            Self::Postgres(_) | Self::Memory(_) => {}
        }
    }

    /// Returns whether an embedded store refuses changes for lack of room. A server reports this with each commit.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Sqlite(readers) => readers.is_full(),
            Self::Postgres(_) | Self::Memory(_) => false,
        }
    }

    /// Returns the space of an embedded store; `None` for a server.
    pub fn storage(&self) -> Option<Storage> {
        match self {
            Self::Sqlite(readers) => readers.storage(),
            Self::Postgres(_) | Self::Memory(_) => None,
        }
    }

    pub fn is_shared(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => false,
            Self::Postgres(_) => true,
        }
    }

    /// Checks that the store accepts writes; queries the server if there is one. Fails with `Read` and the reason.
    pub fn reachable(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => Ok(()),
            Self::Postgres(readers) => readers.reachable(),
        }
    }

    /// Reads one consistent state for as long as needed; commits continue in parallel.
    pub fn snapshot<T>(&self, fetch: impl FnOnce(&Snapshot<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(readers) => readers.snapshot(|transaction| fetch(&Snapshot::Sqlite(transaction))),
            Self::Postgres(readers) => readers.snapshot(|state| fetch(&Snapshot::Postgres(state))),
            Self::Memory(memory) => memory.snapshot(|tables| fetch(&Snapshot::Memory(tables))),
        }
    }
}
