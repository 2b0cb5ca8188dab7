//! Payables: vendors' bills, their approval and their payment (docs/specification.md, Payable; docs/decisions.md 10 and
//! 16).
//!
//! One member prepares a bill, others approve it and another pays it. Submission copies the amount, the vendor, the
//! account and the required approvers into the bill. The copy never changes, and paying pays that copy. Invariants
//! (12): a bill is paid at most once, only when approved, at the approved amount; its submitter does not approve it.
//! The engine runs commands on one bill one after the other, so they cannot race. No role may do everything. `acting`
//! identifies the member who acts.
//!
//! Start at `rules.rs`, then `submit.rs`, `approve.rs`, `pay.rs`.

mod approve;
mod cancel;
mod create;
mod file;
mod http;
mod inputs;
mod items;
mod json;
mod model;
mod pay;
mod reject;
mod rows;
pub mod rules;
mod settle;
mod submit;
mod update;
pub mod verify;

pub use approve::Approve;
pub use cancel::Cancel;
pub use create::Create;
pub use file::{DeleteFile, FILE_BYTES_MAX, SetFile};
pub use http::routes;
pub use inputs::Currency;
pub use items::Item;
pub use json::{PayableJson, json};
pub use model::{
    Action, ActionKind, Approval, ApprovalStep, Attempt, FundingSource, Payable, PayableFile, PayableStatus,
    StatusChange, Terms,
};
pub use pay::Pay;
pub use reject::Reject;
pub use rows::{are_open, find, refuse_open};
pub use settle::{complete, fail, take_back};
pub use submit::Submit;
pub use update::{PayablePatch, Update};
