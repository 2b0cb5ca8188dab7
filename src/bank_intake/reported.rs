//! A report in a file of a bank, before it is matched. Pure.

use bursar_formats::nacha::{self, Trace};

use super::model::ItemKind;
use crate::bank_files::BankAnswer;

/// A report, as the bank wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    pub kind: ItemKind,
    pub line: i64,
    pub code: String,
    /// The trace number of our payment; of the first one for a rejection.
    pub trace: Option<Trace>,
    /// In cents; the sum of the credits for a rejection, or of the debits if there are none.
    pub amount: u64,
    /// The number of credits of a rejected batch, and that of its debits with their sum.
    pub credits: i64,
    pub debits: (i64, u64),
    pub account: String,
    pub individual_id: String,
    pub text: String,
    /// The corrected data of a change.
    pub change: Option<nacha::Change>,
    /// What a message names, instead of a trace number.
    pub named: Option<Named>,
}

/// What a report of a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The id of our message; a return does not name it.
    pub message: Option<String>,
    /// The id of our payment; `None` if the report is about the whole file.
    pub payment: Option<String>,
    /// `None` for a return, and for a status without a known meaning.
    pub answer: Option<BankAnswer>,
    /// The payments that the message names one by one.
    pub others: usize,
    /// Those of them that it refuses.
    pub refused: usize,
    /// The reason of a return or a refusal; of several, the one that says that the bank has it already.
    pub reason: Option<String>,
    /// What an acknowledgement names, instead of a message.
    pub file: Option<NamedFile>,
}

/// A file and its totals, as an acknowledgement names them. What it does not name is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    pub name: Option<String>,
    /// `YYYY-MM-DD`, and the modifier.
    pub created: Option<(String, String)>,
    pub entries: Option<i64>,
    /// In cents.
    pub debit: Option<u64>,
    pub credit: Option<u64>,
}

/// Returns whether a reason says that the bank has the file or the payment already. Then the first one was not refused.
pub fn is_duplicate(reason: &str) -> bool {
    matches!(reason, "DUPL" | "AM05" | "DU01" | "DU02" | "DU03" | "DU04" | "DU05")
}

/// The same for the text of an acknowledgement.
pub fn is_duplicate_text(reason: &str) -> bool {
    reason.to_ascii_uppercase().contains("DUPLICATE")
}
