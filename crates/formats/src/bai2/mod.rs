//! BAI2 statements: a file of groups, accounts and transactions, each level with a trailer of sums and counts.
//!
//! `records.rs` joins lines and continuations to logical records, `read.rs` reads them and compares every trailer,
//! balance and total, `codes.rs` has the meaning of type codes. Amounts are in the minor unit.

pub mod codes;
pub mod rules;
mod records;
mod model;
mod read;
mod sums;
mod write;
mod show;

pub use model::{Account, Detail, File, Funds, Group, Summary};
pub use read::{BYTES_MAX, check, read};
pub use show::show;
pub use write::{Unwritable, write};

#[cfg(test)]
mod tests;
