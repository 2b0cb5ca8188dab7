//! What a folder contains, and the limits of an operation.

use std::time::Duration;

use crate::name::Name;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// A link, a pipe or a device, or unknown. Never read.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub kind: EntryKind,
    pub size: u64,
    /// Seconds since 1970, by the clock of the server; `None` if the server does not say.
    pub modified: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: Name,
    pub stat: Stat,
}

/// A folder's content, in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// Names that are refused, escaped: an operator renames these files.
    pub unusable: Vec<String>,
}

impl Listing {
    /// Adds an entry under the name that the server gives.
    pub(crate) fn add(&mut self, name: &[u8], stat: Stat) {
        match std::str::from_utf8(name).ok().and_then(|name| Name::parse(name).ok()) {
            Some(name) => self.entries.push(Entry { name, stat }),
            None => self.unusable.push(name.escape_ascii().to_string()),
        }
    }

    pub(crate) fn sort(&mut self) {
        self.entries.sort_by(|one, other| one.name.cmp(&other.name));
        self.unusable.sort();
    }
}

/// The limits of each operation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To connect and to sign in.
    pub connect: Duration,
    /// For an operation, without its bytes.
    pub operation: Duration,
    /// Added for each mebibyte that is moved.
    pub mebibyte: Duration,
    /// Largest file that is read, in bytes.
    pub read_max: u64,
    /// Most entries of a folder.
    pub entries_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            operation: Duration::from_secs(30),
            mebibyte: Duration::from_secs(20),
            read_max: 64 << 20,
            entries_max: 100_000,
        }
    }
}

impl Limits {
    /// Returns the time for an operation that moves so many bytes.
    #[must_use]
    pub fn time_for(&self, bytes: u64) -> Duration {
        let mebibytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX).saturating_add(1);
        self.operation.saturating_add(self.mebibyte.saturating_mul(mebibytes))
    }
}
