//! Lines as logical records: continuations are joined, and a record keeps the line on which it began.

use super::rules;
use crate::finding::{Findings, Place};

const CODES: [&str; 8] = ["01", "02", "03", "16", "49", "88", "98", "99"];

/// A logical record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub line: u32,
    pub code: &'static str,
    /// The fields after the code, separated by commas.
    pub text: String,
    /// Physical records: one, and one for each continuation.
    pub physical: u64,
    /// The last piece ended with `/`.
    terminated: bool,
    /// Commas in the text, counted once: a record may have many continuations.
    commas: usize,
}

impl Record {
    pub fn name(&self) -> &'static str {
        match self.code {
            "01" => "file header (01)",
            "02" => "group header (02)",
            "03" => "account (03)",
            "16" => "transaction (16)",
            "49" => "account trailer (49)",
            "98" => "group trailer (98)",
            "99" => "file trailer (99)",
            _ => "continuation (88)",
        }
    }

    pub fn place(&self, field: &'static str) -> Place {
        Place { line: self.line, column: 1, record: self.name(), field }
    }
}

/// Returns the code with which a text begins as a record.
fn code(text: &str) -> Option<&'static str> {
    let (start, rest) = text.split_at_checked(2)?;
    let separated = rest.starts_with(',') || rest == "/" || rest.is_empty();
    CODES.into_iter().find(|code| *code == start).filter(|_| separated)
}

/// Decodes the bytes: UTF-8, or else each byte is one character, as in Latin-1.
fn decoded(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Splits a line where a `/` is followed by the code of a record: some banks send all records in one line.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('/') {
        let rest = line[at + 1..].trim_start_matches(' ');
        if rest.len() > 3 && code(rest).is_some() {
            pieces.push(&line[start..=at]);
            start = line.len() - rest.len();
        }
    }
    pieces.push(&line[start..]);
    pieces
}

/// Reads the logical records of a file.
pub fn records(bytes: &[u8], findings: &mut Findings) -> Vec<Record> {
    let text = decoded(bytes);
    let mut records: Vec<Record> = Vec::new();
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    for (line, content) in (1u32..).zip(lines.split('\n')) {
        let content = content.trim_end_matches(' ');
        check_characters(line, content, findings);
        if content.is_empty() {
            continue;
        }
        for piece in pieces(content) {
            add(&mut records, line, piece, findings);
        }
    }
    records
}

fn check_characters(line: u32, content: &str, findings: &mut Findings) {
    let place = |at: usize| {
        let column = u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
        Place { line, column, record: "line", field: "" }
    };
    if let Some(at) = content.chars().position(char::is_control) {
        findings.add(&rules::CONTROL_CHARACTER, place(at), "The line contains a control character.");
    }
    if let Some(at) = content.chars().position(|letter| !letter.is_ascii()) {
        findings.add(&rules::NOT_ASCII, place(at), "The line contains a character outside ASCII.");
    }
}

fn add(records: &mut Vec<Record>, line: u32, piece: &str, findings: &mut Findings) {
    let terminated = piece.ends_with('/');
    let body = piece.strip_suffix('/').unwrap_or(piece);
    let place = Place { line, column: 1, record: "line", field: "" };
    match (code(piece), records.last_mut()) {
        (Some("88"), Some(last)) => {
            let rest = body.get(3..).unwrap_or_default();
            last.continued(rest);
            last.physical += 1;
            last.terminated = terminated;
        }
        (Some("88"), None) | (None, None) => {
            findings.add(&rules::NO_RECORD, place, "The line begins with no record.");
        }
        (Some(code), _) => {
            let text = body.get(3..).unwrap_or_default().to_owned();
            let commas = text.matches(',').count();
            records.push(Record { line, code, text, physical: 1, terminated, commas });
        }
        (None, Some(last)) => {
            findings.add(&rules::WRAPPED, place, "The line continues the record above without a code.");
            // The `/` of the line before was text: a record ends only before another one.
            if last.terminated {
                last.text.push('/');
            }
            last.push(body);
            last.terminated = terminated;
        }
    }
}

impl Record {
    /// Appends a continuation. After a `/` it begins another field; otherwise it may split any field.
    fn continued(&mut self, rest: &str) {
        // Some banks write a comma before the `/` of a complete summary.
        let has_comma =
            self.code == "03" && self.text.ends_with(',') && self.commas.saturating_sub(2).is_multiple_of(4);
        if self.terminated && !has_comma {
            self.push(",");
        }
        self.push(rest);
    }

    fn push(&mut self, text: &str) {
        self.commas += text.matches(',').count();
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Profile;

    fn read(text: &str) -> Vec<(&'static str, String, u64)> {
        let mut findings = Findings::new(Profile::Strict);
        let records = records(text.as_bytes(), &mut findings);
        records.into_iter().map(|record| (record.code, record.text, record.physical)).collect()
    }

    /// The text of a file, and its records: code, text, physical records.
    type Case = (&'static str, &'static [(&'static str, &'static str, u64)]);

    #[test]
    fn a_continuation_splits_fields_and_texts() {
        let cases: [Case; 6] = [
            (
                "16,165,100,0,A,B,TEXT 1/2\n88,MORE/\n49,1,2/",
                &[("16", "165,100,0,A,B,TEXT 1/2MORE", 2), ("49", "1,2", 1)],
            ),
            ("16,165,10\n88,00,0,,,X/", &[("16", "165,1000,0,,,X", 2)]),
            ("16,115,3,S,1,1,1/\r\n88,AX,B,T", &[("16", "115,3,S,1,1,1,AX,B,T", 2)]),
            ("03,1,USD,010,5,,/\n88,015,6,,/", &[("03", "1,USD,010,5,,,015,6,,", 2)]),
            ("03,1,USD,010,5,,,/\n88,015,6,,/", &[("03", "1,USD,010,5,,,015,6,,", 2)]),
            ("49,1,2/98,1,1,4/99,1,1,6/", &[("49", "1,2", 1), ("98", "1,1,4", 1), ("99", "1,1,6", 1)]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(code, text, n)| (*code, (*text).to_owned(), *n)).collect();
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_slash_in_a_text_ends_nothing_and_a_wrapped_line_continues() {
        assert_eq!(read("16,165,1,,AB/GS,,08/18/23 PAID/"), [("16", "165,1,,AB/GS,,08/18/23 PAID".to_owned(), 1)]);
        assert_eq!(read("16,165,1,,AB/\nGS,,T/"), [("16", "165,1,,AB/GS,,T".to_owned(), 1)]);
    }
}
