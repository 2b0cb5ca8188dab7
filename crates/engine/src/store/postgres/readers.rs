//! The reading half: a few connections, each lent to one reader at a time. Each read sees one consistent state of the
//! primary.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::cells::read_row;
use super::connector::Connector;
use super::link::{Ask, BEGINNING, Link, LinkError};
use super::node::Target;
use super::statements::{Questions, every};
use crate::ids::OrgId;
use crate::store::error::StoreError;
use crate::world::query::Compare;
use crate::world::{Key, Row, RowsWanted, Table, Value, ValueRef, Want};

const READERS_MAX: usize = 8;
/// Idle connections kept; nodes of organizations need more than one set.
const IDLE_MAX: usize = 4 * READERS_MAX;
const BORROWED_WITHIN: Duration = Duration::from_secs(3);
const READ_DEADLINE: Duration = Duration::from_secs(10);
/// The limit for the check that the server accepts writes; short, because readiness probes wait for it.
const REACH_DEADLINE: Duration = Duration::from_secs(2);
/// The limit for the next rows of a whole table.
const WHOLE_DEADLINE: Duration = Duration::from_secs(120);
/// Rows of a whole table fetched at a time: the most, and the number before their size is known.
const ROWS_AT_ONCE: usize = 1_000;
const ROWS_AT_FIRST: usize = 64;
/// Approximate bytes of a whole table fetched at a time: a row can be a bill of a megabyte.
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

#[derive(Clone)]
pub struct Readers {
    connector: Arc<Connector>,
    borrowed: Arc<(Mutex<Borrowed>, Condvar)>,
}

#[derive(Default)]
struct Borrowed {
    idle: Vec<Link>,
    out: usize,
}

impl Readers {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        Self { connector, borrowed: Arc::default() }
    }

    fn borrowed(&self) -> MutexGuard<'_, Borrowed> {
        self.borrowed.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the rows for each want, in order, from one consistent state.
    pub(in crate::store) fn load(&self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        let place = match organization_of(wants) {
            Some(organization) => self.connector.nodes.target_of(organization).unwrap_or(Target::Main),
            None => Target::Main,
        };
        let (questions, found) = self.query(&place, |link| {
            let questions = Questions::of(wants, link.has_citus());
            let found = match questions.statements.as_slice() {
                [] => Vec::new(),
                // A single statement sees one consistent state.
                [one] => link.ask_all(&[Ask::Made(one)], READ_DEADLINE)?,
                many => {
                    let begin = link.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
                    let asks = begin.into_iter().chain(many.iter().map(Ask::Made));
                    let asks: Vec<Ask<'_>> = asks.chain([Ask::Plain("COMMIT".to_owned())]).collect();
                    link.ask_all(&asks, READ_DEADLINE)?.drain(BEGINNING..BEGINNING + many.len()).collect()
                }
            };
            Ok((questions, found))
        })?;
        questions.answers(&found)
    }

    /// Checks that a primary accepts writes.
    pub(in crate::store) fn reachable(&self) -> Result<(), StoreError> {
        let asks = [Ask::Once("SELECT 1 WHERE current_setting('transaction_read_only') = 'off'".to_owned())];
        match self.query(&Target::Main, |link| link.ask_all(&asks, REACH_DEADLINE))?.first().map(Vec::len) {
            Some(1) => Ok(()),
            Some(_) | None => Err(StoreError::Read("the database is read-only".to_owned())),
        }
    }

    /// Queries on a connection. An idle connection may have broken unnoticed, so a broken read is retried once on a new
    /// one. A conflict is retried for as long as a caller waits for a connection; repeating a read is safe.
    fn query<T>(
        &self,
        place: &Target,
        mut ask: impl FnMut(&mut Link) -> Result<T, LinkError>,
    ) -> Result<T, StoreError> {
        let (begun, mut broke) = (Instant::now(), false);
        loop {
            let mut borrowed = self.borrow(place, false)?;
            match ask(borrowed.link()) {
                Ok(found) => {
                    borrowed.give_back();
                    return Ok(found);
                }
                Err(link_error) if link_error.is_conflict() && begun.elapsed() < BORROWED_WITHIN => {}
                Err(link_error) if link_error.may_pass() && !broke && begun.elapsed() < BORROWED_WITHIN => {
                    // The other idle connections are probably broken too.
                    drop(borrowed);
                    self.borrowed().idle.clear();
                    broke = true;
                }
                Err(link_error) => return Err(self.connector.reported(borrowed.link(), link_error)),
            }
        }
    }

    pub(in crate::store) fn snapshot<T>(
        &self,
        query: impl for<'s> FnOnce(&'s State<'s>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // Tests and tools also call this from async code.
        let mut borrowed = self.borrow(&Target::Main, tokio::runtime::Handle::try_current().is_ok())?;
        let link = borrowed.link();
        let begin = link.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY").into_iter();
        let begin = begin.chain([
            // The caller may pause between two rows.
            Ask::Plain("SET LOCAL idle_in_transaction_session_timeout = 0".to_owned()),
            // One connection per node: two would not see one state.
            if link.has_citus() {
                Ask::Plain("SET LOCAL citus.multi_shard_modify_mode = 'sequential'".to_owned())
            } else {
                Ask::Nothing
            },
        ]);
        link.ask_all(&begin.collect::<Vec<_>>(), READ_DEADLINE).map_err(LinkError::of_read)?;
        let seen = query(&State { link: RefCell::new(link), cursors: Cell::new(0) })?;
        borrowed.link().ask_all(&[Ask::Plain("COMMIT".to_owned())], READ_DEADLINE).map_err(LinkError::of_read)?;
        borrowed.give_back();
        Ok(seen)
    }

    fn borrow(&self, place: &Target, aside: bool) -> Result<Borrowing<'_>, StoreError> {
        let deadline = Instant::now() + BORROWED_WITHIN;
        let mut borrowed = self.borrowed();
        loop {
            // Connections to a previous primary are dropped.
            borrowed.idle.retain(|link| self.connector.leads_to(link));
            if let Some(at) = borrowed.idle.iter().rposition(|link| link.leads_to(place)) {
                let mut link = borrowed.idle.remove(at);
                link.drive_aside(aside);
                borrowed.out += 1;
                return Ok(Borrowing { readers: self, link: Some(link) });
            }
            if borrowed.out < READERS_MAX {
                borrowed.out += 1;
                drop(borrowed);
                // From here on it counts as lent; its drop decrements the count.
                let mut lending = Borrowing { readers: self, link: None };
                lending.link = Some(self.connector.open_to(place, aside)?);
                return Ok(lending);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(StoreError::Read("all connections are busy".to_owned()));
            }
            borrowed = self.borrowed.1.wait_timeout(borrowed, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Returns the organization of all wants, if they have the same one.
fn organization_of(wants: &[Want]) -> Option<OrgId> {
    let of = |want: &Want| {
        let (table, column, value) = match want {
            Want::Rows(wanted) => (wanted.table, wanted.index.columns.first(), wanted.values.first()),
            Want::Page(query) => {
                let first = query.conditions.first().filter(|first| first.compare == Compare::Equal);
                (query.table, first.map(|first| &first.column), first.map(|first| ValueRef::from(&first.value)))
            }
        };
        match value {
            Some(ValueRef::Id(id)) if column == table.key().columns.first() => Some(OrgId(id)),
            Some(_) | None => None,
        }
    };
    let first = of(wants.first()?)?;
    wants.iter().all(|want| of(want) == Some(first)).then_some(first)
}

/// A lent connection. Dropped, also after a panic, unless it is given back.
struct Borrowing<'a> {
    readers: &'a Readers,
    link: Option<Link>,
}

impl Borrowing<'_> {
    fn link(&mut self) -> &mut Link {
        self.link.as_mut().expect("only its end takes the connection away")
    }

    fn give_back(mut self) {
        if let Some(link) = self.link.take() {
            let mut borrowed = self.readers.borrowed();
            borrowed.idle.push(link);
            if borrowed.idle.len() > IDLE_MAX {
                borrowed.idle.remove(0);
            }
        }
    }
}

impl Drop for Borrowing<'_> {
    fn drop(&mut self) {
        self.readers.borrowed().out -= 1;
        self.readers.borrowed.1.notify_one();
    }
}

pub struct State<'a> {
    link: RefCell<&'a mut Link>,
    cursors: Cell<u32>,
}

impl State<'_> {
    /// Visits the rows of a table, ordered by the primary key, after the first `skip`.
    pub(in crate::store) fn each<E: From<StoreError>>(
        &self,
        table: &'static Table,
        skip: u64,
        show: &mut impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        // A visitor may read another table, so each cursor has its own name.
        self.cursors.set(self.cursors.get() + 1);
        let cursor = format!("whole_{}", self.cursors.get());
        self.ask(Ask::Plain(format!("DECLARE {cursor} NO SCROLL CURSOR FOR {}", every(table, skip))))?;
        let mut at_once = ROWS_AT_FIRST;
        loop {
            let found = self.ask(Ask::Once(format!("FETCH {at_once} FROM {cursor}")))?;
            let mut bytes = 0;
            for row in &found {
                let row = read_row(table, row)?;
                bytes += row.iter().map(Value::size_bytes).sum::<usize>();
                show(row)?;
            }
            if found.len() < at_once {
                break;
            }
            at_once = (BYTES_AT_ONCE * found.len() / bytes.max(1)).clamp(1, ROWS_AT_ONCE);
        }
        self.ask(Ask::Plain(format!("CLOSE {cursor}")))?;
        Ok(())
    }

    pub(in crate::store) fn get(&self, table: &'static Table, key: &Key) -> Result<Option<Row>, StoreError> {
        Ok(self.get_all(table, std::slice::from_ref(key))?.into_iter().flatten().next())
    }

    /// Returns the rows with these primary keys, in the order of the keys.
    pub(in crate::store) fn get_all(
        &self,
        table: &'static Table,
        keys: &[Key],
    ) -> Result<Vec<Option<Row>>, StoreError> {
        let distinct: Vec<&Key> = keys.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let want = |key: &&Key| Want::Rows(RowsWanted { table, index: table.key(), values: (*key).clone() });
        let wants: Vec<Want> = distinct.iter().map(want).collect();
        let questions = Questions::of(&wants, self.link.borrow().has_citus());
        let asks: Vec<Ask<'_>> = questions.statements.iter().map(Ask::Made).collect();
        let found = self.link.borrow_mut().ask_all(&asks, WHOLE_DEADLINE).map_err(LinkError::of_read)?;
        let answers = questions.answers(&found)?;
        let found: BTreeMap<&Key, &Row> =
            distinct.iter().zip(&answers).filter_map(|(key, rows)| Some((*key, rows.first()?))).collect();
        Ok(keys.iter().map(|key| found.get(key).map(|row| (*row).clone())).collect())
    }

    fn ask(&self, ask: Ask<'_>) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        let found = self.link.borrow_mut().ask_all(&[ask], WHOLE_DEADLINE).map_err(LinkError::of_read)?;
        Ok(found.into_iter().next().unwrap_or_default())
    }
}
