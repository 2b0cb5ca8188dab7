//! Files that banks and their customers exchange: NACHA, BAI2, ISO 20022 and positive pay.
//!
//! Each format has a reader, a checker and a writer. The crate is pure: bytes and values in, bytes and values out. It
//! knows no business term of the service, so the simulated bank and the service can share it.
//!
//! *Invariants*: no input causes a panic; memory and time are linear in the size of the input, which is limited;
//! a file is read whole or refused whole; equal values give equal bytes; amounts are integers in the minor unit.
//!
//! Start with [`inspect`], which detects the format and reports findings, then read the `mod.rs` of a format.

pub mod finding;
pub mod text;
pub mod view;
pub mod nacha;
pub mod bai2;
pub mod iso20022;
pub mod positive_pay;
pub mod detect;

pub use detect::{Format, Inspected, inspect, rules, show};
pub use finding::{Finding, Findings, Profile, Refused, Rule, Severity};
