//! The check of a record's fields against its layout.

use jiff::civil::{Date, Time};

use super::check_digit;
use super::layout::{Field, Kind, Layout};
use super::record::{Record, number};
use super::rules;
use crate::finding::{Findings, Profile, Rule, Severity, quoted};

/// Reads YYMMDD. The century is the 21st: the network has no older files.
pub fn date(text: &str) -> Option<Date> {
    number(text).filter(|_| text.len() == 6)?;
    let part = |from: usize| text.get(from..from + 2).and_then(|digits| digits.parse::<i8>().ok());
    Date::new(2000 + i16::from(part(0)?), part(2)?, part(4)?).ok()
}

/// Reads HHMM.
pub fn time(text: &str) -> Option<Time> {
    number(text).filter(|_| text.len() == 4)?;
    let part = |from: usize| text.get(from..from + 2).and_then(|digits| digits.parse::<i8>().ok());
    Time::new(part(0)?, part(2)?, 0, 0).ok()
}

/// Reads a day of the year.
pub fn day(text: &str) -> Option<u16> {
    number(text).and_then(|day| u16::try_from(day).ok()).filter(|day| (1..=366).contains(day))
}

/// Returns whether this is a routing number with a correct check digit.
pub fn is_routing_number(text: &str) -> bool {
    text.len() == 9
        && text.get(..8).and_then(check_digit).is_some_and(|digit| text.as_bytes().last() == Some(&(b'0' + digit)))
}

/// Returns the rule that the value of a field breaks.
fn broken(kind: Kind, raw: &str) -> Option<(&'static Rule, String)> {
    let blank = raw.bytes().all(|byte| byte == b' ');
    let digits = number(raw).is_some();
    let shown = quoted(raw);
    let (ok, rule, expected) = match kind {
        Kind::Constant(text) => (raw == text, &rules::CONSTANT, quoted(text)),
        Kind::OneOf(texts) => {
            let known: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            (texts.contains(&raw), &rules::CONSTANT, known.join(" or "))
        }
        Kind::Digits => (digits, &rules::NUMBER, "digits".to_owned()),
        Kind::DigitsOrBlank => (digits || blank, &rules::NUMBER, "digits or blanks".to_owned()),
        Kind::Text => return None,
        Kind::Required => (!blank, &rules::REQUIRED, "a value".to_owned()),
        Kind::Date => (date(raw).is_some(), &rules::DATE, "a date".to_owned()),
        Kind::DateOrBlank => (blank || date(raw).is_some(), &rules::DATE, "a date or blanks".to_owned()),
        Kind::TimeOrBlank => (blank || time(raw).is_some(), &rules::TIME, "a time or blanks".to_owned()),
        Kind::DayOrBlank => (blank || day(raw).is_some(), &rules::DAY, "a day of the year or blanks".to_owned()),
        Kind::Modifier => {
            let fits = raw.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
            (fits, &rules::MODIFIER, "A to Z or 0 to 9".to_owned())
        }
        Kind::Destination => {
            let fits = raw.strip_prefix(' ').is_some_and(is_routing_number);
            (fits, &rules::DESTINATION, "a blank and a routing number with a correct check digit".to_owned())
        }
        Kind::Blank => (blank, &rules::RESERVED, "blanks".to_owned()),
    };
    (!ok).then(|| (rule, format!("The value is {shown} instead of {expected}.")))
}

/// Checks the fields of a record; `skipped` are checked by the caller.
pub fn check(record: &Record, layout: &Layout, skipped: &[Field], findings: &mut Findings) {
    for field in layout.fields.iter().filter(|field| !skipped.contains(field)) {
        if let Some((rule, message)) = broken(field.kind, record.raw(*field)) {
            let lenient = findings.profile() == Profile::Incoming && !field.essential;
            let severity = if lenient { Severity::Note } else { rule.severity(findings.profile()) };
            findings.add_as(severity, rule, record.place(layout.name, *field), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nacha::layout;

    #[test]
    fn each_kind_accepts_and_refuses() {
        let cases: [(Kind, &str, bool); 26] = [
            (Kind::Constant("094"), "094", true),
            (Kind::Constant("094"), "904", false),
            (Kind::OneOf(&["0", "1"]), "1", true),
            (Kind::OneOf(&["0", "1"]), "2", false),
            (Kind::Digits, "0012", true),
            (Kind::Digits, " 012", false),
            (Kind::DigitsOrBlank, "  ", true),
            (Kind::DigitsOrBlank, " 1", false),
            (Kind::Text, "  ", true),
            (Kind::Required, "  ", false),
            (Kind::Required, "x ", true),
            (Kind::Date, "240229", true),
            (Kind::Date, "230229", false),
            (Kind::Date, "261301", false),
            (Kind::Date, "+61101", false),
            (Kind::DateOrBlank, "      ", true),
            (Kind::TimeOrBlank, "2359", true),
            (Kind::TimeOrBlank, "2400", false),
            (Kind::DayOrBlank, "366", true),
            (Kind::DayOrBlank, "367", false),
            (Kind::Modifier, "a", false),
            (Kind::Modifier, "7", true),
            (Kind::Destination, " 123456780", true),
            (Kind::Destination, " 123456789", false),
            (Kind::Destination, "1123456780", false),
            (Kind::Blank, "x", false),
        ];
        for (kind, raw, accepted) in cases {
            assert_eq!(broken(kind, raw).is_none(), accepted, "{kind:?} {raw:?}");
        }
    }

    #[test]
    fn a_bank_may_deviate_in_fields_that_are_not_essential() {
        let line = "101 123456780 123456780261123    a094101".to_owned();
        for (profile, refused) in [(Profile::Strict, true), (Profile::Incoming, false)] {
            let mut findings = Findings::new(profile);
            let record = Record::new(1, format!("{line:<94}").as_bytes(), &mut findings);
            check(&record, &layout::file_header::LAYOUT, &[], &mut findings);
            assert_eq!((findings.refuses(), findings.is_empty()), (refused, false));
        }
    }
}
