//! Fees: what a payout costs, who pays it, and what arrives (docs/decisions.md 7).
//!
//! Invariant: the estimate and the payout call the same [`charge`], so what is estimated is what is
//! charged; each fee is rounded once; `payout_amount` plus what the user pays is the amount.
//!
//! Deliberately absent: looking up an app's table or a user's method (their nouns do that and hand
//! the result in), and any clock: the day decides the version of a schedule and is an argument.
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
