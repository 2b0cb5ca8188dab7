//! The ledger: one double-entry ledger for each organization, which all movements of money use (docs/decisions.md 8).
//!
//! Money is always in a ledger account, which an [`Account`] names. A [`Posting`] is a list of movements between
//! accounts, made by a function of [`postings`] that has the name of the business event. Only [`post`] writes it: a
//! transaction for each movement, with its two entries, and new balances. Money that waits for a claim or a
//! payment is a hold ([`holds`]).
//!
//! The ledger has parts: each app's accounts balance among themselves, and so do the organization's own. A movement
//! between two parts uses a counter-account in each.
//!
//! Invariants (docs/internals/reliability.md): 1 the ledger sums to zero, each posting balances; 2 transactions and
//! entries are only ever added; 3 a balance equals the sum of its entries; 4 no wallet is below zero; 7 each hold is
//! captured or released once. [`verify`] checks them on stored rows.
//!
//! Deliberately absent: transfers, which explain a movement; a second currency; any way to change or remove an entry. A
//! correction is a new posting.
//!
//! Start at [`postings`].

mod balances;
pub mod chain;
mod json;
mod model;
mod account;
mod post;
mod rules;

pub mod holds;
pub mod http;
pub mod postings;
pub mod verify;
pub mod wallet_funding;

pub use account::{Account, LedgerAccountKind};
pub use balances::balance;
pub use json::{TransactionJson, json, transactions_in, transactions_of};
pub use model::{CURRENCY, Entry, Hold, HoldState, LedgerAccount, LedgerBook, Transaction, TransactionKind};
pub use post::{Movement, Posting, post};

#[cfg(test)]
pub(crate) mod tests;
