//! Payouts: money on its way to a person, by a rail (docs/specification.md 8).
//!
//! `pay` takes the money, with its fee, out of a wallet and asks for the rail; the worker
//! submits it and follows it, and `settlements` brings what the rail says to `settle`. Invariants: the fee
//! that is quoted is the fee that is charged (one function, `quote`); a rail is handed a
//! transfer at most once (6); a failed payout gives back all that it took. Deliberately
//! absent: the rail itself. Start at `quote.rs`, then `pay.rs` and `settle.rs`.

mod approve;
mod cancel;
mod choose;
mod create;
mod estimate;
mod http;
mod of_link;
mod pay;
mod quote;
mod send;
mod settle;
mod taxed;

pub use approve::ApprovePayout;
pub use cancel::CancelPayout;
pub use choose::RailRequest;
pub use create::CreatePayout;
pub use estimate::{EstimateJson, EstimateRequest, estimate};
pub use http::routes;
pub use of_link::LinkSums;
pub use pay::{Order, pay};
pub use quote::{FeeRequest, Prices, Quote, RTP_AMOUNT_MAX, Way, quote};
pub use send::{SendPayout, claim};
pub use settle::{complete, fail, take_back};
pub use taxed::TaxSums;
