//! The embedded store's side of a move to a server: a mark with the target and the times of the move.
//!
//! Invariant: a store that has moved is not served ([`refuse_moved`]). The mark is all that a move writes here; the
//! records stay, so that the move can be undone.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};
use uuid::Uuid;

use super::sqlite::identity::{self, Expected};
use super::sqlite::{OpenError, Readers, bring_up_to_date, prepare, unreadable};
use super::{Reads, Reserve, StoreError};
use crate::clock::Time;

/// An embedded store that is opened for a move. It holds the store's lock.
pub struct Departure {
    connection: Connection,
    readers: Readers,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departing {
    /// The database holds the same id.
    pub id: Uuid,
    /// Without user and password.
    pub target: String,
    pub began_at: Time,
    /// From this time on the store is not served.
    pub left_at: Option<Time>,
}

impl Departure {
    /// Opens an existing store whose schema is exactly the program's. Fails with `Outdated` or `Newer` otherwise.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Database { path: path.display().to_string(), source };
        identity::check(path, Expected::Store)?;
        let mut connection = Connection::open(path).map_err(failed)?;
        prepare(&connection).map_err(failed)?;
        bring_up_to_date(&mut connection, path, false)?;
        let readers = Readers::open(path, Reserve::of(path)).map_err(failed)?;
        Ok(Self { connection, readers })
    }

    pub fn reads(&self) -> Reads {
        Reads::Sqlite(self.readers.clone())
    }

    /// Returns the mark; `None` if the store is not moving.
    pub fn mark(&self) -> Result<Option<Departing>, StoreError> {
        mark(&self.connection).map_err(unreadable)
    }

    /// Writes the mark, before anything is written to the database. Replaces the mark of an earlier, abandoned move.
    pub fn begin(&mut self, departing: &Departing) -> Result<(), StoreError> {
        let Departing { id, target, began_at, left_at } = departing;
        let transaction = self.connection.transaction().map_err(unreadable)?;
        transaction.execute("DELETE FROM moves", []).map_err(unreadable)?;
        let insert = "INSERT INTO moves (id, target, began_at, left_at) VALUES (?1, ?2, ?3, ?4)";
        let values = params![id.as_bytes(), target, began_at.micros(), left_at.map(Time::micros)];
        transaction.execute(insert, values).map_err(unreadable)?;
        transaction.commit().map_err(unreadable)
    }

    /// Marks the store as moved. Must run before the database is opened for service, so that only one of the two is
    /// served.
    pub fn leave(&mut self, now: Time) -> Result<(), StoreError> {
        let left = "UPDATE moves SET left_at = ?1 WHERE left_at IS NULL";
        self.connection.execute(left, [now.micros()]).map(|_| ()).map_err(unreadable)
    }

    /// Removes the mark, so that the store is served again.
    pub fn stay(&mut self) -> Result<(), StoreError> {
        self.connection.execute("DELETE FROM moves", []).map(|_| ()).map_err(unreadable)
    }
}

fn mark(connection: &Connection) -> rusqlite::Result<Option<Departing>> {
    let select = "SELECT id, target, began_at, left_at FROM moves";
    let read = |row: &rusqlite::Row<'_>| {
        let id: [u8; 16] = row.get(0)?;
        let left_at: Option<i64> = row.get(3)?;
        Ok(Departing {
            id: Uuid::from_bytes(id),
            target: row.get(1)?,
            began_at: Time::from_micros(row.get(2)?),
            left_at: left_at.map(Time::from_micros),
        })
    };
    connection.query_row(select, [], read).optional()
}

/// Rejects a store that has moved. Its schema must be up to date.
pub(super) fn refuse_moved(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let path = path.display().to_string();
    let found = mark(connection).map_err(|source| OpenError::Database { path: path.clone(), source })?;
    match found {
        Some(Departing { target, left_at: Some(left_at), .. }) => Err(OpenError::Moved { path, target, left_at }),
        Some(Departing { left_at: None, .. }) | None => Ok(()),
    }
}
