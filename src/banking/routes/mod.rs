//! Routes: which connection, originator and settlement account, or which provider, carry a rail, from which day on.
//!
//! *Invariants*: a route begins on a day after its approval and is never edited; on each day at most one route of a
//! rail and a currency is in force. Without a route a rail is simulated in the sandbox, and refused in production.
//!
//! Start at `rules.rs`.

mod add;
mod connected;
mod http;
mod inputs;
mod json;
mod model;
mod review;
mod rows;
mod rules;

pub use add::AddRoute;
pub use connected::{is_connected, is_rtp_connected, must_be_connected, must_be_simulated};
pub use http::routes;
pub use json::RailRouteJson;
pub use model::{BankParts, Carries, RailRoute};
pub use review::{ApproveRoute, EndRoute};
pub use rows::{carrying, had_provider, of_account, of_provider, wants_address};
pub use rules::{in_force, may_carry, needs_address};
