//! Payments: money collected from a user or a payment customer for the app (docs/specification.md 17).
//!
//! A payment is a transfer of type payment, pulled from the payer's bank account by ACH. The app gets the money when
//! the payer's bank has paid, and covers a return at once or later (`funding::make_up`).
//!
//! Invariants: the app's wallet gets nothing before the bank has paid; no unverified user is debited (docs/decisions.md
//! 6); no payment is created without the payer's authorization and notice; collected money under a payment hold is in a
//! separate ledger account that nothing spends (`release.rs`). Each step emits one event, `payment.updated`.
//! Deliberately absent: rails that cannot pull, which are refused.
//!
//! Start at `create.rs`, then `settle.rs`.

mod create;
mod http;
mod release;
mod settle;
mod way;

pub use create::{CreatePayment, Payer, Source};
pub use http::routes;
pub use release::ReleasePayment;
pub use settle::{complete, fail, take_back};
