//! Fees: the price of a payout, the paying party, and the amount that arrives (docs/decisions.md 7).
//!
//! Invariants: the estimate and the payout call the same [`charge`], so they agree; each fee is rounded once;
//! `payout_amount` plus the user's fees is the amount. Deliberately absent: queries for an app's table or a user's
//! method, which callers pass in, and a clock: the day is an argument and decides the version of a schedule.
//!
//! Start at [`charge`] for the arithmetic, at [`schedule`] and [`rate`] for the data.

mod basis;
mod fx;
mod rules;
mod schedules;

pub use basis::{Added, Day, Exchange, FeeBasis, PlatformFeeSource};
pub use fx::{BOOK_CURRENCY, Rate, currency_of, is_payable, payable, rate};
pub use rules::{Breakdown, ChargeInput, FeeRefusal, Party, SHARE_MIN, Schedule, bases, charge, fee};
pub use schedules::{Arrival, RailTerms, schedule};
