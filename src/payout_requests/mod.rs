//! Payout requests: people ask an app for a payout (docs/specification.md 10, 11).
//!
//! A client id alone may submit one, because a request moves no money. The app approves it, which creates a payout
//! link, or rejects it. Invariant: an approved request has exactly one link, any other has none (13). Deliberately
//! absent: changes to a request; the app pays the requested amount or nothing. Start at `rules.rs`, then `approve.rs`.

mod approve;
mod http;
mod json;
mod model;
mod quota;
mod reject;
mod rows;
pub mod rules;
mod submit;

pub use approve::Approve;
pub use http::routes;
pub use json::{PayoutRequestJson, Shown};
pub use model::{Asker, NewRequest, PayoutRequest, PublicRequests, RequestPayee, RequestStatus};
pub use reject::Reject;
pub use rows::{erase, find, refuse_open};
pub use submit::Submit;
