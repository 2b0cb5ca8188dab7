//! Screening: how like a name is to the names on a list of people who must not be paid.
//!
//! The list is the one that OFAC publishes, read as it is published ([`ofac`]). Names are folded to plain words
//! ([`folded`]), put side by side word by word ([`compare`], [`likeness`]), and looked up in an index of the list's
//! words ([`vocabulary`], [`Watchlist::screen`]). The answer is a score of 0 to 100 with the reason for each word of it. Where spaces
//! hide a name, it is compared without them too ([`spaceless`]).
//!
//! Invariant: the same name against the same list gives the same answer, whatever the machine; so a command may
//! hold what a list says as one of its inputs ([`LookedUp`]). Deliberately absent: files, clocks, people, and what follows from an answer,
//! which is `users`; dates of birth, which are sealed: the reviewer compares them.

mod compare;
mod folded;
mod likeness;
mod looked_up;
mod made;
pub mod ofac;
mod spaceless;
mod vocabulary;
mod watchlist;

pub use compare::{Comparison, WordPair, compare};
pub use folded::FoldedName;
pub use likeness::Alike;
pub use looked_up::LookedUp;
pub use made::{common_name, listed_name, made_list, made_name};
pub use ofac::{BadList, Files};
pub use watchlist::{Entry, EntryKind, Hit, ListVersion, NameKind, SCORE_MIN, Watchlist};
