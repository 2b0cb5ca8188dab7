//! One record: 94 printable ASCII characters, for any bytes of its line.

use super::layout::{Field, WIDTH};
use super::rules;
use crate::finding::{Findings, Place};

/// A line as a record. Characters that are not printable ASCII are read as `?`, missing ones as blanks.
#[derive(Clone, Debug)]
pub struct Record {
    pub line: u32,
    text: [u8; WIDTH],
}

impl Record {
    /// Reads a line, and reports what is wrong with it as a line.
    pub fn new(line: u32, bytes: &[u8], findings: &mut Findings) -> Self {
        let place = |column: usize| Place { line, column: column_of(column), record: "line", field: "" };
        let mut text = [b' '; WIDTH];
        let mut length = 0;
        let mut foreign = None;
        let mut control = None;
        let mut put = |letter: Option<u8>, is_control: bool| {
            if letter.is_none() {
                foreign = foreign.or((!is_control).then_some(length));
                control = control.or(is_control.then_some(length));
            }
            if let Some(slot) = text.get_mut(length) {
                *slot = letter.unwrap_or(b'?');
            }
            length += 1;
            letter != Some(b' ') && length > WIDTH
        };
        let mut too_long = false;
        match std::str::from_utf8(bytes) {
            Ok(decoded) => {
                for letter in decoded.chars() {
                    let ascii = u8::try_from(letter).ok().filter(|byte| matches!(byte, b' '..=b'~'));
                    too_long |= put(ascii, letter.is_control());
                }
            }
            // Not UTF-8: each byte is one character, as in Latin-1.
            Err(_) => {
                for byte in bytes {
                    too_long |= put(Some(*byte).filter(|byte| matches!(byte, b' '..=b'~')), byte.is_ascii_control());
                }
            }
        }
        if let Some(at) = control {
            findings.add(&rules::CONTROL_CHARACTER, place(at), "The line contains a control character.");
        }
        if let Some(at) = foreign {
            findings.add(
                &rules::NOT_ASCII,
                place(at),
                "The line contains a character outside ASCII; it is read as '?'.",
            );
        }
        let rule = match length {
            0..WIDTH => Some(&rules::SHORT_LINE),
            WIDTH => None,
            _ if too_long => Some(&rules::LINE_LENGTH),
            _ => Some(&rules::TRAILING_BLANKS),
        };
        if let Some(rule) = rule {
            let message = format!("The line has {length} characters instead of {WIDTH}.");
            findings.add(rule, place(length.min(WIDTH)), message);
        }
        Self { line, text }
    }

    /// The first character, which is the type of the record.
    pub const fn kind(&self) -> u8 {
        self.text[0]
    }

    pub fn is_all(&self, byte: u8) -> bool {
        self.text.iter().all(|found| *found == byte)
    }

    /// The characters of a field, with its blanks.
    pub fn raw(&self, field: Field) -> &str {
        let bytes = self.text.get(field.from - 1..field.to).unwrap_or_default();
        // The text is ASCII by construction.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The value of a field without the blanks around it.
    pub fn text(&self, field: Field) -> &str {
        self.raw(field).trim_matches(' ')
    }

    /// The digits of a field as a number; `None` if there is anything else.
    pub fn number(&self, field: Field) -> Option<u64> {
        number(self.raw(field))
    }

    pub fn place(&self, record: &'static str, field: Field) -> Place {
        Place { line: self.line, column: column_of(field.from - 1), record, field: field.name }
    }
}

/// Reads a text of digits, nothing else, as a number.
pub fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn column_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Profile;
    use crate::nacha::layout;

    fn read(bytes: &[u8]) -> (Record, Vec<&'static str>) {
        let mut findings = Findings::new(Profile::Strict);
        let record = Record::new(1, bytes, &mut findings);
        (record, findings.in_order().iter().map(|finding| finding.rule.code).collect())
    }

    #[test]
    fn a_record_has_94_characters_in_every_encoding() {
        let line = |name: &str| format!("{:<94}", format!("{:54}{name}", "6"));
        let latin: Vec<u8> = line("EVA").bytes().map(|byte| if byte == b'E' { 0xc9 } else { byte }).collect();
        for bytes in [line("ÉVA").into_bytes(), latin] {
            let (record, codes) = read(&bytes);
            assert_eq!((record.text(layout::entry::NAME), codes), ("?VA", vec!["nacha.not-ascii"]));
        }
    }

    #[test]
    fn lines_of_a_wrong_length_are_reported() {
        let cases: [(String, &[&str]); 5] = [
            ("1".repeat(94), &[]),
            ("1".repeat(93), &["nacha.short-line"]),
            ("1".repeat(94) + "  ", &["nacha.trailing-blanks"]),
            ("1".repeat(94) + " 1", &["nacha.line-length"]),
            ("1".repeat(93) + "\0", &["nacha.control-character"]),
        ];
        for (line, expected) in cases {
            assert_eq!(read(line.as_bytes()).1, expected, "{line:?}");
        }
    }
}
