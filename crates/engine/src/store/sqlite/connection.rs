//! Connections to the file, and its schema.

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::OpenError;
use super::schema;
use crate::store::migrations;

pub(super) const BUSY: Duration = Duration::from_secs(10);

/// Prepared statements per connection; a table needs about three.
const STATEMENTS_MAX: usize = 256;

/// Creates the file with access for its owner only, unless it exists; SQLite gives the log and its index the same mode.
/// Errors are ignored here, because SQLite reports them better.
pub(super) fn make_private(path: &Path) {
    let made = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
    drop(made);
}

pub(in crate::store) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    keep_plans(connection)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // Deleted and overwritten data must not remain in free bytes of the file, above all that of erased payees.
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // The log file is overwritten from its start after a checkpoint; appending costs twice as much.
    connection.pragma_update(None, "journal_size_limit", -1)?;
    // 16 MiB. After each commit SQLite scans the whole cache; the system caches the rest of the file.
    connection.pragma_update(None, "cache_size", -16_384)?;
    Ok(())
}

pub(in crate::store) fn bring_up_to_date(
    connection: &mut Connection,
    path: &Path,
    migrate: bool,
) -> Result<(), OpenError> {
    let failed = |reason| OpenError::Migration { path: path.display().to_string(), reason };
    if migrate {
        return schema::migrate(connection, i32::MAX).map_err(failed);
    }
    let known = migrations::SQLITE.len();
    let applied = schema::history(connection).map_err(failed)?.len();
    if applied < known {
        return Err(OpenError::Outdated { path: path.display().to_string(), missing: known - applied });
    }
    if applied > known {
        return Err(OpenError::Newer { path: path.display().to_string() });
    }
    Ok(())
}

pub(super) fn read_connection(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    keep_plans(&connection)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// Keeps the plan of a statement when its parameters change. By default SQLite prepares some statements again for each
/// new value.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(|_| ())
}
