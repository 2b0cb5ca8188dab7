//! Payments in files for a bank: entries that join an open file, and files that are cut, released and sent.
//!
//! *Invariants*: an entry is in exactly one file, and joins it in the commit of its payout; a file's bytes follow from
//! its records alone, and their hash is committed before the first byte leaves; a file that may have reached the bank
//! is never sent under another identity; only the newest lease of a file publishes it (invariant 38); a payment that waits
//! for a prenote is in no file (invariant 64); a file that is written after a correction pays to the corrected account
//! (invariant 66).
//!
//! *Deliberately absent*: the outcome of a transfer, which `settlements` records; the bank's answers, which
//! `bank_intake` reads; the decision to reverse an entry, which `bank_reversals` records.
//!
//! Start at `join.rs` and `rules.rs`.

mod booking;
mod build;
mod carrier;
mod classes;
mod contents;
mod corrections;
mod cover;
mod cut;
mod far_end;
mod follow;
mod held;
pub mod held_proof;
mod http;
mod inputs;
mod join;
mod json;
mod message;
mod model;
mod operator;
mod prenotes;
mod progress;
pub mod proof;
mod rates;
mod references;
mod rows;
mod rules;
mod ways;

pub use booking::{
    Line, Overtaken, assign_to_app, assign_to_organization, assign_to_payments, assign_to_returns, book_costs,
    book_deposit, book_payments, book_returns, book_unexplained, undebited, write_off,
};
pub use build::{individual_id, is_individual_id};
pub use carrier::{Carrier, carrier, collects, is_at_once, settles_at};
pub use classes::class_of_payment;
pub use contents::{Contents, contents};
pub use corrections::correct_entries;
pub use cover::{at_bank, shortfall};
pub use cut::{CutFile, pull_out};
pub use far_end::{FarEnd, OpenedEnd, far_end};
pub use follow::{NotReversible, may_reverse, may_reverse_file, not_reversed, present_again, reverse};
pub use held::waiting_for;
pub use http::routes;
pub use join::{remove, withdraw};
pub use model::{
    BankAnswer, BankEntry, BankFile, BankSequence, Contest, EntryKind, EntryStatus, FileDecision, FileOutcome,
    FilePurpose, FileStatus, Header,
};
pub use operator::{ActOnFile, Deed};
pub use prenotes::{close_prenote, join, open_prenotes, resume};
pub use progress::{
    Advance, Begin, DeliveryFailed, Rest, Step, StopForBytes, Swept, Written, acknowledge, contest, may_be_sent, reject,
};
pub use rates::{RateStatus, ReturnRateJson, ReturnRatesJson, return_rates};
pub use references::{end_to_end_id, file_of, transfer_of};
pub use rows::{
    after, at, awaiting_credit, awaiting_debit, change, entry, erase, find, in_flight, newest_where, not_at_bank,
    of_account, of_method, of_trace, open_amount, open_files, sent_before, sums_of_day, unanswered,
};
pub use rules::{FileEvent, apply, transitions};
pub use ways::{Way, hand_over, way_from, way_from_own, way_to};
