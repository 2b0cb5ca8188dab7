//! What a record is: a struct that says its table, its keys and its columns once.
//!
//! From that one description the stores derive loading, inserting and updating, and
//! lists are asked for. Deliberately absent: SQL, and anything about a particular noun.

use std::any::Any;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::clock::Time;

/// What a store keeps in one cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing.
    Null,
    /// An identifier.
    Id(Uuid),
    /// A whole number: cents, counts, versions.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// A moment.
    Time(Time),
    /// Text; JSON documents are text.
    Text(String),
    /// Bytes: sealed secrets, hashes.
    Bytes(Vec<u8>),
}

impl Value {
    /// Adds it to a digest. A tag or a length stands before each, so that no two rows look the same.
    pub fn feed(&self, digest: &mut Sha256) {
        match self {
            Self::Null => digest.update([0]),
            Self::Id(id) => {
                digest.update([1]);
                digest.update(id.as_bytes());
            }
            Self::Int(number) => {
                digest.update([2]);
                digest.update(number.to_be_bytes());
            }
            Self::Bool(yes) => digest.update([3, u8::from(*yes)]),
            Self::Time(time) => {
                digest.update([4]);
                digest.update(time.micros().to_be_bytes());
            }
            Self::Text(text) => {
                digest.update([5]);
                feed_bytes(digest, text.as_bytes());
            }
            Self::Bytes(content) => {
                digest.update([6]);
                feed_bytes(digest, content);
            }
        }
    }

    /// What it is, for the log, where what it says has no place: it may be somebody's name.
    pub fn kind_and_size(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Bool(_) => "a yes or no".to_owned(),
            Self::Int(_) => "a number".to_owned(),
            Self::Time(_) => "a moment".to_owned(),
            Self::Id(_) => "an id".to_owned(),
            Self::Text(text) => format!("a text of {} bytes", text.len()),
            Self::Bytes(content) => format!("{} bytes", content.len()),
        }
    }

    /// About how many bytes it takes on its way to a store.
    pub fn size_bytes(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 1,
            Self::Int(_) | Self::Time(_) => 8,
            Self::Id(_) => 16,
            Self::Text(text) => text.len(),
            Self::Bytes(content) => content.len(),
        }
    }
}

/// Adds bytes to a digest, after their length.
pub fn feed_bytes(digest: &mut Sha256, content: &[u8]) {
    digest.update(u64::try_from(content.len()).unwrap_or(u64::MAX).to_be_bytes());
    digest.update(content);
}

/// The type of a column, which decides how each store keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Value::Id`]
    Id,
    /// [`Value::Int`]
    Int,
    /// [`Value::Bool`]
    Bool,
    /// [`Value::Time`]
    Time,
    /// [`Value::Text`]
    Text,
    /// [`Value::Bytes`]
    Bytes,
}

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, in the struct and in the store.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be empty.
    pub nullable: bool,
}

/// A way to find rows: by all of these columns, compared for equality.
#[derive(Debug)]
pub struct Index {
    /// Its name, for people.
    pub name: &'static str,
    /// Positions of its columns in [`Table::columns`].
    pub columns: &'static [usize],
    /// Whether at most one row may have the same values.
    pub unique: bool,
}

/// Values of one row, in the order of [`Table::columns`].
pub type Row = Vec<Value>;

/// A row that a store could not have written: the data are damaged or newer than the program.
#[derive(Debug, thiserror::Error)]
#[error("damaged row: column {column} holds {found}")]
pub struct Corrupt {
    /// The column.
    pub column: &'static str,
    /// What stood there.
    pub found: String,
}

/// A record of some type, when the type does not matter.
pub type AnyRecord = Arc<dyn Any + Send + Sync>;

/// Everything a store must know of a kind of record.
#[derive(Debug)]
pub struct Table {
    /// Its name in the store.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// Its indexes; the first is the primary key.
    pub indexes: &'static [&'static Index],
    /// Makes a record of a row.
    pub decode: fn(&[Value]) -> Result<AnyRecord, Corrupt>,
    /// Makes a row of a record.
    pub encode: fn(&(dyn Any + Send + Sync)) -> Row,
    /// The values of a record in some of its columns.
    pub cells: fn(&(dyn Any + Send + Sync), &[usize]) -> Row,
}

impl Table {
    /// The primary key.
    pub fn key(&self) -> &'static Index {
        self.indexes[0]
    }

    /// The values that a row has in an index.
    pub fn index_values(index: &Index, row: &[Value]) -> Row {
        index.columns.iter().map(|&position| row[position].clone()).collect()
    }

    /// The position of a column by its name.
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

/// A type that can stand in a column.
pub trait Cell: Sized {
    /// Its column type.
    const KIND: Kind;
    /// Whether it may be empty.
    const NULLABLE: bool = false;
    /// As the store keeps it.
    fn to_value(&self) -> Value;
    /// From what the store kept; `None` when that cannot be.
    fn from_value(value: &Value) -> Option<Self>;
}

impl<T: Cell> Cell for Option<T> {
    const KIND: Kind = T::KIND;
    const NULLABLE: bool = true;
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Cell::to_value)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if *value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// Implements [`Cell`] for a type that has a [`Value`] variant of its own.
macro_rules! plain_cell {
    ($type:ty, $variant:ident) => {
        impl Cell for $type {
            const KIND: Kind = Kind::$variant;
            fn to_value(&self) -> Value {
                Value::$variant(self.clone())
            }
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::$variant(inner) = value { Some(inner.clone()) } else { None }
            }
        }
    };
}

plain_cell!(Uuid, Id);
plain_cell!(i64, Int);
plain_cell!(bool, Bool);
plain_cell!(Time, Time);
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

/// Implements [`Cell`] for newtypes over another cell.
macro_rules! newtype_cell {
    ($($type:path => $inner:ty),+ $(,)?) => {$(
        impl $crate::world::record::Cell for $type {
            const KIND: $crate::world::record::Kind = <$inner as $crate::world::record::Cell>::KIND;
            fn to_value(&self) -> $crate::world::record::Value {
                self.0.to_value()
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

/// Implements [`Cell`] for words that are kept as their text.
macro_rules! text_cell {
    ($($type:ty),+ $(,)?) => {$(
        impl Cell for $type {
            const KIND: Kind = Kind::Text;
            fn to_value(&self) -> Value {
                Value::Text(self.as_str().to_owned())
            }
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::Text(word) = value { word.parse().ok() } else { None }
            }
        }
    )+};
}
text_cell!(crate::platform::Platform, crate::fees::Party);

/// A JSON document in a column, read and written through serde.
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

/// A kind of record. Declared with [`record!`].
pub trait Record: Any + Clone + Send + Sync {
    /// Its table.
    const TABLE: &'static Table;
    /// Its values, in the order of the table's columns.
    fn values(&self) -> Row;
    /// Its values in some columns.
    fn cells(&self, columns: &[usize]) -> Row;
    /// Its primary key.
    fn key(&self) -> Row {
        self.cells(Self::TABLE.key().columns)
    }
}

/// Finds a column's position while compiling, so that an index can only name columns that exist.
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

/// Declares a record: a struct with its table, its primary key, its other ways to be found, and its columns.
///
/// `key` and `unique` find at most one row, `many` finds all rows with the same values.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            key ($($key:ident),+)
            $(unique $unique:ident ($($unique_column:ident),+))*
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
            };
            $(pub const $unique: &'static $crate::world::record::Index = &$crate::world::record::Index {
                name: stringify!($unique),
                columns: &[$($crate::world::record::position(Self::COLUMNS, stringify!($unique_column))),+],
                unique: true,
            };)*
            $(pub const $many: &'static $crate::world::record::Index = &$crate::world::record::Index {
                name: stringify!($many),
                columns: &[$($crate::world::record::position(Self::COLUMNS, stringify!($many_column))),+],
                unique: false,
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
                indexes: &[Self::KEY, $(Self::$unique,)* $(Self::$many,)*],
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
            fn cells(&self, columns: &[usize]) -> $crate::world::record::Row {
                let cells: &[fn(&Self) -> $crate::world::record::Value] =
                    &[$(|record| $crate::world::record::Cell::to_value(&record.$field)),+];
                columns.iter().map(|&column| cells[column](self)).collect()
            }
        }
    };
}
pub(crate) use record;

/// Values for a key or an index, from any cells: `key![org, id]`.
macro_rules! key {
    ($($part:expr),+ $(,)?) => { vec![$($crate::world::record::Cell::to_value(&$part)),+] };
}
pub(crate) use key;

/// Declares a closed set of words, such as the statuses of a noun: an enum whose
/// text is the same in the API, in the store and in the documents.
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
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word that stands for it everywhere.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The one that this word stands for.
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
            fn from_value(value: &$crate::world::record::Value) -> Option<Self> {
                if let $crate::world::record::Value::Text(word) = value { Self::from_word(word) } else { None }
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        /// Somebody's number.
        pub struct Number in "numbers" {
            key (id);
            /// Its id.
            pub id: i64,
            /// The document.
            pub reported: Document<u8>,
        }
    }

    #[test]
    fn a_damaged_row_is_reported_without_its_contents() {
        let row = [Value::Int(1), Value::Text("Jane Doe, +12125550123".to_owned())];
        let corrupt = (Number::TABLE.decode)(&row).unwrap_err();
        assert_eq!(corrupt.to_string(), "damaged row: column told holds a text of 22 bytes");
    }
}
