//! A BAI2 file as values.

use jiff::civil::Date;

use super::codes::{Sense, sense};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub sender: String,
    pub receiver: String,
    pub created_on: Date,
    /// HHMM, as in the file: banks write 2400 and 9999 for the end of the day.
    pub created_at: String,
    pub id: String,
    pub groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub receiver: String,
    pub originator: String,
    /// 1 update, 2 deletion, 3 correction, 4 test.
    pub status: String,
    pub as_of: Date,
    pub as_of_time: String,
    /// Three letters, or empty for US dollars.
    pub currency: String,
    /// 2 and 4 are final; 1 and 3 are for information; empty is a setting of the connection.
    pub modifier: String,
    pub accounts: Vec<Account>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub number: String,
    /// Empty if it is the currency of the group.
    pub currency: String,
    pub summaries: Vec<Summary>,
    pub details: Vec<Detail>,
}

impl Account {
    /// Returns the amount of the first summary with this type code.
    #[must_use]
    pub fn summary(&self, code: u16) -> Option<i64> {
        self.summaries.iter().find(|summary| summary.code == code).and_then(|summary| summary.amount)
    }

    /// Returns the sum of the transactions of one sense.
    #[must_use]
    pub fn sum(&self, wanted: Sense) -> i128 {
        let of_sense = self.details.iter().filter(|detail| sense(detail.code) == wanted);
        of_sense.map(|detail| i128::from(detail.amount.unwrap_or(0))).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Three digits.
    pub code: u16,
    pub amount: Option<i64>,
    pub count: Option<u64>,
    pub funds: Funds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The line of the file that was read; the writer does not use it.
    pub line: u32,
    pub code: u16,
    pub amount: Option<i64>,
    pub funds: Funds,
    pub bank_reference: String,
    pub customer_reference: String,
    pub text: String,
}

/// When the money is available.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Funds {
    /// The field is empty.
    #[default]
    Absent,
    /// `Z`.
    Unknown,
    /// `0`, `1` or `2`: days.
    Days(u8),
    /// `V`: a date, and a time or nothing.
    Value(Option<Date>, String),
    /// `S`: now, in one day, in two or more days.
    Simple([i64; 3]),
    /// `D`: days and amounts.
    Distributed(Vec<(u32, i64)>),
}
