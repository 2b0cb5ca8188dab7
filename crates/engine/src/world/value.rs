//! The values of cells and rows.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::clock::Time;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Null,
    Id(Uuid),
    /// Cents, counts, versions.
    Int(i64),
    Bool(bool),
    Time(Time),
    /// JSON documents are stored as text.
    Text(String),
    /// Sealed secrets, hashes.
    Bytes(Vec<u8>),
}

impl Value {
    /// Adds the value to a digest. Each value begins with a tag or a length, so that different rows have different
    /// input.
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

    /// Describes the value for the log without its contents, which may be personal data.
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

    /// Approximate.
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

/// The values of a row, in the order of [`Table::columns`](super::record::Table::columns).
pub type Row = Vec<Value>;
