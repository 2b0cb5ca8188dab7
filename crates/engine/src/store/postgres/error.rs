//! The reasons why a database cannot be opened.

use crate::clock::Time;

/// Why a database could not be opened. `database` is its URL without the password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No host accepts writes.
    #[error("cannot open the database {database}: {reason}")]
    Unreachable {
        database: String,
        /// The error of each host.
        reason: String,
    },
    #[error("cannot open the database {database}: cannot start a background thread: {source}")]
    Thread {
        database: String,
        /// From the operating system.
        source: std::io::Error,
    },
    /// The database belongs to another program, or its encoding cannot hold every text.
    #[error("the database {database} cannot be used: {reason}")]
    Unsuitable {
        database: String,
        /// The reason, and the remedy.
        reason: String,
    },
    #[error("cannot migrate the database {database}: {reason}")]
    Migration {
        database: String,
        /// The error with its causes.
        reason: String,
    },
    /// The schema is older than the program and may not be changed.
    #[error(
        "the database {database} needs {missing} migration(s); run `bursar migrate`, or start without --no-migrate"
    )]
    Outdated {
        database: String,
        /// The number of missing migrations.
        missing: usize,
    },
    /// The schema is newer than the program, which cannot interpret it.
    #[error(
        "the database {database} was migrated by a newer version of bursar; this version knows {known} of its \
         {applied} migrations. Run that version or a later one"
    )]
    Newer {
        database: String,
        /// The number of migrations in the database.
        applied: usize,
        known: usize,
    },
    /// A move into the database has not ended.
    #[error(
        "a move into the database {database} is not complete: from {source_file}, since {began_at}. Run the same \
         `bursar move` again to continue, or with --give-up to empty the database"
    )]
    HalfMoved {
        database: String,
        /// The file from which the store is moved.
        source_file: String,
        began_at: Time,
    },
    /// The database is distributed except for some tables, and may not be changed.
    #[error(
        "the database {database} is distributed, but {tables} are not; run `bursar migrate`, or start without \
         --no-migrate"
    )]
    Undistributed {
        database: String,
        /// Their names, separated by commas.
        tables: String,
    },
    /// The database cannot be distributed, or is distributed and unsafe.
    #[error("the database {database} cannot be used as a distributed database: {reason}")]
    Undistributable {
        database: String,
        /// The reason, and the remedy.
        reason: String,
    },
}
