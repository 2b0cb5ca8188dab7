//! The database's side of a move of an embedded store: a mark with the source and the progress, and a fence that keeps
//! other processes out until the move has ended.
//!
//! Invariants: rows are committed together with the mark that counts them. Until the end no process opens the database
//! ([`refuse_half_moved`]), and a process that had it open commits nothing, because the row that a batch locks holds
//! [`CLOSED`]. The caller passes the rows, in the order of keys.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::connector::Connector;
use super::error::OpenError;
use super::link::{Ask, BEGINNING, Link, LinkError};
use super::readers::Readers;
use super::schema::{May, bring_up_to_date, some_of, tables_there};
use super::settings::Settings;
use super::statements::{CLOSED, writes};
use crate::clock::Time;
use crate::ids::OrgId;
use crate::store::migrations::HISTORY;
use crate::store::{CommitError, Reads, StoreError};
use crate::world::{Row, Table, TableChanges, Value};

/// The limit for one round: a chunk of a large table, or emptying all tables.
const DEADLINE: Duration = Duration::from_secs(600);
const NAMED_AT_ONCE: usize = 1_000;

pub struct Arrival {
    connector: Arc<Connector>,
    link: Link,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Empty: a move can begin.
    Nothing,
    /// Contents that no move wrote, described.
    Foreign(String),
    /// A move in progress or ended.
    Move(Arriving),
}

/// The mark of a move in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// The embedded store holds the same id.
    pub id: Uuid,
    pub source: String,
    /// The digest of the whole store.
    pub digest: Vec<u8>,
    /// The number of rows copied so far.
    pub copied: u64,
    pub began_at: Time,
    /// When all rows were copied and verified. From this time on the database is served.
    pub ended_at: Option<Time>,
}

impl Arrival {
    /// Connects without changing anything. Fails with `Unreachable` and the server's message.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let link = connector.open(false);
        let link = link.map_err(|none| OpenError::Unreachable {
            database: connector.settings.to_string(),
            reason: none.to_string(),
        })?;
        Ok(Self { connector, link })
    }

    /// Returns the URL without user and password.
    pub fn database(&self) -> String {
        self.connector.settings.to_string()
    }

    pub fn reads(&self) -> Reads {
        Reads::Postgres(Readers::new(self.connector.clone()))
    }

    /// Inspects the database without changing it: it may belong to another program.
    pub fn query(&mut self, tables: &[&'static Table]) -> Result<Found, StoreError> {
        let names = tables_there(&mut self.link).map_err(LinkError::of_read)?;
        let is_there = |name: &str| names.iter().any(|other| other == name);
        if names.is_empty() {
            return Ok(Found::Nothing);
        }
        if !is_there(HISTORY) || !is_there("tenants") {
            return Ok(Found::Foreign(format!("tables of another program: {}", some_of(&names))));
        }
        let ours =
            |name: &str| tables.iter().any(|table| table.name == name) || ["tenants", "moves", HISTORY].contains(&name);
        let others: Vec<String> = names.iter().filter(|name| !ours(name)).cloned().collect();
        if !others.is_empty() {
            return Ok(Found::Foreign(format!("tables of another program: {}", some_of(&others))));
        }
        // Waits for a transaction that an aborted run may have left open.
        if is_there("moves")
            && let Some(arriving) = mark(&mut self.link, " FOR UPDATE")?
        {
            return Ok(Found::Move(arriving));
        }
        let known = tables.iter().map(|table| table.name).chain(["tenants"]).filter(|name| is_there(name));
        let known: Vec<&str> = known.collect();
        let asks = known.iter().map(|name| Ask::Once(format!("SELECT 1 FROM \"{name}\" LIMIT 1")));
        let found = self.link.ask_all(&asks.collect::<Vec<_>>(), DEADLINE).map_err(LinkError::of_read)?;
        let full = known.iter().zip(&found).filter(|(_, rows)| !rows.is_empty()).map(|(name, _)| (*name).to_owned());
        let full: Vec<String> = full.collect();
        Ok(if full.is_empty() { Found::Nothing } else { Found::Foreign(format!("rows in {}", some_of(&full))) })
    }

    pub fn migrate(&mut self) -> Result<(), OpenError> {
        (self.link, _) = bring_up_to_date(&self.connector, May::Migrate)?;
        Ok(())
    }

    /// Writes the mark and closes the organizations that will be moved. Fails with `Again` if another move began at the
    /// same time.
    pub fn begin(&mut self, arriving: &Arriving, organizations: &[Uuid]) -> Result<(), CommitError> {
        let Arriving { id, source, digest, copied, began_at, .. } = arriving;
        let lock = self.link.begin("").into_iter().chain([
            Ask::Plain("LOCK TABLE moves IN EXCLUSIVE MODE".to_owned()),
            Ask::Once("SELECT 1 FROM moves".to_owned()),
        ]);
        let found = self.link.ask_all(&lock.collect::<Vec<_>>(), DEADLINE).map_err(failed)?;
        if !found[BEGINNING + 1].is_empty() {
            return Err(CommitError::Again("another move into this database has just begun".to_owned()));
        }
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut asks = vec![Ask::Plain(format!(
            "INSERT INTO moves (id, source, digest, copied, began_at) \
             VALUES ('{id}', '{}', decode('{hex}', 'hex'), {copied}, {})",
            source.replace('\'', "''"),
            began_at.micros()
        ))];
        let closed = organizations.iter().map(|organization| (*organization, CLOSED));
        asks.extend(tenants(&closed.collect::<Vec<_>>()));
        self.commit(asks)
    }

    /// Adds the next rows of one table, after the first `before` rows of all, and counts them. Fails with `Again` if
    /// another process moves the same store.
    pub fn put(&mut self, id: Uuid, before: u64, table: &'static Table, rows: Vec<Row>) -> Result<(), CommitError> {
        let copied = before.saturating_add(u64::try_from(rows.len()).unwrap_or(u64::MAX));
        let runs = runs(table, rows);
        let mut statements = Vec::new();
        for (organization, changes) in &runs {
            let made = writes(&[OrgId(*organization)], changes, self.link.has_citus())
                .map_err(|error| CommitError::Refused(error.to_string()))?;
            statements.extend(made);
        }
        self.hold(id, Some(before))?;
        let mut asks: Vec<Ask<'_>> = statements.iter().map(Ask::Made).collect();
        asks.push(Ask::Plain(format!("UPDATE moves SET copied = {copied} WHERE id = '{id}'")));
        self.commit(asks).map_err(|error| match error {
            CommitError::Refused(reason) => CommitError::Refused(format!("{}: {reason}", table.name)),
            error @ (CommitError::Again(_) | CommitError::Full(_) | CommitError::Unknown(_)) => error,
        })
    }

    /// Ends a move, after which the database is served. Sets each organization's last time. Fails with `Again` if
    /// another process has ended it.
    pub fn end(&mut self, id: Uuid, moments: &[(Uuid, Time)], now: Time) -> Result<(), CommitError> {
        self.hold(id, None)?;
        let mut asks = vec![Ask::Plain("DELETE FROM tenants".to_owned())];
        asks.extend(tenants(&moments.iter().map(|(org, last)| (*org, last.micros())).collect::<Vec<_>>()));
        asks.push(Ask::Plain(format!("UPDATE moves SET ended_at = {} WHERE id = '{id}'", now.micros())));
        self.commit(asks)
    }

    /// Removes the rows and the mark of a move if `may` returns true while commits are locked out. Returns whether it
    /// did; otherwise nothing changes.
    pub fn clear<E: From<CommitError>>(
        &mut self,
        tables: &[&'static Table],
        may: impl FnOnce() -> Result<bool, E>,
    ) -> Result<bool, E> {
        let lock = self.link.begin("").into_iter().chain([
            Ask::Plain("SET LOCAL idle_in_transaction_session_timeout = 0".to_owned()),
            Ask::Plain("LOCK TABLE tenants IN ACCESS EXCLUSIVE MODE".to_owned()),
        ]);
        self.link.ask_all(&lock.collect::<Vec<_>>(), DEADLINE).map_err(failed)?;
        let may = may();
        if !matches!(may, Ok(true)) {
            self.link.ask_all(&[Ask::Plain("ROLLBACK".to_owned())], DEADLINE).map_err(failed)?;
            return may;
        }
        let names: Vec<String> = tables.iter().map(|table| format!("\"{}\"", table.name)).collect();
        let truncate = format!("TRUNCATE {}, tenants", names.join(", "));
        self.commit(vec![Ask::Plain(truncate), Ask::Plain("DELETE FROM moves".to_owned())])?;
        Ok(true)
    }

    /// Begins a transaction that locks the mark. The move must not have ended, and must have copied `copied` rows if
    /// given.
    fn hold(&mut self, id: Uuid, copied: Option<u64>) -> Result<(), CommitError> {
        let so_far = copied.map_or_else(String::new, |copied| format!(" AND copied = {copied}"));
        let held = format!("SELECT 1 FROM moves WHERE id = '{id}' AND ended_at IS NULL{so_far} FOR UPDATE");
        let lock = self.link.begin("").into_iter().chain([Ask::Once(held)]);
        let found = self.link.ask_all(&lock.collect::<Vec<_>>(), DEADLINE).map_err(failed)?;
        if found[BEGINNING].is_empty() {
            self.link.ask_all(&[Ask::Plain("ROLLBACK".to_owned())], DEADLINE).map_err(failed)?;
            return Err(CommitError::Again("another process continues the same move".to_owned()));
        }
        Ok(())
    }

    /// Sends the rest of a transaction with its COMMIT.
    fn commit(&mut self, mut asks: Vec<Ask<'_>>) -> Result<(), CommitError> {
        asks.push(Ask::Plain("COMMIT".to_owned()));
        self.link.listen();
        let reported = self.link.ask_all(&asks, DEADLINE).map(|_| ());
        match reported {
            Ok(()) if self.link.was_warned() => {
                Err(CommitError::Unknown("the server warned while it committed".to_owned()))
            }
            Ok(()) => Ok(()),
            Err(link_error @ LinkError::Said { ended: false, .. }) => Err(failed(link_error)),
            Err(link_error) => Err(CommitError::Unknown(link_error.to_string())),
        }
    }
}

/// Maps an error from before the COMMIT.
fn failed(link_error: LinkError) -> CommitError {
    if link_error.may_pass() {
        CommitError::Again(link_error.to_string())
    } else {
        CommitError::Refused(link_error.to_string())
    }
}

fn once(link: &mut Link, text: String) -> Result<Vec<tokio_postgres::Row>, StoreError> {
    let found = link.ask_all(&[Ask::Once(text)], DEADLINE).map_err(LinkError::of_read)?;
    Ok(found.into_iter().next().unwrap_or_default())
}

fn tenants(moments: &[(Uuid, i64)]) -> Vec<Ask<'static>> {
    let insert = |some: &[(Uuid, i64)]| {
        let rows: Vec<String> = some.iter().map(|(org, moment)| format!("('{org}', {moment})")).collect();
        Ask::Plain(format!("INSERT INTO tenants (org, moment) VALUES {}", rows.join(", ")))
    };
    moments.chunks(NAMED_AT_ONCE).map(insert).collect()
}

/// Splits rows in the order of keys into changes of one organization each, as a statement requires.
fn runs(table: &'static Table, rows: Vec<Row>) -> Vec<(Uuid, TableChanges)> {
    let place = table.key().columns[0];
    let mut runs: Vec<(Uuid, TableChanges)> = Vec::new();
    for row in rows {
        let organization = if let Value::Id(organization) = row[place] { organization } else { Uuid::nil() };
        match runs.last_mut() {
            Some((of, changes)) if *of == organization => changes.inserts.push(row),
            Some(_) | None => {
                let (updates, changed, deletes) = (Vec::new(), Vec::new(), Vec::new());
                let changes = TableChanges { table, inserts: vec![row], updates, changed, deletes };
                runs.push((organization, changes));
            }
        }
    }
    runs
}

/// Returns the mark in a database with bursar's schema.
fn mark(link: &mut Link, lock: &str) -> Result<Option<Arriving>, StoreError> {
    let found = once(link, format!("SELECT id, source, digest, copied, began_at, ended_at FROM moves{lock}"))?;
    let read = |row: &tokio_postgres::Row| {
        let copied: i64 = row.try_get(3)?;
        let ended_at: Option<i64> = row.try_get(5)?;
        Ok::<_, tokio_postgres::Error>(Arriving {
            id: row.try_get(0)?,
            source: row.try_get(1)?,
            digest: row.try_get(2)?,
            copied: u64::try_from(copied).unwrap_or_default(),
            began_at: Time::from_micros(row.try_get(4)?),
            ended_at: ended_at.map(Time::from_micros),
        })
    };
    found.first().map(read).transpose().map_err(|error| StoreError::Read(error.to_string()))
}

/// Rejects a database with an unfinished move. Its schema must be up to date.
pub(super) fn refuse_half_moved(link: &mut Link, database: String) -> Result<(), OpenError> {
    match mark(link, "") {
        Ok(Some(Arriving { source: source_file, began_at, ended_at: None, .. })) => {
            Err(OpenError::HalfMoved { database, source_file, began_at })
        }
        Ok(Some(Arriving { ended_at: Some(_), .. }) | None) => Ok(()),
        Err(error) => Err(OpenError::Unreachable { database, reason: error.to_string() }),
    }
}
