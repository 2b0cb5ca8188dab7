//! The records that reads of an embedded store found recently, so that the next read of one needs no statement.
//!
//! Invariant: a record in the cache is the one that the store holds. A commit removes the rows that it changes before it
//! is written, and no read adds a record unless no commit was being written from the start of its statement until then.
//! So no read returns a row that is older than one of a read before it, or older than a confirmed commit ([ADR 69]).
//!
//! Deliberately absent: rows that the store lacks, which strangers could ask for without end; a store on a server, which
//! other processes write to.
//!
//! [ADR 69]: ../../../../docs/internals/adr/0069-hot-rows-are-kept-decoded.md

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::{CommitError, StoreError};
use crate::world::record::{AnyRecord, Value};
use crate::world::{Key, Row, RowsWanted, Table, TableChanges, Want};

/// The approximate bytes of the records of one generation. The cache has two.
const GENERATION_BYTES: usize = 8 * 1024 * 1024;
/// A larger row is not kept: it would displace thousands of others.
const ROW_BYTES_MAX: usize = 64 * 1024;
/// The maps' share of an entry, in bytes.
const ENTRY_BYTES: usize = 256;

type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// The records of one want.
pub type Records = Arc<[AnyRecord]>;

#[derive(Default)]
pub(super) struct RowCache {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_writing: bool,
    /// The commits until now.
    commits: u64,
    recent: Generation,
    /// The generation before. A record that is found here becomes recent, all others are dropped with it.
    older: Generation,
}

#[derive(Default)]
struct Generation {
    tables: Map<&'static str, Kept>,
    bytes: usize,
}

#[derive(Default)]
struct Kept {
    rows: Map<Key, Entry>,
    /// Of indexes that find few rows. Any change of the table removes them.
    lists: Map<Key, Entry>,
}

struct Entry {
    records: Records,
    bytes: usize,
}

/// Shows that a read began while no commit was being written.
#[derive(Clone, Copy)]
pub(super) struct Since(u64);

impl RowCache {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the records of all wants, which are of one state of the store. If one is missing, returns the proof that
    /// [`Self::keep`] needs, or none during a commit.
    pub(super) fn find(&self, wants: &[Want]) -> Result<Vec<Records>, Option<Since>> {
        let mut state = self.state();
        let found: Option<Vec<Records>> = wants.iter().map(|want| state.find(of_cache(want)?)).collect();
        found.ok_or_else(|| state.since())
    }

    /// Keeps what a read found whose statement began after `since`.
    pub(super) fn keep(&self, since: Option<Since>, wants: &[Want], rows: &[Vec<Row>], records: &[Records]) {
        let Some(since) = since else { return };
        // Thousands of records are freed only after the lock.
        let mut dropped = Vec::new();
        let mut state = self.state();
        if state.since().is_none_or(|now| now.0 != since.0) {
            return;
        }
        for ((want, rows), records) in wants.iter().zip(rows).zip(records) {
            if let Some(wanted) = of_cache(want).filter(|wanted| !rows.is_empty() || !wanted.index.unique) {
                dropped.extend(state.add(wanted, Entry { records: records.clone(), bytes: bytes_of(rows) }));
            }
        }
        drop(state);
    }

    /// Removes the rows that a commit changes, before it is written.
    pub(super) fn begin_commit(&self, changes: &[TableChanges]) {
        let mut state = self.state();
        state.is_writing = true;
        let State { recent, older, .. } = &mut *state;
        for generation in [recent, older] {
            changes.iter().for_each(|change| generation.forget(change));
        }
    }

    /// Lets reads add records again. After an unknown outcome none may: the changes may become visible at any time.
    pub(super) fn end_commit(&self, outcome: &Result<(), CommitError>) {
        let mut state = self.state();
        state.commits += 1;
        state.is_writing = matches!(outcome, Err(CommitError::Unknown(_)));
    }
}

/// Returns the want if its answer may be kept: one row by its primary key, or few rows by an index.
fn of_cache(want: &Want) -> Option<&RowsWanted> {
    match want {
        Want::Rows(wanted) if is_key(wanted) || (wanted.index.short && !wanted.index.unique) => Some(wanted),
        Want::Rows(_) | Want::Page(_) => None,
    }
}

fn is_key(wanted: &RowsWanted) -> bool {
    wanted.index.columns == wanted.table.key().columns
}

impl State {
    fn since(&self) -> Option<Since> {
        (!self.is_writing).then_some(Since(self.commits))
    }

    fn find(&mut self, wanted: &RowsWanted) -> Option<Records> {
        if let Some(entry) = self.recent.get(wanted) {
            return Some(entry.records.clone());
        }
        let entry = self.older.remove(wanted)?;
        let records = entry.records.clone();
        drop(self.add(wanted, entry));
        Some(records)
    }

    /// Adds an entry. Returns the generation that it displaced.
    fn add(&mut self, wanted: &RowsWanted, entry: Entry) -> Option<Generation> {
        if entry.bytes > ROW_BYTES_MAX {
            return None;
        }
        let is_full = self.recent.bytes + entry.bytes > GENERATION_BYTES;
        let dropped = is_full.then(|| std::mem::replace(&mut self.older, std::mem::take(&mut self.recent)));
        self.recent.add(wanted, entry);
        dropped
    }
}

impl Generation {
    fn get(&self, wanted: &RowsWanted) -> Option<&Entry> {
        let kept = self.tables.get(wanted.table.name)?;
        if is_key(wanted) { kept.rows.get(&wanted.values) } else { kept.lists.get(&wanted.values) }
    }

    fn add(&mut self, wanted: &RowsWanted, entry: Entry) {
        let kept = self.tables.entry(wanted.table.name).or_default();
        self.bytes += entry.bytes;
        let entries = if is_key(wanted) { &mut kept.rows } else { &mut kept.lists };
        let replaced = entries.insert(wanted.values.clone(), entry);
        self.bytes -= replaced.map_or(0, |replaced| replaced.bytes);
    }

    fn remove(&mut self, wanted: &RowsWanted) -> Option<Entry> {
        let kept = self.tables.get_mut(wanted.table.name)?;
        let entries = if is_key(wanted) { &mut kept.rows } else { &mut kept.lists };
        let removed = entries.remove(&wanted.values)?;
        self.bytes -= removed.bytes;
        Some(removed)
    }

    /// Removes what a commit changes. New rows are in no entry of a row, only in lists.
    fn forget(&mut self, change: &TableChanges) {
        let Some(kept) = self.tables.get_mut(change.table.name) else { return };
        for (_, removed) in kept.lists.drain() {
            self.bytes -= removed.bytes;
        }
        let updated = change.updates.iter().map(|row| Table::index_values(change.table.key(), row));
        for key in updated.chain(change.deletes.iter().cloned()) {
            self.bytes -= kept.rows.remove(&key).map_or(0, |removed| removed.bytes);
        }
    }
}

/// Decodes the rows of each want.
pub(super) fn records(wants: &[Want], rows: &[Vec<Row>]) -> Result<Vec<Records>, StoreError> {
    let of_want = |(want, rows): (&Want, &Vec<Row>)| {
        let decode = want.table().decode;
        Ok(rows.iter().map(|row| decode(row)).collect::<Result<_, _>>()?)
    };
    wants.iter().zip(rows).map(of_want).collect()
}

/// Returns the approximate bytes of an entry with these rows.
fn bytes_of(rows: &[Row]) -> usize {
    let cell = |value: &Value| {
        let text = match value {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Null | Value::Id(_) | Value::Int(_) | Value::Bool(_) | Value::Time(_) => 0,
        };
        size_of::<Value>() + text
    };
    ENTRY_BYTES + rows.iter().flatten().map(cell).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::OrgId;
    use crate::world::Record;
    use crate::world::record::{key, record};

    record! {
        pub struct Note in "notes" {
            key (org, id)
            few OF_ORG (org);
            pub org: OrgId,
            pub id: i64,
            pub text: String,
        }
    }

    const ORG: OrgId = OrgId(uuid::Uuid::nil());

    fn note(id: i64, text: &str) -> Row {
        Note { org: ORG, id, text: text.to_owned() }.values()
    }

    fn row(id: i64) -> Vec<Want> {
        vec![Want::row::<Note>(key![ORG, id])]
    }

    fn list() -> Vec<Want> {
        vec![Want::by::<Note>(Note::OF_ORG, key![ORG])]
    }

    fn change(inserts: Vec<Row>, updates: Vec<Row>, deletes: Vec<Key>) -> [TableChanges; 1] {
        [TableChanges { table: Note::TABLE, inserts, updates, changed: Vec::new(), deletes }]
    }

    impl RowCache {
        /// Keeps rows that a read found which began at `since`.
        fn found(&self, since: Option<Since>, wants: &[Want], rows: Vec<Row>) {
            let rows = [rows];
            self.keep(since, wants, &rows, &records(wants, &rows).unwrap());
        }

        fn read(&self, wants: &[Want], rows: Vec<Row>) {
            self.found(self.find(wants).unwrap_err(), wants, rows);
        }

        fn texts(&self, wants: &[Want]) -> Option<Vec<String>> {
            let found = self.find(wants).ok()?;
            let text = |record: &AnyRecord| record.downcast_ref::<Note>().unwrap().text.clone();
            Some(found.iter().flat_map(|records| records.iter()).map(text).collect())
        }

        fn commit(&self, changes: &[TableChanges]) {
            self.begin_commit(changes);
            self.end_commit(&Ok(()));
        }
    }

    #[test]
    fn a_commit_removes_the_rows_that_it_changes_and_all_lists_of_their_table() {
        let cache = RowCache::default();
        for id in [1, 2, 3] {
            cache.read(&row(id), vec![note(id, "old")]);
        }
        cache.read(&list(), vec![note(1, "old"), note(2, "old"), note(3, "old")]);
        assert_eq!(cache.texts(&list()).unwrap().len(), 3);
        cache.begin_commit(&change(Vec::new(), vec![note(1, "new")], vec![key![ORG, 2_i64]]));
        assert_eq!([cache.texts(&row(1)), cache.texts(&row(2)), cache.texts(&list())], [None, None, None]);
        assert_eq!(cache.texts(&row(3)).unwrap(), ["old"], "also while the commit is written");
        cache.end_commit(&Ok(()));
        cache.read(&list(), Vec::new());
        assert_eq!(cache.texts(&list()).unwrap(), [""; 0], "an empty list is kept");
        cache.commit(&change(vec![note(4, "new")], Vec::new(), Vec::new()));
        assert_eq!(cache.texts(&list()), None);
    }

    #[test]
    fn a_read_that_a_commit_overlaps_keeps_nothing() {
        let cache = RowCache::default();
        let other = change(vec![note(9, "other")], Vec::new(), Vec::new());
        let before = cache.find(&row(1)).unwrap_err();
        cache.begin_commit(&other);
        cache.found(before, &row(1), vec![note(1, "old")]);
        assert_eq!(cache.texts(&row(1)), None, "the commit is being written");
        let during = cache.find(&row(1)).unwrap_err();
        cache.end_commit(&Ok(()));
        cache.found(before, &row(1), vec![note(1, "old")]);
        assert_eq!(cache.texts(&row(1)), None, "the read began before the commit");
        cache.found(during, &row(1), vec![note(1, "old")]);
        assert_eq!(cache.texts(&row(1)), None, "the read began during the commit");
        cache.read(&row(1), vec![note(1, "new")]);
        assert_eq!(cache.texts(&row(1)).unwrap(), ["new"]);
    }

    #[test]
    fn after_an_unknown_outcome_nothing_is_kept() {
        let cache = RowCache::default();
        cache.begin_commit(&change(Vec::new(), vec![note(1, "perhaps")], Vec::new()));
        cache.end_commit(&Err(CommitError::Unknown("on purpose".to_owned())));
        cache.read(&row(1), vec![note(1, "old")]);
        assert_eq!(cache.texts(&row(1)), None);
    }

    #[test]
    fn rows_that_the_store_lacks_and_large_rows_are_not_kept() {
        let cache = RowCache::default();
        cache.read(&row(1), Vec::new());
        cache.read(&row(2), vec![note(2, &"x".repeat(ROW_BYTES_MAX))]);
        assert_eq!([cache.texts(&row(1)), cache.texts(&row(2))], [None, None]);
    }

    #[test]
    fn several_wants_are_found_together_or_not_at_all() {
        let cache = RowCache::default();
        cache.read(&row(1), vec![note(1, "one")]);
        let both = [row(1), row(2)].concat();
        assert_eq!(cache.texts(&both), None);
        cache.read(&row(2), vec![note(2, "two")]);
        assert_eq!(cache.texts(&both).unwrap(), ["one", "two"]);
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_read_often() {
        let cache = RowCache::default();
        let text = "x".repeat(10_000);
        for id in 0..4_000 {
            cache.read(&row(id), vec![note(id, &text)]);
            assert!(id == 0 || cache.texts(&row(0)).is_some(), "{id}");
            let state = cache.state();
            for generation in [&state.recent, &state.older] {
                let kept = generation.tables.values().flat_map(|kept| kept.rows.values().chain(kept.lists.values()));
                assert_eq!(kept.map(|entry| entry.bytes).sum::<usize>(), generation.bytes);
                assert!(generation.bytes <= GENERATION_BYTES);
            }
        }
        assert_eq!(cache.texts(&row(1)), None);
        cache.commit(&change(Vec::new(), (0..4_000).map(|id| note(id, "")).collect(), Vec::new()));
        let state = cache.state();
        assert_eq!((state.recent.bytes, state.older.bytes), (0, 0));
    }
}
