//! What a checker reports: each finding names a place, a rule, a severity and what to do.

use std::fmt;

/// Most findings that are kept. Further ones are counted.
pub const KEPT_MAX: usize = 500;
/// Most characters of a file that a message repeats.
const EXCERPT_MAX: usize = 40;

/// How strictly a file is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A file that we send: every deviation from the format is an error.
    Strict,
    /// A file from a bank: deviations that do not change the meaning are notes. Sums and counts must still be correct.
    Incoming,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Unusual, harmless.
    Note,
    /// Some banks refuse it.
    Warning,
    /// The file is refused.
    Error,
}

impl Severity {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule of a format. Its code is public and never changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub code: &'static str,
    pub strict: Severity,
    pub incoming: Severity,
    /// What to do, as one sentence.
    pub advice: &'static str,
}

impl Rule {
    #[must_use]
    pub const fn severity(&self, profile: Profile) -> Severity {
        match profile {
            Profile::Strict => self.strict,
            Profile::Incoming => self.incoming,
        }
    }
}

/// Declares the rules of a format: constants, and `ALL` for documents and tests.
macro_rules! rules {
    ($($name:ident = $code:literal, $strict:ident, $incoming:ident, $advice:literal;)+) => {
        $(pub static $name: $crate::finding::Rule = $crate::finding::Rule {
            code: $code,
            strict: $crate::finding::Severity::$strict,
            incoming: $crate::finding::Severity::$incoming,
            advice: $advice,
        };)+
        /// Every rule of this format, in the order of the file.
        pub static ALL: &[&$crate::finding::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;

/// A place in a file. Lines and columns begin with 1; line 0 is the file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: u32,
    pub column: u32,
    /// The kind of record or element, for example `batch control`.
    pub record: &'static str,
    /// The field, for example `entry hash`; empty if the record as a whole is meant.
    pub field: &'static str,
}

impl Place {
    pub const FILE: Self = Self { line: 0, column: 0, record: "file", field: "" };
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub rule: &'static Rule,
    pub place: Place,
    /// What is wrong, as one sentence.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column, record, field } = self.place;
        if line > 0 {
            write!(f, "line {line}, column {column}: ")?;
        }
        let space = if field.is_empty() { "" } else { " " };
        let (severity, code, advice) = (self.severity.name(), self.rule.code, self.rule.advice);
        write!(f, "{severity} [{code}] {record}{space}{field}: {} {advice}", self.message)
    }
}

/// The findings of one file. Bounded: the first [`KEPT_MAX`] are kept, all are counted.
#[derive(Clone, Debug)]
pub struct Findings {
    profile: Profile,
    kept: Vec<Finding>,
    counts: [u64; 3],
}

impl Findings {
    #[must_use]
    pub const fn new(profile: Profile) -> Self {
        Self { profile, kept: Vec::new(), counts: [0; 3] }
    }

    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    pub fn add(&mut self, rule: &'static Rule, place: Place, message: impl Into<String>) {
        self.add_as(rule.severity(self.profile), rule, place, message);
    }

    /// Adds a finding whose severity the place decides, and not the rule alone.
    pub fn add_as(&mut self, severity: Severity, rule: &'static Rule, place: Place, message: impl Into<String>) {
        self.counts[severity as usize] += 1;
        // An error is always kept: it explains why the file is refused.
        let is_first_error = severity == Severity::Error && self.counts[severity as usize] == 1;
        if self.kept.len() < KEPT_MAX || is_first_error {
            self.kept.push(Finding { severity, rule, place, message: message.into() });
        }
    }

    /// Returns the kept findings in the order of the file.
    #[must_use]
    pub fn in_order(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.kept.iter().collect();
        // The file as a whole is judged last.
        findings.sort_by_key(|finding| (finding.place.line == 0, finding.place.line, finding.place.column));
        findings
    }

    #[must_use]
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    #[must_use]
    pub fn refuses(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts == [0; 3]
    }

    /// Returns how many findings were counted and not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.counts.iter().sum::<u64>().saturating_sub(u64::try_from(self.kept.len()).unwrap_or(u64::MAX))
    }

    /// Returns the first error in the order of the file.
    #[must_use]
    pub fn first_error(&self) -> Option<&Finding> {
        self.in_order().into_iter().find(|finding| finding.severity == Severity::Error)
    }

    /// Gives the value if no finding is an error.
    pub fn into_result<T>(self, value: T) -> Result<(T, Self), Refused> {
        if self.refuses() { Err(Refused(self)) } else { Ok((value, self)) }
    }
}

/// A file that was refused as a whole.
#[derive(Clone, Debug)]
pub struct Refused(pub Findings);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.first_error() {
            Some(finding) => finding.fmt(f),
            None => f.write_str("the file was refused"),
        }
    }
}

impl std::error::Error for Refused {}

/// Quotes a value of a file for a message: printable, and not longer than [`EXCERPT_MAX`] characters.
#[must_use]
pub fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for (at, letter) in value.chars().enumerate() {
        if at == EXCERPT_MAX {
            text.push('…');
            break;
        }
        text.push(if letter.is_control() { '\u{fffd}' } else { letter });
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    rules! {
        FIRST = "test.first", Error, Note, "Do this.";
        SECOND = "test.second", Warning, Error, "Do that.";
    }

    #[test]
    fn the_profile_decides_the_severity_and_errors_refuse() {
        for (profile, refuses) in [(Profile::Strict, true), (Profile::Incoming, false)] {
            let mut findings = Findings::new(profile);
            findings.add(&FIRST, Place::FILE, "It is wrong.");
            assert_eq!(findings.refuses(), refuses);
            assert_eq!(findings.into_result(()).is_err(), refuses);
        }
        assert_eq!(ALL, [&FIRST, &SECOND]);
    }

    #[test]
    fn findings_are_bounded_and_an_error_is_kept() {
        let mut findings = Findings::new(Profile::Strict);
        let place = |line| Place { line, column: 1, record: "entry", field: "amount" };
        for line in 1..=1000 {
            findings.add(&SECOND, place(line), "It is odd.");
        }
        findings.add(&FIRST, place(7), "It is wrong.");
        assert_eq!(findings.in_order().len(), KEPT_MAX + 1);
        assert_eq!(findings.left_out(), 500);
        let shown = findings.first_error().unwrap().to_string();
        assert_eq!(shown, "line 7, column 1: error [test.first] entry amount: It is wrong. Do this.");
    }

    #[test]
    fn a_quoted_value_is_printable_and_short() {
        assert_eq!(quoted("a\u{0}b\u{1b}"), "\"a\u{fffd}b\u{fffd}\"");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), EXCERPT_MAX + 3);
    }
}
