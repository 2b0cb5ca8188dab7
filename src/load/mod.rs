//! A load generator: connections that call a running service as fast as it responds, or at a fixed rate.
//!
//! It is an ordinary HTTP client with an idempotency key for each write, so that acknowledged writes can be verified
//! later. At a fixed rate (open loop), times count from the scheduled moment, so a stall shows in all responses delayed
//! by it. Deliberately absent: any access other than the API. Start at [`run`]; `scenario.rs` has the requests.

mod client;
mod figures;
mod model;
mod reference;
mod run;
mod scenario;

pub use figures::Figures;
pub use model::{AppKey, Load, Scenario, Sent};
pub use reference::{NoReference, Recording, Written, echo, empty_store, organizations};
pub use run::{NotReady, Outcome, again, run};
pub use scenario::{CENTS, link_id};
