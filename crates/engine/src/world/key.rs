//! Keys: the values of a primary key or of an index, as one text of bytes.
//!
//! A batch makes hundreds of keys, and clones most of them. Three ids, or two ids and a text of 36 characters, fit into
//! the key itself, so it needs no memory of its own, and it is compared and hashed as a whole.
//!
//! Invariant: two keys are equal, and ordered, exactly as the lists of their values.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use uuid::Uuid;

use super::value::{Row, Value};
use crate::clock::Time;

/// Bytes that a key holds without memory of its own.
const INLINE_MAX: usize = 86;

/// A borrowed [`Value`], with the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueRef<'a> {
    Null,
    Id(Uuid),
    Int(i64),
    Bool(bool),
    Time(Time),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl ValueRef<'_> {
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Id(id) => Value::Id(id),
            Self::Int(number) => Value::Int(number),
            Self::Bool(yes) => Value::Bool(yes),
            Self::Time(time) => Value::Time(time),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        }
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Id(id) => Self::Id(*id),
            Value::Int(number) => Self::Int(*number),
            Value::Bool(yes) => Self::Bool(*yes),
            Value::Time(time) => Self::Time(*time),
            Value::Text(text) => Self::Text(text),
            Value::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

/// Each value is a tag and its content: 16 bytes, 8 bytes, 1 byte, or a length of 8 bytes and as many bytes.
mod tag {
    pub const NULL: u8 = 0;
    pub const ID: u8 = 1;
    pub const INT: u8 = 2;
    pub const BOOL: u8 = 3;
    pub const TIME: u8 = 4;
    pub const TEXT: u8 = 5;
    pub const BYTES: u8 = 6;
}

#[derive(Clone)]
pub struct Key(Stored);

#[derive(Clone)]
enum Stored {
    Inline { length: u8, bytes: [u8; INLINE_MAX] },
    Heap(Vec<u8>),
}

impl Default for Key {
    fn default() -> Self {
        Self(Stored::Inline { length: 0, bytes: [0; INLINE_MAX] })
    }
}

impl Key {
    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Stored::Inline { length, bytes } => &bytes[..usize::from(*length)],
            Stored::Heap(bytes) => bytes,
        }
    }

    fn append(&mut self, more: &[u8]) {
        match &mut self.0 {
            Stored::Inline { length, bytes } => {
                let (from, to) = (usize::from(*length), usize::from(*length) + more.len());
                match (bytes.get_mut(from..to), u8::try_from(to)) {
                    (Some(room), Ok(to)) => {
                        room.copy_from_slice(more);
                        *length = to;
                    }
                    (None | Some(_), _) => self.0 = Stored::Heap([&bytes[..from], more].concat()),
                }
            }
            Stored::Heap(bytes) => bytes.extend_from_slice(more),
        }
    }

    fn append_tagged<const N: usize>(&mut self, tag: u8, content: [u8; N]) {
        self.append(&[tag]);
        self.append(&content);
    }

    fn append_long(&mut self, tag: u8, content: &[u8]) {
        self.append_tagged(tag, u64::try_from(content.len()).unwrap_or(u64::MAX).to_be_bytes());
        self.append(content);
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.append(&[tag::NULL]),
            ValueRef::Id(id) => self.append_tagged(tag::ID, id.into_bytes()),
            ValueRef::Int(number) => self.append_tagged(tag::INT, number.to_be_bytes()),
            ValueRef::Bool(yes) => self.append_tagged(tag::BOOL, [u8::from(yes)]),
            ValueRef::Time(time) => self.append_tagged(tag::TIME, time.micros().to_be_bytes()),
            ValueRef::Text(text) => self.append_long(tag::TEXT, text.as_bytes()),
            ValueRef::Bytes(bytes) => self.append_long(tag::BYTES, bytes),
        }
    }

    pub fn iter(&self) -> Values<'_> {
        Values(self.bytes())
    }

    pub fn first(&self) -> Option<ValueRef<'_>> {
        self.iter().next()
    }

    pub fn last(&self) -> Option<ValueRef<'_>> {
        self.iter().last()
    }

    /// Returns the value at a place, counted from 0.
    pub fn get(&self, place: usize) -> Option<ValueRef<'_>> {
        self.iter().nth(place)
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    pub fn to_row(&self) -> Row {
        self.iter().map(ValueRef::to_value).collect()
    }
}

/// The values of a key, in their order.
#[derive(Clone)]
pub struct Values<'a>(&'a [u8]);

impl<'a> Values<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn take_long(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(u64::from_be_bytes(self.take()?)).ok()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = ValueRef<'a>;

    fn next(&mut self) -> Option<ValueRef<'a>> {
        let [tag] = self.take()?;
        match tag {
            tag::ID => self.take().map(|id| ValueRef::Id(Uuid::from_bytes(id))),
            tag::INT => self.take().map(|number| ValueRef::Int(i64::from_be_bytes(number))),
            tag::BOOL => self.take().map(|[yes]| ValueRef::Bool(yes != 0)),
            tag::TIME => self.take().map(|micros| ValueRef::Time(Time::from_micros(i64::from_be_bytes(micros)))),
            tag::TEXT => self.take_long().and_then(|text| std::str::from_utf8(text).ok()).map(ValueRef::Text),
            tag::BYTES => self.take_long().map(ValueRef::Bytes),
            _ => Some(ValueRef::Null),
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.bytes());
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> FromIterator<ValueRef<'a>> for Key {
    fn from_iter<I: IntoIterator<Item = ValueRef<'a>>>(values: I) -> Self {
        let mut key = Self::default();
        values.into_iter().for_each(|value| key.push(value));
        key
    }
}

impl<'a> FromIterator<&'a Value> for Key {
    fn from_iter<I: IntoIterator<Item = &'a Value>>(values: I) -> Self {
        values.into_iter().map(ValueRef::from).collect()
    }
}

impl From<&[Value]> for Key {
    fn from(values: &[Value]) -> Self {
        values.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let long = "x".repeat(INLINE_MAX);
        let texts = ["", "a", "a\0", "a\0b", "b", "ab", "é", long.as_str()];
        let mut values = vec![Value::Null, Value::Bool(false), Value::Bool(true)];
        values.extend([0, 1, 2, u128::MAX].map(|id| Value::Id(Uuid::from_u128(id))));
        values.extend([i64::MIN, -1, 0, 1, 256, i64::MAX].map(Value::Int));
        values.extend([-1, 0, 1, 1 << 40].map(|micros| Value::Time(Time::from_micros(micros))));
        values.extend(texts.iter().map(|text| Value::Text((*text).to_owned())));
        values.extend(texts.iter().map(|text| Value::Bytes(text.as_bytes().to_vec())));
        let pairs = values.iter().flat_map(|one| values.iter().map(|other| vec![one.clone(), other.clone()]));
        let ids = |count| (0..count).map(|id| Value::Id(Uuid::from_u128(id))).collect();
        let singles = values.iter().map(|value| vec![value.clone()]);
        singles.chain(pairs).chain([Row::new(), ids(3), ids(5), ids(6)]).collect()
    }

    #[test]
    fn keys_compare_and_hash_as_the_lists_of_their_values() {
        let hashes = foldhash::fast::FixedState::default();
        let hash = |key: &Key| std::hash::BuildHasher::hash_one(&hashes, key);
        let all: Vec<(Row, Key)> = rows().into_iter().map(|row| (row.clone(), Key::from(&row[..]))).collect();
        for (row, key) in &all {
            assert_eq!(key.to_row(), *row);
            assert_eq!((key.len(), key.is_empty()), (row.len(), row.is_empty()));
            for (other_row, other) in &all {
                assert_eq!(key.cmp(other), row.cmp(other_row), "{row:?} {other_row:?}");
                assert_eq!(key == other, row == other_row, "{row:?} {other_row:?}");
                assert!(row != other_row || hash(key) == hash(other));
            }
        }
    }

    #[test]
    fn a_key_that_does_not_fit_inline_keeps_its_values() {
        let is_inline = |key: &Key| matches!(key.0, Stored::Inline { .. });
        let text = |length: usize| [Value::Id(Uuid::nil()), Value::Text("x".repeat(length))];
        let fits = INLINE_MAX - 17 - 9;
        for (length, inline) in [(0, true), (fits, true), (fits + 1, false), (1_000, false)] {
            let key = Key::from(&text(length)[..]);
            assert_eq!((is_inline(&key), key.to_row()), (inline, text(length).to_vec()), "{length}");
        }
        let ids: Row = (0..3).map(|id| Value::Id(Uuid::from_u128(id))).collect();
        assert!(is_inline(&Key::from(&ids[..])));
    }
}
