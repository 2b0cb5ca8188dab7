//! Amounts and days, as the speakers of a language write them.
//!
//! The formats are those of Unicode's CLDR; tests/browser/formats.test.mjs compares them with the library ICU. Digits
//! are Western in every language, Arabic included, because codes, account numbers and typed amounts have these.

use serde::Deserialize;

/// The plural categories of Unicode's CLDR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Plural {
    Zero,
    One,
    Two,
    Few,
    Many,
    Other,
}

/// The formats of a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Formats {
    /// The language's name for its speakers.
    pub name: String,
    pub months: [String; 12],
    /// From Monday.
    pub weekdays: [String; 7],
    pub weekday_day: String,
    pub month_day: String,
    pub day_of_year: String,
    /// Separates groups of three digits.
    pub group: String,
    /// The number of digits from which they are grouped.
    pub group_from: usize,
    pub decimal: char,
    /// An amount of dollars around its number.
    pub money: String,
    pub plurals: Vec<Plural>,
}
