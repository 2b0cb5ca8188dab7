//! The set-up of an organization's banks: connections, originators, settlement accounts, providers behind HTTP, and the
//! routes of rails.
//!
//! *Invariants*: a person makes a part of the set-up, and another one approves it; a change of a connection ends its
//! approval; a route begins in the future and is never edited; an account number is sealed in its row. Every change is
//! an administrative act.
//!
//! *Deliberately absent*: hosts, ports, keys and folders, which only the server's configuration names, so that no key
//! of the API makes the server open a path or a host; and files with payments (`bank_files`).
//!
//! Start at `setup.rs` and `connections/rules.rs`.

mod acknowledgements;
pub mod checks;
pub mod connections;
pub mod originators;
mod person;
pub mod providers;
pub mod routes;
mod settings;
pub mod settlement_accounts;
mod setup;
mod texts;

pub use person::Person;
pub use settings::{
    AcknowledgementKind, Acknowledgements, AmountForm, FileFormat, Identity, LineEnding, NachaIdentity,
    Pain001Identity, Settings, SideLimits, Sides, TRANSPORT_MANUAL, USUAL_PATTERN, UncoveredFiles,
};
pub use setup::{SetupStatus, is_second_person, transitions};
pub use texts::Day;
