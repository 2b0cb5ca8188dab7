//! The entries of a sanctions list.

use crate::world::record::words;

words! {
    /// The type of an entry.
    pub enum EntryKind {
        /// A person.
        Individual = "individual",
        /// A company or another body.
        Entity = "entity",
        /// A ship. Names of people are not compared with it.
        Vessel = "vessel",
        /// An aircraft. Names of people are not compared with it.
        Aircraft = "aircraft",
    }
}

words! {
    /// The type of an entry's name.
    pub enum NameKind {
        /// The primary name of the entry.
        Primary = "primary",
        /// Also known as.
        Alias = "aka",
        /// Formerly known as.
        Formerly = "fka",
        /// Now known as.
        Now = "nka",
        /// A nickname that many other people use.
        Weak = "weak_aka",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `ent_num` of the list.
    pub number: i64,
    pub kind: EntryKind,
    /// The primary name is first.
    pub names: Vec<(NameKind, String)>,
    pub program: Option<String>,
    pub title: Option<String>,
    /// Dates and places of birth, passports, and other identifying data.
    pub remarks: Option<String>,
    pub addresses: Vec<String>,
}

impl EntryKind {
    pub(super) fn of_type(cell: &str) -> Self {
        match cell.trim() {
            "individual" => Self::Individual,
            "vessel" => Self::Vessel,
            "aircraft" => Self::Aircraft,
            // The file leaves the type of other entries empty.
            _ => Self::Entity,
        }
    }
}

impl NameKind {
    pub(super) fn of_alias(cell: &str) -> Self {
        match cell.trim() {
            "fka" => Self::Formerly,
            "nka" => Self::Now,
            _ => Self::Alias,
        }
    }
}
