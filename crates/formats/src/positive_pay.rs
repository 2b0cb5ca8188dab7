//! Positive pay: the list of issued and voided checks that a bank compares with the checks it is shown.
//!
//! Each bank has its own columns. A [`Template`] describes them: with a delimiter or with fixed widths, and with a trailer
//! of count and total or without. The reader checks the same template, so a file can be checked before it is sent.

mod read;
mod write;

use jiff::civil::Date;

use crate::finding::rules;
use crate::text::{decimal, masked};
use crate::view::{Table, View};

pub use read::{BYTES_MAX, read};
pub use write::{Unwritable, write};

rules! {
    EMPTY = "positive-pay.empty", Error, Error, "List at least one check.";
    TOO_LARGE = "positive-pay.too-large", Error, Error, "Split the file.";
    ENCODING = "positive-pay.encoding", Error, Error, "Write printable ASCII characters only.";
    COLUMNS = "positive-pay.columns", Error, Error, "Write every column of the template.";
    WIDTH = "positive-pay.width", Error, Error, "Fill each line to the width of the template.";
    FILLER = "positive-pay.filler", Error, Error, "Write the text that the template requires.";
    NUMBER = "positive-pay.number", Error, Error, "Write digits only.";
    AMOUNT = "positive-pay.amount", Error, Error, "Write the amount in the format of the template.";
    DATE = "positive-pay.date", Error, Error, "Write an existing date in the format of the template.";
    FLAG = "positive-pay.flag", Error, Error, "Write the flag of an issued or of a voided check.";
    DUPLICATE = "positive-pay.duplicate", Error, Error, "List each check of an account once as issued and once as voided.";
    TRAILER = "positive-pay.trailer", Error, Error, "End the file with the number of checks and their sum.";
}

/// A check that was issued or voided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub account: String,
    pub serial: u64,
    pub issued_on: Date,
    pub cents: u64,
    pub payee: String,
    pub voided: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateFormat {
    /// 112326
    MonthDayShortYear,
    /// 20261123
    YearMonthDay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmountFormat {
    /// 125000
    Cents,
    /// 1250.00
    Point,
}

/// The content of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Account,
    Serial,
    IssuedOn(DateFormat),
    Amount(AmountFormat),
    Payee,
    /// The texts of an issued and of a voided check.
    Flag {
        issued: String,
        voided: String,
    },
    Filler(String),
}

/// A column. With a delimiter the width is the least number of characters of numbers, and the most of the payee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub content: Content,
    pub width: usize,
    pub align: Align,
    pub pad: char,
}

/// The last line: a text, then count and total in the widths of a fixed file, or after the delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer {
    pub text: String,
    pub count_width: usize,
    pub total_width: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// `None`: fixed widths.
    pub delimiter: Option<char>,
    pub columns: Vec<Column>,
    pub trailer: Option<Trailer>,
}

/// Longest name of a payee.
const PAYEE_MAX: usize = 96;

impl Template {
    /// A common form with commas: `I,000987654321,0000001042,112326,1250.00,CORNER SHOP LLC`.
    #[must_use]
    pub fn with_commas() -> Self {
        let column = |content, width| Column { content, width, align: Align::Right, pad: '0' };
        let flag = Content::Flag { issued: "I".to_owned(), voided: "V".to_owned() };
        let columns = vec![
            column(flag, 1),
            column(Content::Account, 12),
            column(Content::Serial, 10),
            column(Content::IssuedOn(DateFormat::MonthDayShortYear), 6),
            column(Content::Amount(AmountFormat::Point), 0),
            Column { content: Content::Payee, width: PAYEE_MAX, align: Align::Left, pad: ' ' },
        ];
        Self { delimiter: Some(','), columns, trailer: None }
    }

    /// A common form of 100 characters: account, `2` if voided, serial, cents, date, payee.
    #[must_use]
    pub fn fixed_100() -> Self {
        let column = |content, width| Column { content, width, align: Align::Right, pad: '0' };
        let text = |content, width| Column { content, width, align: Align::Left, pad: ' ' };
        let filler = |width| text(Content::Filler(String::new()), width);
        let flag = Content::Flag { issued: String::new(), voided: "2".to_owned() };
        let columns = vec![
            column(Content::Account, 12),
            text(flag, 1),
            filler(2),
            column(Content::Serial, 10),
            column(Content::Amount(AmountFormat::Cents), 12),
            column(Content::IssuedOn(DateFormat::YearMonthDay), 8),
            filler(1),
            text(Content::Payee, 54),
        ];
        Self { delimiter: None, columns, trailer: None }
    }
}

/// Returns the checks as a table.
#[must_use]
pub fn show(checks: &[Check]) -> View {
    const COLUMNS: &[&str] = &["account", "serial", "date", "amount", "payee", "state"];
    let mut table = Table::new("Checks".to_owned(), COLUMNS);
    for check in checks {
        table.row(vec![
            masked(&check.account),
            check.serial.to_string(),
            check.issued_on.to_string(),
            decimal(i128::from(check.cents), 2),
            check.payee.clone(),
            if check.voided { "voided" } else { "issued" }.to_owned(),
        ]);
    }
    let total: u128 = checks.iter().map(|check| u128::from(check.cents)).sum();
    let total = decimal(i128::try_from(total).unwrap_or(i128::MAX), 2);
    let facts = vec![("checks", checks.len().to_string()), ("total", total)];
    View { title: "Positive pay file".to_owned(), facts, tables: vec![table] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Profile;

    fn checks() -> Vec<Check> {
        let first = Check {
            account: "987654321".to_owned(),
            serial: 1042,
            issued_on: jiff::civil::date(2026, 11, 23),
            cents: 125_000,
            payee: "CORNER SHOP LLC".to_owned(),
            voided: false,
        };
        let second = Check { serial: 1043, cents: 7, voided: true, ..first.clone() };
        vec![first, second]
    }

    fn templates() -> [Template; 3] {
        let trailer = Some(Trailer { text: "T".to_owned(), count_width: 6, total_width: 12 });
        [Template::with_commas(), Template::fixed_100(), Template { trailer, ..Template::with_commas() }]
    }

    #[test]
    fn the_examples_of_the_banks_are_written() {
        let [commas, fixed, trailer] = templates().map(|template| write(&checks(), &template).unwrap());
        let lines = "I,000987654321,0000001042,112326,1250.00,CORNER SHOP LLC\n\
                     V,000987654321,0000001043,112326,0.07,CORNER SHOP LLC\n";
        assert_eq!(String::from_utf8(commas).unwrap(), lines);
        let line = format!("{:<100}\n", "000987654321   000000104200000012500020261123 CORNER SHOP LLC");
        assert!(String::from_utf8(fixed).unwrap().starts_with(&line));
        assert_eq!(String::from_utf8(trailer).unwrap(), format!("{lines}T,000002,000000125007\n"));
    }

    #[test]
    fn what_is_written_reads_back() {
        for template in templates() {
            let bytes = write(&checks(), &template).unwrap();
            let (again, findings) = read(&bytes, &template, Profile::Strict).unwrap();
            assert!(findings.is_empty());
            let unpadded: Vec<Check> = again
                .into_iter()
                .map(|check| Check { account: check.account.trim_start_matches('0').to_owned(), ..check })
                .collect();
            assert_eq!(unpadded, checks());
        }
    }

    #[test]
    fn each_broken_rule_is_found() {
        let commas = "I,000987654321,0000001042,112326,1250.00,CORNER SHOP LLC\n";
        let [plain, fixed, trailer] = templates();
        let cases: [(&Template, String, &str); 11] = [
            (&plain, String::new(), "positive-pay.empty"),
            (&plain, commas.replace("CORNER", "CÖRNER"), "positive-pay.encoding"),
            (&plain, commas.replace("112326,", ""), "positive-pay.columns"),
            (&plain, commas.replace("0000001042", "104Z"), "positive-pay.number"),
            (&plain, commas.replace("1250.00", "1250.0"), "positive-pay.amount"),
            (&plain, commas.replace("112326", "113126"), "positive-pay.date"),
            (&plain, commas.replace("I,", "X,"), "positive-pay.flag"),
            (&plain, commas.repeat(2), "positive-pay.duplicate"),
            (&fixed, "0".repeat(99), "positive-pay.width"),
            (&fixed, format!("{:<100}", "000987654321 XX0000001042000000125000"), "positive-pay.filler"),
            (&trailer, commas.to_owned() + "T,000001,000000125001\n", "positive-pay.trailer"),
        ];
        for (template, text, rule) in cases {
            let refused = read(text.as_bytes(), template, Profile::Strict).unwrap_err().0;
            let codes: Vec<&str> = refused.in_order().iter().map(|finding| finding.rule.code).collect();
            assert!(codes.contains(&rule), "{text:?}: {codes:?}");
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_not_written() {
        let mut checks = checks();
        checks[0].payee = "A, B".to_owned();
        assert_eq!(write(&checks, &Template::with_commas()).unwrap_err().column, "payee");
        checks[0].account = "1234567890123".to_owned();
        assert_eq!(write(&checks, &Template::fixed_100()).unwrap_err().column, "account");
    }
}
