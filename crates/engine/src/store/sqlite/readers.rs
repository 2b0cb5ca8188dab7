//! The reading half: connections that are lent to one reader at a time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{CachedStatement, Connection, Statement, ToSql, params_from_iter};
use uuid::Uuid;

use super::connection::read_connection;
use super::error::unreadable;
use crate::clock::Time;
use crate::store::cache::{self, Records, RowCache, Since};
use crate::store::error::StoreError;
use crate::store::reserve::{Reserve, Storage};
use crate::store::sql;
use crate::world::record::{Corrupt, Kind};
use crate::world::{Key, Row, Table, Value, ValueRef as Cell, Want};

/// Read connections, each lent to one reader at a time.
#[derive(Clone)]
pub struct Readers {
    reserve: Reserve,
    /// Maintained by the writer of this process; `None` without one.
    cache: Option<Arc<RowCache>>,
    idle: Arc<(Mutex<Vec<Connection>>, Condvar)>,
}

const READERS: usize = 4;

/// Returns the rows for each want, in order, from one state.
pub(super) fn load_consistently(connection: &mut Connection, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
    if let [_] = wants {
        // A single statement sees one consistent state.
        return load(connection, wants);
    }
    let transaction = connection.transaction().map_err(unreadable)?;
    load(&transaction, wants)
}

fn load(connection: &Connection, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
    // Many wants of a batch use the same statement: each is prepared once.
    let mut prepared: HashMap<(&'static str, &'static [usize]), CachedStatement<'_>> = HashMap::new();
    let mut load_one = |want: &Want| match want {
        Want::Rows(wanted) => {
            let (table, index) = (wanted.table, wanted.index);
            let statement = match prepared.entry((table.name, index.columns)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    new.insert(connection.prepare_cached(&sql::select(table, index)).map_err(unreadable)?)
                }
            };
            read_rows(table, statement, wanted.values.iter())
        }
        Want::Page(query) => {
            let (text, values) = sql::page(query);
            let mut statement = connection.prepare_cached(&text).map_err(unreadable)?;
            read_rows(query.table, &mut statement, values.iter().map(Cell::from))
        }
    };
    wants.iter().map(&mut load_one).collect()
}

fn read_rows<'a>(
    table: &'static Table,
    statement: &mut Statement<'_>,
    values: impl Iterator<Item = Cell<'a>>,
) -> Result<Vec<Row>, StoreError> {
    let mut rows = statement.query(params_from_iter(values)).map_err(unreadable)?;
    let mut loaded = Vec::new();
    while let Some(row) = rows.next().map_err(unreadable)? {
        loaded.push(read_row(table, row)?);
    }
    Ok(loaded)
}

fn read_row(table: &'static Table, row: &rusqlite::Row<'_>) -> Result<Row, StoreError> {
    let mut values = Vec::with_capacity(table.columns.len());
    for (position, column) in table.columns.iter().enumerate() {
        let cell = row.get_ref(position).map_err(unreadable)?;
        let value = read_cell(column.kind, cell)
            .ok_or_else(|| Corrupt { column: column.name, found: cell.data_type().to_string() })?;
        values.push(value);
    }
    Ok(values)
}

fn read_cell(kind: Kind, cell: ValueRef<'_>) -> Option<Value> {
    match (kind, cell) {
        (_, ValueRef::Null) => Some(Value::Null),
        (Kind::Id, ValueRef::Blob(bytes)) => Uuid::from_slice(bytes).ok().map(Value::Id),
        (Kind::Int, ValueRef::Integer(number)) => Some(Value::Int(number)),
        (Kind::Bool, ValueRef::Integer(number)) => Some(Value::Bool(number != 0)),
        (Kind::Time, ValueRef::Integer(micros)) => Some(Value::Time(Time::from_micros(micros))),
        (Kind::Text, ValueRef::Text(text)) => std::str::from_utf8(text).ok().map(|text| Value::Text(text.to_owned())),
        (Kind::Bytes, ValueRef::Blob(bytes)) => Some(Value::Bytes(bytes.to_vec())),
        (Kind::Id | Kind::Int | Kind::Bool | Kind::Time | Kind::Text | Kind::Bytes, _) => None,
    }
}

macro_rules! to_sql {
    ($type:ty) => {
        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(match self {
                    Self::Null => ToSqlOutput::Owned(SqlValue::Null),
                    Self::Id(id) => ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes())),
                    Self::Int(number) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
                    Self::Bool(yes) => ToSqlOutput::Owned(SqlValue::Integer(i64::from(*yes))),
                    Self::Time(time) => ToSqlOutput::Owned(SqlValue::Integer(time.micros())),
                    Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
                    Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
                })
            }
        }
    };
}
to_sql!(Value);
to_sql!(Cell<'_>);

impl Readers {
    pub(in crate::store) fn open(path: &Path, reserve: Reserve) -> rusqlite::Result<Self> {
        let connections: Vec<Connection> = (0..READERS).map(|_| read_connection(path)).collect::<Result<_, _>>()?;
        Ok(Self { reserve, cache: None, idle: Arc::new((Mutex::new(connections), Condvar::new())) })
    }

    /// Keeps found records in a cache that the only writer of the file maintains.
    pub(super) fn cached(self, cache: Arc<RowCache>) -> Self {
        Self { cache: Some(cache), ..self }
    }

    pub(in crate::store) fn limit_storage(&self, quota_bytes: Option<u64>) {
        self.reserve.limit(quota_bytes);
    }

    pub(in crate::store) fn is_full(&self) -> bool {
        self.reserve.is_full()
    }

    pub(in crate::store) fn storage(&self) -> Option<Storage> {
        self.reserve.storage()
    }

    pub(in crate::store) fn load(&self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        load_consistently(self.borrow().connection(), wants)
    }

    pub(in crate::store) fn load_at_once(&self, wants: &[Want]) -> Option<Result<Vec<Records>, StoreError>> {
        if !wants.iter().all(Want::is_short) {
            return None;
        }
        let since = match self.cache.as_deref().map(|cache| cache.find(wants)) {
            Some(Ok(found)) => return Some(Ok(found)),
            Some(Err(since)) => since,
            None => None,
        };
        let connection = self.idle.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop()?;
        let mut borrowed = Borrowed { readers: self, connection: Some(connection) };
        let loaded = load_consistently(borrowed.connection(), wants);
        Some(loaded.and_then(|rows| self.kept(since, wants, &rows)))
    }

    /// Returns the records of rows that were read after `since`, and keeps them.
    fn kept(&self, since: Option<Since>, wants: &[Want], rows: &[Vec<Row>]) -> Result<Vec<Records>, StoreError> {
        let records = cache::records(wants, rows)?;
        if let Some(cache) = &self.cache {
            cache.keep(since, wants, rows, &records);
        }
        Ok(records)
    }

    pub(in crate::store) fn snapshot<T>(
        &self,
        look: impl for<'t> FnOnce(&'t rusqlite::Transaction<'t>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut borrowed = self.borrow();
        let transaction = borrowed.connection().transaction().map_err(unreadable)?;
        look(&transaction)
    }

    fn borrow(&self) -> Borrowed<'_> {
        let (idle, freed) = &*self.idle;
        let mut idle = idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        loop {
            match idle.pop() {
                Some(connection) => return Borrowed { readers: self, connection: Some(connection) },
                None => idle = freed.wait(idle).unwrap_or_else(std::sync::PoisonError::into_inner),
            }
        }
    }
}

/// A lent connection. Its drop returns it, also after a panic.
struct Borrowed<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Borrowed<'_> {
    fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("only drop takes the connection away")
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let (idle, freed) = &*self.readers.idle;
        idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(self.connection.take());
        freed.notify_one();
    }
}

pub(in crate::store) fn each<E: From<StoreError>>(
    connection: &Connection,
    table: &'static Table,
    skip: u64,
    show: &mut impl FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = connection.prepare_cached(&sql::every(table, skip)).map_err(unreadable)?;
    let mut rows = statement.query([]).map_err(unreadable)?;
    while let Some(row) = rows.next().map_err(unreadable)? {
        show(read_row(table, row)?)?;
    }
    Ok(())
}

pub(in crate::store) fn get(
    connection: &Connection,
    table: &'static Table,
    key: &Key,
) -> Result<Option<Row>, StoreError> {
    let mut statement = connection.prepare_cached(&sql::select(table, table.key())).map_err(unreadable)?;
    let mut rows = statement.query(params_from_iter(key.iter())).map_err(unreadable)?;
    rows.next().map_err(unreadable)?.map(|row| read_row(table, row)).transpose()
}
