//! Text that people write, and words that they misspell.
//!
//! Invariant: a text that [`check_text`] lets through can be stored, logged and shown as it is.
//!
//! Deliberately absent: changing a text. It is kept as written or refused.

mod message;

pub use message::{MESSAGE_MAX, MessageProblem, check_message};

/// Why a text is not acceptable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TextProblem {
    /// Empty, or without a character that can be seen.
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
    #[error("must not contain control characters or invisible characters")]
    ControlCharacter,
}

/// The characters that no text may have, as ranges: control characters, ends of lines in other clothes, the marks that
/// reverse the reading direction, because with them a name can be shown as another, and those without width, because
/// with them two names look the same that are not. Line feeds and tabs are told apart by [`check_line`].
///
/// The document of the API makes its patterns of them.
pub const REFUSED: [(char, char); 21] = [
    ('\0', '\u{8}'),
    ('\u{b}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e00ff}'),
    ('\u{e01f0}', '\u{e0fff}'),
];

/// The other characters that show nothing: joiners, selectors of a variant, format characters of a script, the blank
/// Braille pattern. Writing systems and emoji need them between other characters, so a text may contain them; they alone
/// are a blank text. With [`REFUSED`] these are all of Unicode's Default_Ignorable_Code_Point and category Cf.
pub const UNSEEN: [(char, char); 14] = [
    ('\u{600}', '\u{605}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{180b}', '\u{180d}'),
    ('\u{180f}', '\u{180f}'),
    ('\u{200c}', '\u{200d}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{e0100}', '\u{e01ef}'),
];

fn is_in(ranges: &[(char, char)], character: char) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

fn is_seen(character: char) -> bool {
    !character.is_whitespace() && !is_in(&UNSEEN, character)
}

/// Checks a text of at most `max_chars` characters (docs/decisions.md 16) for those that are [`REFUSED`]. Line feeds and
/// tabs are text.
///
/// # Errors
/// The first [`TextProblem`].
pub fn check_text(text: &str, max_chars: usize) -> Result<(), TextProblem> {
    if !text.contains(is_seen) {
        return Err(TextProblem::Blank);
    }
    if text.chars().count() > max_chars {
        return Err(TextProblem::TooLong { max_chars });
    }
    if text.contains('\0') {
        return Err(TextProblem::NullByte);
    }
    if text.contains(|character| is_in(&REFUSED, character)) {
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
    let length = lower.chars().count();
    candidates
        .into_iter()
        // Each letter of difference in length is an edit, so most candidates need no table.
        .filter(|candidate| length.abs_diff(candidate.chars().count()) <= length.max(candidate.chars().count()) / 3)
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
            ("Ac\u{3164}me", Err(ControlCharacter)),
            ("Ac\u{e0041}me", Err(ControlCharacter)),
            ("می\u{200c}خواهم ❤\u{fe0f}", Ok(())),
            ("\u{2800}\u{200d}", Err(Blank)),
        ];
        for (text, outcome) in table {
            assert_eq!(check_text(text, 30), outcome, "{text:?}");
        }
    }

    /// Every character that shows nothing: Default_Ignorable_Code_Point of Unicode 16, category Cf, and U+2800.
    const SHOWS_NOTHING: [(u32, u32); 33] = [
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x600, 0x605),
        (0x61c, 0x61c),
        (0x6dd, 0x6dd),
        (0x70f, 0x70f),
        (0x890, 0x891),
        (0x8e2, 0x8e2),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x200b, 0x200f),
        (0x202a, 0x202e),
        (0x2060, 0x206f),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff0, 0xfffb),
        (0x110bd, 0x110bd),
        (0x110cd, 0x110cd),
        (0x13430, 0x1343f),
        (0x1bca0, 0x1bca3),
        (0x1d173, 0x1d17a),
        (0xe0000, 0xe007f),
        (0xe0080, 0xe00ff),
        (0xe0100, 0xe01ef),
        (0xe01f0, 0xe0fff),
        (0x2028, 0x2029),
        (0x20, 0x20),
        (0xa0, 0xa0),
        (0x3000, 0x3000),
    ];

    #[test]
    fn a_text_without_a_character_that_can_be_seen_is_refused() {
        for character in SHOWS_NOTHING.iter().flat_map(|(first, last)| *first..=*last).filter_map(char::from_u32) {
            for text in [character.to_string(), format!("{character} {character}")] {
                assert!(check_line(&text, 30).is_err(), "{text:?}");
            }
        }
        // The control: letters of many scripts, marks and emoji are text.
        for text in ["J", "é", "李", "ش", "👩\u{200d}🚀", "e\u{301}", "가"] {
            assert_eq!(check_line(text, 30), Ok(()), "{text:?}");
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
