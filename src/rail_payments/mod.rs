//! Payments at providers behind HTTP: one row for each payout that a route gives to a provider.
//!
//! *Invariants*: an attempt is committed before the provider is called; the order is sealed with the first attempt and
//! is the same at each; a payment in doubt is looked up and never failed; the order leaves the store when the payment
//! has its outcome. A nudge hastens a look-up and proves nothing. If no look-up shows the outcome, two members decide.
//!
//! *Deliberately absent*: calls (`rails::providers`, `worker`), and money: a report becomes an outcome in `settlements`.
//!
//! Start at `rules.rs` and `attempt.rs`.

mod attempt;
mod carrier;
mod decide;
mod http;
mod json;
mod model;
mod nudge;
mod order;
mod proof;
mod record;
mod rows;
mod rules;

pub use attempt::{BeginAttempt, Begun};
pub use carrier::{ProviderCarrier, carrier, hand_over};
pub use decide::DecidePayment;
pub use http::{nudges, routes};
pub use json::RailPaymentJson;
pub use model::{DecidedOutcome, Decision, PaymentStatus, RailPayment};
pub use order::{Plan, plan};
pub use proof::contradiction;
pub use record::{Recorded, item_status, look_up_by, record};
pub use rows::{get, seal_context, withdraw};
pub use rules::transitions;
