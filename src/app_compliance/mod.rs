//! What an app tells of its company, its directors and its use of money (docs/specification.md, App compliance information;
//! docs/decisions.md 11).
//!
//! Invariant: all of it is sealed at rest as one document, because nearly all of it is about persons, and numbers of
//! the tax office come back as their last four digits alone. A part that is not sent stays. Deliberately absent: any
//! judgement on it; the sandbox approves apps at once.
//!
//! Start at `change.rs`.

mod change;
mod http;
mod input;
mod model;

pub use change::{PutCompliance, erase, read, seal_context};
pub use http::routes;
pub use input::ComplianceInput;
pub use model::{AppCompliance, Compliance};
