//! Settlements: outcomes from the rails, applied to the noun of each transfer.
//!
//! A rail reports the same outcomes for a payout, a payment, a refill and a bill: accepted, completed, failed,
//! returned. One pure rule (`rules.rs`) interprets them for the transfer's state; the noun moves the money. Invariant:
//! for any sequence of reports, each transfer has one terminal outcome, and a return is a separate fact that happens
//! once (invariant 5). This module posts nothing and calls no rail.
//!
//! A noun whose money uses a rail has three functions: `complete`, `fail` and `take_back`. `outcomes.rs` names it once,
//! and its transfers have `platform` and a payout method or a bank account.
//!
//! Start at `followed.rs`.

mod effects;
mod files;
mod followed;
mod instruction;
mod outcomes;
mod prenotes;
mod provided;
mod rules;
mod submitted;

pub use files::{
    Answered, EndEntries, RefuseEntries, Returned, Waits, reject_entry, return_entry, settle_booked, settle_entry,
};
pub use followed::{Anomaly, Followed};
pub use instruction::{instruction, is_tampered};
pub use prenotes::{corrected, not_corrected};
pub use provided::{Alarm, HandedOver, Learned, LookedUp, Settled};
pub use submitted::Submitted;
