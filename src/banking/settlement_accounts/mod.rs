//! Settlement accounts: an organization's own accounts at its bank, which its files debit and credit.
//!
//! *Invariants*: the number is sealed in its row before it is stored, and responses show its last four digits; an
//! approved account never changes.
//!
//! Start at `model.rs`.

mod add;
mod http;
mod inputs;
mod json;
mod model;
mod review;
mod rows;

pub use add::AddSettlementAccount;
pub use http::routes;
pub use inputs::{NewSettlementAccount, SealedNumber, SettlementAccountAct};
pub use json::SettlementAccountJson;
pub use model::{BookingGrain, SettlementAccount, StatementKind};
pub use review::{ApproveSettlementAccount, end};
pub use rows::{find, find_of, fingerprint, of_connection, of_org, open, seal_context};
