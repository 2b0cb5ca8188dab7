//! The working set of a batch: the rows that its commands loaded, changed and added.
//!
//! A command finds rows here, changes them here, and never knows a store. A row
//! that is not in memory yet is asked for with [`Halt::Load`]; the engine loads it
//! and runs the command again from its start.
//!
//! Invariant: the changes of a command that was refused are gone without a trace.
//! Deliberately absent: the name of any noun, any I/O, any clock.

pub mod query;
pub mod record;
mod rows;
pub mod states;

use std::sync::Arc;

pub use query::{Direction, Query};
use record::{AnyRecord, Index};
pub use record::{Record, Row, Table, Value};
use rows::TableRows;

use crate::chain::{ChainKey, UNKEYED};
use crate::clock::Time;
use crate::ids::Entropy;
use crate::refusal::Refusal;

/// A map of the working set. Its hash is faster than the standard library's and as unpredictable from outside.
type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
type Set<K> = std::collections::HashSet<K, foldhash::fast::RandomState>;

/// Rows that a command needs and the world does not have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// All rows with these values in an index.
    Rows(RowsWanted),
    /// One page of a list; only reads ask for it.
    Page(Query),
}

/// A look-up by an index.
#[derive(Clone, Debug)]
pub struct RowsWanted {
    /// Where to look.
    pub table: &'static Table,
    /// By which index.
    pub index: &'static Index,
    /// The values it must have.
    pub values: Row,
}

impl PartialEq for RowsWanted {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table && self.index.columns == other.index.columns && self.values == other.values
    }
}

impl Eq for RowsWanted {}

impl std::hash::Hash for RowsWanted {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.table.name.hash(state);
        self.index.columns.hash(state);
        self.values.hash(state);
    }
}

impl Want {
    /// The row of `R` with this primary key. For commands that name up front what they will need.
    pub fn row<R: Record>(key: Row) -> Self {
        Self::by::<R>(R::TABLE.key(), key)
    }

    /// Whether it is a page of a list.
    pub fn is_page(&self) -> bool {
        match self {
            Self::Rows(_) => false,
            Self::Page(_) => true,
        }
    }

    /// Whether it is one row at most.
    pub fn is_one_row(&self) -> bool {
        match self {
            Self::Rows(wanted) => wanted.index.unique,
            Self::Page(_) => false,
        }
    }

    /// Whose rows it is about; `None` where it looks across organizations. Every key begins with its organization.
    pub fn organization(&self) -> Option<&Value> {
        match self {
            Self::Rows(wanted) => wanted.values.first(),
            Self::Page(query) => query.conditions.first().map(|condition| &condition.value),
        }
    }

    /// The rows of `R` with these values in an index.
    pub fn by<R: Record>(index: &'static Index, values: Row) -> Self {
        Self::Rows(RowsWanted { table: R::TABLE, index, values })
    }
}

/// Why a command stopped before its end.
#[derive(Debug)]
pub enum Halt {
    /// Rows must be loaded first; then the command runs again.
    Load(Vec<Want>),
    /// The answer is no.
    Refuse(Box<Refusal>),
}

impl<R: Into<Refusal>> From<R> for Halt {
    fn from(refusal: R) -> Self {
        Self::Refuse(Box::new(refusal.into()))
    }
}

/// What changed in one table, for the store to write.
#[derive(Debug)]
pub struct TableChanges {
    /// The table.
    pub table: &'static Table,
    /// New rows.
    pub inserts: Vec<Row>,
    /// Rows with changed values; the primary key is the same.
    pub updates: Vec<Row>,
    /// For each of [`Self::updates`], which columns differ from what the store holds: what did not change need not be
    /// written, and its indexes need not be touched. Where nothing is said of a row, all of it is written.
    pub changed: Vec<Columns>,
    /// Primary keys of rows to remove.
    pub deletes: Vec<Row>,
}

/// Some columns of a table, by their positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Columns(u64);

impl Columns {
    /// All of them.
    pub const ALL: Self = Self(u64::MAX);

    /// The columns in which two rows of a table differ.
    pub fn differing(left: &Row, right: &Row) -> Self {
        let differs = |(position, (left, right)): (usize, (&Value, &Value))| u64::from(left != right) << position;
        Self(left.iter().zip(right).enumerate().map(differs).sum())
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this column is one of them.
    pub fn contains(self, position: usize) -> bool {
        self.0 >> position & 1 == 1
    }
}

/// The rows that a batch changed, as it left them, for the batch that is decided before they are written.
#[derive(Default)]
pub struct PendingRows(Vec<(&'static Table, Vec<Left>)>);

/// A row by its key, as it was left; `None` where it was removed.
type Left = (Row, Option<AnyRecord>);

/// A place in the list of changes to which the world can go back.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint(usize);

/// The batch's working set. See the module's comment.
pub struct World {
    tables: Map<&'static str, TableRows>,
    answered: Set<RowsWanted>,
    pages: Map<Query, Vec<AnyRecord>>,
    /// What each change replaced, newest last, so that a refused command can be taken back.
    undo: Vec<(&'static Table, Row, Option<AnyRecord>)>,
    now: Time,
    entropy: Entropy,
    /// Under which the history is chained; none where nothing is written.
    chain: Option<Arc<ChainKey>>,
    /// Who asked for the running command; none where the program did.
    caller: Option<Arc<str>>,
}

impl World {
    /// An empty world.
    pub fn new(now: Time) -> Self {
        Self {
            tables: Map::default(),
            answered: Set::default(),
            pages: Map::default(),
            undo: Vec::new(),
            now,
            entropy: Entropy::from_seed([0; 32]),
            chain: None,
            caller: None,
        }
    }

    /// The same world, whose history is chained under this key.
    #[must_use]
    pub fn chained(mut self, chain: Arc<ChainKey>) -> Self {
        self.chain = Some(chain);
        self
    }

    /// The key under which the history is chained.
    pub fn chain(&self) -> &ChainKey {
        self.chain.as_deref().unwrap_or(&UNKEYED)
    }

    /// Who asked for the running command: the client id of a key; none where the program did.
    pub fn caller(&self) -> Option<&Arc<str>> {
        self.caller.as_ref()
    }

    /// Notes who asked for the running command.
    pub fn called_by(&mut self, caller: Arc<str>) {
        self.caller = Some(caller);
    }

    /// A world in which these rows are as they were left, whatever the store answers: it may not have them yet.
    pub fn after(pending_rows: PendingRows, now: Time) -> Self {
        let mut world = Self::new(now);
        for (table, rows) in pending_rows.0 {
            let known = world.tables.entry(table.name).or_insert_with(|| TableRows::new(table));
            rows.into_iter().for_each(|(key, left)| known.leave(key, left));
        }
        world
    }

    /// The moment of the running command; each command of a program has its own, later than the one before.
    pub fn now(&self) -> Time {
        self.now
    }

    /// A new id, made of the command's moment and its own entropy.
    pub fn id<I: From<uuid::Uuid>>(&mut self) -> I {
        self.entropy.id(self.now)
    }

    /// Random bytes of the running command.
    pub fn random<const N: usize>(&mut self) -> [u8; N] {
        self.entropy.bytes()
    }

    /// The row with this primary key.
    pub fn get<R: Record>(&self, key: Row) -> Result<Option<Arc<R>>, Halt> {
        self.find(R::TABLE.key(), key)
    }

    /// The one row with these values in a unique index.
    pub fn find<R: Record>(&self, index: &'static Index, values: Row) -> Result<Option<Arc<R>>, Halt> {
        debug_assert!(index.unique, "find is for unique indexes; all() is for the others");
        if let Some(rows) = self.tables.get(R::TABLE.name)
            && let Some(found) = rows.by_index(index, &values).next()
        {
            return Ok(Some(typed(found)));
        }
        let wanted = RowsWanted { table: R::TABLE, index, values };
        if self.answered.contains(&wanted) {
            return Ok(None);
        }
        Err(Halt::Load(vec![Want::Rows(wanted)]))
    }

    /// All rows with these values in an index, ordered by primary key.
    pub fn all<R: Record>(&self, index: &'static Index, values: Row) -> Result<Vec<Arc<R>>, Halt> {
        let wanted = RowsWanted { table: R::TABLE, index, values };
        if !self.answered.contains(&wanted) {
            return Err(Halt::Load(vec![Want::Rows(wanted)]));
        }
        let Some(rows) = self.tables.get(R::TABLE.name) else { return Ok(Vec::new()) };
        Ok(rows.by_index(index, &wanted.values).map(typed).collect())
    }

    /// Has all of these loaded at once, where finding one after the other would take a round of loading each.
    pub fn require(&self, wants: impl IntoIterator<Item = Want>) -> Result<(), Halt> {
        let missing: Vec<Want> = wants.into_iter().filter(|want| !self.knows(want)).collect();
        if missing.is_empty() { Ok(()) } else { Err(Halt::Load(missing)) }
    }

    /// Does the same with each of many. What they lack is loaded together, so that a hundred need as many rounds
    /// of loading as the neediest of them, and not the sum.
    pub fn each<I, T>(
        &mut self,
        many: impl IntoIterator<Item = I>,
        mut look: impl FnMut(&mut Self, I) -> Result<T, Halt>,
    ) -> Result<Vec<T>, Halt> {
        let (mut done, mut missing) = (Vec::new(), Vec::new());
        for one in many {
            match look(self, one) {
                Ok(seen) => done.push(seen),
                Err(Halt::Load(wants)) => missing.extend(wants),
                Err(refused @ Halt::Refuse(_)) => return Err(refused),
            }
        }
        only_once(&mut missing);
        if missing.is_empty() { Ok(done) } else { Err(Halt::Load(missing)) }
    }

    /// One page of a list, in list order. Only for reads: a page is not kept true while commands change rows.
    pub fn page<R: Record>(&self, query: &Query) -> Result<Vec<Arc<R>>, Halt> {
        match self.pages.get(query) {
            Some(rows) => Ok(rows.iter().cloned().map(typed).collect()),
            None => Err(Halt::Load(vec![Want::Page(query.clone())])),
        }
    }

    /// Adds a new record.
    pub fn add<R: Record>(&mut self, record: R) -> Arc<R> {
        let record = Arc::new(record);
        let key = record.key();
        self.put(R::TABLE, key, Some(record.clone()));
        record
    }

    /// Changes a record, whose newest state in this world `edit` gets; gives the new state.
    /// The primary key must stay as it is.
    pub fn change<R: Record>(&mut self, record: &Arc<R>, edit: impl FnOnce(&mut R)) -> Arc<R> {
        let key = record.key();
        let mut changed = self.newest::<R>(record, &key);
        edit(&mut changed);
        self.replace(key, changed)
    }

    fn newest<R: Record>(&self, record: &R, key: &Row) -> R {
        let newest = self.tables.get(R::TABLE.name).and_then(|rows| rows.get(key));
        newest.map_or_else(|| R::clone(record), |newest| R::clone(&typed::<R>(newest)))
    }

    fn replace<R: Record>(&mut self, key: Row, changed: R) -> Arc<R> {
        let changed = Arc::new(changed);
        debug_assert_eq!(key, changed.key(), "a primary key never changes");
        self.put(R::TABLE, key, Some(changed.clone()));
        changed
    }

    /// Removes a record. For working rows only: what tells of money is never removed.
    pub fn remove<R: Record>(&mut self, record: &Arc<R>) {
        let key = record.key();
        self.put(R::TABLE, key, None);
    }

    /// Runs `attempt`; when it is refused, its changes are taken back and the refusal is given as a value.
    pub fn attempt<T>(
        &mut self,
        attempt: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> Result<Result<T, Refusal>, Halt> {
        let savepoint = self.savepoint();
        match attempt(self) {
            Ok(done) => Ok(Ok(done)),
            Err(Halt::Refuse(refusal)) => {
                self.roll_back(savepoint);
                Ok(Err(*refusal))
            }
            Err(load @ Halt::Load(_)) => Err(load),
        }
    }

    fn put(&mut self, table: &'static Table, key: Row, record: Option<AnyRecord>) {
        let rows = self.tables.entry(table.name).or_insert_with(|| TableRows::new(table));
        let before = rows.put(&key, record);
        self.undo.push((table, key, before));
    }

    /// The present state, to go back to.
    pub fn savepoint(&self) -> Savepoint {
        Savepoint(self.undo.len())
    }

    /// Takes back every change since the savepoint.
    pub fn roll_back(&mut self, savepoint: Savepoint) {
        while self.undo.len() > savepoint.0 {
            let Some((table, key, before)) = self.undo.pop() else { break };
            if let Some(rows) = self.tables.get_mut(table.name) {
                rows.put(&key, before);
            }
        }
    }
}

/// What the engine does with a world; commands have no use for it.
impl World {
    /// Makes the world ready for one command, or for the same one again.
    pub fn begin(&mut self, now: Time, seed: [u8; 32]) {
        self.now = now;
        self.entropy = Entropy::from_seed(seed);
        self.caller = None;
    }

    /// Whether this look-up was answered already.
    pub fn knows(&self, want: &Want) -> bool {
        match want {
            Want::Rows(wanted) => self.answered.contains(wanted) || self.has_one(wanted),
            Want::Page(query) => self.pages.contains_key(query),
        }
    }

    /// Whether the one row that is looked for is here, by whatever way it came.
    fn has_one(&self, wanted: &RowsWanted) -> bool {
        let rows = self.tables.get(wanted.table.name).filter(|_| wanted.index.unique);
        rows.is_some_and(|rows| rows.by_index(wanted.index, &wanted.values).next().is_some())
    }

    /// Takes in what the store answered to a look-up. Rows that are here already stay as they are:
    /// they may have been changed since.
    pub fn take_in(&mut self, want: Want, rows: &[Row]) -> Result<(), record::Corrupt> {
        match want {
            Want::Rows(wanted) => {
                let table = wanted.table;
                let known = self.tables.entry(table.name).or_insert_with(|| TableRows::new(table));
                known.watch(wanted.index);
                for row in rows {
                    known.take_in(Table::index_values(table.key(), row), row)?;
                }
                self.answered.insert(wanted);
            }
            Want::Page(query) => {
                let records = rows.iter().map(|row| (query.table.decode)(row)).collect::<Result<_, _>>()?;
                self.pages.insert(query, records);
            }
        }
        Ok(())
    }

    /// Everything that differs from what the store holds.
    pub fn changes(&self) -> Vec<TableChanges> {
        let mut changes: Vec<TableChanges> = self.tables.values().filter_map(TableRows::changes).collect();
        // One order for all batches, so that two writers never wait for each other in a circle.
        changes.sort_by_key(|change| change.table.name);
        changes
    }

    /// The rows that differ from what the store holds, as they are now.
    pub fn pending_rows(&self) -> PendingRows {
        let of_table = |rows: &TableRows| {
            let left: Vec<Left> = rows.changed().map(|(key, left)| (key.clone(), left.clone())).collect();
            (!left.is_empty()).then(|| (rows.table(), left))
        };
        PendingRows(self.tables.values().filter_map(of_table).collect())
    }
}

/// Leaves each look-up once: two commands may lack the same row.
pub(crate) fn only_once(wants: &mut Vec<Want>) {
    let mut seen = Set::default();
    let firsts: Vec<bool> = wants.iter().map(|want| seen.insert(want)).collect();
    let mut firsts = firsts.into_iter();
    wants.retain(|_| firsts.next().unwrap_or(true));
}

fn typed<R: Record>(record: AnyRecord) -> Arc<R> {
    record.downcast::<R>().expect("a table only ever holds its own records")
}
