//! An embedded store that moves to a server: the mark in it that says where to, and since when it is gone.
//!
//! Invariant: nobody serves a store that has left ([`refuse_moved`]). Deliberately absent: writing anything else. Its
//! records stay as they are, so that it can be come back to.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};
use uuid::Uuid;

use super::sqlite::identity::{self, Expected};
use super::sqlite::{OpenError, Readers, bring_up_to_date, prepare, unreadable};
use super::{Reads, Reserve, StoreError};
use crate::clock::Time;

/// An embedded store, opened to move away. Whoever opens it holds its lock.
pub struct Departure {
    connection: Connection,
    readers: Readers,
}

/// What an embedded store says of its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departing {
    /// The move; the database says the same id.
    pub id: Uuid,
    /// Where to, without user and password.
    pub target: String,
    /// Since when.
    pub began_at: Time,
    /// When it left: from then on it is not served.
    pub left_at: Option<Time>,
}

impl Departure {
    /// Opens an existing store whose schema is exactly the program's.
    ///
    /// # Errors
    /// `Outdated` and `Newer` when it is not; `Database` when it does not open.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Database { path: path.display().to_string(), source };
        identity::check(path, Expected::Store)?;
        let mut connection = Connection::open(path).map_err(failed)?;
        prepare(&connection).map_err(failed)?;
        bring_up_to_date(&mut connection, path, false)?;
        let readers = Readers::open(path, Reserve::of(path)).map_err(failed)?;
        Ok(Self { connection, readers })
    }

    /// Everything in it.
    pub fn reads(&self) -> Reads {
        Reads::Sqlite(self.readers.clone())
    }

    /// What it says of its move; `None` where it does not move.
    pub fn mark(&self) -> Result<Option<Departing>, StoreError> {
        mark(&self.connection).map_err(unreadable)
    }

    /// Writes down that it moves, before the database hears of the move. An earlier move that came to nothing is forgotten.
    pub fn begin(&mut self, departing: &Departing) -> Result<(), StoreError> {
        let Departing { id, target, began_at, left_at } = departing;
        let transaction = self.connection.transaction().map_err(unreadable)?;
        transaction.execute("DELETE FROM moves", []).map_err(unreadable)?;
        let insert = "INSERT INTO moves (id, target, began_at, left_at) VALUES (?1, ?2, ?3, ?4)";
        let values = params![id.as_bytes(), target, began_at.micros(), left_at.map(Time::micros)];
        transaction.execute(insert, values).map_err(unreadable)?;
        transaction.commit().map_err(unreadable)
    }

    /// Writes down that it has left. Before the database is opened to anybody, so that never both are served.
    pub fn leave(&mut self, now: Time) -> Result<(), StoreError> {
        let left = "UPDATE moves SET left_at = ?1 WHERE left_at IS NULL";
        self.connection.execute(left, [now.micros()]).map(|_| ()).map_err(unreadable)
    }

    /// Forgets the move: it is served again.
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

/// Keeps whoever would serve it out of a store that has left. Its schema is up to date.
pub(super) fn refuse_moved(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let path = path.display().to_string();
    let found = mark(connection).map_err(|source| OpenError::Database { path: path.clone(), source })?;
    match found {
        Some(Departing { target, left_at: Some(left_at), .. }) => Err(OpenError::Moved { path, target, left_at }),
        Some(Departing { left_at: None, .. }) | None => Ok(()),
    }
}
