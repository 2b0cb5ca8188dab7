//! The rows of one table in a world: an identity map with indexes on demand.

use std::sync::Arc;

use super::changes::{Columns, TableChanges};
use super::key::Key;
use super::record::{AnyRecord, Corrupt, Index, Row, Table};

/// The hash is faster than the standard library's, and equally unpredictable for attackers.
pub(super) type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

struct Slot {
    /// The stored row; `None` if the store has none.
    stored: Option<AnyRecord>,
    /// The row in the world; `None` if it was removed.
    current: Option<AnyRecord>,
}

impl Slot {
    fn is_changed(&self) -> bool {
        match (&self.stored, &self.current) {
            (Some(stored), Some(current)) => !Arc::ptr_eq(stored, current),
            (stored, current) => stored.is_some() || current.is_some(),
        }
    }
}

/// Values of an index → primary keys, in their order.
type Entries = Map<Key, Vec<Key>>;

pub(super) struct TableRows {
    table: &'static Table,
    slots: Map<Key, Slot>,
    /// One for each index of the table except the primary key. Maintained only after the first read by it, because most
    /// rows are found only by their keys.
    indexes: Vec<Option<Entries>>,
}

impl TableRows {
    pub(super) fn new(table: &'static Table) -> Self {
        let indexes = table.indexes.iter().skip(1).map(|_| None).collect();
        Self { table, slots: Map::default(), indexes }
    }

    pub(super) fn table(&self) -> &'static Table {
        self.table
    }

    pub(super) fn get(&self, key: &Key) -> Option<AnyRecord> {
        self.slots.get(key).and_then(|slot| slot.current.clone())
    }

    /// Returns a present row that the store does not have.
    pub(super) fn added(&self, key: &Key) -> Option<AnyRecord> {
        self.slots.get(key).filter(|slot| slot.stored.is_none()).and_then(|slot| slot.current.clone())
    }

    /// Returns the present rows with these values in an index; none if the index is not watched.
    pub(super) fn by_index(&self, index: &'static Index, values: &Key) -> impl Iterator<Item = AnyRecord> {
        let place = self.place(index);
        let by_key = if place == Some(0) { self.get(values) } else { None };
        let keys = match place {
            Some(place) if place > 0 => self.indexes[place - 1].as_ref().and_then(|entries| entries.get(values)),
            _ => None,
        };
        by_key.into_iter().chain(keys.into_iter().flatten().filter_map(|key| self.get(key)))
    }

    /// Starts maintaining an index, and adds the present rows to it.
    pub(super) fn watch(&mut self, index: &'static Index) {
        let Some(place) = self.place(index).filter(|place| *place > 0) else { return };
        if self.indexes[place - 1].is_some() {
            return;
        }
        let mut entries = Entries::default();
        for (key, slot) in &self.slots {
            if let Some(record) = &slot.current {
                enter(&mut entries, (self.table.cells)(record.as_ref(), index.columns), key);
            }
        }
        self.indexes[place - 1] = Some(entries);
    }

    /// Sets a row to the state after an earlier batch; `None` if the batch removed it.
    pub(super) fn leave(&mut self, key: Key, left: Option<AnyRecord>) {
        debug_assert!(self.indexes.iter().all(Option::is_none), "nothing was looked up yet");
        self.slots.insert(key, Slot { stored: left.clone(), current: left });
    }

    /// Returns the present state of the rows that differ from the store.
    pub(super) fn changed(&self) -> impl Iterator<Item = (&Key, &Option<AnyRecord>)> {
        self.slots.iter().filter(|(_, slot)| slot.is_changed()).map(|(key, slot)| (key, &slot.current))
    }

    fn place(&self, index: &'static Index) -> Option<usize> {
        self.table.indexes.iter().position(|known| known.columns == index.columns)
    }

    /// Sets the present state of a row and returns the previous one.
    pub(super) fn put(&mut self, key: &Key, record: Option<AnyRecord>) -> Option<AnyRecord> {
        let before = match self.slots.get_mut(key) {
            Some(slot) => std::mem::replace(&mut slot.current, record.clone()),
            None => {
                self.slots.insert(key.clone(), Slot { stored: None, current: record.clone() });
                None
            }
        };
        self.reindex(key, before.as_ref(), record.as_ref());
        before
    }

    pub(super) fn take_in(&mut self, key: Key, row: &Row) -> Result<(), Corrupt> {
        if self.slots.contains_key(&key) {
            return Ok(());
        }
        let record = (self.table.decode)(row)?;
        self.take_in_record(key, record);
        Ok(())
    }

    pub(super) fn take_in_record(&mut self, key: Key, record: AnyRecord) {
        if self.slots.contains_key(&key) {
            return;
        }
        self.reindex(&key, None, Some(&record));
        self.slots.insert(key, Slot { stored: Some(record.clone()), current: Some(record) });
    }

    fn reindex(&mut self, key: &Key, before: Option<&AnyRecord>, after: Option<&AnyRecord>) {
        let cells = self.table.cells;
        for (index, entries) in self.table.indexes.iter().skip(1).zip(&mut self.indexes) {
            let Some(entries) = entries else { continue };
            let values_before = before.map(|record| cells(record.as_ref(), index.columns));
            let values_after = after.map(|record| cells(record.as_ref(), index.columns));
            if values_before == values_after {
                continue;
            }
            if let Some(values) = values_before
                && let Some(keys) = entries.get_mut(&values)
                && let Ok(at) = keys.binary_search(key)
            {
                keys.remove(at);
            }
            if let Some(values) = values_after {
                enter(entries, values, key);
            }
        }
    }

    /// Returns the differences from the store, in the order of the primary key.
    pub(super) fn changes(&self) -> Option<TableChanges> {
        let (mut inserts, mut updates, mut deletes) = (Vec::new(), Vec::new(), Vec::new());
        let encode = self.table.encode;
        let mut changed: Vec<(&Key, &Slot)> = self.slots.iter().filter(|(_, slot)| slot.is_changed()).collect();
        changed.sort_unstable_by_key(|(key, _)| *key);
        for (key, slot) in changed {
            match (&slot.stored, &slot.current) {
                (None, Some(current)) => inserts.push(encode(current.as_ref())),
                (Some(stored), Some(current)) => {
                    let (stored, current) = (encode(stored.as_ref()), encode(current.as_ref()));
                    let changed = Columns::differing(&stored, &current);
                    if !changed.is_empty() {
                        updates.push((current, changed));
                    }
                }
                (Some(_), None) => deletes.push(key.clone()),
                (None, None) => {}
            }
        }
        let unchanged = inserts.is_empty() && updates.is_empty() && deletes.is_empty();
        let (updates, changed) = updates.into_iter().unzip();
        (!unchanged).then_some(TableChanges { table: self.table, inserts, updates, changed, deletes })
    }
}

fn enter(entries: &mut Entries, values: Key, key: &Key) {
    let keys = entries.entry(values).or_default();
    if let Err(at) = keys.binary_search(key) {
        keys.insert(at, key.clone());
    }
}
