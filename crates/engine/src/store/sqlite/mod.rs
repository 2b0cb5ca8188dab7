//! The embedded store: SQLite in WAL mode, with one writer and several readers.
//!
//! Invariant: `Ok` from a commit means that the changes are on the disk (`synchronous=FULL`: the log is flushed before
//! COMMIT returns). Commits and checkpoints are in `writer.rs`.

mod connection;
mod error;
#[cfg(test)]
mod fresh;
pub(in crate::store) mod identity;
mod open;
mod readers;
pub mod schema;
mod writer;

pub(in crate::store) use connection::{bring_up_to_date, prepare};
pub use error::OpenError;
pub(in crate::store) use error::unreadable;
pub use open::Sqlite;
pub use readers::Readers;
pub(in crate::store) use readers::{each, get};
pub use writer::Writer;
