//! Runs commands in batches over a store; each batch is one commit. It knows no noun of the business.
//!
//! The modules are in dependency order. Each uses only those above it.

use bursar_base::{chain, clock, fees, ids, language, money, platform, refusal};

/// The rows that a batch of commands loads, adds and changes.
pub mod world;
/// Where records live: SQLite, PostgreSQL or memory.
pub mod store;
/// Runs commands in batches; each batch is one commit.
pub mod engine;
