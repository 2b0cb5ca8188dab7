//! An app's information about its company, directors and payments (docs/specification.md, App compliance information;
//! docs/decisions.md 11).
//!
//! Invariants: all of it is sealed as one document, because most of it is personal data, and tax numbers are returned
//! as their last four digits. A part that is not sent is unchanged. Deliberately absent: any assessment; the sandbox
//! approves apps at once.
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
