//! Schema migrations, run by one process at a time.

use std::time::Duration;

use super::connector::Connector;
use super::distribution::{self, Pending};
use super::error::OpenError;
use super::filling::{self, Step};
use super::link::{Ask, Link, LinkError};
use crate::store::migrations::{self, Applied, HISTORY};

/// The key of the migration lock: `bursar` in ASCII. A transaction holds it, so it works through a pooler.
const MIGRATING: i64 = 0x6275_7273_6172;
/// The longest wait for another process that migrates.
const MIGRATED_WITHIN: Duration = Duration::from_secs(600);
const DEADLINE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum May {
    /// None; only check it.
    Check,
    /// Migrate it; distribute new tables if the database is distributed.
    Migrate,
    Distribute,
}

struct Lacking {
    migrations: usize,
    tables: Vec<Pending>,
}

impl Lacking {
    /// Compares the schema with the program's. Rejects a database of a later version.
    fn of(link: &mut Link, distributed: bool, database: &str) -> Result<Self, OpenError> {
        let database = || database.to_owned();
        let failed =
            |link_error: LinkError| OpenError::Migration { database: database(), reason: link_error.to_string() };
        let known = migrations::POSTGRES.len();
        let applied = applied(link).map_err(failed)?;
        let newer = || OpenError::Newer { database: database(), applied, known };
        let migrations = known.checked_sub(applied).ok_or_else(newer)?;
        let tables = if distributed { distribution::pending(link).map_err(failed)? } else { Vec::new() };
        Ok(Self { migrations, tables })
    }
}

/// Brings the schema up to date, as far as `may` permits. Returns the connection and the names of newly distributed
/// tables.
pub(super) fn bring_up_to_date(connector: &Connector, may: May) -> Result<(Link, Vec<String>), OpenError> {
    let database = connector.settings.to_string();
    let failed = |reason: String| OpenError::Migration { database: database.clone(), reason };
    let link_error = |link_error: LinkError| failed(link_error.to_string());
    let open = || {
        connector
            .open(false)
            .map_err(|none| OpenError::Unreachable { database: database.clone(), reason: none.to_string() })
    };
    let mut link = open()?;
    if let Some(reason) = unsuitable(&mut link).map_err(link_error)? {
        return Err(OpenError::Unsuitable { database, reason });
    }
    let distributed = may == May::Distribute || distribution::is_distributed(&mut link).map_err(link_error)?;
    if distributed && let Some(reason) = distribution::obstacle(&mut link).map_err(link_error)? {
        return Err(OpenError::Undistributable { database, reason });
    }
    match Lacking::of(&mut link, distributed, &database)? {
        Lacking { migrations: 0, tables } if tables.is_empty() => return Ok((link, Vec::new())),
        Lacking { migrations: 0, tables } if may == May::Check => {
            return Err(OpenError::Undistributed { database, tables: named(&tables).join(", ") });
        }
        Lacking { migrations: missing, .. } if may == May::Check => {
            return Err(OpenError::Outdated { database, missing });
        }
        Lacking { .. } => {}
    }
    let mut guard = open()?;
    let lock = [
        Ask::Plain("BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0".to_owned()),
        Ask::Plain(format!("SELECT pg_advisory_xact_lock({MIGRATING})")),
    ];
    guard.ask_all(&lock, MIGRATED_WITHIN).map_err(link_error)?;
    // Another process may have migrated before this one got the lock.
    let mut spread = Vec::new();
    if Lacking::of(&mut link, distributed, &database)?.migrations > 0 {
        spread = migrate(&mut link, distributed).map_err(failed)?;
    }
    let Lacking { tables, .. } = Lacking::of(&mut link, distributed, &database)?;
    distribution::spread(&mut link, &tables).map_err(link_error)?;
    guard.ask_all(&[Ask::Plain("COMMIT".to_owned())], DEADLINE).map_err(link_error)?;
    spread.extend(named(&tables));
    Ok((link, spread))
}

/// Runs the missing schema and data migrations. Returns the names of newly distributed tables.
fn migrate(link: &mut Link, distributed: bool) -> Result<Vec<String>, String> {
    let said = |link_error: LinkError| link_error.to_string();
    let has_rows = applied(link).map_err(said)? > 0;
    let mut spread = Vec::new();
    for Step { version, dropped_by, statements } in filling::STEPS {
        run_to(link, version)?;
        if !has_rows || has_version(link, dropped_by).map_err(said)? {
            continue;
        }
        if distributed {
            // A statement cannot read distributed tables and write a local one.
            let tables = distribution::pending(link).map_err(said)?;
            distribution::spread(link, &tables).map_err(said)?;
            spread.extend(named(&tables));
        }
        fill(link, statements).map_err(said)?;
    }
    run_to(link, i32::MAX)?;
    fill(link, filling::LINKS).map_err(said)?;
    Ok(spread)
}

/// Runs the missing migrations up to a version. Each one commits with its row in the history table.
fn run_to(link: &mut Link, version: i32) -> Result<(), String> {
    let failed = |link_error: LinkError| format!("cannot read the history of migrations: {link_error}");
    link.ask_all(&[Ask::Plain(migrations::CREATE_HISTORY.to_owned())], MIGRATED_WITHIN).map_err(failed)?;
    let history = history(link).map_err(failed)?;
    for migration in migrations::missing(migrations::POSTGRES, &history)? {
        if migration.version > version {
            break;
        }
        let ran = link.with_client(async |client| {
            let transaction = client.transaction().await?;
            transaction.batch_execute(migration.sql).await?;
            transaction.batch_execute(&migration.record()).await?;
            transaction.commit().await
        });
        ran.map_err(|error| format!("error applying migration {migration}: {}", whole(&error)))?;
    }
    Ok(())
}

/// Returns the applied migrations by version. The history table must exist.
fn history(link: &mut Link) -> Result<Vec<Applied>, LinkError> {
    let found = link.ask_all(&[Ask::Once(migrations::READ_HISTORY.to_owned())], DEADLINE)?;
    let read = |row: &tokio_postgres::Row| {
        Ok(Applied { version: row.try_get(0)?, name: row.try_get(1)?, checksum: row.try_get(2)? })
    };
    found.iter().flatten().map(read).collect()
}

fn fill(link: &mut Link, statements: &[&str]) -> Result<(), LinkError> {
    let asks: Vec<Ask> = ["BEGIN"]
        .iter()
        .chain(statements)
        .chain(&["COMMIT"])
        .map(|statement| Ask::Plain((*statement).to_owned()))
        .collect();
    link.ask_all(&asks, MIGRATED_WITHIN).map(|_| ())
}

fn has_version(link: &mut Link, version: i32) -> Result<bool, LinkError> {
    let found = format!("SELECT 1 FROM {HISTORY} WHERE version = {version}");
    Ok(!link.ask_all(&[Ask::Once(found)], DEADLINE)?[0].is_empty())
}

/// Returns why the program cannot use a database, with the remedy.
fn unsuitable(link: &mut Link) -> Result<Option<String>, LinkError> {
    let encoding = texts(link, "SELECT current_setting('server_encoding')")?;
    if encoding.first().is_some_and(|encoding| encoding != "UTF8") {
        let reason = format!(
            "its encoding {} cannot store every text: create a database with ENCODING 'UTF8' TEMPLATE template0",
            encoding.join(", ")
        );
        return Ok(Some(reason));
    }
    if applied(link)? > 0 {
        return Ok(None);
    }
    let mut others = tables_there(link)?;
    others.retain(|name| name != HISTORY);
    Ok((!others.is_empty()).then(|| {
        format!("it contains tables of another program: {}. Create a database for bursar only", some_of(&others))
    }))
}

/// Returns the relations in the database's schema, except those of extensions.
pub(super) fn tables_there(link: &mut Link) -> Result<Vec<String>, LinkError> {
    texts(
        link,
        "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace \
         AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY c.relname",
    )
}

pub(super) fn some_of(names: &[String]) -> String {
    match names {
        [one, two, three, _, rest @ ..] => format!("{one}, {two}, {three} and {} more", rest.len() + 1),
        few => few.join(", "),
    }
}

fn texts(link: &mut Link, statement: &str) -> Result<Vec<String>, LinkError> {
    let found = link.ask_all(&[Ask::Once(statement.to_owned())], DEADLINE)?;
    Ok(found.iter().flatten().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}

/// Formats an error with its causes; the server's message is last.
fn whole(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn named(tables: &[Pending]) -> Vec<String> {
    tables.iter().map(ToString::to_string).collect()
}

fn applied(link: &mut Link) -> Result<usize, LinkError> {
    let exists = format!("SELECT 1 WHERE to_regclass('{HISTORY}') IS NOT NULL");
    if link.ask_all(&[Ask::Once(exists)], DEADLINE)?[0].is_empty() {
        return Ok(0);
    }
    Ok(history(link)?.len())
}
