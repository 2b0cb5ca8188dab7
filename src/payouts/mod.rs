//! Payouts: money that goes to a person by a payout rail (docs/specification.md 8).
//!
//! `pay` takes the amount and its fee from a wallet and queues the job for the rail. The worker submits the payout and
//! queries its outcome, and `settlements` calls `settle` with it. Invariants: the quoted fee is the charged fee (one
//! function, `quote`); a rail receives a transfer at most once (6); a failed payout gives back all that it took.
//!
//! Start at `quote.rs`, then `pay.rs` and `settle.rs`.

mod approve;
mod arrival;
mod cancel;
mod carrier;
mod choose;
mod create;
mod estimate;
mod failure;
mod http;
mod of_link;
mod pay;
mod quote;
mod send;
mod settle;

pub use approve::ApprovePayout;
pub use arrival::{Arrival, arrives_at};
pub use cancel::CancelPayout;
pub use choose::RailRequest;
pub use create::CreatePayout;
pub use estimate::{EstimateJson, EstimateRequest, estimate};
pub use failure::failure_text;
pub use http::routes;
pub use of_link::LinkSums;
pub use pay::{Order, pay};
pub use quote::{FeeRequest, Prices, Quote, RTP_AMOUNT_MAX, Way, quote};
pub use send::SendPayout;
pub use settle::{complete, fail, take_back};
