//! A NACHA file as values. Text is without the blanks that fill its field; amounts are cents.

use std::fmt;

use jiff::civil::{Date, Time};

use super::codes::TransactionCode;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// `None` in partial files of some banks.
    pub header: Option<FileHeader>,
    pub batches: Vec<Batch>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Nine digits of a routing number, or ten characters in files of some banks.
    pub destination: String,
    /// Up to ten characters. A blank at the beginning is part of it: some banks want a blank and nine digits.
    pub origin: String,
    /// `None` if a bank wrote something else than a date.
    pub created_on: Option<Date>,
    pub created_at: Option<Time>,
    pub modifier: char,
    pub destination_name: String,
    pub origin_name: String,
    pub reference: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    pub header: BatchHeader,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchHeader {
    /// 200 mixed, 220 credits, 225 debits. The writer computes it from the entries if it is empty.
    pub service_class: String,
    pub company_name: String,
    pub discretionary: String,
    pub company_id: String,
    pub sec: String,
    pub description: String,
    pub descriptive_date: String,
    pub effective_on: Option<Date>,
    /// The day of the year; set by the ACH operator.
    pub settlement_day: Option<u16>,
    /// Eight digits, or `REJ` and a code in a batch that the ACH operator rejected.
    pub odfi: String,
    pub number: u32,
}

impl BatchHeader {
    /// Returns the code with which the ACH operator rejected the batch.
    #[must_use]
    pub fn operator_reject(&self) -> Option<&str> {
        self.odfi.strip_prefix("REJ")
    }
}

/// Fifteen digits: the ODFI and a number of seven digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trace(pub u64);

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:015}", self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line of the file that was read; the writer does not use it.
    pub line: u32,
    /// Two digits.
    pub code: String,
    /// Nine digits.
    pub routing: String,
    pub account: String,
    pub amount: u64,
    pub individual_id: String,
    pub name: String,
    /// Two characters; `S` or `R` for WEB and TEL.
    pub discretionary: String,
    pub trace: Trace,
    pub addenda: Vec<Addenda>,
}

impl Entry {
    #[must_use]
    pub fn transaction_code(&self) -> Option<TransactionCode> {
        <[u8; 2]>::try_from(self.code.as_bytes()).ok().and_then(TransactionCode::parse)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addenda {
    /// Payment information of a payment, type 05.
    Payment(String),
    Return(Return),
    Dishonored(Dishonored),
    Contested(Contested),
    Change(Change),
    RefusedChange(RefusedChange),
    /// Another type: international entries, terminals.
    Other {
        kind: String,
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Return {
    /// For example `R01`; unknown codes are kept.
    pub reason: String,
    pub original_trace: Trace,
    pub died_on: Option<Date>,
    pub original_rdfi: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dishonored {
    pub reason: String,
    pub original_trace: Trace,
    pub original_rdfi: String,
    pub return_trace: Trace,
    pub return_day: Option<u16>,
    /// Two digits of the return reason.
    pub return_reason: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contested {
    pub reason: String,
    pub original_trace: Trace,
    pub returned_on: Option<Date>,
    pub original_rdfi: String,
    pub original_day: Option<u16>,
    pub return_trace: Trace,
    pub return_day: Option<u16>,
    pub return_reason: String,
    pub dishonored_trace: Trace,
    pub dishonored_day: Option<u16>,
    pub dishonored_reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// For example `C01`.
    pub code: String,
    pub original_trace: Trace,
    pub original_rdfi: String,
    /// Up to 29 characters; blanks at the beginning count.
    pub corrected: String,
}

/// The corrected values of a change, as far as its code names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrected {
    pub routing: Option<String>,
    pub account: Option<String>,
    pub name: Option<String>,
    pub transaction_code: Option<String>,
    pub individual_id: Option<String>,
}

impl Change {
    /// Reads the corrected data by the code; `None` if the code or the data is unknown.
    #[must_use]
    pub fn corrected_values(&self) -> Option<Corrected> {
        let part = |from: usize, to: usize| -> Option<String> {
            let rest = self.corrected.get(from - 1..)?;
            let text = rest.get(..rest.len().min(to + 1 - from))?.trim_matches(' ');
            (!text.is_empty()).then(|| text.to_owned())
        };
        let none = Corrected::default();
        let corrected = match self.code.as_str() {
            "C01" => Corrected { account: Some(part(1, 17)?), ..none },
            "C02" => Corrected { routing: Some(part(1, 9)?), ..none },
            "C03" => Corrected { routing: Some(part(1, 9)?), account: Some(part(13, 29)?), ..none },
            "C04" => Corrected { name: Some(part(1, 22)?), ..none },
            "C05" => Corrected { transaction_code: Some(part(1, 2)?), ..none },
            // Banks move the code: the last two digits after the number are it.
            "C06" => {
                let (account, code) = self.corrected.trim_matches(' ').rsplit_once(' ')?;
                let account = Some(account.trim_end_matches(' ').to_owned());
                Corrected { account, transaction_code: Some(two_digits(code)?), ..none }
            }
            "C07" => Corrected {
                routing: Some(part(1, 9)?),
                account: Some(part(10, 26)?),
                transaction_code: Some(part(27, 28)?),
                ..none
            },
            "C09" => Corrected { individual_id: Some(part(1, 22)?), ..none },
            _ => return None,
        };
        Some(corrected)
    }
}

fn two_digits(text: &str) -> Option<String> {
    (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedChange {
    pub code: String,
    pub original_trace: Trace,
    pub original_rdfi: String,
    pub corrected: String,
    /// The code of the change that is refused.
    pub change: String,
    pub change_sequence: String,
}
