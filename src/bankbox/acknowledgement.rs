//! The acknowledgement of a NACHA file: a text, for which ACH has no standard. Pure.

use bursar_formats::nacha::File;
use serde::{Deserialize, Serialize};

use super::answers::{Answer, is_debit};

/// What the bank says about a file that it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Acknowledgement {
    /// YYMMDD
    created_on: String,
    /// HHMM
    created_at: String,
    modifier: char,
    entries: usize,
    /// In cents.
    debit: u64,
    credit: u64,
    is_refused: bool,
}

impl Acknowledgement {
    pub fn of(file: &File, is_refused: bool) -> Self {
        let header = file.header.as_ref();
        let entries = || file.batches.iter().flat_map(|batch| &batch.entries);
        let sum = |wanted: bool| {
            // The checker of the format compared the sums, which fit.
            entries().filter(|entry| is_debit(&entry.code) == wanted).map(|entry| entry.amount).sum()
        };
        Self {
            created_on: header
                .and_then(|header| header.created_on)
                .map_or_else(String::new, |on| on.strftime("%y%m%d").to_string()),
            created_at: header
                .and_then(|header| header.created_at)
                .map_or_else(String::new, |at| at.strftime("%H%M").to_string()),
            modifier: header.map_or('A', |header| header.modifier),
            entries: entries().count(),
            debit: sum(true),
            credit: sum(false),
            is_refused,
        }
    }

    pub fn written(&self, next_file: &mut u32) -> Answer {
        *next_file += 1;
        let Self { created_on, created_at, modifier, entries, .. } = self;
        let (debit, credit) = (dollars(self.debit), dollars(self.credit));
        let outcome =
            if self.is_refused { "STATUS: REJECTED\nREASON: COMPANY ID NOT SET UP\n" } else { "STATUS: ACCEPTED\n" };
        let text = format!(
            "ACKNOWLEDGEMENT OF ACH FILE\nFILE CREATION DATE: {created_on}\nFILE CREATION TIME: {created_at}\n\
             FILE ID MODIFIER: {modifier}\nENTRIES: {entries}\nTOTAL DEBITS: {debit}\nTOTAL CREDITS: {credit}\n{outcome}"
        );
        Answer { name: format!("ACKNOWLEDGEMENT_{:05}.txt", *next_file), bytes: text.into_bytes() }
    }
}

/// Writes cents as dollars, in groups of three digits.
fn dollars(cents: u64) -> String {
    let whole = (cents / 100).to_string();
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped}.{:02}", cents % 100)
}

#[cfg(test)]
mod tests {
    use super::dollars;

    #[test]
    fn amounts_are_in_groups_of_three_digits() {
        for (cents, text) in
            [(0, "0.00"), (99, "0.99"), (123_456, "1,234.56"), (123_456_789, "1,234,567.89"), (10_000, "100.00")]
        {
            assert_eq!(dollars(cents), text);
        }
    }
}
