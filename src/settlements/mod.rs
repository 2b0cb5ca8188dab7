//! Settlements: what the rails say of transfers, brought to the noun that each transfer belongs to.
//!
//! A rail says the same things of a payout, a payment, a refill and a bill that is paid: taken, arrived, failed,
//! came back. What that means for a transfer in its state is one pure rule (`rules.rs`); what it does to money is
//! the noun's. Invariant: whatever a rail says, and however often, each transfer comes to one end, and a return
//! is a second fact that happens once (invariant 5). Deliberately absent: any posting, and the rails.
//!
//! A noun whose money goes over a rail offers three functions: `complete`, `fail` and `take_back`. It is named in
//! `followed.rs`, once, and its transfers carry `platform` and a payout method or a bank account.
//! Start at `followed.rs`.

mod followed;
mod instruction;
mod rules;
mod submitted;

pub use followed::Followed;
pub use instruction::{instruction, is_tampered};
pub use submitted::Submitted;
