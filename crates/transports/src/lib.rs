//! Delivers files to a bank and fetches the bank's files, over a folder or SFTP.
//!
//! *Invariants*: every operation has a time limit and an error with advice for the operator; a name never leaves its
//! folder; a published file is never overwritten by us, and is published at most once, also when the sender or the
//! server ends at any moment (`publish`); a file that still grows is not read (`intake`).
//!
//! *Deliberately absent*: settings and secrets, which the caller reads; the store of the states, which the caller
//! commits through [`publish::Journal`]; resending a file in doubt, which an operator decides.
//!
//! Start with [`Transport`] for the operations, with `publish/rules.rs` for the protocol.

pub mod name;
pub mod error;
pub mod entry;
pub mod folder;
pub mod sftp;
pub mod transport;
pub mod publish;
pub mod intake;

pub use entry::{Entry, EntryKind, Limits, Listing, Stat};
pub use error::{Error, Kind};
pub use name::{BadName, Name};
pub use transport::Transport;
