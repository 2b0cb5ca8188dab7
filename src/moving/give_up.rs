//! The way back: a move is given up, under way or ended, and the embedded store is served again.

use super::{Ends, Progress, Route, Side, Unmoved, proved, shown};
use crate::instance;
use crate::store::postgres::{Arriving, Found};
use crate::store::{CommitError, Departing};
use crate::tables;

/// A move that was given up.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct GivenUp {
    /// The embedded store's file, which may be served again.
    pub store: String,
    /// The database that was emptied; `None` where there was nothing to empty, or nobody asked it.
    pub emptied: Option<String>,
}

/// Empties the database of what a move put there, and lets the embedded store be served again. Where the move had
/// ended, only if the database still holds what the store holds: nothing of what happened there gets lost.
///
/// # Errors
/// [`Unmoved`]; nothing is changed then.
pub fn give_up(route: &Route, mut report_progress: impl FnMut(Progress)) -> Result<GivenUp, Unmoved> {
    let mut ends = Ends::open(route)?;
    let Some(departing) = ends.departing.clone() else {
        return Err(Unmoved::NoMove { path: ends.path });
    };
    let same = |arriving: &Arriving| arriving.id == departing.id;
    let emptied = match &ends.found {
        Found::Move(arriving) if same(arriving) => {
            let ended = arriving.ended_at.is_some();
            empty(&mut ends, ended, &mut report_progress)?;
            Some(ends.database.clone())
        }
        // An earlier run emptied it, or the move had not come so far.
        Found::Nothing if departing.left_at.is_none() || departing.target == ends.database => None,
        Found::Nothing | Found::Move(_) | Found::Foreign(_) => return Err(not_there(ends, departing)),
    };
    ends.departure.stay()?;
    Ok(GivenUp { store: ends.path, emptied })
}

/// Lets the embedded store be served again, whatever became of the database: for one that is lost. Whatever happened
/// there since the move is lost too.
///
/// # Errors
/// [`Unmoved`] when the store does not open, or has not moved.
pub fn forget(source: &std::path::Path) -> Result<GivenUp, Unmoved> {
    let (mut departure, _guards) = instance::departing(source)?;
    if departure.mark()?.is_none() {
        return Err(Unmoved::NoMove { path: shown(source) });
    }
    departure.stay()?;
    Ok(GivenUp { store: shown(source), emptied: None })
}

/// The database is none of this move's.
fn not_there(ends: Ends, departing: Departing) -> Unmoved {
    let Ends { path, database, found, .. } = ends;
    match (departing.left_at, found) {
        (Some(left_at), _) => Unmoved::Left { path, target: departing.target, left_at, database },
        (None, Found::Move(Arriving { source, began_at, .. })) => {
            Unmoved::Another { database, source_file: source, began_at }
        }
        (None, Found::Foreign(what)) => Unmoved::Foreign { database, what },
        (None, Found::Nothing) => Unmoved::NoMove { path },
    }
}

/// Empties the database; where it was served, while nobody can commit and after it was compared.
fn empty(ends: &mut Ends, was_served: bool, report_progress: &mut impl FnMut(Progress)) -> Result<(), Unmoved> {
    ends.arrival.migrate()?;
    if !was_served {
        ends.arrival.clear(tables::ALL, || Ok::<_, CommitError>(true))?;
        return Ok(());
    }
    let (store, database) = (ends.departure.reads(), ends.arrival.reads());
    let of_store = proved(&store, Side::Store, None, report_progress)?;
    let mut differences = Vec::new();
    let cleared = ends.arrival.clear(tables::ALL, || {
        let of_database = proved(&database, Side::Database, Some(of_store.rows()), report_progress)?;
        differences = of_store.differences(&of_database);
        Ok::<_, Unmoved>(differences.is_empty())
    })?;
    if cleared {
        return Ok(());
    }
    Err(Unmoved::GoneOn { database: ends.database.clone(), differences: differences.join("\n") })
}
