//! Approval policies: the rules that define which members must approve a bill (docs/decisions.md 10).
//!
//! A policy has conditions, all of which a bill must meet, and ordered steps with approvers and a number of approvals.
//! At submission, the matching active policy with the lowest priority number is copied into the bill, so later changes
//! of the policy do not affect it. Deliberately absent: approving, which belongs to the bill.
//!
//! Start at `rules.rs`.

mod change;
mod http;
mod inputs;
mod json;
mod model;
mod rows;
pub mod rules;

pub use change::{CreatePolicy, DeletePolicy, PolicyPatch, UpdatePolicy};
pub use http::routes;
pub use json::ApprovalPolicyJson;
pub use model::{ApprovalPolicy, Condition, Operator, PolicyStep};
pub use rows::{find, of_app};
