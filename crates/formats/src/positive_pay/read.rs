//! The reader of positive pay files.

use std::collections::HashSet;

use jiff::civil::Date;

use super::write::trailer_line;
use super::{AMOUNT, COLUMNS, DATE, DUPLICATE, EMPTY, ENCODING, FILLER, FLAG, NUMBER, TOO_LARGE, TRAILER, WIDTH};
use super::{Align, AmountFormat, Check, Column, Content, DateFormat, Template};
use crate::finding::{Findings, Place, Profile, Refused, quoted};
use crate::nacha::number;

/// Largest file.
pub const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Reads a file whole, or refuses it whole.
pub fn read(bytes: &[u8], template: &Template, profile: Profile) -> Result<(Vec<Check>, Findings), Refused> {
    let mut findings = Findings::new(profile);
    let mut checks = Vec::new();
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii());
    match text {
        _ if bytes.len() > BYTES_MAX => findings.add(&TOO_LARGE, Place::FILE, "The file is too large."),
        None => findings.add(&ENCODING, Place::FILE, "The file has characters outside ASCII."),
        Some(text) => checks = lines(text, template, &mut findings),
    }
    findings.into_result(checks)
}

fn place(line: u32, field: &'static str) -> Place {
    Place { line, column: 1, record: "check", field }
}

fn lines(text: &str, template: &Template, findings: &mut Findings) -> Vec<Check> {
    let mut lines: Vec<&str> = text.lines().collect();
    let last = template.trailer.as_ref().map(|trailer| (trailer, lines.pop().unwrap_or_default()));
    let mut checks = Vec::new();
    let mut seen = HashSet::new();
    for (number, line) in (1u32..).zip(&lines) {
        let Some(check) = check(number, line, template, findings) else { continue };
        if !seen.insert((check.account.clone(), check.serial, check.voided)) {
            let message = format!("Check {} occurs a second time.", check.serial);
            findings.add(&DUPLICATE, place(number, "serial"), message);
        }
        checks.push(check);
    }
    if lines.is_empty() {
        findings.add(&EMPTY, Place::FILE, "The file lists no check.");
    }
    if let Some((trailer, found)) = last {
        let delimiter = template.delimiter.map_or_else(String::new, String::from);
        let expected = trailer_line(&checks, trailer, &delimiter);
        if found != expected {
            let message = format!("The last line is {} instead of {}.", quoted(found), quoted(&expected));
            let line = u32::try_from(lines.len()).unwrap_or(u32::MAX).saturating_add(1);
            findings.add(&TRAILER, Place { record: "trailer", ..place(line, "") }, message);
        }
    }
    checks
}

/// Cuts a line into cells.
fn cells<'l>(line: &'l str, template: &Template) -> Option<Vec<&'l str>> {
    if let Some(delimiter) = template.delimiter {
        let cells: Vec<&str> = line.split(delimiter).collect();
        return (cells.len() == template.columns.len()).then_some(cells);
    }
    let mut rest = line;
    let mut cells = Vec::new();
    for column in &template.columns {
        let (cell, further) = rest.split_at_checked(column.width)?;
        cells.push(cell);
        rest = further;
    }
    rest.is_empty().then_some(cells)
}

fn check(line: u32, text: &str, template: &Template, findings: &mut Findings) -> Option<Check> {
    let Some(cells) = cells(text, template) else {
        let rule = if template.delimiter.is_some() { &COLUMNS } else { &WIDTH };
        findings.add(rule, place(line, ""), format!("The line has {} characters.", text.len()));
        return None;
    };
    let mut check = Check {
        account: String::new(),
        serial: 0,
        issued_on: Date::constant(2000, 1, 1),
        cents: 0,
        payee: String::new(),
        voided: false,
    };
    let mut whole = true;
    for (column, cell) in template.columns.iter().zip(cells) {
        if let Err((rule, field)) = fill(&mut check, column, cell) {
            findings.add(rule, place(line, field), format!("The value is {}.", quoted(cell)));
            whole = false;
        }
    }
    whole.then_some(check)
}

type Broken = (&'static crate::finding::Rule, &'static str);

fn fill(check: &mut Check, column: &Column, cell: &str) -> Result<(), Broken> {
    let unpadded = match column.align {
        Align::Left => cell.trim_end_matches(column.pad),
        Align::Right => cell,
    };
    match &column.content {
        Content::Account => check.account = unpadded.trim_matches(' ').to_owned(),
        Content::Serial => check.serial = number(unpadded).ok_or((&NUMBER, "serial"))?,
        Content::IssuedOn(format) => check.issued_on = date(unpadded, *format).ok_or((&DATE, "date"))?,
        Content::Amount(format) => check.cents = cents(unpadded, *format).ok_or((&AMOUNT, "amount"))?,
        Content::Payee => check.payee = unpadded.trim_matches(' ').to_owned(),
        Content::Flag { issued, voided } => {
            check.voided = unpadded == voided;
            if unpadded != voided && unpadded != issued {
                return Err((&FLAG, "flag"));
            }
        }
        Content::Filler(text) => {
            if unpadded != text {
                return Err((&FILLER, "filler"));
            }
        }
    }
    Ok(())
}

fn cents(text: &str, format: AmountFormat) -> Option<u64> {
    match format {
        AmountFormat::Cents => number(text),
        AmountFormat::Point => {
            let (whole, fraction) = text.split_once('.').filter(|(_, fraction)| fraction.len() == 2)?;
            number(whole)?.checked_mul(100)?.checked_add(number(fraction)?)
        }
    }
}

fn date(text: &str, format: DateFormat) -> Option<Date> {
    let part = |from: usize, to: usize| text.get(from..to).and_then(number).and_then(|n| i16::try_from(n).ok());
    let small = |number: i16| i8::try_from(number).ok();
    let (year, month, day) = match format {
        DateFormat::MonthDayShortYear if text.len() == 6 => (2000 + part(4, 6)?, part(0, 2)?, part(2, 4)?),
        DateFormat::YearMonthDay if text.len() == 8 => (part(0, 4)?, part(4, 6)?, part(6, 8)?),
        DateFormat::MonthDayShortYear | DateFormat::YearMonthDay => return None,
    };
    Date::new(year, small(month)?, small(day)?).ok()
}
