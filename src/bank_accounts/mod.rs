//! Bank accounts that are not payout methods of users: the accounts that fund an app, that payment customers pay from,
//! and that vendors are paid to.
//!
//! Invariant: a number is sealed before it reaches a command, and responses show its last four digits only.
//! Deliberately absent: permissions, which each holder's noun checks, and the payout methods of users, which have other
//! rails too.
//!
//! A handler reads [`BankAccountInput`] and seals it with `call.bursar.entropy().bytes()`; its command [`add`]s the
//! [`SealedAccount`]; a [`Transfer`](crate::transfers) names the id in `bank_account`, and `settlements` opens it for
//! the rail. Start at `input.rs`.

mod input;
mod json;
mod model;
mod rows;

pub use input::{BankAccountInput, HolderName, OwnAccountInput, SealedAccount, fingerprint, seal_context, sealed_with};
pub use json::BankAccountJson;
pub use model::{BankAccount, HolderType};
pub use rows::{ACCOUNTS_MAX, add, bring, correct, disable, disable_for, erase_of, find, of_holder, open, validate};
