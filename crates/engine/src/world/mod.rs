//! The working set of a batch: the rows that its commands loaded, changed and added.
//!
//! A command finds and changes rows here, and knows no store. For a missing row it returns [`Halt::Load`]; the engine
//! loads the row and runs the command again from its start.
//!
//! Invariant: a refused command leaves no changes. The world knows no nouns, no I/O and no clock.

mod changes;
pub mod key;
pub mod query;
pub mod record;
mod rows;
pub mod states;
mod value;

use std::sync::Arc;

pub use changes::{Columns, TableChanges};
pub use key::{Key, ValueRef};
pub use query::{Direction, Query};
use record::{AnyRecord, Index};
pub use record::{Record, Row, Table, Value};
use rows::{Map, TableRows};

use crate::chain::{ChainKey, UNKEYED};
use crate::clock::Time;
use crate::ids::Entropy;
use crate::refusal::Refusal;

type Set<K> = std::collections::HashSet<K, foldhash::fast::RandomState>;

/// Rows that a command needs and that are not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    Rows(RowsWanted),
    /// A page of a list; only reads may want it.
    Page(Query),
}

#[derive(Clone, Debug)]
pub struct RowsWanted {
    pub table: &'static Table,
    pub index: &'static Index,
    pub values: Key,
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
    /// Wants the row of `R` with this primary key. For commands that name their rows up front.
    pub fn row<R: Record>(key: Key) -> Self {
        Self::by::<R>(R::TABLE.key(), key)
    }

    pub fn is_page(&self) -> bool {
        match self {
            Self::Rows(_) => false,
            Self::Page(_) => true,
        }
    }

    pub fn table(&self) -> &'static Table {
        match self {
            Self::Rows(wanted) => wanted.table,
            Self::Page(query) => query.table,
        }
    }

    /// Whether it may be read on the thread of a request.
    pub fn is_short(&self) -> bool {
        match self {
            Self::Rows(wanted) => wanted.index.short,
            Self::Page(_) => false,
        }
    }

    /// Returns the organization of the wanted rows; `None` for a read across organizations. Every key begins with its
    /// organization.
    pub fn organization(&self) -> Option<ValueRef<'_>> {
        match self {
            Self::Rows(wanted) => wanted.values.first(),
            Self::Page(query) => query.conditions.first().map(|condition| ValueRef::from(&condition.value)),
        }
    }

    pub fn by<R: Record>(index: &'static Index, values: Key) -> Self {
        Self::Rows(RowsWanted { table: R::TABLE, index, values })
    }
}

#[derive(Debug)]
pub enum Halt {
    /// Rows must be loaded; then the command runs again.
    Load(Vec<Want>),
    Refuse(Box<Refusal>),
}

impl<R: Into<Refusal>> From<R> for Halt {
    fn from(refusal: R) -> Self {
        Self::Refuse(Box::new(refusal.into()))
    }
}

/// The rows that a batch changed, for the next batch, which is decided before they are written.
#[derive(Default)]
pub struct PendingRows(Vec<(&'static Table, Vec<Left>)>);

/// A row by its key, after the batch; `None` if it was removed.
type Left = (Key, Option<AnyRecord>);

/// A position in the undo log.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint(usize);

pub struct World {
    tables: Map<&'static str, TableRows>,
    answered: Set<RowsWanted>,
    pages: Map<Query, Vec<AnyRecord>>,
    /// The previous state of each changed row, newest last, for rolling back a refused command.
    undo: Vec<(&'static Table, Key, Option<AnyRecord>)>,
    now: Time,
    entropy: Entropy,
    chain: Option<Arc<ChainKey>>,
    /// The client id of the running command's caller; `None` for the system.
    caller: Option<Arc<str>>,
    is_live: bool,
}

impl World {
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
            is_live: false,
        }
    }

    #[must_use]
    pub fn chained(mut self, chain: Arc<ChainKey>) -> Self {
        self.chain = Some(chain);
        self
    }

    /// Sets whether external parties are real. In other worlds the program simulates those that are not connected.
    #[must_use]
    pub fn live(mut self, is_live: bool) -> Self {
        self.is_live = is_live;
        self
    }

    pub fn set_live(&mut self, is_live: bool) {
        self.is_live = is_live;
    }

    pub fn is_live(&self) -> bool {
        self.is_live
    }

    pub fn chain(&self) -> &ChainKey {
        self.chain.as_deref().unwrap_or(&UNKEYED)
    }

    /// Returns the client id of the running command's caller; `None` for the system.
    pub fn caller(&self) -> Option<&Arc<str>> {
        self.caller.as_ref()
    }

    pub fn called_by(&mut self, caller: Arc<str>) {
        self.caller = Some(caller);
    }

    /// Returns a world with the rows of a pending batch. They take precedence over the store, which may not have them
    /// yet.
    pub fn after(pending_rows: PendingRows, now: Time) -> Self {
        let mut world = Self::new(now);
        for (table, rows) in pending_rows.0 {
            let known = world.tables.entry(table.name).or_insert_with(|| TableRows::new(table));
            rows.into_iter().for_each(|(key, left)| known.leave(key, left));
        }
        world
    }

    /// Returns the time of the running command. Each command has its own, later than all before it.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns a new id from the command's time and entropy.
    pub fn id<I: From<uuid::Uuid>>(&mut self) -> I {
        self.entropy.id(self.now)
    }

    pub fn random<const N: usize>(&mut self) -> [u8; N] {
        self.entropy.bytes()
    }

    pub fn get<R: Record>(&self, key: Key) -> Result<Option<Arc<R>>, Halt> {
        self.find(R::TABLE.key(), key)
    }

    /// Returns a record that this batch added, so that no store has it yet.
    pub fn added<R: Record>(&self, key: &Key) -> Option<Arc<R>> {
        self.tables.get(R::TABLE.name).and_then(|rows| rows.added(key)).map(typed)
    }

    pub fn find<R: Record>(&self, index: &'static Index, values: Key) -> Result<Option<Arc<R>>, Halt> {
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

    /// Returns all records with these values in an index, ordered by primary key.
    pub fn all<R: Record>(&self, index: &'static Index, values: Key) -> Result<Vec<Arc<R>>, Halt> {
        let wanted = RowsWanted { table: R::TABLE, index, values };
        if !self.answered.contains(&wanted) {
            return Err(Halt::Load(vec![Want::Rows(wanted)]));
        }
        let Some(rows) = self.tables.get(R::TABLE.name) else { return Ok(Vec::new()) };
        Ok(rows.by_index(index, &wanted.values).map(typed).collect())
    }

    /// Requests all of these at once, which saves a round of loading for each.
    pub fn require(&self, wants: impl IntoIterator<Item = Want>) -> Result<(), Halt> {
        let missing: Vec<Want> = wants.into_iter().filter(|want| !self.knows(want)).collect();
        if missing.is_empty() { Ok(()) } else { Err(Halt::Load(missing)) }
    }

    /// Runs `look` for each item. The rows that they miss are loaded together, so the rounds of loading are those of
    /// the slowest item, not the sum.
    ///
    /// *Invariant*: no item is refused over part of the changes of an item before it. A refusal after a missing row is
    /// dropped, and the items run again when the row is loaded.
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
                Err(refused @ Halt::Refuse(_)) if missing.is_empty() => return Err(refused),
                Err(Halt::Refuse(_)) => break,
            }
        }
        only_once(&mut missing);
        if missing.is_empty() { Ok(done) } else { Err(Halt::Load(missing)) }
    }

    /// Returns a page of a list, in list order. Only for reads: a page does not reflect the changes of commands.
    pub fn page<R: Record>(&self, query: &Query) -> Result<Vec<Arc<R>>, Halt> {
        match self.pages.get(query) {
            Some(rows) => Ok(rows.iter().cloned().map(typed).collect()),
            None => Err(Halt::Load(vec![Want::Page(query.clone())])),
        }
    }

    pub fn add<R: Record>(&mut self, record: R) -> Arc<R> {
        let record = Arc::new(record);
        let key = record.key();
        self.put(R::TABLE, key, Some(record.clone()));
        record
    }

    /// Changes the newest state of a record and returns the result. The primary key must not change.
    pub fn change<R: Record>(&mut self, record: &Arc<R>, edit: impl FnOnce(&mut R)) -> Arc<R> {
        let key = record.key();
        let mut changed = self.newest::<R>(record, &key);
        edit(&mut changed);
        self.replace(key, changed)
    }

    fn newest<R: Record>(&self, record: &R, key: &Key) -> R {
        let newest = self.tables.get(R::TABLE.name).and_then(|rows| rows.get(key));
        newest.map_or_else(|| R::clone(record), |newest| R::clone(&typed::<R>(newest)))
    }

    fn replace<R: Record>(&mut self, key: Key, changed: R) -> Arc<R> {
        let changed = Arc::new(changed);
        debug_assert_eq!(key, changed.key(), "a primary key never changes");
        self.put(R::TABLE, key, Some(changed.clone()));
        changed
    }

    /// Removes a record. For working rows only: records of money are never removed.
    pub fn remove<R: Record>(&mut self, record: &Arc<R>) {
        let key = record.key();
        self.put(R::TABLE, key, None);
    }

    /// Runs `attempt`. If it is refused, rolls back its changes and returns the refusal as a value.
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

    /// Returns the records of a kind that were added since the savepoint and that the store does not have, in the order
    /// in which they were added.
    pub fn added_since<R: Record>(&self, savepoint: Savepoint) -> Vec<Arc<R>> {
        let Some(rows) = self.tables.get(R::TABLE.name) else { return Vec::new() };
        let puts =
            self.undo.iter().skip(savepoint.0).filter(|(table, _, before)| before.is_none() && *table == R::TABLE);
        puts.filter_map(|(_, key, _)| rows.added(key)).map(typed).collect()
    }

    fn put(&mut self, table: &'static Table, key: Key, record: Option<AnyRecord>) {
        let rows = self.tables.entry(table.name).or_insert_with(|| TableRows::new(table));
        let before = rows.put(&key, record);
        self.undo.push((table, key, before));
    }

    pub fn savepoint(&self) -> Savepoint {
        Savepoint(self.undo.len())
    }

    /// Reverts every change since the savepoint.
    pub fn roll_back(&mut self, savepoint: Savepoint) {
        while self.undo.len() > savepoint.0 {
            let Some((table, key, before)) = self.undo.pop() else { break };
            if let Some(rows) = self.tables.get_mut(table.name) {
                rows.put(&key, before);
            }
        }
    }
}

/// Used by the engine only.
impl World {
    /// Prepares the world for the first or a repeated run of a command.
    pub fn begin(&mut self, now: Time, seed: [u8; 32]) {
        self.now = now;
        self.entropy = Entropy::from_seed(seed);
        self.caller = None;
    }

    pub fn knows(&self, want: &Want) -> bool {
        match want {
            Want::Rows(wanted) => self.answered.contains(wanted) || self.has_one(wanted),
            Want::Page(query) => self.pages.contains_key(query),
        }
    }

    /// Returns whether the one wanted row is present for any reason, such as another want.
    fn has_one(&self, wanted: &RowsWanted) -> bool {
        let rows = self.tables.get(wanted.table.name).filter(|_| wanted.index.unique);
        rows.is_some_and(|rows| rows.by_index(wanted.index, &wanted.values).next().is_some())
    }

    /// Adds the store's rows for a want. Rows that are present already stay as they are, because they may have changed.
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

    /// The same for rows that are decoded.
    pub fn take_in_records(&mut self, want: Want, records: &[AnyRecord]) {
        match want {
            Want::Rows(wanted) => {
                let table = wanted.table;
                let known = self.tables.entry(table.name).or_insert_with(|| TableRows::new(table));
                known.watch(wanted.index);
                for record in records {
                    known.take_in_record((table.cells)(record.as_ref(), table.key().columns), record.clone());
                }
                self.answered.insert(wanted);
            }
            Want::Page(query) => drop(self.pages.insert(query, records.to_vec())),
        }
    }

    pub fn changes(&self) -> Vec<TableChanges> {
        let mut changes: Vec<TableChanges> = self.tables.values().filter_map(TableRows::changes).collect();
        // A fixed order for all batches, so that two writers cannot deadlock.
        changes.sort_by_key(|change| change.table.name);
        changes
    }

    /// Returns the present state of all rows that differ from the store.
    pub fn pending_rows(&self) -> PendingRows {
        let of_table = |rows: &TableRows| {
            let left: Vec<Left> = rows.changed().map(|(key, left)| (key.clone(), left.clone())).collect();
            (!left.is_empty()).then(|| (rows.table(), left))
        };
        PendingRows(self.tables.values().filter_map(of_table).collect())
    }
}

/// Removes duplicates: two commands may want the same row.
pub fn only_once(wants: &mut Vec<Want>) {
    let mut seen = Set::default();
    let firsts: Vec<bool> = wants.iter().map(|want| seen.insert(want)).collect();
    let mut firsts = firsts.into_iter();
    wants.retain(|_| firsts.next().unwrap_or(true));
}

fn typed<R: Record>(record: AnyRecord) -> Arc<R> {
    record.downcast::<R>().expect("a table only ever holds its own records")
}

#[cfg(test)]
mod tests {
    use super::record::{key, record};
    use super::*;

    record! {
        pub struct Counter in "counters" {
            key (id);
            pub id: i64,
        }
    }

    #[test]
    fn no_item_is_refused_over_part_of_the_changes_of_another() {
        let run = |items: [&str; 2]| {
            World::new(Time::from_micros(1)).each(items, |_, item| match item {
                "misses a row" => Err::<(), _>(Halt::Load(vec![Want::row::<Counter>(key![1_i64])])),
                _ => Err(Halt::from(Refusal::not_found("row"))),
            })
        };
        assert!(matches!(run(["misses a row", "is refused"]), Err(Halt::Load(wants)) if wants.len() == 1));
        assert!(matches!(run(["is refused", "misses a row"]), Err(Halt::Refuse(_))));
    }
}
