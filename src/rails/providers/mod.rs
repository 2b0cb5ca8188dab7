//! Providers of rails behind HTTP: a payment is handed over under our transfer's id, and queried by that id.
//!
//! *Invariants*: only an answer that says so is a refusal. Every other answer, and none, leaves the payment in doubt:
//! it is looked up, and handed over again under the same id only if the provider says that it never received it. An
//! unknown status is in progress. Amounts are exact.
//!
//! *Deliberately absent*: our records of a payment (`rail_payments`), the calls (`worker/provider_calls.rs`), and retries.
//!
//! Start at `port.rs`.

pub mod adapter;
mod order;
pub mod paypal;
mod port;

pub use order::{Order, Payee};
pub use port::{Access, ProviderKind, Reply, Report, ReportedState};
