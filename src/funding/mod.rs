//! Funding: how money gets into an app's wallet and out of it again (docs/decisions.md 2).
//!
//! A deposit is pulled from the app's bank account and counts when the bank has paid; a withdrawal leaves the wallet at
//! once and is back if it does not arrive. Both are transfers of type refill, negative when money goes out. A wallet
//! may be refilled by itself, and an organization moves money between its own wallet and its apps'.
//!
//! Invariants: nothing is in a wallet before the bank has paid it; what a bank takes back is made up for by the app, at
//! once or from what comes in later ([`make_up`]); at most one refill is on its way by itself. Deliberately absent: the
//! rail, which is told and asked by the worker; `settlements` brings its word to [`complete`], [`fail`], [`take_back`].
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
pub use deposit::{Deposit, pull};
pub use http::routes;
pub use organization::{MoveBetween, OrganizationTransfer, OrganizationTransferJson};
pub use settle::{complete, fail, take_back};
pub use top_up::TopUpWallet;
pub use withdraw::Withdraw;
