//! The format of a file by its content, and one face for all formats.

use crate::finding::{Findings, Profile, Rule};
use crate::view::View;
use crate::{bai2, iso20022, nacha, positive_pay};

/// A format that is recognized by its content. Positive pay files have the columns of each bank and are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Nacha,
    Bai2,
    Iso20022,
}

impl Format {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nacha => "NACHA",
            Self::Bai2 => "BAI2",
            Self::Iso20022 => "ISO 20022",
        }
    }

    /// Detects the format by the first characters.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        match bytes.get(start..)? {
            [b'<', ..] => Some(Self::Iso20022),
            [b'0', b'1', b',', ..] => Some(Self::Bai2),
            // A file header, or the first record of a partial file.
            [b'1', b'0', b'1', ..] | [b'5', b'2', b'0' | b'2', ..] => Some(Self::Nacha),
            [b'1' | b'5'..=b'9', rest @ ..] if rest.len() + 1 >= nacha::layout::WIDTH => Some(Self::Nacha),
            _ => None,
        }
    }
}

/// The findings of a file.
#[derive(Clone, Debug)]
pub struct Inspected {
    pub format: Format,
    /// The name of an ISO 20022 message, for example `camt.053.001.08`.
    pub message: Option<String>,
    pub findings: Findings,
}

/// Checks a file of any format; `None` if the format is unknown.
#[must_use]
pub fn inspect(bytes: &[u8], profile: Profile) -> Option<Inspected> {
    let format = Format::of(bytes)?;
    let (message, findings) = match format {
        Format::Nacha => (None, nacha::check(bytes, profile).findings),
        Format::Bai2 => (None, bai2::check(bytes, profile)),
        Format::Iso20022 => (iso20022::name(bytes), iso20022::check(bytes, profile)),
    };
    Some(Inspected { format, message, findings })
}

/// Reads a file of any format as tables; `None` if the format is unknown.
#[must_use]
pub fn show(bytes: &[u8]) -> Option<Result<(View, Findings), crate::Refused>> {
    let profile = Profile::Incoming;
    Some(match Format::of(bytes)? {
        Format::Nacha => nacha::read(bytes, profile).map(|(file, findings)| (nacha::show(&file), findings)),
        Format::Bai2 => bai2::read(bytes, profile).map(|(file, findings)| (bai2::show(&file), findings)),
        Format::Iso20022 => iso20022::read(bytes, profile).map(|(message, found)| (iso20022::show(&message), found)),
    })
}

/// Returns the rules of all formats.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [nacha::rules::ALL, bai2::rules::ALL, iso20022::rules::ALL, positive_pay::ALL].into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_names_the_format() {
        let cases: [(&[u8], Option<Format>); 8] = [
            (b"101 123456780", Some(Format::Nacha)),
            (b"5220ACME", Some(Format::Nacha)),
            (b"01,A,B,261123", Some(Format::Bai2)),
            (b"\xef\xbb\xbf\n<?xml", Some(Format::Iso20022)),
            (b"", None),
            (b"   \n", None),
            (b"I,000987654321,1", None),
            (b"\x00\x01", None),
        ];
        for (bytes, format) in cases {
            assert_eq!(Format::of(bytes), format, "{bytes:?}");
        }
    }

    #[test]
    fn codes_of_rules_are_distinct_and_say_what_to_do() {
        let mut seen = std::collections::BTreeSet::new();
        for rule in rules() {
            assert!(seen.insert(rule.code), "{}", rule.code);
            assert!(rule.advice.ends_with('.') && rule.advice.starts_with(char::is_uppercase), "{}", rule.code);
            assert!(rule.incoming <= rule.strict, "{} is stricter with banks", rule.code);
        }
    }
}
