//! Screening: scores how similar a name is to the names on the OFAC sanctions list.
//!
//! [`ofac`] reads the list as published. Names are folded to plain words ([`folded`]), compared word by word
//! ([`compare`], [`likeness`]) and found by an index of the list's words ([`vocabulary`], [`Watchlist::screen`]), or
//! without their spaces ([`spaceless`]). The result is a score of 0 to 100 with a reason for each word.
//!
//! Invariant: the same name and list give the same result on every machine, so a command may take results as input
//! ([`LookedUp`]). Deliberately absent: files, clocks, people and the consequences of a hit, which belong to `users`;
//! and dates of birth, which are sealed and compared by the reviewer.

mod compare;
mod entry;
mod folded;
mod likeness;
mod looked_up;
mod made;
pub mod ofac;
mod spaceless;
mod vocabulary;
mod watchlist;

pub use compare::{Comparison, WordPair, compare};
pub use entry::{Entry, EntryKind, NameKind};
pub use folded::FoldedName;
pub use likeness::Alike;
pub use looked_up::LookedUp;
pub use made::{common_name, listed_name, made_list, made_name};
pub use ofac::{BadList, Files};
pub use watchlist::{Hit, ListVersion, SCORE_MIN, Watchlist};
