//! Payout links: claimable links that carry an amount (docs/specification.md, Payout link).
//!
//! Creating one holds the money, at once or after it was pulled from the app's bank. A claim captures the hold; cancel
//! and expiry release it. Invariants: a link is claimed at most once and never after expiry or cancel (9); it is
//! delivered at most five times (10); its hold is captured or released once (7). `payouts` pays the money out, and
//! `claims` has the payee's steps.
//!
//! Start at `rules.rs`, then `create.rs`.

mod cancel;
mod claim;
mod create;
mod deliver;
mod expire;
mod funded;
mod http;
mod json;
mod model;
mod redeliver;
mod reported;
mod request_new;
mod rows;
pub mod rules;
mod sweep;
mod token;

pub use cancel::Cancel;
pub use claim::claim;
pub use create::{Create, DeliveryRequest, NewLink, create, wants};
pub use deliver::{ClaimLinkDelivered, DeliverInDoubt, claim_link_delivered, deliver_first, language, made_for};
pub use expire::{Expire, Remind};
pub use funded::{funded, not_funded};
pub use http::{NewPayoutLink, PayeeInput, check_token, made, reports, routes};
pub use json::{PayoutLinkJson, address, address_start, address_under, json, json_under, without_address};
pub use model::{AccountingData, DeliveryMethod, FundingSource, LinkStatus, Payee, PayoutLink};
pub use redeliver::Redeliver;
pub use reported::Reported;
pub use request_new::RequestNewLink;
pub(crate) use rows::change;
pub use rows::{by_token, erase, find};
pub use rules::DELIVERIES_MAX;
pub use sweep::{SweepLinks, Visited, is_open, job_of, to_visit};
pub use token::{ClaimToken, NewToken, opens_with, place_in as token_seal_context, shown as token};
