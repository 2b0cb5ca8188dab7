//! The rows of one table in a world: an identity map with its indexes.

use std::collections::{BTreeSet, HashMap};

use super::TableChanges;
use super::record::{AnyRecord, Corrupt, Index, Row, Table};

struct Slot {
    /// As the store holds it; `None` when the store has no such row.
    stored: Option<AnyRecord>,
    /// As the world has it; `None` when it was removed.
    current: Option<AnyRecord>,
}

/// See the module's comment.
pub(super) struct TableRows {
    table: &'static Table,
    slots: HashMap<Row, Slot>,
    /// For each index but the primary key: values → primary keys, in their order.
    indexes: Vec<HashMap<Row, BTreeSet<Row>>>,
}

impl TableRows {
    pub(super) fn new(table: &'static Table) -> Self {
        let indexes = table.indexes.iter().skip(1).map(|_| HashMap::new()).collect();
        Self { table, slots: HashMap::new(), indexes }
    }

    pub(super) fn get(&self, key: &Row) -> Option<AnyRecord> {
        self.slots.get(key).and_then(|slot| slot.current.clone())
    }

    /// The present rows with these values in an index.
    pub(super) fn by_index(&self, index: &'static Index, values: &Row) -> impl Iterator<Item = AnyRecord> {
        let place = self.table.indexes.iter().position(|known| known.columns == index.columns);
        let by_key = if place == Some(0) { self.get(values) } else { None };
        let keys = match place {
            Some(place) if place > 0 => self.indexes[place - 1].get(values),
            _ => None,
        };
        by_key.into_iter().chain(keys.into_iter().flatten().filter_map(|key| self.get(key)))
    }

    /// Sets the present state of a row and gives the one before.
    pub(super) fn put(&mut self, key: &Row, record: Option<AnyRecord>) -> Option<AnyRecord> {
        let slot = self.slots.entry(key.clone()).or_insert(Slot { stored: None, current: None });
        let before = std::mem::replace(&mut slot.current, record.clone());
        self.reindex(key, before.as_ref(), record.as_ref());
        before
    }

    /// Takes in a row of the store, unless it is here already.
    pub(super) fn take_in(&mut self, key: Row, row: &Row) -> Result<(), Corrupt> {
        if self.slots.contains_key(&key) {
            return Ok(());
        }
        let record = (self.table.decode)(row)?;
        self.reindex(&key, None, Some(&record));
        self.slots.insert(key, Slot { stored: Some(record.clone()), current: Some(record) });
        Ok(())
    }

    fn reindex(&mut self, key: &Row, before: Option<&AnyRecord>, after: Option<&AnyRecord>) {
        if self.indexes.is_empty() {
            return;
        }
        let before = before.map(|record| (self.table.encode)(record.as_ref()));
        let after = after.map(|record| (self.table.encode)(record.as_ref()));
        for (index, entries) in self.table.indexes.iter().skip(1).zip(&mut self.indexes) {
            let values_before = before.as_ref().map(|row| Table::index_values(index, row));
            let values_after = after.as_ref().map(|row| Table::index_values(index, row));
            if values_before == values_after {
                continue;
            }
            if let Some(values) = values_before
                && let Some(keys) = entries.get_mut(&values)
            {
                keys.remove(key);
            }
            if let Some(values) = values_after {
                entries.entry(values).or_default().insert(key.clone());
            }
        }
    }

    /// What differs from the store, in the order of the primary key.
    pub(super) fn changes(&self) -> Option<TableChanges> {
        let mut changes =
            TableChanges { table: self.table, inserts: Vec::new(), updates: Vec::new(), deletes: Vec::new() };
        let encode = self.table.encode;
        for (key, slot) in &self.slots {
            match (&slot.stored, &slot.current) {
                (None, Some(current)) => changes.inserts.push(encode(current.as_ref())),
                (Some(stored), Some(current)) if !std::sync::Arc::ptr_eq(stored, current) => {
                    let (stored, current) = (encode(stored.as_ref()), encode(current.as_ref()));
                    if stored != current {
                        changes.updates.push(current);
                    }
                }
                (Some(_), None) => changes.deletes.push(key.clone()),
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
        let key = self.table.key();
        changes.inserts.sort_by_cached_key(|row| Table::index_values(key, row));
        changes.updates.sort_by_cached_key(|row| Table::index_values(key, row));
        changes.deletes.sort();
        let unchanged = changes.inserts.is_empty() && changes.updates.is_empty() && changes.deletes.is_empty();
        (!unchanged).then_some(changes)
    }
}
