//! Conversion of values to and from the server's types.

use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::clock::Time;
use crate::store::StoreError;
use crate::world::record::{Corrupt, Kind};
use crate::world::{Row, Table, Value, ValueRef};

/// A parameter of a statement: one value, or a column of values.
#[derive(Debug)]
pub(super) enum Param<'a> {
    Id(Uuid),
    /// A whole number, or a time in microseconds.
    Int(i64),
    Bool(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// A null of a column of this kind.
    Empty(Kind),
    Ids(Vec<Option<Uuid>>),
    /// Whole numbers, or times in microseconds.
    Ints(Vec<Option<i64>>),
    Bools(Vec<Option<bool>>),
    Texts(Vec<Option<&'a str>>),
    Blobs(Vec<Option<&'a [u8]>>),
}

impl<'a> Param<'a> {
    /// Returns one value; `None` for a null, with which nothing can be compared.
    pub fn one(value: ValueRef<'a>) -> Option<Self> {
        match value {
            ValueRef::Null => None,
            ValueRef::Id(id) => Some(Self::Id(id)),
            ValueRef::Int(number) => Some(Self::Int(number)),
            ValueRef::Bool(yes) => Some(Self::Bool(yes)),
            ValueRef::Time(time) => Some(Self::Int(time.micros())),
            ValueRef::Text(text) => Some(Self::Text(text)),
            ValueRef::Bytes(bytes) => Some(Self::Bytes(bytes)),
        }
    }

    /// Returns one cell; `None` if its value does not have the column's kind.
    pub fn cell(kind: Kind, value: &'a Value) -> Option<Self> {
        let fits = match value {
            Value::Null => return Some(Self::Empty(kind)),
            Value::Id(_) => kind == Kind::Id,
            Value::Int(_) => kind == Kind::Int,
            Value::Bool(_) => kind == Kind::Bool,
            Value::Time(_) => kind == Kind::Time,
            Value::Text(_) => kind == Kind::Text,
            Value::Bytes(_) => kind == Kind::Bytes,
        };
        fits.then(|| Self::one(value.into())).flatten()
    }

    /// Returns a column of values; `None` if one does not have the column's kind.
    pub fn column(kind: Kind, values: impl Iterator<Item = ValueRef<'a>>) -> Option<Self> {
        Some(match kind {
            Kind::Id => Self::Ids(each(values, |value| if let ValueRef::Id(id) = value { Some(id) } else { None })?),
            Kind::Int => Self::Ints(each(values, |value| if let ValueRef::Int(it) = value { Some(it) } else { None })?),
            Kind::Time => {
                Self::Ints(each(values, |value| if let ValueRef::Time(at) = value { Some(at.micros()) } else { None })?)
            }
            Kind::Bool => {
                Self::Bools(each(values, |value| if let ValueRef::Bool(it) = value { Some(it) } else { None })?)
            }
            Kind::Text => {
                Self::Texts(each(values, |value| if let ValueRef::Text(text) = value { Some(text) } else { None })?)
            }
            Kind::Bytes => {
                Self::Blobs(each(values, |value| if let ValueRef::Bytes(it) = value { Some(it) } else { None })?)
            }
        })
    }

    pub fn to_sql(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Self::Id(value) => (value, Type::UUID),
            Self::Int(value) => (value, Type::INT8),
            Self::Bool(value) => (value, Type::BOOL),
            Self::Text(value) => (value, Type::TEXT),
            Self::Bytes(value) => (value, Type::BYTEA),
            Self::Empty(Kind::Id) => (&None::<Uuid>, Type::UUID),
            Self::Empty(Kind::Int | Kind::Time) => (&None::<i64>, Type::INT8),
            Self::Empty(Kind::Bool) => (&None::<bool>, Type::BOOL),
            Self::Empty(Kind::Text) => (&None::<&str>, Type::TEXT),
            Self::Empty(Kind::Bytes) => (&None::<&[u8]>, Type::BYTEA),
            Self::Ids(values) => (values, Type::UUID_ARRAY),
            Self::Ints(values) => (values, Type::INT8_ARRAY),
            Self::Bools(values) => (values, Type::BOOL_ARRAY),
            Self::Texts(values) => (values, Type::TEXT_ARRAY),
            Self::Blobs(values) => (values, Type::BYTEA_ARRAY),
        }
    }
}

/// Converts each value, with `None` for a null; returns `None` if one has another kind.
fn each<'a, T>(
    values: impl Iterator<Item = ValueRef<'a>>,
    read: impl Fn(ValueRef<'a>) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    values.map(|value| if value == ValueRef::Null { Some(None) } else { read(value).map(Some) }).collect()
}

pub(super) const fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Id => "uuid",
        Kind::Int | Kind::Time => "bigint",
        Kind::Bool => "boolean",
        Kind::Text => "text",
        Kind::Bytes => "bytea",
    }
}

/// Returns whether no row can have this value: nothing equals a null, and the server stores no text with a zero byte.
pub(super) fn matches_nothing(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null => true,
        ValueRef::Text(text) => text.contains('\0'),
        ValueRef::Id(_) | ValueRef::Int(_) | ValueRef::Bool(_) | ValueRef::Time(_) | ValueRef::Bytes(_) => false,
    }
}

/// Reads a row from a statement that selects the table's columns in their order.
pub(super) fn read_row(table: &'static Table, row: &tokio_postgres::Row) -> Result<Row, StoreError> {
    table.columns.iter().enumerate().map(|(place, column)| read_cell(column.kind, column.name, place, row)).collect()
}

fn read_cell(kind: Kind, name: &'static str, place: usize, row: &tokio_postgres::Row) -> Result<Value, StoreError> {
    let value = match kind {
        Kind::Id => row.try_get::<_, Option<Uuid>>(place).map(|cell| cell.map(Value::Id)),
        Kind::Int => row.try_get::<_, Option<i64>>(place).map(|cell| cell.map(Value::Int)),
        Kind::Time => row.try_get::<_, Option<i64>>(place).map(|cell| cell.map(Time::from_micros).map(Value::Time)),
        Kind::Bool => row.try_get::<_, Option<bool>>(place).map(|cell| cell.map(Value::Bool)),
        Kind::Text => row.try_get::<_, Option<String>>(place).map(|cell| cell.map(Value::Text)),
        Kind::Bytes => row.try_get::<_, Option<Vec<u8>>>(place).map(|cell| cell.map(Value::Bytes)),
    };
    match value {
        Ok(cell) => Ok(cell.unwrap_or(Value::Null)),
        Err(error) => Err(Corrupt { column: name, found: error.to_string() }.into()),
    }
}
