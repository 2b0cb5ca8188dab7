//! The writing half: a connection that writes, on its own thread, and a connection that reads rows for the next batch.
//!
//! Invariant: commits are written in the order in which they were started. Reads see every confirmed commit, and all or
//! nothing of the pending one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{CachedStatement, Connection, TransactionBehavior, params_from_iter};

use super::connection::read_connection;
use super::error::OpenError;
use super::readers::load_consistently;
use crate::store::background::BackgroundThread;
use crate::store::cache::RowCache;
use crate::store::error::{CommitError, OnCommit, StoreError};
use crate::store::{Reserve, sql};
use crate::world::{Columns, Row, TableChanges, Want};

/// When the log holds this many pages (64 MiB), the writer itself moves the rest into the database, so that the log
/// restarts. The pages in use count, not the file, which never shrinks.
const LOG_MAX_PAGES: u64 = 64 * 1024 * 1024 / 4096;
/// The pause between background checkpoints. A shorter pause leaves less to the writer and shortens flushes, but writes
/// frequently changed pages more often.
const CHECKPOINT_EVERY: Duration = Duration::from_millis(100);
/// The reserve is checked once a second.
const RESERVE_EVERY_PASSES: u32 = 10;

pub struct Writer {
    lookups: Connection,
    writing: Arc<Mutex<Writing>>,
    /// The queue of the thread; `None` only during the drop.
    begun: Option<Sender<Begun>>,
    thread: Option<JoinHandle<()>>,
}

struct Begun {
    changes: Vec<TableChanges>,
    on_commit: OnCommit,
}

struct Writing {
    connection: Connection,
    reserve: Reserve,
    /// What this process's reads keep. No other writes to the file.
    cache: Arc<RowCache>,
    /// The number of pages in the log after the last background checkpoint; reset when the writer checkpoints.
    log: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the thread over a connection that writes to the file. `log` counts the pages in its log. Fails if no
    /// thread can start, or the file cannot be read.
    pub(super) fn start(
        path: &Path,
        connection: Connection,
        log: Arc<AtomicU64>,
        reserve: Reserve,
        cache: Arc<RowCache>,
    ) -> Result<Self, OpenError> {
        let name = || path.display().to_string();
        let lookups = read_connection(path).map_err(|source| OpenError::Database { path: name(), source })?;
        let writing = Arc::new(Mutex::new(Writing { connection, reserve, cache, log }));
        let (begun, waiting) = channel();
        let background = writing.clone();
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || write_all(&background, &waiting));
        let thread = thread.map_err(|source| OpenError::Thread { path: name(), what: "commits", source })?;
        Ok(Self { lookups, writing, begun: Some(begun), thread: Some(thread) })
    }

    pub(in crate::store) fn load(&mut self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        load_consistently(&mut self.lookups, wants)
    }

    /// Writes on the caller's thread. No commit may be pending.
    pub(in crate::store) fn commit(&mut self, changes: &[TableChanges]) -> Result<(), CommitError> {
        let mut writing = lock(&self.writing);
        writing.commit(changes)?;
        writing.bound_the_log();
        Ok(())
    }

    /// Queues a commit for the thread. If the thread has died, `on_commit` is dropped without a call.
    pub(in crate::store) fn begin_commit(&mut self, changes: Vec<TableChanges>, on_commit: OnCommit) {
        if let Some(begun) = &self.begun {
            drop(begun.send(Begun { changes, on_commit }));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The thread ends after it has written the queued commits and the queue is closed.
        self.begun = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked");
        }
    }
}

fn lock(writing: &Mutex<Writing>) -> MutexGuard<'_, Writing> {
    writing.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_all(writing: &Mutex<Writing>, waiting: &Receiver<Begun>) {
    while let Ok(Begun { changes, on_commit }) = waiting.recv() {
        let mut writing = lock(writing);
        let outcome = writing.commit(&changes);
        let is_written = outcome.is_ok();
        // The caller does not wait for the checkpoint.
        on_commit(outcome);
        if is_written {
            writing.bound_the_log();
        }
    }
}

impl Writing {
    fn commit(&mut self, changes: &[TableChanges]) -> Result<(), CommitError> {
        self.cache.begin_commit(changes);
        let outcome = match self.commit_once(changes) {
            Err(CommitError::Full(_)) if self.reserve.release() => self.commit_once(changes),
            outcome => outcome,
        };
        self.cache.end_commit(&outcome);
        outcome
    }

    fn commit_once(&mut self, changes: &[TableChanges]) -> Result<(), CommitError> {
        if changes.is_empty() {
            return Ok(());
        }
        let unknown = |error: rusqlite::Error| CommitError::Unknown(error.to_string());
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unknown)?;
        for change in changes {
            if let Err(error) = write(&transaction, change) {
                let refused = error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation);
                // On a full disk SQLite may roll back automatically; then ROLLBACK fails.
                let rolled_back = transaction.rollback().is_ok() || self.connection.is_autocommit();
                let reason = format!("{}: {error}", change.table.name);
                // No COMMIT was sent, so the outcome is definite after the rollback.
                return Err(match rolled_back {
                    true if refused => CommitError::Refused(reason),
                    true if is_full(&error) => CommitError::Full(reason),
                    true | false => CommitError::Unknown(reason),
                });
            }
        }
        let Err(error) = transaction.commit() else { return Ok(()) };
        // A transaction's last frame in the log was not written; without it the others are ignored.
        let definite = is_full(&error) && self.connection.is_autocommit();
        Err(if definite { CommitError::Full(error.to_string()) } else { unknown(error) })
    }

    /// Moves the rest of the log into the database. The next commit then restarts the log, unless a reader still uses
    /// it; the next background checkpoint tries again. Never waits for readers.
    fn bound_the_log(&mut self) {
        if self.log.load(Ordering::Relaxed) < LOG_MAX_PAGES {
            return;
        }
        self.log.store(0, Ordering::Relaxed);
        if let Err(error) = checkpoint(&self.connection) {
            tracing::warn!(%error, "the log cannot be checkpointed");
        }
    }
}

/// Returns whether the disk was full. A failed flush does not count: its data may be on the disk.
fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
}

/// Moves pages from the log into the database, except those whose old versions are being read. Returns the number of
/// pages in the log.
fn checkpoint(connection: &Connection) -> rusqlite::Result<u64> {
    // SQLite reports -1 pages if there is no log.
    let pages: i64 = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))?;
    Ok(u64::try_from(pages).unwrap_or(0))
}

fn write(connection: &Connection, change: &TableChanges) -> rusqlite::Result<()> {
    let table = change.table;
    if !change.deletes.is_empty() {
        let mut statement = connection.prepare_cached(&sql::delete(table))?;
        for key in &change.deletes {
            statement.execute(params_from_iter(key.iter()))?;
        }
    }
    if !change.updates.is_empty() {
        let mut prepared: HashMap<Columns, CachedStatement<'_>> = HashMap::new();
        for (at, row) in change.updates.iter().enumerate() {
            let changed = change.changed.get(at).copied().unwrap_or(Columns::ALL);
            let statement = match prepared.entry(changed) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(connection.prepare_cached(&sql::update(table, changed))?),
            };
            let key = table.key().columns;
            let values = row.iter().enumerate().filter(|(at, _)| changed.contains(*at) || key.contains(at));
            statement.execute(params_from_iter(values.map(|(_, value)| value)))?;
        }
    }
    if !change.inserts.is_empty() {
        let mut statement = connection.prepare_cached(&sql::insert(table))?;
        for row in &change.inserts {
            statement.execute(params_from_iter(row))?;
        }
    }
    Ok(())
}

/// Checkpoints the log in the background, so that commits rarely wait for it, and counts its pages in `log`. SQLite
/// flushes the database only after it has emptied the log, which never happens under load; so this flushes it, and the
/// writer's checkpoint finds little left to flush.
pub(super) fn checkpoints(
    connection: Connection,
    path: &Path,
    log: Arc<AtomicU64>,
    reserve: Reserve,
) -> std::io::Result<BackgroundThread> {
    // Stays open until the end: closing it would release the locks of all connections of this process.
    let database = File::open(path)?;
    let mut passes: u32 = 0;
    BackgroundThread::start("checkpointer", CHECKPOINT_EVERY, move || {
        if passes.is_multiple_of(RESERVE_EVERY_PASSES) {
            reserve.keep();
        }
        passes = passes.wrapping_add(1);
        let moved = checkpoint(&connection);
        if let Err(error) = database.sync_data() {
            tracing::warn!(%error, "the database cannot be flushed after a background checkpoint");
        }
        match moved {
            Ok(pages) => log.store(pages, Ordering::Relaxed),
            // The state is logged once, when it begins.
            Err(error) if is_full(&error) => tracing::debug!(%error, "a background checkpoint found the disk full"),
            Err(error) => tracing::warn!(%error, "a background checkpoint failed"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::prepare;
    use super::*;

    #[test]
    fn a_long_log_restarts_when_no_reader_needs_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let connection = Connection::open(&path).unwrap();
        prepare(&connection).unwrap();
        connection.execute("CREATE TABLE notes (note BLOB NOT NULL)", []).unwrap();
        let log = Arc::new(AtomicU64::new(0));
        let reserve = Reserve::of(&path);
        let mut writing = Writing { connection, reserve, cache: Arc::default(), log: log.clone() };
        let note = "INSERT INTO notes VALUES (zeroblob(40000))";
        writing.connection.execute(note, []).unwrap();
        let size = || std::fs::metadata(folder.path().join("x.sqlite-wal")).unwrap().len();
        // The file never shrinks: appending to the log makes it larger, restarting does not.
        let mut grows_when = |pages: u64| {
            log.store(pages, Ordering::Relaxed);
            writing.bound_the_log();
            let before = size();
            writing.connection.execute(note, []).unwrap();
            size() > before
        };

        assert!(grows_when(LOG_MAX_PAGES - 1), "it is short");
        let mut reader = read_connection(&path).unwrap();
        let reading = reader.transaction().unwrap();
        let count = |connection: &Connection| -> i64 {
            connection.query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap()
        };
        assert_eq!(count(&reading), 2);
        assert!(grows_when(LOG_MAX_PAGES), "a reader uses the old state");
        assert_eq!(count(&reading), 2);
        drop(reading);
        assert!(!grows_when(LOG_MAX_PAGES));
        assert_eq!(count(&reader), 4);
    }
}
