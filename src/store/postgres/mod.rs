//! A store that many processes share: PostgreSQL, 15 or newer.
//!
//! A batch is one transaction of one organization. Its first statement locks the organization's row of `tenants`,
//! so that everything in an organization is serial across all processes, whoever runs it; nothing waits for two
//! such rows, so nobody waits in a circle. The row carries the last moment that was given to a command, and so
//! each command has a moment of its own in every process.
//!
//! Invariants: when a commit answers `Ok`, the server has said that it is durable; when it may or may not have
//! committed, that is told; after anything unexpected the connection is thrown away, and with it the transaction.
//! A process that stops with the lock in hand is thrown out by the server after [`link::IDLE_MAX_MILLIS`].
//!
//! Deliberately absent: sequences, advisory locks and LISTEN on the way of money, cancelling a commit, and
//! reading from a standby. Start at [`Writer`] and [`Readers`].

mod arrival;
mod cells;
mod distribution;
mod connector;
mod filling;
mod link;
mod nodes;
mod readers;
mod schema;
mod settings;
mod statements;
mod statistics;
mod writer;

use std::sync::Arc;

pub use arrival::{Arrival, Arriving, Found};
use connector::Connector;
pub use readers::{Readers, State};
use schema::May;
pub use settings::Settings;
pub use writer::Writer;

use super::BackgroundThread;
use crate::clock::Time;

/// An opened database: a writer for each executor, and its readers.
pub struct Postgres {
    /// One for each executor.
    pub writers: Vec<Writer>,
    /// For everyone who reads.
    pub readers: Readers,
    /// Has tables analyzed that grow, and knows the nodes of a distributed database, until it is dropped.
    pub background: Vec<BackgroundThread>,
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no primary to be had.
    #[error("cannot open the database {database}: {reason}")]
    Unreachable {
        /// Where it is, without its password.
        database: String,
        /// The reason.
        reason: String,
    },
    /// The system has no thread for what is done beside it.
    #[error("cannot open the database {database}: cannot start a background thread: {source}")]
    Thread {
        /// Where it is, without its password.
        database: String,
        /// The reason.
        source: std::io::Error,
    },
    /// No database for us: somebody else's, or one that cannot hold every text.
    #[error("the database {database} cannot be used: {reason}")]
    Unsuitable {
        /// Where it is, without its password.
        database: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// The schema could not be brought up to date.
    #[error("cannot migrate the database {database}: {reason}")]
    Migration {
        /// Where it is, without its password.
        database: String,
        /// The reason.
        reason: String,
    },
    /// The schema is older than the program and may not be changed.
    #[error(
        "the database {database} needs {missing} migration(s); run `bursar migrate`, or start without --no-migrate"
    )]
    Outdated {
        /// Where it is, without its password.
        database: String,
        /// How many are missing.
        missing: usize,
    },
    /// The schema is newer than the program, which would not know what it means.
    #[error(
        "the database {database} was migrated by a newer version of bursar; this version knows {known} of its \
         {applied} migrations. Run that version or a later one"
    )]
    Newer {
        /// Where it is, without its password.
        database: String,
        /// How many migrations it has had.
        applied: usize,
        /// How many the program knows.
        known: usize,
    },
    /// A store moves into it, and not all of it is here.
    #[error(
        "a move into the database {database} is not complete: from {source_file}, since {began_at}. Run the same \
         `bursar move` again to continue, or with --give-up to empty the database"
    )]
    HalfMoved {
        /// Where it is, without its password.
        database: String,
        /// The file that it comes from.
        source_file: String,
        /// Since when.
        began_at: Time,
    },
    /// It is distributed but for some tables, and may not be changed.
    #[error(
        "the database {database} is distributed, but {tables} are not; run `bursar migrate`, or start without \
         --no-migrate"
    )]
    Undistributed {
        /// Where it is, without its password.
        database: String,
        /// Their names.
        tables: String,
    },
    /// It cannot be distributed, or is and cannot be relied on.
    #[error("the database {database} cannot be used as a distributed database: {reason}")]
    Undistributable {
        /// Where it is, without its password.
        database: String,
        /// The reason, and what to do.
        reason: String,
    },
}

impl Postgres {
    /// Connects, and brings the schema up to date if `migrate` allows it, new tables of a distributed database
    /// included. Many processes may do so at once.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(settings: Settings, migrate: bool, executors: usize) -> Result<Self, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let may = if migrate { May::Migrate } else { May::Check };
        let (mut link, _) = schema::bring_up_to_date(&connector, may)?;
        arrival::refuse_half_moved(&mut link, connector.settings.to_string())?;
        let writers = (0..executors.max(1)).map(|_| Writer::new(connector.clone())).collect();
        let no_thread = |source| OpenError::Thread { database: connector.settings.to_string(), source };
        let mut background = vec![statistics::keep(connector.clone()).map_err(no_thread)?];
        // Who goes by way of a pooler must not go past it.
        if link.has_citus() && !connector.settings.pooled {
            background.push(nodes::keep(connector.clone()).map_err(no_thread)?);
        }
        Ok(Self { writers, readers: Readers::new(connector), background })
    }

    /// Brings the schema up to date, and spreads it over the nodes of a cluster of Citus, each organization on one of
    /// them. Gives the names of the tables that were not spread before. Nobody may serve the database meanwhile.
    ///
    /// # Errors
    /// `Undistributable` where there is no such cluster; see [`OpenError`].
    pub fn distribute(settings: Settings) -> Result<Vec<String>, OpenError> {
        let (_, tables) = schema::bring_up_to_date(&Connector::new(settings), May::Distribute)?;
        Ok(tables)
    }

    /// For reading only, for `bursar verify` and its like.
    ///
    /// # Errors
    /// `Outdated`, `Newer` or `HalfMoved` when what is there is not what the program would read; see [`OpenError`].
    pub fn read_only(settings: Settings) -> Result<Readers, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let (mut link, _) = schema::bring_up_to_date(&connector, May::Check)?;
        arrival::refuse_half_moved(&mut link, connector.settings.to_string())?;
        Ok(Readers::new(connector))
    }
}
