//! Funding: deposits to and withdrawals from an app's wallet (docs/decisions.md 2).
//!
//! A deposit is pulled from the app's bank account and counts when the bank has paid; a withdrawal leaves the wallet at
//! once and comes back if it fails. Both are transfers of type refill, negative for withdrawals. Settings can refill a
//! wallet automatically, and an organization moves money between its own wallet and those of its apps.
//!
//! Invariants: a wallet holds no money that the bank has not paid; the app covers a bank's return at once or from later
//! money ([`make_up`]); at most one automatic refill is in progress. Deliberately absent: the rail, which the worker
//! instructs and queries; `settlements` reports the outcome to [`complete`], [`fail`] and [`take_back`].
//!
//! Start at `deposit.rs`, then `settle.rs`.

mod ach_account;
mod debts;
mod deposit;
mod http;
mod organization;
mod settle;
mod top_up;
pub mod verify;
mod withdraw;

pub use ach_account::{SetAchAccount, ach_account, needed_ach_account};
pub use debts::{Debt, make_up};
pub use deposit::{Deposit, pull, way};
pub use http::routes;
pub use organization::{MoveBetween, OrganizationTransfer, OrganizationTransferJson};
pub use settle::{complete, fail, take_back};
pub use top_up::TopUpWallet;
pub use withdraw::Withdraw;
