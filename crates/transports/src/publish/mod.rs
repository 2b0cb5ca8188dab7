//! The publish protocol: a file of ours appears under its final name at most once, whole.
//!
//! *Invariants*: nothing is renamed before the intent is committed; after a crash both names are checked before
//! anything else; only the holder of the lease commits; what cannot be known is `in_doubt`, never sent again.
//!
//! `rules.rs` decides the next step and is pure, `deliver.rs` takes the steps.

mod rules;
mod deliver;
#[cfg(test)]
mod explored;

pub use deliver::{Journal, NotCommitted, Stopped, deliver, remove_strays};
pub use rules::{Doubt, End, Found, Known, Look, Order, Publishing, State, Step, Way, next};
