//! The outcomes of reads and commits.

use crate::clock::Time;
use crate::world::Row;
use crate::world::record::Corrupt;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store cannot be read: {0}")]
    Read(String),
    /// The row was read but is damaged.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// Another writer of a shared store was in the way, or the connection broke. A retry may succeed.
    #[error("the store cannot be read now: {0}")]
    Again(String),
    #[error("the storage is full: {0}")]
    Full(String),
}

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Nothing was written: a unique index or a rule of the schema rejected the changes.
    #[error("the store refused the changes: {0}")]
    Refused(String),
    /// Nothing was written: another writer of a shared store was in the way, or the connection broke before COMMIT. The
    /// batch can be retried.
    #[error("the store cannot commit now: {0}")]
    Again(String),
    /// Nothing was written: the storage is full.
    #[error("the storage is full: {0}")]
    Full(String),
    /// The changes may or may not have been written.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
}

/// Receives the outcome of a commit, on the thread that wrote it.
pub type OnCommit = Box<dyn FnOnce(Result<(), CommitError>) + Send>;

#[derive(Debug)]
pub struct Begun {
    /// The last time that any process gave to a command of these organizations; `None` if this process is the only
    /// writer.
    pub last: Option<Time>,
    /// In the order of the wants.
    pub answers: Vec<Vec<Row>>,
}
