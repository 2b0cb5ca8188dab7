//! A simulated bank. It reads the bytes of payment files, as a bank would, and answers with the bytes of returns,
//! changes and rejections that magic account numbers select. It keeps the customer's account, and writes a statement of
//! each banking day.
//!
//! *Invariants*: the same files at the same times give the same answers, byte for byte; a file is answered once, under
//! each name.
//!
//! *Deliberately absent*: every module of this program but its formats and calendars, so that the bank proves what our
//! files say; limits and cover.
//!
//! Start at `bank.rs`.

mod account;
mod answers;
mod bank;
mod folder;
mod magic;

pub use account::{Account, Grain, StatementFormat};
pub use answers::Answer;
pub use bank::Bank;
pub use folder::{INBOUND, OUTBOUND, RECORDS, tick, with};
