//! An in-memory store for tests and the simulator, with injected failures.
//!
//! It can report an unknown outcome with or without writing, fail reads, and lose what a crash would lose. Clones share
//! their data.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::{CommitError, OnCommit, StoreError};
use crate::world::query::{Compare, Direction, Query};
use crate::world::{Key, Row, Table, TableChanges, Value, ValueRef, Want};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// Writes, then reports an unknown outcome.
    WrittenButUnknown,
    /// Writes nothing and reports an unknown outcome.
    LostAndUnknown,
    /// Writes nothing and reports a refusal.
    Refused,
    /// Writes nothing and reports full storage.
    Full,
}

#[derive(Clone, Debug)]
pub struct Change {
    pub table: &'static Table,
    pub key: Key,
    /// `None` for a new row.
    pub before: Option<Row>,
    pub after: Option<Row>,
}

#[derive(Default)]
pub struct Tables {
    rows: HashMap<&'static str, BTreeMap<Key, Row>>,
    /// For each index but the key: (table, index) → values → primary keys.
    indexes: HashMap<(&'static str, usize), BTreeMap<Key, BTreeSet<Key>>>,
    /// The commits that a crash would lose, newest last.
    unflushed: Vec<Vec<Change>>,
    /// The changes since the last [`Memory::take_changes`]; `None` if not watched.
    watched: Option<Vec<Change>>,
    fault: Fault,
    begun: Option<(Vec<TableChanges>, OnCommit)>,
    /// Whether commits need [`Memory::flush`] to survive a crash.
    lazy: bool,
    commits: u64,
}

#[derive(Clone, Default)]
pub struct Memory {
    tables: Arc<Mutex<Tables>>,
}

impl Memory {
    pub fn new() -> Self {
        Self::default()
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Injects a fault into the next commit only.
    pub fn fail_next(&self, fault: Fault) {
        self.tables().fault = fault;
    }

    /// Makes commits survive [`Self::crash`] only after a flush. The negative control of the durability invariant.
    pub fn make_lazy(&self) {
        self.tables().lazy = true;
    }

    pub fn flush(&self) {
        self.tables().unflushed.clear();
    }

    /// Simulates a power failure: changes that are not durable are lost.
    pub fn crash(&self) {
        let mut tables = self.tables();
        tables.begun = None;
        while let Some(commit) = tables.unflushed.pop() {
            for change in commit.into_iter().rev() {
                tables.put(change.table, change.key, change.before);
            }
        }
    }

    /// Starts recording changes for [`Self::take_changes`], for a checker that checks each commit instead of all rows.
    pub fn watch(&self) {
        self.tables().watched = Some(Vec::new());
    }

    /// Returns the changes since the last call, in the order of the commits.
    pub fn take_changes(&self) -> Vec<Change> {
        self.tables().watched.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Visits every row of every table, ordered by the table's name, then by key.
    pub fn each_row(&self, mut visit: impl FnMut(&'static str, &Row)) {
        let tables = self.tables();
        let mut names: Vec<&'static str> = tables.rows.keys().copied().collect();
        names.sort_unstable();
        for name in names {
            tables.rows[name].values().for_each(|row| visit(name, row));
        }
    }

    pub fn commits(&self) -> u64 {
        self.tables().commits
    }

    pub fn rows(&self, table: &'static Table) -> Vec<Row> {
        self.tables().rows(table).cloned().collect()
    }

    pub fn row(&self, table: &'static Table, key: &Key) -> Option<Row> {
        self.tables().get(table, key).cloned()
    }

    /// Writes or removes a row without any check. The negative control of checkers, which must find it.
    pub fn tamper(&self, table: &'static Table, key: Key, row: Option<Row>) {
        self.tables().put(table, key, row);
    }

    pub(super) fn snapshot<T>(&self, fetch: impl FnOnce(&Tables) -> Result<T, StoreError>) -> Result<T, StoreError> {
        fetch(&self.tables())
    }

    pub(super) fn load(&mut self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        let tables = self.tables();
        Ok(wants
            .iter()
            .map(|want| match want {
                Want::Rows(wanted) => tables.by_index(wanted.table, wanted.index.columns, &wanted.values),
                Want::Page(query) => tables.page(query),
            })
            .collect())
    }

    pub(super) fn begin_commit(&mut self, changes: Vec<TableChanges>, on_commit: OnCommit) {
        self.tables().begun = Some((changes, on_commit));
    }

    pub(super) fn finish_commit(&mut self) {
        let begun = self.tables().begun.take();
        if let Some((changes, on_commit)) = begun {
            on_commit(self.commit(&changes));
        }
    }

    pub(super) fn commit(&mut self, changes: &[TableChanges]) -> Result<(), CommitError> {
        let mut tables = self.tables();
        let fault = std::mem::take(&mut tables.fault);
        match fault {
            Fault::Refused => return Err(CommitError::Refused("refused on demand".into())),
            Fault::Full => return Err(CommitError::Full("full on demand".into())),
            Fault::LostAndUnknown => return Err(CommitError::Unknown("lost on demand".into())),
            Fault::None | Fault::WrittenButUnknown => {}
        }
        if let Some(broken) = changes.iter().find_map(|change| tables.broken_rule(change)) {
            return Err(CommitError::Refused(broken));
        }
        let mut written = Vec::new();
        for TableChanges { table, inserts, updates, deletes, changed: _ } in changes {
            for key in deletes {
                let before = tables.put(table, key.clone(), None);
                written.push(Change { table, key: key.clone(), before, after: None });
            }
            for row in updates.iter().chain(inserts) {
                let key = Table::index_values(table.key(), row);
                let before = tables.put(table, key.clone(), Some(row.clone()));
                written.push(Change { table, key, before, after: Some(row.clone()) });
            }
        }
        tables.commits += 1;
        if tables.lazy {
            tables.unflushed.push(written.clone());
        }
        if let Some(watched) = &mut tables.watched {
            watched.append(&mut written);
        }
        match fault {
            Fault::WrittenButUnknown => Err(CommitError::Unknown("silent on demand".into())),
            Fault::None | Fault::Refused | Fault::Full | Fault::LostAndUnknown => Ok(()),
        }
    }
}

/// A plan to read a page: an index and a range.
struct Way {
    /// The index's position in the table; 0 is the key.
    index: usize,
    /// The common prefix of all entries to read.
    prefix: Key,
    /// Whether the index has the order of the page.
    is_ordered: bool,
    direction: Direction,
    /// The lower bound in the page's order.
    least: Option<Value>,
    after: Option<Value>,
}

impl Way {
    /// Selects the index with the longest given prefix, and prefers one in the page's order.
    fn of(query: &Query) -> Self {
        let equal = |column: &usize| {
            let given = query.conditions.iter().find(|it| it.column == *column && it.compare == Compare::Equal);
            given.map(|condition| condition.value.clone())
        };
        let least = query.conditions.iter().find(|it| it.column == query.order && it.compare == Compare::AtLeast);
        let least = least.map(|condition| condition.value.clone());
        let ways = query.table.indexes.iter().enumerate().map(|(place, index)| {
            let prefix: Row = index.columns.iter().map_while(equal).collect();
            let prefix = Key::from(&prefix[..]);
            let is_ordered = index.columns.get(prefix.len()) == Some(&query.order);
            let after = query.after.clone().filter(|_| is_ordered);
            let least = least.clone().filter(|_| is_ordered);
            Self { index: place, prefix, is_ordered, direction: query.direction, least, after }
        });
        ways.reduce(|best, way| if way.fitness() > best.fitness() { way } else { best })
            .expect("a table has a primary key")
    }

    fn fitness(&self) -> (usize, bool) {
        (self.prefix.len(), self.is_ordered)
    }

    /// Returns the range of keys. It may be too wide, because each row is checked.
    fn bounds(&self) -> (Bound<Key>, Bound<Key>) {
        let with =
            |more: &Option<Value>| -> Key { self.prefix.iter().chain(more.as_ref().map(ValueRef::from)).collect() };
        let from = Bound::Included(with(&self.least));
        // The range ends before the next id, or at the end of the index if there is none.
        let next = match self.prefix.last() {
            Some(ValueRef::Id(id)) => id.as_u128().checked_add(1).map(uuid::Uuid::from_u128),
            Some(_) | None => None,
        };
        let before_last = || self.prefix.iter().take(self.prefix.len() - 1);
        let behind = next.map(|next| before_last().chain([ValueRef::Id(next)]).collect());
        let until = behind.map_or(Bound::Unbounded, Bound::Excluded);
        if self.after.is_none() {
            return (from, until);
        }
        let after = with(&self.after);
        match self.direction {
            Direction::Ascending => (Bound::Included(after), until),
            // Entries that begin with the value itself sort after it, and are excluded.
            Direction::Descending => (from, Bound::Excluded(after)),
        }
    }
}

impl Tables {
    pub(super) fn rows(&self, table: &'static Table) -> impl Iterator<Item = &Row> {
        self.rows.get(table.name).into_iter().flat_map(BTreeMap::values)
    }

    pub(super) fn get(&self, table: &'static Table, key: &Key) -> Option<&Row> {
        self.rows.get(table.name)?.get(key)
    }

    fn by_index(&self, table: &'static Table, columns: &[usize], values: &Key) -> Vec<Row> {
        let Some(rows) = self.rows.get(table.name) else { return Vec::new() };
        let place = table.indexes.iter().position(|index| index.columns == columns);
        match place {
            Some(0) => rows.get(values).cloned().into_iter().collect(),
            Some(place) => {
                let keys = self.indexes.get(&(table.name, place)).and_then(|index| index.get(values));
                keys.into_iter().flatten().filter_map(|key| rows.get(key).cloned()).collect()
            }
            None => rows
                .values()
                .filter(|row| columns.iter().zip(values.iter()).all(|(&c, v)| ValueRef::from(&row[c]) == v))
                .cloned()
                .collect(),
        }
    }

    /// Reads along the best index, and no further than the page if the index has its order: tables of a long simulator
    /// run only grow.
    fn page(&self, query: &Query) -> Vec<Row> {
        let Some(rows) = self.rows.get(query.table.name) else { return Vec::new() };
        let way = Way::of(query);
        let candidates: Box<dyn DoubleEndedIterator<Item = &Row>> = match way.index {
            0 => Box::new(rows.range(way.bounds()).map(|(_, row)| row)),
            place => match self.indexes.get(&(query.table.name, place)) {
                Some(index) => {
                    let keys = index.range(way.bounds()).flat_map(|(_, keys)| keys);
                    Box::new(keys.filter_map(|key| rows.get(key)))
                }
                None => return Vec::new(),
            },
        };
        let fits = |row: &&Row| query.holds(row) && self.connected(query, row);
        let found: Vec<&Row> = match (way.is_ordered, query.direction) {
            (true, Direction::Ascending) => candidates.filter(fits).take(query.limit).collect(),
            (true, Direction::Descending) => candidates.rev().filter(fits).take(query.limit).collect(),
            (false, direction) => {
                let mut found: Vec<&Row> = candidates.filter(fits).collect();
                found.sort_by(|a, b| match direction {
                    Direction::Ascending => a[query.order].cmp(&b[query.order]),
                    Direction::Descending => b[query.order].cmp(&a[query.order]),
                });
                found.truncate(query.limit);
                found
            }
        };
        found.into_iter().cloned().collect()
    }

    fn connected(&self, query: &Query, row: &Row) -> bool {
        let Some(through) = &query.through else { return true };
        let table = through.table;
        let Some(rows) = self.rows.get(table.name) else { return false };
        let organization = &row[query.table.key().columns[0]];
        let at = |connection: &Row, name: &str| table.position(name).map(|position| connection[position].clone());
        rows.values().any(|connection| {
            at(connection, "org").as_ref() == Some(organization)
                && at(connection, through.column).as_ref() == Some(&row[query.order])
                && through.equal.iter().all(|(name, value)| at(connection, name).as_ref() == Some(value))
        })
    }

    /// Checks unique indexes and missing rows, as a real store does.
    fn broken_rule(&self, change: &TableChanges) -> Option<String> {
        let table = change.table;
        let key = table.key();
        let exists = |row: &Key| self.rows.get(table.name).is_some_and(|rows| rows.contains_key(row));
        if let Some(twice) = change.inserts.iter().find(|row| exists(&Table::index_values(key, row))) {
            return Some(format!("{}: a second row with the key {:?}", table.name, Table::index_values(key, twice)));
        }
        for (place, index) in table.indexes.iter().enumerate().skip(1).filter(|(_, index)| index.unique) {
            for row in change.inserts.iter().chain(&change.updates) {
                let values = Table::index_values(index, row);
                if values.iter().any(|value| value == ValueRef::Null) {
                    continue;
                }
                let own = Table::index_values(key, row);
                let taken = self.indexes.get(&(table.name, place)).and_then(|index| index.get(&values));
                let rewritten = |other: &Key| {
                    change.deletes.contains(other)
                        || change.updates.iter().any(|row| Table::index_values(key, row) == *other)
                };
                if taken.into_iter().flatten().any(|other| *other != own && !rewritten(other)) {
                    return Some(format!("{}: {} is taken: {values:?}", table.name, index.name));
                }
            }
        }
        None
    }

    fn put(&mut self, table: &'static Table, key: Key, row: Option<Row>) -> Option<Row> {
        let rows = self.rows.entry(table.name).or_default();
        let before = match &row {
            Some(row) => rows.insert(key.clone(), row.clone()),
            None => rows.remove(&key),
        };
        for (place, index) in table.indexes.iter().enumerate().skip(1) {
            let values = |row: &Row| Table::index_values(index, row);
            let (old, new) = (before.as_ref().map(values), row.as_ref().map(values));
            if old == new {
                continue;
            }
            let entries = self.indexes.entry((table.name, place)).or_default();
            if let Some(values) = old
                && let Some(keys) = entries.get_mut(&values)
            {
                keys.remove(&key);
                if keys.is_empty() {
                    entries.remove(&values);
                }
            }
            if let Some(values) = new {
                entries.entry(values).or_default().insert(key.clone());
            }
        }
        before
    }
}
