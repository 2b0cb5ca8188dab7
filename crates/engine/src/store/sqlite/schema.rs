//! The schema of an embedded database, brought up to date.

use rusqlite::Connection;

use crate::store::migrations::{self, Applied};

/// Runs the migrations up to a version that the database lacks. Each one commits with its row in the history table.
///
/// # Errors
/// The reason: a migration failed, or the history is not one of this program.
pub fn migrate(connection: &mut Connection, version: i32) -> Result<(), String> {
    let failed = |error: rusqlite::Error| format!("cannot create the history of migrations: {error}");
    connection.execute_batch(migrations::CREATE_HISTORY).map_err(failed)?;
    for migration in migrations::missing(migrations::SQLITE, &history(connection)?)? {
        if migration.version > version {
            break;
        }
        let failed = |error: rusqlite::Error| format!("error applying migration {migration}: {error}");
        let transaction = connection.transaction().map_err(failed)?;
        transaction.execute_batch(migration.sql).map_err(failed)?;
        transaction.execute_batch(&migration.record()).map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
    Ok(())
}

/// The migrations that the database has had, by version.
pub(super) fn history(connection: &Connection) -> Result<Vec<Applied>, String> {
    let read = || {
        let mut statement = connection.prepare(migrations::READ_HISTORY)?;
        let row =
            |row: &rusqlite::Row<'_>| Ok(Applied { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)? });
        statement.query_map([], row)?.collect::<rusqlite::Result<_>>()
    };
    read().map_err(|error| format!("cannot read the history of migrations: {error}"))
}
