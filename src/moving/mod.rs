//! `bursar move`: moves an embedded store to PostgreSQL, completely, verifiably and once (docs/decisions.md 15).
//!
//! The store is read, verified and digested; its rows are copied in key order, each chunk in one commit with its
//! progress mark; the database is read, verified and compared. Only then is the store marked as left, and after that
//! the database is opened. A move that was killed resumes when it is run again.
//!
//! Invariants: never are both served; a database is served only if it holds exactly the store's data. Deliberately
//! absent: moving a store that is served (its lock is held), and merging into a database with data. Start at
//! [`move_store`].

mod give_up;
pub mod proof;

use std::path::{Path, PathBuf};

use serde::Serialize;
use uuid::Uuid;

pub use give_up::{GivenUp, forget, give_up};
use proof::{Proof, TableProof};

use crate::clock::{Clock, Time};
use crate::instance::{self, StartError};
use crate::store::postgres::{Arrival, Arriving, Found, OpenError, Settings};
use crate::store::{CommitError, Departing, Departure, Reads, Snapshot, StoreError};
use crate::tables;
use crate::verify::{Contents, verify};
use crate::world::{Row, Table, Value};

/// A chunk is committed at either limit.
const CHUNK_ROWS_MAX: usize = 2_000;
const CHUNK_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Route {
    pub source: PathBuf,
    pub target: Settings,
    /// The file with the server's password.
    pub password_file: Option<PathBuf>,
    /// Whether a store without an organization is moved too.
    pub empty_ok: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Store,
    Database,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Rows of one side were read and digested.
    Read {
        side: Side,
        rows: u64,
        /// The total, if known.
        of: Option<u64>,
    },
    Checking {
        side: Side,
    },
    /// Rows were copied to the database.
    Copied {
        /// The table of the last row.
        table: &'static str,
        rows: u64,
        of: u64,
    },
}

#[derive(Serialize)]
pub struct Moved {
    pub from: String,
    /// The database, without user and password.
    pub to: String,
    pub rows: u64,
    /// Rows that an earlier run had copied.
    pub copied_before: u64,
    /// Whether the move had been completed before.
    pub already: bool,
    pub ended_at: Time,
    /// `None` if the move had been completed before.
    pub proof: Option<Proof>,
}

/// The reason why a store did not move.
#[derive(Debug, thiserror::Error)]
pub enum Unmoved {
    #[error(transparent)]
    StartError(#[from] StartError),
    #[error(transparent)]
    Unread(#[from] StoreError),
    /// The database rejected a write. It is not served, and the same command resumes the move.
    #[error("{0}. No data is lost: run the same command again to continue")]
    NotCommitted(#[from] CommitError),
    /// The database holds data that no move wrote.
    #[error(
        "the database {database} is not empty: it contains {what}, which this store's move did not write. Create a \
         new database and move to it"
    )]
    Foreign { database: String, what: String },
    #[error(
        "another store is moving or has moved to the database {database}: {source_file}, since {began_at}. Create a \
         new database and move to it"
    )]
    Another { database: String, source_file: String, began_at: Time },
    /// The store was served after the move began.
    #[error(
        "the store {path} has changed since its move to {database} began on {began_at}, which has copied {copied} \
         rows. Run the same command with --restart to delete the copied rows and start again"
    )]
    Changed {
        path: String,
        database: String,
        began_at: Time,
        /// Rows that were copied before.
        copied: u64,
    },
    /// The store has moved before, to a database that has no record of it.
    #[error(
        "the store {path} moved to {target} on {left_at}, but {database} has no record of it. If {target} is another \
         database, the move is complete; if that database is lost, run `bursar move --forget` to serve the store again"
    )]
    Left { path: String, target: String, left_at: Time, database: String },
    /// The store is a copy from before the move ended, and the database is served.
    #[error(
        "the store {path} moved to {database} on {ended_at}; this file is an older copy of it. Only the database has \
         the later changes"
    )]
    Copy { path: String, database: String, ended_at: Time },
    /// The store holds no data worth moving.
    #[error("the store {path} cannot move: {reason}")]
    Empty {
        path: String,
        /// The reason, and what to do.
        reason: &'static str,
    },
    /// The store violates invariants, so the result of the move could not be verified.
    #[error("the {side} violates invariants; run `bursar verify` for all findings:\n{findings}", side = match side { Side::Store => "store", Side::Database => "database" })]
    Unsound {
        side: Side,
        /// The first findings, one per line.
        findings: String,
    },
    #[error(
        "the database {database} differs from the store and is not opened:\n{differences}\nRun the same command with \
         --restart to empty it and start again"
    )]
    Unequal {
        database: String,
        /// One per line.
        differences: String,
    },
    /// The database has changed since the move, so a rollback would lose data.
    #[error("the database {database} has changed since the move, and these changes would be lost:\n{differences}")]
    GoneOn {
        database: String,
        /// One per line.
        differences: String,
    },
    #[error("the store {path} has not moved, and no move is in progress")]
    NoMove { path: String },
}

impl From<OpenError> for Unmoved {
    fn from(error: OpenError) -> Self {
        Self::StartError(error.into())
    }
}

/// Both opened sides, with their records of the move.
struct Ends {
    path: String,
    database: String,
    departure: Departure,
    departing: Option<Departing>,
    arrival: Arrival,
    found: Found,
    /// Holds the store's lock.
    _guards: instance::Guards,
}

impl Ends {
    fn open(route: &Route) -> Result<Self, Unmoved> {
        let (departure, guards) = instance::departing(&route.source)?;
        let mut arrival = instance::arriving(&route.target, route.password_file.as_deref())?;
        Ok(Self {
            path: shown(&route.source),
            database: arrival.database(),
            departing: departure.mark()?,
            departure,
            found: arrival.query(tables::ALL)?,
            arrival,
            _guards: guards,
        })
    }

    /// Returns the move that both sides have recorded; `None` if neither has. Any other record is an error.
    fn common(&self) -> Result<Option<Arriving>, Unmoved> {
        let Self { path, database, .. } = self;
        let (path, database) = (path.clone(), database.clone());
        let left = self.departing.as_ref().and_then(|departing| Some((departing, departing.left_at?)));
        let same = |arriving: &&Arriving| self.departing.as_ref().is_some_and(|departing| departing.id == arriving.id);
        let ours = if let Found::Move(arriving) = &self.found { Some(arriving).filter(same) } else { None };
        match (ours, left, &self.found) {
            (Some(Arriving { ended_at: Some(ended_at), .. }), None, _) => {
                Err(Unmoved::Copy { path, database, ended_at: *ended_at })
            }
            (Some(arriving), _, _) => Ok(Some(arriving.clone())),
            (None, Some((departing, left_at)), _) => {
                Err(Unmoved::Left { path, target: departing.target.clone(), left_at, database })
            }
            (None, None, Found::Move(Arriving { source, began_at, .. })) => {
                Err(Unmoved::Another { database, source_file: source.clone(), began_at: *began_at })
            }
            (None, None, Found::Foreign(what)) => Err(Unmoved::Foreign { database, what: what.clone() }),
            (None, None, Found::Nothing) => Ok(None),
        }
    }
}

/// Moves a store, or resumes a move. With `restart`, an incomplete move is removed from the database and begins again.
/// `report_progress` is called with the progress.
///
/// # Errors
/// [`Unmoved`]; the store is unchanged and can be served until the last step.
pub fn move_store(route: &Route, restart: bool, mut report_progress: impl FnMut(Progress)) -> Result<Moved, Unmoved> {
    let mut ends = Ends::open(route)?;
    let mut common = ends.common()?;
    if let Some(Arriving { ended_at: Some(ended_at), copied, .. }) = common {
        let Ends { path: from, database: to, .. } = ends;
        return Ok(Moved { from, to, rows: copied, copied_before: copied, already: true, ended_at, proof: None });
    }
    if let Some(reason) = Contents::of(&ends.departure.reads())?.refusal(route.empty_ok) {
        return Err(Unmoved::Empty { path: ends.path, reason });
    }
    ends.arrival.migrate()?;
    if restart && common.is_some() {
        ends.arrival.clear(tables::ALL, || Ok::<_, CommitError>(true))?;
        common = None;
    }
    let of_store = proved(&ends.departure.reads(), Side::Store, None, &mut report_progress)?;
    sound(&ends.departure.reads(), Side::Store, &mut report_progress)?;
    let arriving = match common {
        Some(arriving) if arriving.digest == of_store.digest() => arriving,
        Some(Arriving { began_at, copied, .. }) => {
            let Ends { path, database, .. } = ends;
            return Err(Unmoved::Changed { path, database, began_at, copied });
        }
        None => begin(&mut ends, &of_store)?,
    };
    copy(&mut ends, &arriving, &of_store, &mut report_progress)?;
    let of_database = proved(&ends.arrival.reads(), Side::Database, Some(of_store.rows()), &mut report_progress)?;
    let differences = of_store.differences(&of_database);
    if !differences.is_empty() {
        return Err(Unmoved::Unequal { database: ends.database, differences: differences.join("\n") });
    }
    sound(&ends.arrival.reads(), Side::Database, &mut report_progress)?;

    // From here it must succeed: a killed run finds the store left, and only opens the database.
    let ended_at = Clock::wall().now();
    let moments: Vec<(Uuid, Time)> = of_store.moments.iter().map(|(org, last)| (*org, *last)).collect();
    ends.departure.leave(ended_at)?;
    ends.arrival.end(arriving.id, &moments, ended_at)?;
    let Ends { path: from, database: to, .. } = ends;
    let (rows, copied_before) = (of_store.rows(), arriving.copied);
    Ok(Moved { from, to, rows, copied_before, already: false, ended_at, proof: Some(of_store) })
}

fn proved(
    reads: &Reads,
    side: Side,
    of: Option<u64>,
    report_progress: &mut impl FnMut(Progress),
) -> Result<Proof, StoreError> {
    Proof::of(reads, |rows| report_progress(Progress::Read { side, rows, of }))
}

/// Verifies the invariants of one side, as `bursar verify` does.
fn sound(reads: &Reads, side: Side, report_progress: &mut impl FnMut(Progress)) -> Result<(), Unmoved> {
    report_progress(Progress::Checking { side });
    let findings = verify(reads)?.findings;
    if findings.is_empty() {
        return Ok(());
    }
    let reported = findings.iter().take(10).map(|finding| format!("{}: {}", finding.place, finding.what));
    Err(Unmoved::Unsound { side, findings: reported.collect::<Vec<_>>().join("\n") })
}

/// Records the start of the move on both sides, first in the store, so that it knows every move that a database knows.
fn begin(ends: &mut Ends, of_store: &Proof) -> Result<Arriving, Unmoved> {
    let began_at = Clock::wall().now();
    let id = Uuid::new_v4();
    ends.departure.begin(&Departing { id, target: ends.database.clone(), began_at, left_at: None })?;
    let (source, digest) = (ends.path.clone(), of_store.digest());
    let arriving = Arriving { id, source, digest, copied: 0, began_at, ended_at: None };
    let organizations: Vec<Uuid> = of_store.moments.keys().copied().collect();
    ends.arrival.begin(&arriving, &organizations)?;
    Ok(arriving)
}

#[derive(Default)]
struct Chunk {
    rows: Vec<Row>,
    bytes: usize,
}

impl Chunk {
    fn is_full(&self) -> bool {
        self.rows.len() >= CHUNK_ROWS_MAX || self.bytes >= CHUNK_BYTES_MAX
    }

    fn add(&mut self, row: Row) {
        self.bytes += row.iter().map(Value::size_bytes).sum::<usize>();
        self.rows.push(row);
    }
}

/// Copies the remaining rows. The store is locked, so its rows do not change after they were counted.
fn copy(
    ends: &mut Ends,
    arriving: &Arriving,
    of_store: &Proof,
    report_progress: &mut impl FnMut(Progress),
) -> Result<(), Unmoved> {
    let (mut copied, of) = (arriving.copied, of_store.rows());
    let arrival = &mut ends.arrival;
    let mut put = |table: &'static Table, chunk: &mut Chunk| {
        let Chunk { rows, .. } = std::mem::take(chunk);
        let added = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        if added > 0 {
            arrival.put(arriving.id, copied, table, rows)?;
            copied += added;
            report_progress(Progress::Copied { table: table.name, rows: copied, of });
        }
        Ok(())
    };
    ends.departure.reads().snapshot(|snapshot| Ok(put_all(snapshot, of_store, arriving.copied, &mut put)))?
}

/// Reads the rows after the first `skip` and passes them to `put` in chunks of one table each.
fn put_all(
    snapshot: &Snapshot<'_>,
    of_store: &Proof,
    mut skip: u64,
    put: &mut impl FnMut(&'static Table, &mut Chunk) -> Result<(), Unmoved>,
) -> Result<(), Unmoved> {
    for (&table, TableProof { rows, .. }) in tables::ALL.iter().zip(&of_store.tables) {
        let skipped = skip.min(*rows);
        skip -= skipped;
        let mut chunk = Chunk::default();
        if skipped < *rows {
            snapshot.rows(table, skipped, |row| {
                chunk.add(row);
                if chunk.is_full() { put(table, &mut chunk) } else { Ok(()) }
            })?;
        }
        put(table, &mut chunk)?;
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
