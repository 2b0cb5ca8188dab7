//! NACHA files: 94 characters per record, batches of entries, sums and counts in control records.
//!
//! `layout.rs` has the fields of each record, `codes.rs` the codes, `rules.rs` the rules. `scan.rs` is the one pass over
//! the bytes that both [`check`] and [`read`] use. [`Writer`] writes the same records.
//!
//! *Deliberately absent*: accounting advices (ADV) are refused. The addenda of international entries (IAT) are read as
//! text and never written.

pub mod codes;
pub mod layout;
pub mod rules;
mod lines;
mod record;
mod fields;
mod totals;
mod batch;
mod scan;
mod model;
mod read;
mod write;
mod show;

pub(crate) use fields::{date, is_routing_number, time};
pub use model::{
    Addenda, Batch, BatchHeader, Change, Contested, Corrected, Dishonored, Entry, File, FileHeader, RefusedChange,
    Return, Trace,
};
pub use read::{check, read};
pub(crate) use record::number;
pub use scan::{BYTES_MAX, Checked};
pub use show::show;
pub use totals::Totals;
pub use write::{LineEnd, Unwritable, Writer, write};

/// Computes the check digit of the first eight digits of a routing number; `None` if they are not digits.
#[must_use]
pub fn check_digit(routing: &str) -> Option<u8> {
    const WEIGHTS: [u32; 8] = [3, 7, 1, 3, 7, 1, 3, 7];
    if routing.len() != WEIGHTS.len() || !routing.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let sum: u32 = routing.bytes().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    u8::try_from((10 - sum % 10) % 10).ok()
}

#[cfg(test)]
mod tests;
