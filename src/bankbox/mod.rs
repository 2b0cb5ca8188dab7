//! A simulated bank. It reads the bytes of payment files, as a bank would: NACHA files, which it answers
//! with the bytes of acknowledgements, returns, changes and rejections, and pain.001 messages, which it answers with status reports and
//! notifications. Magic account numbers select the answers. It keeps the customer's account, and writes a statement of
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
mod acknowledgement;
mod answers;
mod bank;
mod folder;
mod magic;
mod messages;

pub use account::{Account, Grain, StatementFormat};
pub use answers::Answer;
pub use bank::Bank;
pub use folder::{INBOUND, OUTBOUND, RECORDS, tick, with};
