//! Transfers: one movement of money each (docs/specification.md, Transfer).
//!
//! A transfer's `transactions` are the ledger's. Invariant: each transfer has exactly one terminal outcome; a return
//! after completion is a separate event that happens once (invariant 5). `payouts` pays the payouts.
//!
//! Start at `rules.rs`, then `model.rs`.

mod debit;
mod http;
mod json;
mod model;
mod move_balance;
mod rows;
pub mod rules;

pub use debit::{ATTESTED, Authorization, AuthorizationChannel, AuthorizationKind, Debit, debit};
pub use http::{routes, transaction_routes};
pub use json::{TransferJson, account_end, json};
pub use model::{Transfer, TransferKind, TransferStatus};
pub use move_balance::MoveBalance;
pub use rows::{advance, find, open, touch, under_way, under_way_of_customer};
