//! The statements of an organization's bank accounts: read whole, applied in order, each line booked at once.
//!
//! *Invariants*: a statement is applied whole, in one commit, and only after the one before it: its opening balance is
//! the previous closing balance, and its lines add up to the difference (invariant 44); the ledger's money at the bank
//! moves by lines of applied statements only, and equals the bank's balance (41); a payment is booked by one line
//! (42); what no rule explains is in suspense, line by line (43).
//!
//! *Deliberately absent*: storing the file (`bank_intake`); the effects of a line on the ledger (`settlements`);
//! guesses: a line is never matched with a subset of payments that happens to have its sum.
//!
//! Start at `read.rs`, then `matching.rs` and `apply.rs`.

mod apply;
mod codes;
mod end;
mod http;
mod inputs;
mod json;
mod keep;
mod matching;
mod model;
mod operator;
mod order;
pub mod proof;
mod read;
mod reconcile;
mod reconcile_json;
mod references;
mod rows;
mod rules;

pub use apply::{AppliedStatement, ApplyStatement};
pub use end::EndSettlementAccount;
pub use http::routes;
pub use keep::{KeepStatements, KeptStatements, MatchedStatements, NewStatement, matched};
pub use matching::{LineTarget, Plan, plan};
pub use model::{BankBalance, BankStatement, StatementReason, StatementStatus};
pub use read::{Content, LINES_MAX, ReadStatement, read};
pub use reconcile::reconcile;
pub use reconcile_json::ReconciliationJson;
pub use references::deposit_reference;
pub use rules::transitions;
