//! The stores, which hold records and know no nouns.
//!
//! A store loads rows by index in bulk, reads pages, and commits all changes of a batch at once. It has no business
//! rules and no writes outside a commit.

mod background;
mod cache;
mod departure;
mod error;
mod halves;
pub mod memory;
pub mod migrations;
pub mod postgres;
mod reserve;
mod snapshot;
mod sql;
pub mod sqlite;

pub use background::BackgroundThread;
pub use cache::Records;
pub use departure::{Departing, Departure};
pub use error::{Begun, CommitError, OnCommit, StoreError};
pub use halves::{Reads, Store};
pub use memory::Memory;
pub use postgres::Postgres;
pub use reserve::{Reserve, Storage};
pub use snapshot::Snapshot;
pub use sqlite::Sqlite;
