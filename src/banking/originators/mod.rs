//! Originators: the names under which a bank's customer sends entries, of one app or of all.
//!
//! *Invariant*: an approved originator never changes; a new one replaces it.
//!
//! Start at `model.rs`.

mod add;
mod http;
mod inputs;
mod json;
mod model;
mod review;
mod rows;

pub use add::AddOriginator;
pub use http::routes;
pub use json::OriginatorJson;
pub use model::{EntryClass, Originator};
pub use review::{ApproveOriginator, EndOriginator};
pub use rows::{find, find_of};
