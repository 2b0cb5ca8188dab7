//! The texts with which a bank acknowledges NACHA files. Pure.

use jiff::civil::Date;
use regex::Captures;

use super::model::ItemKind;
use super::reported::{Named, NamedFile, Reported, is_duplicate_text};
use crate::bank_files::BankAnswer;
use crate::banking::{Acknowledgements, AmountForm};

const WORD_MAX: usize = 9;
const TEXT_MAX: usize = 200;

/// Returns the acknowledgements in a text; empty if the connection expects none, or nothing matches.
#[must_use]
pub fn acknowledgements(bytes: &[u8], expected: &Acknowledgements) -> Vec<Reported> {
    let Some(regex) = expected.regex() else { return Vec::new() };
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let has_status = regex.capture_names().flatten().any(|name| name == "status");
    let matches: Vec<Captures<'_>> = regex.captures_iter(&text).collect();
    let start_of = |captures: &Captures<'_>| captures.get(0).map_or(text.len(), |all| all.start());
    let ends = matches.iter().skip(1).map(start_of).chain([text.len()]);
    let found = matches.iter().zip(ends).map(|(captures, end)| {
        let start = start_of(captures);
        let line = 1 + text[..start].bytes().filter(|byte| *byte == b'\n').count();
        let found = acknowledgement(captures, (expected, has_status), i64::try_from(line).unwrap_or(i64::MAX));
        with_duplicate(found, &text[start..end])
    });
    found.collect()
}

/// Keeps the line of an acknowledgement that says that the bank has the file already.
fn with_duplicate(found: Reported, part: &str) -> Reported {
    match part.lines().find(|line| is_duplicate_text(line)) {
        Some(line) if !is_duplicate_text(&found.text) => {
            let text = format!("{} {}", found.text, line.trim()).trim_start().chars().take(TEXT_MAX).collect();
            Reported { text, ..found }
        }
        Some(_) | None => found,
    }
}

fn acknowledgement(captures: &Captures<'_>, (expected, has_status): (&Acknowledgements, bool), line: i64) -> Reported {
    let group = |name: &str| captures.name(name).map(|found| found.as_str().trim()).filter(|word| !word.is_empty());
    let shortened = |word: &str, most: usize| word.chars().take(most).collect::<String>();
    let status = group("status");
    let is_in = |words: &[String], status: &str| words.iter().any(|word| word.eq_ignore_ascii_case(status));
    let answer = match status {
        // If the pattern has no group for a status, each match accepts a file.
        None => (!has_status).then_some(BankAnswer::Accepted),
        Some(status) if is_in(&expected.accepted, status) => Some(BankAnswer::Accepted),
        Some(status) if is_in(&expected.rejected, status) => Some(BankAnswer::Rejected),
        Some(_) => None,
    };
    let form = expected.amounts.unwrap_or(AmountForm::Dollars);
    let amount = |name: &str| group(name).map(|word| cents(word, form));
    let entries = group("entries").map(|word| word.parse::<i64>().ok());
    let (debit, credit) = (amount("debit"), amount("credit"));
    let created = group("date").map(date).zip(group("modifier"));
    let is_clear = [debit, credit].iter().all(|found| *found != Some(None))
        && entries != Some(None)
        && created.is_none_or(|(date, _)| date.is_some());
    let created = created.and_then(|(date, modifier)| Some((date?.to_string(), modifier.to_owned())));
    let name = group("file").map(str::to_owned);
    let shown = match (&name, &created) {
        (Some(name), _) => name.clone(),
        (None, Some((date, modifier))) => format!("{date} {modifier}"),
        (None, None) => String::new(),
    };
    Reported {
        kind: ItemKind::Acknowledgement,
        line,
        code: shortened(status.unwrap_or_default(), WORD_MAX),
        trace: None,
        amount: credit.flatten().filter(|credit| *credit > 0).or(debit.flatten()).unwrap_or(0),
        credits: 0,
        debits: (0, 0),
        account: String::new(),
        individual_id: shortened(&shown, TEXT_MAX),
        text: shortened(group("reason").unwrap_or_default(), TEXT_MAX),
        change: None,
        named: Some(Named {
            message: None,
            payment: None,
            answer: answer.filter(|_| is_clear),
            others: 0,
            refused: 0,
            reason: None,
            file: Some(NamedFile {
                name,
                created,
                entries: entries.flatten(),
                debit: debit.flatten(),
                credit: credit.flatten(),
            }),
        }),
    }
}

/// Reads an amount that has exactly the form that the bank uses.
fn cents(word: &str, form: AmountForm) -> Option<u64> {
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match form {
        AmountForm::Cents => are_digits(word).then(|| word.parse().ok())?,
        AmountForm::Dollars => {
            let (dollars, cents) = word.split_once('.')?;
            let mut groups = dollars.split(',');
            let first = groups.next().filter(|first| are_digits(first))?;
            let rest: Vec<&str> = groups.collect();
            let is_grouped = rest.is_empty() || first.len() <= 3 && rest.iter().all(|group| group.len() == 3);
            if !is_grouped || !rest.iter().all(|group| are_digits(group)) || cents.len() != 2 || !are_digits(cents) {
                return None;
            }
            format!("{first}{}{cents}", rest.concat()).parse().ok()
        }
    }
}

/// Reads a date as banks of the United States write it: 261126, 20261126, 2026-11-26, 11/26/2026 or 11/26/26.
fn date(word: &str) -> Option<Date> {
    ["%y%m%d", "%Y%m%d", "%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y"]
        .iter()
        .filter_map(|form| Date::strptime(form, word).ok())
        .find(|date| (2000..2100).contains(&date.year()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::banking::{AcknowledgementKind, USUAL_PATTERN};

    fn expected(pattern: &str, amounts: AmountForm) -> Acknowledgements {
        Acknowledgements {
            kind: AcknowledgementKind::Text,
            within_minutes: Some(60),
            pattern: Some(pattern.to_owned()),
            accepted: vec!["ACCEPTED".to_owned(), "OK".to_owned()],
            rejected: vec!["REJECTED".to_owned()],
            amounts: Some(amounts),
        }
    }

    #[test]
    fn amounts_have_one_meaning_or_none() {
        for (word, dollars, in_cents) in [
            ("1,234.56", Some(123_456), None),
            ("1234.56", Some(123_456), None),
            ("0.00", Some(0), None),
            ("1,50", None, None),
            ("1.234,56", None, None),
            ("12,34.56", None, None),
            ("1234,567.00", None, None),
            ("123456", None, Some(123_456)),
            ("12.5", None, None),
            ("-1.00", None, None),
            (".50", None, None),
        ] {
            assert_eq!(cents(word, AmountForm::Dollars), dollars, "{word}");
            assert_eq!(cents(word, AmountForm::Cents), in_cents, "{word}");
        }
    }

    #[test]
    fn dates_are_those_of_the_file_header() {
        for word in ["261126", "20261126", "2026-11-26", "11/26/2026", "11/26/26"] {
            assert_eq!(date(word).unwrap().to_string(), "2026-11-26", "{word}");
        }
        for word in ["26/11/2026", "261326", "tomorrow", ""] {
            assert_eq!(date(word), None, "{word}");
        }
    }

    #[test]
    fn a_duplicate_is_found_anywhere_between_one_acknowledgement_and_the_next() {
        let one = |status: &str, more: &str| {
            format!(
                "ACKNOWLEDGEMENT OF ACH FILE\nFILE CREATION DATE: 261126\nFILE CREATION TIME: 1005\n\
                 FILE ID MODIFIER: A\nENTRIES: 3\n\
                 TOTAL DEBITS: 0.00\nTOTAL CREDITS: 1.00\nSTATUS: {status}\n{more}"
            )
        };
        let expected = expected(USUAL_PATTERN, AmountForm::Dollars);
        for (status, more, is_expected) in [
            ("REJECTED DUPLICATE FILE", "", true),
            ("REJECTED", "REASON: DUPLICATE FILE\n", true),
            ("REJECTED", "See the next line.\nThe file is a duplicate.\n", true),
            ("REJECTED", "REASON: COMPANY ID UNKNOWN\n", false),
        ] {
            let text = format!("{}{}", one(status, more), one("ACCEPTED", ""));
            let found = acknowledgements(text.as_bytes(), &expected);
            let are: Vec<bool> = found.iter().map(|found| is_duplicate_text(&found.text)).collect();
            assert_eq!(are, [is_expected, false], "{status} {more}");
        }
    }

    #[test]
    fn the_usual_text_and_rows_of_a_table_are_read() {
        let usual = "\r\nACKNOWLEDGEMENT OF ACH FILE\r\nFILE CREATION DATE: 261126\r\nFILE CREATION TIME: 1005\r\n\
                     FILE ID MODIFIER: A\r\nENTRIES: 3\r\nTOTAL DEBITS: 0.00\r\nTOTAL CREDITS: 1,234.56\r\n\
                     STATUS: REJECTED\r\nREASON: COMPANY ID UNKNOWN\r\n";
        let found = acknowledgements(usual.as_bytes(), &expected(USUAL_PATTERN, AmountForm::Dollars));
        let named = found[0].named.as_ref().unwrap();
        let file = named.file.as_ref().unwrap();
        assert_eq!((found.len(), found[0].line, found[0].amount), (1, 2, 123_456));
        assert_eq!(file.created, Some(("2026-11-26".to_owned(), "A".to_owned())));
        assert_eq!((file.entries, file.debit, file.credit), (Some(3), Some(0), Some(123_456)));
        assert_eq!((named.answer, found[0].text.as_str()), (Some(BankAnswer::Rejected), "COMPANY ID UNKNOWN"));

        let rows = "FILE,STATUS,TOTAL\nA_1.ach,OK,500\nA_2.ach,HELD,700\nA_3.ach,OK,7.00\n";
        let pattern = r"^(?P<file>\S+\.ach),(?P<status>\w+),(?P<credit>[\d.,]+)$";
        let found = acknowledgements(rows.as_bytes(), &expected(pattern, AmountForm::Cents));
        let answers: Vec<_> = found.iter().map(|one| one.named.as_ref().unwrap().answer).collect();
        // An unknown status and an amount of another form are for a person.
        assert_eq!(answers, [Some(BankAnswer::Accepted), None, None]);
        assert!(acknowledgements(b"hello", &expected(pattern, AmountForm::Cents)).is_empty());
    }
}
