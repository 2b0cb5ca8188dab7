//! Records: structs that declare their table, keys and columns once. The stores derive loading, inserting, updating and
//! listing from the declaration. No SQL, no nouns.

use std::any::Any;
use std::sync::Arc;

use uuid::Uuid;

use super::key::{Key, ValueRef};
pub use super::value::{Row, Value, feed_bytes};
use crate::clock::Time;

/// The type of a column, which determines its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Id,
    Int,
    Bool,
    Time,
    Text,
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub nullable: bool,
}

/// A set of columns by which rows are found, compared for equality.
#[derive(Debug)]
pub struct Index {
    pub name: &'static str,
    /// Positions in [`Table::columns`].
    pub columns: &'static [usize],
    /// Whether at most one row can have the same values.
    pub unique: bool,
    /// Whether a read of the rows with the same values is as short as that of one row.
    pub short: bool,
}

/// A row that a store could not have written: the data is damaged, or newer than the program.
#[derive(Debug, thiserror::Error)]
#[error("damaged row: column {column} holds {found}")]
pub struct Corrupt {
    pub column: &'static str,
    pub found: String,
}

/// A record whose type is not known statically.
pub type AnyRecord = Arc<dyn Any + Send + Sync>;

#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [Column],
    /// The first is the primary key.
    pub indexes: &'static [&'static Index],
    pub decode: fn(&[Value]) -> Result<AnyRecord, Corrupt>,
    pub encode: fn(&(dyn Any + Send + Sync)) -> Row,
    pub cells: fn(&(dyn Any + Send + Sync), &[usize]) -> Key,
}

impl Table {
    pub fn key(&self) -> &'static Index {
        self.indexes[0]
    }

    pub fn index_values(index: &Index, row: &[Value]) -> Key {
        index.columns.iter().map(|&position| &row[position]).collect()
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Table {}

/// A type that can be stored in a column.
pub trait Cell: Sized {
    const KIND: Kind;
    const NULLABLE: bool = false;
    fn to_value(&self) -> Value;
    /// Adds the value to a key.
    fn add_to(&self, key: &mut Key) {
        key.push(ValueRef::from(&self.to_value()));
    }
    /// Converts a stored value; returns `None` if it is invalid.
    fn from_value(value: &Value) -> Option<Self>;
}

impl<T: Cell> Cell for Option<T> {
    const KIND: Kind = T::KIND;
    const NULLABLE: bool = true;
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Cell::to_value)
    }
    fn add_to(&self, key: &mut Key) {
        match self {
            Some(value) => value.add_to(key),
            None => key.push(ValueRef::Null),
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        if *value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// Implements [`Cell`] for a type with its own [`Value`] variant.
macro_rules! plain_cell {
    ($type:ty, $variant:ident $(, $copied:tt)?) => {
        impl Cell for $type {
            const KIND: Kind = Kind::$variant;
            fn to_value(&self) -> Value {
                Value::$variant(self.clone())
            }
            fn add_to(&self, key: &mut Key) {
                key.push(ValueRef::$variant($($copied)? self));
            }
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::$variant(inner) = value { Some(inner.clone()) } else { None }
            }
        }
    };
}

plain_cell!(Uuid, Id, *);
plain_cell!(i64, Int, *);
plain_cell!(bool, Bool, *);
plain_cell!(Time, Time, *);
plain_cell!(String, Text);
plain_cell!(Vec<u8>, Bytes);

impl Cell for u32 {
    const KIND: Kind = Kind::Int;
    fn to_value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(inner) = value { u32::try_from(*inner).ok() } else { None }
    }
}

/// Implements [`Cell`] for newtypes of another cell.
macro_rules! newtype_cell {
    ($($type:path => $inner:ty),+ $(,)?) => {$(
        impl $crate::world::record::Cell for $type {
            const KIND: $crate::world::record::Kind = <$inner as $crate::world::record::Cell>::KIND;
            fn to_value(&self) -> $crate::world::record::Value {
                self.0.to_value()
            }
            fn add_to(&self, key: &mut $crate::world::Key) {
                self.0.add_to(key);
            }
            fn from_value(value: &$crate::world::record::Value) -> Option<Self> {
                <$inner as $crate::world::record::Cell>::from_value(value).map($type)
            }
        }
    )+};
}

use crate::ids;
newtype_cell! {
    ids::OrgId => Uuid, ids::AppId => Uuid, ids::UserId => Uuid, ids::MemberId => Uuid, ids::TransferId => Uuid,
    ids::PayoutLinkId => Uuid, ids::PayoutMethodId => Uuid, ids::LedgerAccountId => Uuid, ids::PostingId => Uuid,
    ids::JobId => Uuid, ids::MessageId => Uuid, ids::EventId => Uuid, ids::ClaimSessionId => Uuid,
    ids::VerificationId => Uuid, ids::NoticeId => Uuid, ids::BankAccountId => Uuid, ids::PaymentCustomerId => Uuid, ids::PayoutRequestId => Uuid,
    ids::PayoutLinkBatchId => Uuid, ids::VendorId => Uuid, ids::VendorPaymentMethodId => Uuid,
    ids::ApprovalPolicyId => Uuid, ids::PayableId => Uuid,
    ids::ScreeningHitId => Uuid, ids::ScreeningRunId => Uuid, ids::ComplianceDecisionId => Uuid,
    ids::MemberSessionId => Uuid, ids::WebhookEndpointId => Uuid, ids::WebhookDeliveryId => Uuid,
    ids::BankConnectionId => Uuid, ids::OriginatorId => Uuid, ids::SettlementAccountId => Uuid, ids::RailRouteId => Uuid,
    ids::RailProviderId => Uuid,
    ids::BankFileId => Uuid,
    ids::InboundFileId => Uuid,
    ids::InboundPartId => Uuid,
    ids::BankItemId => Uuid,
    ids::BankStatementId => Uuid,
    ids::BankReversalId => Uuid,
}

impl Cell for crate::money::Cents {
    const KIND: Kind = Kind::Int;
    fn to_value(&self) -> Value {
        Value::Int(self.get())
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Int(cents) = value { Some(Self::new(*cents)) } else { None }
    }
}

/// Implements [`Cell`] for types that are stored as their text.
macro_rules! text_cell {
    ($($type:ty),+ $(,)?) => {$(
        impl Cell for $type {
            const KIND: Kind = Kind::Text;
            fn to_value(&self) -> Value {
                Value::Text(self.as_str().to_owned())
            }
            fn add_to(&self, key: &mut Key) {
                key.push(ValueRef::Text(self.as_str()));
            }
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::Text(word) = value { word.parse().ok() } else { None }
            }
        }
    )+};
}
text_cell!(crate::platform::Platform, crate::fees::Party, crate::language::Language);

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Document<T>(pub T);

impl<T: serde::Serialize + serde::de::DeserializeOwned> Cell for Document<T> {
    const KIND: Kind = Kind::Text;
    fn to_value(&self) -> Value {
        Value::Text(serde_json::to_string(&self.0).expect("documents are plain data, which always serialize"))
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Text(text) = value { serde_json::from_str(text).ok().map(Document) } else { None }
    }
}

/// A kind of record, declared with [`record!`].
pub trait Record: Any + Clone + Send + Sync {
    const TABLE: &'static Table;
    /// In the order of the table's columns.
    fn values(&self) -> Row;
    fn cells(&self, columns: &[usize]) -> Key;
    fn key(&self) -> Key {
        self.cells(Self::TABLE.key().columns)
    }
}

/// Finds a column's position at compile time, so that an index can only name existing columns.
pub const fn position(columns: &[Column], name: &str) -> usize {
    let mut at = 0;
    while at < columns.len() {
        if same(columns[at].name, name) {
            return at;
        }
        at += 1;
    }
    panic!("an index names a column that the record does not have")
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Declares a record: a struct with its table, its primary key, its further indexes, and its columns.
///
/// `key` and `unique` find at most one row; `few` and `many` find all rows with the same values. Reads of a few rows run
/// on the thread of their request, so they must stay few.
#[macro_export]
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            key ($($key:ident),+)
            $(unique $unique:ident ($($unique_column:ident),+))*
            $(few $few:ident ($($few_column:ident),+))*
            $(many $many:ident ($($many_column:ident),+))*;
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
        }

        #[allow(dead_code)]
        impl $name {
            const COLUMNS: &'static [$crate::world::record::Column] = &[
                $($crate::world::record::Column {
                    name: stringify!($field),
                    kind: <$type as $crate::world::record::Cell>::KIND,
                    nullable: <$type as $crate::world::record::Cell>::NULLABLE,
                },)+
            ];
            pub const KEY: &'static $crate::world::record::Index = &$crate::world::record::Index {
                name: "key",
                columns: &[$($crate::world::record::position(Self::COLUMNS, stringify!($key))),+],
                unique: true,
                short: true,
            };
            $(pub const $unique: &'static $crate::world::record::Index = &$crate::world::record::Index {
                name: stringify!($unique),
                columns: &[$($crate::world::record::position(Self::COLUMNS, stringify!($unique_column))),+],
                unique: true,
                short: true,
            };)*
            $(pub const $few: &'static $crate::world::record::Index = &$crate::world::record::Index {
                name: stringify!($few),
                columns: &[$($crate::world::record::position(Self::COLUMNS, stringify!($few_column))),+],
                unique: false,
                short: true,
            };)*
            $(pub const $many: &'static $crate::world::record::Index = &$crate::world::record::Index {
                name: stringify!($many),
                columns: &[$($crate::world::record::position(Self::COLUMNS, stringify!($many_column))),+],
                unique: false,
                short: false,
            };)*

            fn from_values(values: &[$crate::world::record::Value]) -> Result<Self, $crate::world::record::Corrupt> {
                let mut values = values.iter();
                Ok(Self {
                    $($field: {
                        let value = values.next().unwrap_or(&$crate::world::record::Value::Null);
                        <$type as $crate::world::record::Cell>::from_value(value).ok_or_else(|| {
                            $crate::world::record::Corrupt { column: stringify!($field), found: value.kind_and_size() }
                        })?
                    },)+
                })
            }
        }

        impl $crate::world::record::Record for $name {
            const TABLE: &'static $crate::world::record::Table = &$crate::world::record::Table {
                name: $table,
                columns: Self::COLUMNS,
                indexes: &[Self::KEY, $(Self::$unique,)* $(Self::$few,)* $(Self::$many,)*],
                decode: |values| Ok(std::sync::Arc::new(Self::from_values(values)?)),
                encode: |any| {
                    any.downcast_ref::<Self>().expect("a table only ever holds its own records").values()
                },
                cells: |any, columns| {
                    any.downcast_ref::<Self>().expect("a table only ever holds its own records").cells(columns)
                },
            };
            fn values(&self) -> $crate::world::record::Row {
                vec![$($crate::world::record::Cell::to_value(&self.$field)),+]
            }
            fn cells(&self, columns: &[usize]) -> $crate::world::Key {
                let cells: &[fn(&Self, &mut $crate::world::Key)] =
                    &[$(|record, key| $crate::world::record::Cell::add_to(&record.$field, key)),+];
                let mut key = $crate::world::Key::default();
                columns.iter().for_each(|&column| cells[column](self, &mut key));
                key
            }
        }
    };
}
pub use record;

/// Makes the values of a key or an index from cells: `key![org, id]`.
#[macro_export]
macro_rules! key {
    ($($part:expr),+ $(,)?) => {{
        let mut key = $crate::world::Key::default();
        $($crate::world::record::Cell::add_to(&$part, &mut key);)+
        key
    }};
}
pub use key;

/// Declares a closed set of words, such as the statuses of a noun: an enum with the same text in the API, the store and
/// the documents.
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:tt,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::world::states::Words for $name {
            const ALL: &'static [Self] = $name::ALL;
            fn as_str(self) -> &'static str {
                $name::as_str(self)
            }
        }

        impl $crate::world::record::Cell for $name {
            const KIND: $crate::world::record::Kind = $crate::world::record::Kind::Text;
            fn to_value(&self) -> $crate::world::record::Value {
                $crate::world::record::Value::Text(self.as_str().to_owned())
            }
            fn add_to(&self, key: &mut $crate::world::Key) {
                key.push($crate::world::ValueRef::Text(self.as_str()));
            }
            fn from_value(value: &$crate::world::record::Value) -> Option<Self> {
                if let $crate::world::record::Value::Text(word) = value { Self::from_word(word) } else { None }
            }
        }
    };
}
pub use words;

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        pub struct Number in "numbers" {
            key (id);
            pub id: i64,
            pub reported: Document<u8>,
        }
    }

    #[test]
    fn a_damaged_row_is_reported_without_its_contents() {
        let row = [Value::Int(1), Value::Text("Jane Doe, +12125550123".to_owned())];
        let corrupt = (Number::TABLE.decode)(&row).unwrap_err();
        assert_eq!(corrupt.to_string(), "damaged row: column reported holds a text of 22 bytes");
    }
}
