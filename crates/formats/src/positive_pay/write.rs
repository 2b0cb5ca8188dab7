//! The writer of positive pay files.

use std::fmt;

use super::{Align, AmountFormat, Check, Column, Content, DateFormat, Template, Trailer};
use crate::text::decimal;

/// A value that does not fit its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    pub column: &'static str,
    pub reason: String,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.column, self.reason)
    }
}

impl std::error::Error for Unwritable {}

/// Writes the checks with the columns of a template. Equal values give equal bytes.
pub fn write(checks: &[Check], template: &Template) -> Result<Vec<u8>, Unwritable> {
    let delimiter = template.delimiter.map_or_else(String::new, String::from);
    let mut out = String::new();
    for check in checks {
        let cells = template.columns.iter().map(|column| cell(check, column, template));
        out.push_str(&cells.collect::<Result<Vec<_>, _>>()?.join(&delimiter));
        out.push('\n');
    }
    if let Some(trailer) = &template.trailer {
        out.push_str(&trailer_line(checks, trailer, &delimiter));
        out.push('\n');
    }
    Ok(out.into_bytes())
}

/// Returns the trailer for these checks.
pub fn trailer_line(checks: &[Check], trailer: &Trailer, delimiter: &str) -> String {
    let total: u128 = checks.iter().map(|check| u128::from(check.cents)).sum();
    let (count, Trailer { text, count_width, total_width }) = (checks.len(), trailer);
    format!("{text}{delimiter}{count:0>count_width$}{delimiter}{total:0>total_width$}")
}

pub fn date(date: jiff::civil::Date, format: DateFormat) -> String {
    let (year, month, day) = (date.year(), date.month(), date.day());
    match format {
        DateFormat::MonthDayShortYear => format!("{month:02}{day:02}{:02}", year.rem_euclid(100)),
        DateFormat::YearMonthDay => format!("{year:04}{month:02}{day:02}"),
    }
}

fn cell(check: &Check, column: &Column, template: &Template) -> Result<String, Unwritable> {
    let (name, text) = match &column.content {
        Content::Account => ("account", check.account.clone()),
        Content::Serial => ("serial", check.serial.to_string()),
        Content::IssuedOn(format) => ("date", date(check.issued_on, *format)),
        Content::Amount(AmountFormat::Cents) => ("amount", check.cents.to_string()),
        Content::Amount(AmountFormat::Point) => ("amount", decimal(i128::from(check.cents), 2)),
        Content::Payee => ("payee", check.payee.clone()),
        Content::Flag { issued, voided } => ("flag", if check.voided { voided } else { issued }.clone()),
        Content::Filler(text) => ("filler", text.clone()),
    };
    let refuse = |reason: String| Err(Unwritable { column: name, reason });
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return refuse("must be printable ASCII".to_owned());
    }
    if template.delimiter.is_some_and(|delimiter| text.contains(delimiter)) {
        return refuse("must not contain the delimiter".to_owned());
    }
    let is_limited = template.delimiter.is_none() || name == "payee";
    if is_limited && text.len() > column.width {
        return refuse(format!("must have at most {} characters", column.width));
    }
    // With a delimiter only numbers are padded.
    let padded = template.delimiter.is_none() || column.align == Align::Right;
    let missing = if padded { column.width.saturating_sub(text.len()) } else { 0 };
    let padding = String::from(column.pad).repeat(missing);
    Ok(match column.align {
        Align::Left => text + &padding,
        Align::Right => padding + &text,
    })
}
