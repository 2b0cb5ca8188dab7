//! Banking days, and the windows in which a bank takes files. Pure.
//!
//! *Invariants*: the calendar of the Federal Reserve moves a holiday from Sunday to Monday and never from Saturday to
//! Friday; a cut-off is never after the deadline of its window; an effective date is a banking day. Time zones are
//! part of the program, because a host may have none.
//!
//! *Deliberately absent*: the windows of a connection, which `banking` stores, and the wall clock, which is a parameter.
//!
//! Start at `days.rs`, then `windows.rs`.

mod days;
mod local_time;
mod windows;
mod zone;

pub use days::Calendar;
pub use local_time::{InvalidTime, LocalTime};
pub use windows::{Cutoff, DayOfWeek, Schedule, Window, WindowError};
pub use zone::{UnknownZone, Zone};
#[cfg(test)]
mod tests;
