//! Intake: which of the bank's files are complete, and their bytes.
//!
//! *Invariant*: a file is read when its size and time are equal in two polls, and its bytes are accepted when both are
//! still equal afterwards. The same bytes are the same file, under every name; other bytes are another file, also under
//! the same name.

mod rules;
mod fetch;

pub use fetch::{Received, fetch};
pub use rules::{Verdict, Waits, Watch};
