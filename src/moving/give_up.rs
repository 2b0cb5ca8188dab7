//! Rolls back a move, in progress or completed, and re-enables the embedded store.

use super::{Ends, Progress, Route, Side, Unmoved, proved, shown};
use crate::instance;
use crate::store::postgres::{Arriving, Found};
use crate::store::{CommitError, Departing};
use crate::tables;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct GivenUp {
    pub store: String,
    /// The database that was emptied; `None` if there was nothing to empty, or with `--forget`.
    pub emptied: Option<String>,
}

/// Deletes the moved data from the database and re-enables the embedded store. A completed move is rolled back only if
/// the database still equals the store, so that no later change is lost.
///
/// # Errors
/// [`Unmoved`]; then nothing has changed.
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
        // An earlier run emptied the database, or the move had not reached it.
        Found::Nothing if departing.left_at.is_none() || departing.target == ends.database => None,
        Found::Nothing | Found::Move(_) | Found::Foreign(_) => return Err(not_there(ends, departing)),
    };
    ends.departure.stay()?;
    Ok(GivenUp { store: ends.path, emptied })
}

/// Re-enables the embedded store after the database was lost. All changes since the move are lost too.
///
/// # Errors
/// [`Unmoved`] if the store does not open or has not moved.
pub fn forget(source: &std::path::Path) -> Result<GivenUp, Unmoved> {
    let (mut departure, _guards) = instance::departing(source)?;
    if departure.mark()?.is_none() {
        return Err(Unmoved::NoMove { path: shown(source) });
    }
    departure.stay()?;
    Ok(GivenUp { store: shown(source), emptied: None })
}

/// Returns the error for a database that does not belong to this move.
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

/// Empties the database. One that was served is first compared with the store, with commits blocked.
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
