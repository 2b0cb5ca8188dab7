//! Payments: money collected from a user or a payment customer for the app (docs/specification.md 17).
//!
//! A payment is a transfer of type payment. It is pulled from the payer's bank account by ACH; the app has the money
//! when the bank has paid, and makes up for it when the bank takes it back, at once or later (`funding::make_up`).
//! Invariants: nothing is in the app's wallet before the bank has paid; nobody unverified is debited (docs/decisions.md 6).
//! No payment
//! is written without the payer's authorization and its notice; money that is held for some days after it arrived is in a
//! ledger account of its own, which nothing spends (`release.rs`). Each step has one event, `payment.updated`. Deliberately absent: rails that cannot pull, which are refused.
//!
//! Start at `create.rs`, then `settle.rs`.

mod create;
mod http;
mod release;
mod settle;

pub use create::{CreatePayment, Payer, Source};
pub use http::routes;
pub use release::ReleasePayment;
pub use settle::{complete, fail, take_back};
