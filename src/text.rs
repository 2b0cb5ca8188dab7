//! Text that people write, and words that they misspell.
//!
//! Invariant: a text that [`check_text`] lets through can be stored, logged and shown as it is.
//!
//! Deliberately absent: changing a text. It is kept as written or refused.

/// Why a text is not acceptable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TextProblem {
    /// Empty, or white space only.
    #[error("must not be blank")]
    Blank,
    /// More characters (not bytes) than allowed.
    #[error("must have at most {max_chars} characters")]
    TooLong {
        /// The limit.
        max_chars: usize,
    },
    /// A null byte, at which other programs would cut the text.
    #[error("must not contain null bytes")]
    NullByte,
    /// One of [`REFUSED`], or in a line one that ends it or moves within it.
    #[error("must not contain control characters, nor marks that nobody sees")]
    ControlCharacter,
}

/// The characters that no text may have, as ranges: control characters, ends of lines in other clothes, the marks that
/// reverse the reading direction, because with them a name can be shown as another, and those without width, because
/// with them two names look the same that are not. Line feeds and tabs are told apart by [`check_line`].
///
/// The document of the API makes its patterns of them.
pub const REFUSED: [(char, char); 11] = [
    ('\0', '\u{8}'),
    ('\u{b}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{2060}'),
    ('\u{2066}', '\u{2069}'),
    ('\u{feff}', '\u{feff}'),
];

/// Checks a text of at most `max_chars` characters (decisions.md 16) for those that are [`REFUSED`]. Line feeds and
/// tabs are text.
///
/// # Errors
/// The first [`TextProblem`].
pub fn check_text(text: &str, max_chars: usize) -> Result<(), TextProblem> {
    if text.trim().is_empty() {
        return Err(TextProblem::Blank);
    }
    if text.chars().count() > max_chars {
        return Err(TextProblem::TooLong { max_chars });
    }
    if text.contains('\0') {
        return Err(TextProblem::NullByte);
    }
    if text.contains(|character| REFUSED.iter().any(|(first, last)| (*first..=*last).contains(&character))) {
        return Err(TextProblem::ControlCharacter);
    }
    Ok(())
}

/// Checks a text of one line, such as a name: like [`check_text`], and without line feeds and tabs,
/// with which a name could begin a line of its own in a message or a header.
///
/// # Errors
/// The first [`TextProblem`].
pub fn check_line(text: &str, max_chars: usize) -> Result<(), TextProblem> {
    check_text(text, max_chars)?;
    if text.contains(['\n', '\t']) {
        return Err(TextProblem::ControlCharacter);
    }
    Ok(())
}

/// The candidate that was most likely meant by a misspelled word: at most one edit for every three
/// letters, compared without case. Of equally near ones the first. `None` where none is near, or where
/// the word is a candidate already.
#[must_use]
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No field of ours has a name this long; edit distance is quadratic, and the word is a stranger's.
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let edits = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            (edits, candidate)
        })
        .min_by_key(|(edits, _)| *edits)
        .filter(|(edits, candidate)| {
            let letters = lower.chars().count().max(candidate.chars().count());
            *edits <= letters / 3 && *candidate != word
        })
        .map(|(_, candidate)| candidate)
}

/// `***6789`: the last four characters of a secret number. Where that would be more than half of it,
/// nothing is shown.
#[must_use]
pub fn mask_last4(secret: &str) -> String {
    let count = secret.chars().count();
    if count < 8 {
        return "***".to_owned();
    }
    secret.chars().skip(count - 4).fold("***".to_owned(), |mut mask, character| {
        mask.push(character);
        mask
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        use TextProblem::*;
        let table = [
            ("Jane Döe\n\tsecond line", Ok(())),
            ("ten chars!", Ok(())),
            ("", Err(Blank)),
            (" \t\n ", Err(Blank)),
            ("a\0b", Err(NullByte)),
            ("\0", Err(NullByte)),
            ("a\rb", Err(ControlCharacter)),
            ("a\u{7f}b", Err(ControlCharacter)),
            ("a\u{85}b", Err(ControlCharacter)),
            ("a\u{1b}[31m", Err(ControlCharacter)),
            ("evil\u{202e}gpj", Err(ControlCharacter)),
            ("two\u{2028}lines", Err(ControlCharacter)),
            ("Ac\u{200b}me", Err(ControlCharacter)),
            ("\u{feff}Acme", Err(ControlCharacter)),
            ("Ac\u{ad}me", Err(ControlCharacter)),
            ("Ac\u{2060}me", Err(ControlCharacter)),
        ];
        for (text, outcome) in table {
            assert_eq!(check_text(text, 30), outcome, "{text:?}");
        }
    }

    #[test]
    fn lines() {
        for (text, outcome) in [
            ("Jane Döe", Ok(())),
            ("Jane\nBcc: all", Err(TextProblem::ControlCharacter)),
            ("Jane\tDoe", Err(TextProblem::ControlCharacter)),
            (" ", Err(TextProblem::Blank)),
        ] {
            assert_eq!(check_line(text, 30), outcome, "{text:?}");
        }
    }

    #[test]
    fn the_limit_counts_characters() {
        assert_eq!(check_text(&"ü".repeat(50), 50), Ok(()));
        let max_chars = 50;
        assert_eq!(check_text(&"ü".repeat(51), 50), Err(TextProblem::TooLong { max_chars }));
    }

    #[test]
    fn near_words() {
        let fields = ["amount", "account_id", "payout_fee_fixed", "payout_fee_percent", "memo"];
        for (word, meant) in [
            ("amuont", Some("amount")),
            ("Amount", Some("amount")),
            ("accountid", Some("account_id")),
            ("payout_fee_fix", Some("payout_fee_fixed")),
            ("mem", Some("memo")),
            ("amount", None),
            ("banana", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(did_you_mean(word, fields), meant, "{word}");
        }
        assert_eq!(did_you_mean(&"a".repeat(1000), fields), None);
        assert_eq!(did_you_mean("amount", []), None);
    }

    #[test]
    fn masks() {
        for (secret, mask) in [("123456789", "***6789"), ("12345678", "***5678"), ("1234567", "***"), ("", "***")] {
            assert_eq!(mask_last4(secret), mask);
        }
    }
}
