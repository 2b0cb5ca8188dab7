//! The simulator: months of payouts in a minute, from one seed, checked after every step.
//!
//! It runs the product's own commands and executor over the store `Memory`, without threads and without a clock.
//! Clients and payees misbehave, workers die, rails and providers keep their own records and lose responses, and the
//! store loses commits and responses. A seed determines every byte of every row: two runs give one state hash, and a
//! seed repeats its violation.
//!
//! One organization has a bank behind a mailbox in memory (`bank/`). Its payouts by ach join files, and files, returns,
//! changes and statements come and go with faults.
//!
//! A step is one batch in one commit: requests of clients, leases and reports of workers, and reports of rails. After
//! each step, the checks compare its changes with the invariants of docs/internals/reliability.md ([`checks`]). From
//! time to time, and at the end, they read all rows. At the end faults cease and all work must finish (20).
//! [`Sabotage`] breaks one thing on purpose, to prove that each check finds its fault.
//!
//! Deliberately absent: HTTP, which has its own tests, and any business rule.
//!
//! Start at `Simulation::step` (`simulation.rs`).

mod bank;
mod provider;
mod chance;
mod checks;
mod clients;
mod directory;
mod drain;
mod follow_ups;
mod hands;
mod system;
mod pager;
mod promises;
mod rail;
mod receiver;
mod report;
mod rekey;
mod requests;
mod sabotage;
mod seals;
mod simulation;
mod summary;
mod stage;
mod worker;

#[cfg(test)]
mod tests;

pub use report::{Report, Violation};
pub use sabotage::Sabotage;
pub use simulation::{Settings, simulate};
