//! Checks of free text, and suggestions for misspelled words.
//!
//! Invariant: a text that [`check_text`] accepts can be stored, logged and shown unchanged.
//!
//! Deliberately absent: changing a text. It is stored as written or refused.

mod message;

pub use message::{MESSAGE_MAX, MessageProblem, check_message};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TextProblem {
    /// Empty, or without a visible character.
    #[error("must not be blank")]
    Blank,
    /// More characters (not bytes) than allowed.
    #[error("must have at most {max_chars} characters")]
    TooLong { max_chars: usize },
    /// A null byte, at which other programs would cut the text.
    #[error("must not contain null bytes")]
    NullByte,
    /// One of [`REFUSED`], or a line feed or tab in a single line.
    #[error("must not contain control characters or invisible characters")]
    ControlCharacter,
}

/// The characters that no text may have, as ranges: control characters, unusual line ends, marks that reverse the
/// reading direction, with which one name can be shown as another, and characters without width, with which two
/// different names can appear identical. [`check_line`] handles line feeds and tabs.
///
/// The patterns in the OpenAPI document derive from them.
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

/// The other invisible characters: joiners, variation selectors, format characters of scripts, the blank Braille
/// pattern. Writing systems and emoji need them between other characters, so a text may contain them, but not consist
/// of them. With [`REFUSED`] these are all of Unicode's Default_Ignorable_Code_Point and category Cf.
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

/// Checks a text of at most `max_chars` characters for those in [`REFUSED`]. Line feeds and tabs are allowed. Returns
/// the first problem.
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

/// Checks a single line, such as a name: like [`check_text`], but line feeds and tabs are refused, because with them a
/// name could begin another line of a message or a header.
pub fn check_line(text: &str, max_chars: usize) -> Result<(), TextProblem> {
    check_text(text, max_chars)?;
    if text.contains(['\n', '\t']) {
        return Err(TextProblem::ControlCharacter);
    }
    Ok(())
}

/// Returns the most likely candidate for a misspelled word: at most one edit for every three letters, compared without
/// case; the first of several equally close ones. Returns `None` if no candidate is close, or if the word is a
/// candidate.
#[must_use]
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No field name is this long. Edit distance is quadratic, and the word comes from a caller.
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

/// Masks a secret number: `***6789`, its last four characters, or none if four are more than half of it.
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

    /// All invisible characters: Default_Ignorable_Code_Point of Unicode 16, category Cf, and U+2800.
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
