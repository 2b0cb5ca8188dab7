//! The store for several processes: PostgreSQL 15 or later.
//!
//! A batch is one transaction of one organization. Its first statement locks the organization's row of `tenants`, which
//! serializes the organization's commands across all processes. No transaction waits for two such rows, so there are no
//! deadlocks. The row holds the last command time, so each command's time is unique across processes.
//!
//! Invariants: `Ok` from a commit means that the server confirmed it as durable; an uncertain commit is reported as
//! unknown; after an unexpected error the connection is dropped, and its transaction with it. The server ends the
//! transaction of a stopped process after [`link::IDLE_MAX_MILLIS`].
//!
//! Payment paths use no sequences, no advisory locks and no LISTEN; commits are never canceled, and standbys are not
//! read. Start at [`Writer`] and [`Readers`].

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

pub struct Postgres {
    /// One for each executor.
    pub writers: Vec<Writer>,
    pub readers: Readers,
    /// Analyzes grown tables and tracks the nodes of a distributed database, until it is dropped.
    pub background: Vec<BackgroundThread>,
}

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

impl Postgres {
    /// Connects, and brings the schema up to date if `migrate` allows it, including new tables of a distributed
    /// database. Safe to run in many processes at once.
    pub fn open(settings: Settings, migrate: bool, executors: usize) -> Result<Self, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let may = if migrate { May::Migrate } else { May::Check };
        let (mut link, _) = schema::bring_up_to_date(&connector, may)?;
        arrival::refuse_half_moved(&mut link, connector.settings.to_string())?;
        let writers = (0..executors.max(1)).map(|_| Writer::new(connector.clone())).collect();
        let no_thread = |source| OpenError::Thread { database: connector.settings.to_string(), source };
        let mut background = vec![statistics::keep(connector.clone()).map_err(no_thread)?];
        // A configured pooler must not be bypassed.
        if link.has_citus() && !connector.settings.pooled {
            background.push(nodes::keep(connector.clone()).map_err(no_thread)?);
        }
        Ok(Self { writers, readers: Readers::new(connector), background })
    }

    /// Brings the schema up to date and distributes it over the nodes of a Citus cluster, each organization on one of
    /// them. Returns the names of the tables that it distributed. The database must not be served during the call.
    /// Fails with `Undistributable` without such a cluster.
    pub fn distribute(settings: Settings) -> Result<Vec<String>, OpenError> {
        let (_, tables) = schema::bring_up_to_date(&Connector::new(settings), May::Distribute)?;
        Ok(tables)
    }

    /// Opens a database for reading only, such as for `bursar verify`. Fails with `Outdated`, `Newer` or `HalfMoved` if
    /// the program cannot read it.
    pub fn read_only(settings: Settings) -> Result<Readers, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let (mut link, _) = schema::bring_up_to_date(&connector, May::Check)?;
        arrival::refuse_half_moved(&mut link, connector.settings.to_string())?;
        Ok(Readers::new(connector))
    }
}
