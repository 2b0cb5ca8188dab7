//! The lines of a file: LF, CRLF, CR, or none at all.

use super::layout::WIDTH;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Lf,
    Crlf,
    Cr,
    /// The end of the file, or of a record in a file without line ends.
    None,
}

/// Splits a file into lines without copying it.
pub struct Lines<'a> {
    rest: &'a [u8],
    /// The file is one line: records follow each other every 94 bytes.
    pub fixed: bool,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let end = bytes.iter().rposition(|byte| !is_line_end(*byte)).map_or(0, |at| at + 1);
        let content = &bytes[..end];
        let one_line = !content.iter().copied().any(is_line_end);
        // One long line with blanks at its end is a record with trailing blanks.
        let fixed = one_line && content.get(WIDTH..).is_some_and(|rest| rest.iter().any(|byte| *byte != b' '));
        Self { rest: if fixed { content } else { bytes }, fixed }
    }
}

const fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

impl<'a> Iterator for Lines<'a> {
    type Item = (&'a [u8], End);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        if self.fixed {
            let (line, rest) = self.rest.split_at(self.rest.len().min(WIDTH));
            self.rest = rest;
            return Some((line, End::None));
        }
        let Some(at) = self.rest.iter().copied().position(is_line_end) else {
            return Some((std::mem::take(&mut self.rest), End::None));
        };
        let (line, rest) = self.rest.split_at(at);
        let (end, length) = match rest {
            [b'\r', b'\n', ..] => (End::Crlf, 2),
            [b'\r', ..] => (End::Cr, 1),
            _ => (End::Lf, 1),
        };
        self.rest = &rest[length..];
        Some((line, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_crlf_cr_or_the_file() {
        let found: Vec<_> = Lines::new(b"a\nb\r\n\rc").collect();
        assert_eq!(found, [(&b"a"[..], End::Lf), (b"b", End::Crlf), (b"", End::Cr), (b"c", End::None)]);
        assert_eq!(Lines::new(b"").count(), 0);
    }

    #[test]
    fn a_file_without_line_ends_is_cut_every_94_bytes() {
        let text = ["1".repeat(WIDTH), "5".repeat(WIDTH), "6".to_owned()].concat() + "\n";
        let lines = Lines::new(text.as_bytes());
        assert!(lines.fixed);
        assert_eq!(lines.map(|(line, _)| line.len()).collect::<Vec<_>>(), [WIDTH, WIDTH, 1]);
        assert!(!Lines::new(("1".repeat(WIDTH) + "   ").as_bytes()).fixed);
    }
}
