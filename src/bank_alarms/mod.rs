//! What a person must look at: files that miss their deadline, statements that do not arrive, money that is not booked.
//!
//! *Invariant*: an alarm is computed from the records when it is read, so it ends when its cause does.
//!
//! *Deliberately absent*: rows of its own; acknowledgements of alarms.
//!
//! Start at `find.rs`.

mod accounts;
mod files;
mod find;
mod http;
mod intake;
mod json;

pub use files::BEFORE_DEADLINE_SECONDS;
pub use find::{alarms, alarms_of};
pub use http::routes;
pub use json::{AlarmKind, BankAlarmJson};
