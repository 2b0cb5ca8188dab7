//! Checks that a file is a store of bursar before it is opened: a failed copy, or another program's database, must not
//! be taken for one.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::connection::BUSY;
use super::error::OpenError;
use crate::store::migrations;

/// The start of every SQLite database.
const HEADER: &[u8; 16] = b"SQLite format 3\0";

/// Which files without tables are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Expected {
    Store,
    /// An existing store, or a file of a first start that was aborted before it created the tables.
    StoreOrNew,
}

/// Rejects a file that is not a store, with `NotAStore`. A missing file is accepted: opening it reports the error, or
/// creates it.
pub(in crate::store) fn check(path: &Path, expected: Expected) -> Result<(), OpenError> {
    let refused = |reason: &str| OpenError::NotAStore { path: path.display().to_string(), reason: reason.to_owned() };
    let mut header = [0; HEADER.len()];
    let read = File::open(path).and_then(|mut file| match file.metadata()?.len() {
        0 => Ok(false),
        _ => file.read_exact(&mut header).map(|()| true),
    });
    match read {
        Ok(true) if header == *HEADER => {}
        Ok(false) => return Err(refused("it is empty. Remove it to create a new store, or restore a backup")),
        Ok(true) => return Err(refused("it is not an SQLite database")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            return Err(refused("it is not an SQLite database"));
        }
        // Opening it reports why it cannot be read.
        Err(_) => return Ok(()),
    }
    let failed = |source| OpenError::Database { path: path.display().to_string(), source };
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    match (first_migration(&connection).map_err(failed)?, expected) {
        (Found::Ours, _) | (Found::NoTables, Expected::StoreOrNew) => Ok(()),
        (Found::NoTables, Expected::Store) => Err(refused("it has no tables")),
        (Found::Foreign, _) => Err(refused("it is a database of another program: bursar's migrations are not in it")),
    }
}

enum Found {
    Ours,
    NoTables,
    Foreign,
}

/// Determines the owner of the tables by the first migration.
fn first_migration(connection: &Connection) -> rusqlite::Result<Found> {
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    if count("SELECT count(*) FROM sqlite_master")? == 0 {
        return Ok(Found::NoTables);
    }
    if count("SELECT count(*) FROM sqlite_master WHERE name = 'refinery_schema_history'")? == 0 {
        return Ok(Found::Foreign);
    }
    let select = "SELECT name FROM refinery_schema_history ORDER BY version LIMIT 1";
    let first: Option<String> = connection.query_row(select, [], |row| row.get(0)).optional()?;
    Ok(match first {
        Some(name) if migrations::SQLITE.first().is_some_and(|ours| ours.name == name) => Found::Ours,
        Some(_) => Found::Foreign,
        // The history table is created before the first migration is recorded.
        None => Found::NoTables,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_store_passes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let passes = |expected| check(&path, expected).map_err(|error| error.to_string());
        assert_eq!(passes(Expected::Store), Ok(()), "opening says that it is not there");
        for (content, reason) in [("", "it is empty"), ("no", "not an SQLite"), ("no store at all, but long", "not an")]
        {
            std::fs::write(&path, content).unwrap();
            for expected in [Expected::Store, Expected::StoreOrNew] {
                assert!(passes(expected).unwrap_err().contains(reason), "{content}");
            }
        }
        std::fs::remove_file(&path).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        assert!(passes(Expected::Store).unwrap_err().contains("no tables"));
        assert_eq!(passes(Expected::StoreOrNew), Ok(()), "a first start may have been killed here");
        connection.execute("CREATE TABLE notes (note TEXT)", []).unwrap();
        assert!(passes(Expected::StoreOrNew).unwrap_err().contains("another program"));
        // Other programs use the same migration tool.
        let history = "CREATE TABLE refinery_schema_history (version INTEGER PRIMARY KEY, name TEXT)";
        connection.execute(history, []).unwrap();
        connection.execute("INSERT INTO refinery_schema_history VALUES (1, 'their_first')", []).unwrap();
        assert!(passes(Expected::StoreOrNew).unwrap_err().contains("another program"));
        drop(connection);

        let own = folder.path().join("own.sqlite");
        drop(super::super::Sqlite::open(&own, true).unwrap());
        check(&own, Expected::Store).unwrap();
    }
}
