//! Names of files: one part of a path, which cannot lead out of its folder.

use std::fmt;

/// Longest name, in bytes. Most file systems allow 255; an archive adds a prefix.
pub const LENGTH_MAX: usize = 200;
/// Endings of files that are being written, in lower case.
const TEMPORARY_ENDINGS: [&str; 8] = [".part", ".partial", ".filepart", ".tmp", ".temp", ".writing", ".lock", "~"];
/// Beginnings of files that are being written or hidden.
const TEMPORARY_BEGINNINGS: [&str; 2] = [".", "~"];
/// The ending of our temporary files.
const PART: &str = ".part";

/// A checked name of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is no name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error("the name is empty; give the file a name")]
    Empty,
    #[error("the name is longer than {LENGTH_MAX} bytes; shorten the template of names")]
    TooLong,
    #[error("the name is `.` or `..`, which is a folder; name a file")]
    Dots,
    #[error("the name contains {0:?}; use letters, digits, `-`, `_` and `.`")]
    Letter(char),
}

impl Name {
    /// # Errors
    ///
    /// Returns why the text is no name: empty, too long, dots, a slash, a control character or an invisible one.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        if text.is_empty() {
            return Err(BadName::Empty);
        }
        if text.len() > LENGTH_MAX {
            return Err(BadName::TooLong);
        }
        if text == "." || text == ".." {
            return Err(BadName::Dots);
        }
        match text.chars().find(|letter| is_refused(*letter)) {
            Some(letter) => Err(BadName::Letter(letter)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// Returns the temporary name of a file for one lease: `<file>-<lease>.part`.
    ///
    /// The name is unique to the lease, so a sender with a stale lease never writes into the file of another lease.
    ///
    /// # Errors
    ///
    /// Returns why the id of the file is no part of a name.
    pub fn temporary(file: &str, lease: u64) -> Result<Self, BadName> {
        Self::parse(&format!("{file}-{lease}{PART}"))
    }

    /// Returns the lease of a temporary name of this file; `None` for every other name.
    #[must_use]
    pub fn lease_of(&self, file: &str) -> Option<u64> {
        let digits = self.0.strip_prefix(file)?.strip_prefix('-')?.strip_suffix(PART)?;
        let lease = digits.parse::<u64>().ok()?;
        (lease.to_string() == digits).then_some(lease)
    }

    /// Returns whether other programs give such names to files that are not complete.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        let lower = self.0.to_lowercase();
        TEMPORARY_ENDINGS.iter().any(|ending| lower.ends_with(ending))
            || TEMPORARY_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// Separators lead to other folders. Control and invisible characters make two names look equal to a reader.
fn is_refused(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '/' | '\\' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::{BadName, LENGTH_MAX, Name};

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for (text, why) in [
            ("", BadName::Empty),
            (".", BadName::Dots),
            ("..", BadName::Dots),
            ("../a", BadName::Letter('/')),
            ("a/b", BadName::Letter('/')),
            ("a\\b", BadName::Letter('\\')),
            ("a\0", BadName::Letter('\0')),
            ("a\nb", BadName::Letter('\n')),
            ("a\u{1b}[2J", BadName::Letter('\u{1b}')),
            ("fdp\u{202e}hca", BadName::Letter('\u{202e}')),
        ] {
            assert_eq!(Name::parse(text), Err(why), "{text:?}");
        }
        assert_eq!(Name::parse(&"a".repeat(LENGTH_MAX + 1)), Err(BadName::TooLong));
        for text in ["ACH.20261123.001", "a b (2).txt", "...", "-rf", "überweisung.xml"] {
            assert_eq!(Name::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn temporary_names_are_known_by_both_sides() {
        for text in ["a.part", "A.PART", "a.tmp", ".a", "~a", "a.txt~", "a.filepart"] {
            assert!(Name::parse(text).unwrap().is_temporary(), "{text}");
        }
        for text in ["a", "a.txt", "part", "tmp.ach", "a.part.txt"] {
            assert!(!Name::parse(text).unwrap().is_temporary(), "{text}");
        }
        let temp = Name::temporary("file-1", 7).unwrap();
        assert_eq!((temp.as_str(), temp.lease_of("file-1")), ("file-1-7.part", Some(7)));
        for other in ["file-1-7", "file-1-07.part", "file-1-.part", "file-1-7-7.part", "file-1-+7.part"] {
            assert_eq!(Name::parse(other).unwrap().lease_of("file-1"), None, "{other}");
        }
        assert_eq!(temp.lease_of("file"), None, "the file `file` has no lease `1-7`");
    }
}
