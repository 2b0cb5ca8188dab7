//! Payout rails: the instructions that a rail takes, the states that it reports, and why money does not arrive.
//!
//! A rail is an external system with its own records. It is instructed at most once per transfer, under the transfer's
//! id; a transfer in doubt is queried and never instructed again. Deliberately absent: our ledger, which a command
//! updates from the rail's report.

pub mod failures;
mod model;
pub mod providers;
pub mod sandbox;

pub use model::{Direction, FarEnd, Instruction, ItemStatus};
