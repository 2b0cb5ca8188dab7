//! Reversals: members order that an entry, or all entries of a file, are taken back at the bank.
//!
//! *Invariants*: a member proposes and another one approves the same version; an entry has one reversal (invariant 63); a
//! reversal is at the bank within five banking days after the settlement of its entry, and it is approved within 24 hours
//! after the error was found.
//!
//! *Deliberately absent*: the entries and their files (`bank_files`); what a reversal does to the money (`settlements`).
//!
//! Start at `propose.rs` and `approve.rs`.

mod approve;
mod http;
mod inputs;
mod join;
mod json;
mod model;
mod propose;
pub mod proof;
mod rows;
mod rules;

pub use approve::{ActOnReversal, ReversalDeed};
pub use http::routes;
pub use join::JoinReversals;
pub use model::{BankReversal, ReversalReason, ReversalStatus};
pub use propose::ProposeReversal;
pub use rows::{Ended, count_ended, erase, find};
pub use rules::transitions;
