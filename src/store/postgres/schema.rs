//! The schema of the database, brought up to date by one process at a time.

use std::time::Duration;

use super::OpenError;
use super::door::Door;
use super::link::{Ask, Link, Trouble};

mod migrations {
    refinery::embed_migrations!("migrations/postgres");
}

/// Whoever migrates holds this lock: `bursar` in ASCII. It is held by a transaction, so poolers do not mind.
const MIGRATING: i64 = 0x6275_7273_6172;
/// How long one waits for another process that migrates.
const MIGRATED_WITHIN: Duration = Duration::from_secs(600);
const DEADLINE: Duration = Duration::from_secs(10);

/// Brings the schema up to date if `migrate` allows it, else looks whether it is. Gives the connection.
pub(super) fn bring_up_to_date(door: &Door, migrate: bool) -> Result<Link, OpenError> {
    let database = door.settings.to_string();
    let failed = |reason: String| OpenError::Migration { database: database.clone(), reason };
    let open = || door.open(false).map_err(|reason| OpenError::Unreachable { database: database.clone(), reason });
    let mut link = open()?;
    let missing = |link: &mut Link| -> Result<usize, OpenError> {
        let known = migrations::migrations::runner().get_migrations().len();
        Ok(known.saturating_sub(applied(link).map_err(|trouble| failed(trouble.to_string()))?))
    };
    match missing(&mut link)? {
        0 => return Ok(link),
        missing if !migrate => return Err(OpenError::Outdated { database, missing }),
        _ => {}
    }
    let mut guard = open()?;
    let lock = [
        Ask::Plain("BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0".to_owned()),
        Ask::Plain(format!("SELECT pg_advisory_xact_lock({MIGRATING})")),
    ];
    guard.ask_all(&lock, MIGRATED_WITHIN).map_err(|trouble| failed(trouble.to_string()))?;
    if missing(&mut link)? > 0 {
        let ran = link.with_client(async |client| migrations::migrations::runner().run_async(client).await);
        ran.map_err(|error| failed(error.to_string()))?;
    }
    guard.ask_all(&[Ask::Plain("COMMIT".to_owned())], DEADLINE).map_err(|trouble| failed(trouble.to_string()))?;
    Ok(link)
}

/// How many migrations the database has had.
fn applied(link: &mut Link) -> Result<usize, Trouble> {
    let exists = "SELECT 1 WHERE to_regclass('refinery_schema_history') IS NOT NULL";
    if link.ask_all(&[Ask::Once(exists.to_owned())], DEADLINE)?[0].is_empty() {
        return Ok(0);
    }
    let applied = "SELECT version FROM refinery_schema_history";
    Ok(link.ask_all(&[Ask::Once(applied.to_owned())], DEADLINE)?[0].len())
}
