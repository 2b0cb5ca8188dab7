//! The reasons why a file cannot be opened.

use crate::clock::Time;
use crate::store::error::StoreError;

/// Why a database could not be opened. `path` is its file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot open the database {path}: {source}")]
    Database {
        path: String,
        /// From SQLite.
        source: rusqlite::Error,
    },
    #[error("cannot open the database {path}: cannot start the thread for its {what}: {source}")]
    Thread {
        path: String,
        /// The purpose of the thread.
        what: &'static str,
        source: std::io::Error,
    },
    #[error("cannot open the database {path}: it is not a bursar store: {reason}")]
    NotAStore {
        path: String,
        /// The contents found, and the remedy.
        reason: String,
    },
    #[error("cannot migrate the database {path}: {reason}")]
    Migration {
        path: String,
        /// The message of the migration tool.
        reason: String,
    },
    /// The schema is older than the program and may not be changed.
    #[error("the database {path} needs {missing} migration(s); run `bursar migrate`, or start without --no-migrate")]
    Outdated {
        path: String,
        /// The number of missing migrations.
        missing: usize,
    },
    /// The schema is newer than the program.
    #[error("the database {path} was created by a newer version of bursar")]
    Newer {
        /// The database file.
        path: String,
    },
    /// All data has moved to a server; serving the store too would fork it.
    #[error(
        "the store {path} moved to {target} on {left_at}. Serve that database with --database-url, the same data \
         folder and the same key file. To return to this file, run `bursar move --give-up --to` with that database"
    )]
    Moved {
        path: String,
        /// The URL of the database, without user and password.
        target: String,
        left_at: Time,
    },
}

pub(in crate::store) fn unreadable(error: rusqlite::Error) -> StoreError {
    StoreError::Read(error.to_string())
}
