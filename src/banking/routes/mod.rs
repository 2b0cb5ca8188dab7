//! Routes: which connection, originator and settlement account carry a rail, from which day on.
//!
//! *Invariants*: a route begins on a day after its approval and is never edited; on each day at most one route of a
//! rail and a currency is in force. Without a route a rail is simulated.
//!
//! Start at `rules.rs`.

mod add;
mod http;
mod inputs;
mod json;
mod model;
mod review;
mod rows;
mod rules;

pub use add::AddRoute;
pub use http::routes;
pub use json::RailRouteJson;
pub use model::RailRoute;
pub use review::{ApproveRoute, EndRoute};
pub use rows::{carrying, of_account, wants_address};
pub use rules::{in_force, may_carry, needs_address};
