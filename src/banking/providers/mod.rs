//! Providers of rails behind HTTP: their addresses and credentials.
//!
//! *Invariants*: a person adds a provider, and another one approves it; new credentials end the approval, and until the
//! next one the provider is not called. The secrets are sealed in their row, bound to the address, so a changed address
//! receives no credential.
//!
//! Start at `model.rs`.

mod add;
mod http;
mod inputs;
mod json;
mod model;
mod review;
mod rotate;
mod rows;
mod shortage;

pub use add::{AddProvider, Secrets};
pub use http::routes;
pub use inputs::{NewRailProvider, ProviderAct};
pub use json::RailProviderJson;
pub use model::RailProvider;
pub use review::{ApproveProvider, EndProvider};
pub use rotate::RotateProviderSecret;
pub use rows::{NUDGE, SECRET, access, carries, find, nudge_secret, seal_context};
pub use shortage::{has_funds, short_of_funds};
