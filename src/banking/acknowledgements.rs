//! The settings by which a bank acknowledges files: with a text of its own, which a regular expression reads, or with
//! status reports. Pure.

use std::collections::BTreeSet;

use super::settings::{AcknowledgementKind, Acknowledgements, AmountForm, FileFormat, USUAL_PATTERN, compile};
use crate::input::types::{Integer, Line, word_input};
use crate::input::{Problems, input, wrong};

word_input!(AcknowledgementKind);
word_input!(AmountForm);

/// The longest pattern, in characters.
const PATTERN_MAX: usize = 1_000;
/// Words of a status at most, and their length.
const WORDS_MAX: usize = 10;
const WORD_MAX: usize = 40;
/// The longest wait for an acknowledgement, in minutes: three days.
const MINUTES_MAX: i64 = 3 * 24 * 60;
/// The groups that a pattern may name.
const GROUPS: [&str; 8] = ["file", "date", "modifier", "status", "entries", "debit", "credit", "reason"];

/// Returns what is wrong with a pattern.
fn problem(pattern: &str) -> Option<String> {
    let regex = match compile(pattern) {
        Ok(regex) => regex,
        Err(regex::Error::CompiledTooBig(_)) => return Some("is too large; use fewer repetitions".to_owned()),
        Err(_) => return Some("must be a regular expression of the crate regex, without look-around".to_owned()),
    };
    let named: BTreeSet<&str> = regex.capture_names().flatten().collect();
    if let Some(unknown) = named.iter().find(|name| !GROUPS.contains(name)) {
        return Some(format!("has the group {unknown}; the groups are {}", GROUPS.join(", ")));
    }
    let names_file = named.contains("file") || named.contains("date") && named.contains("modifier");
    if !names_file {
        return Some("must have the group file, or the groups date and modifier, so that it names a file".to_owned());
    }
    regex.is_match("").then(|| "must not match an empty text".to_owned())
}

input! {
    /// How the bank acknowledges files.
    pub struct AcknowledgementsInput {
        /// What the bank answers to a file: text for the format nacha, status_report for pain001, or none.
        pub kind: AcknowledgementKind,
        /// Minutes after its delivery until which the bank acknowledges a file; required unless the kind is none.
        pub within_minutes: Option<Integer<1, MINUTES_MAX>>,
        /// For a text: the regular expression of one acknowledgement, with the named groups file, or date and modifier, and
        /// status, entries, debit, credit and reason. Missing: the text that the simulated bank sends.
        pub pattern: Option<Line<PATTERN_MAX>>,
        /// For a text: the words of the group status that accept a file. Missing: ACCEPTED.
        pub accepted: Option<Vec<Line<WORD_MAX>>>,
        /// For a text: the words of the group status that refuse a file. Missing: REJECTED.
        pub rejected: Option<Vec<Line<WORD_MAX>>>,
        /// For a text: how it writes amounts. Missing: dollars.
        pub amounts: Option<AmountForm>,
    }
}

fn words(given: Option<Vec<Line<WORD_MAX>>>, usual: &str) -> Vec<String> {
    given.map_or_else(|| vec![usual.to_owned()], |words| words.into_iter().map(|word| word.0).collect())
}

impl AcknowledgementsInput {
    /// Returns the settings.
    ///
    /// # Errors
    /// The fields that are missing, not valid, or without use for the format and the kind.
    pub fn read_out(self, format: FileFormat) -> Result<Acknowledgements, Problems> {
        let at = |name: &str| format!("/acknowledgements/{name}");
        let mut problems = Problems::new();
        match (self.kind, format) {
            (AcknowledgementKind::None, _)
            | (AcknowledgementKind::Text, FileFormat::Nacha)
            | (AcknowledgementKind::StatusReport, FileFormat::Pain001) => {}
            (AcknowledgementKind::Text, FileFormat::Pain001) => {
                problems.extend(wrong(&at("kind"), "must be status_report or none for the format pain001"));
            }
            (AcknowledgementKind::StatusReport, FileFormat::Nacha) => {
                problems.extend(wrong(&at("kind"), "must be text or none for the format nacha"));
            }
        }
        let is_none = self.kind == AcknowledgementKind::None;
        if is_none && self.within_minutes.is_some() {
            problems.extend(wrong(&at("within_minutes"), "must be missing for the kind none"));
        }
        if !is_none && self.within_minutes.is_none() {
            problems.extend(wrong(&at("within_minutes"), "is required unless the kind is none"));
        }
        let given = [
            ("pattern", self.pattern.is_some()),
            ("accepted", self.accepted.is_some()),
            ("rejected", self.rejected.is_some()),
            ("amounts", self.amounts.is_some()),
        ];
        if self.kind != AcknowledgementKind::Text {
            for (name, _) in given.iter().filter(|(_, is_given)| *is_given) {
                problems.extend(wrong(&at(name), "must be missing unless the kind is text"));
            }
            let within_minutes = self.within_minutes.map(|minutes| minutes.0);
            let found = Acknowledgements { kind: self.kind, within_minutes, ..Acknowledgements::default() };
            return if problems.is_empty() { Ok(found) } else { Err(problems) };
        }
        let pattern = self.pattern.map_or_else(|| USUAL_PATTERN.to_owned(), |pattern| pattern.0);
        if let Some(problem) = problem(&pattern) {
            problems.extend(wrong(&at("pattern"), problem));
        }
        let accepted = words(self.accepted, "ACCEPTED");
        let rejected = words(self.rejected, "REJECTED");
        for (name, words) in [("accepted", &accepted), ("rejected", &rejected)] {
            if !(1..=WORDS_MAX).contains(&words.len()) {
                problems.extend(wrong(&at(name), format!("must have 1 to {WORDS_MAX} words")));
            }
        }
        if accepted.iter().any(|word| rejected.iter().any(|other| word.eq_ignore_ascii_case(other))) {
            problems.extend(wrong(&at("rejected"), "must not have a word of accepted"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Acknowledgements {
            kind: AcknowledgementKind::Text,
            within_minutes: self.within_minutes.map(|minutes| minutes.0),
            pattern: Some(pattern),
            accepted,
            rejected,
            amounts: Some(self.amounts.unwrap_or(AmountForm::Dollars)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_a_file_by_known_groups() {
        assert_eq!(problem(USUAL_PATTERN), None);
        for (pattern, part) in [
            (r"FILE (?P<file>\S+) OK", None),
            (r"(?P<date>\d{6}),(?P<modifier>.),(?P<credit>\d+)", None),
            (r"OK", Some("must have the group file")),
            (r"(?P<date>\d{6})", Some("must have the group file")),
            (r"(?P<file>\S+) (?P<total>\d+)", Some("has the group total")),
            (r"(?P<file>.*)", Some("must not match an empty text")),
            (r"(?P<file>\S+", Some("must be a regular expression")),
            (r"(?P<file>\w{1000}{1000})", Some("is too large")),
        ] {
            let found = problem(pattern);
            assert_eq!(found.is_some(), part.is_some(), "{pattern}: {found:?}");
            assert!(part.is_none_or(|part| found.unwrap().starts_with(part)), "{pattern}");
        }
    }
}
