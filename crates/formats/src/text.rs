//! Text for banks: letters without diacritics, and the parts of numbers that may be shown.

/// The characters, in addition to letters and digits, that ISO 20022 banks accept.
const ISO_PUNCTUATION: &str = " /-?:().,'+";

/// Returns the text in upper-case printable ASCII, as NACHA names and descriptions need it.
#[must_use]
pub fn upper_ascii(text: &str) -> String {
    folded(text, |letter| matches!(letter, ' '..='~')).to_ascii_uppercase()
}

/// Returns the text in the characters of ISO 20022 payments: no `//`, no `/` at the beginning or end.
#[must_use]
pub fn iso_text(text: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || ISO_PUNCTUATION.contains(letter);
    let mut cleaned = folded(text, allowed);
    while cleaned.contains("//") {
        cleaned = cleaned.replace("//", "/");
    }
    cleaned.trim_matches(['/', ' ']).to_owned()
}

/// Returns whether a bank accepts the text in a payment.
#[must_use]
pub fn is_iso_text(text: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || ISO_PUNCTUATION.contains(letter);
    text.chars().all(allowed) && !text.contains("//") && !text.starts_with('/') && !text.ends_with('/')
}

/// Replaces each letter by its ASCII form, and each character that is not allowed by a blank.
fn folded(text: &str, allowed: impl Fn(char) -> bool) -> String {
    let spaced: String = text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
    let ascii = deunicode::deunicode_with_tofu(&spaced, " ");
    let cleaned: String = ascii.chars().map(|letter| if allowed(letter) { letter } else { ' ' }).collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first characters, without a blank at the end.
#[must_use]
pub fn shortened(text: &str, length: usize) -> &str {
    let end = text.char_indices().nth(length).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end()
}

/// Masks a bank account number except its last four characters; a number of up to four characters is masked whole.
#[must_use]
pub fn masked(number: &str) -> String {
    let length = number.chars().count();
    if length <= 4 {
        return "*".repeat(length);
    }
    let last: String = number.chars().skip(length - 4).collect();
    format!("****{last}")
}

/// Formats an amount in the minor unit with its decimals: `1234` and 2 give `12.34`.
#[must_use]
pub fn decimal(minor: i128, decimals: u32) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let digits = minor.unsigned_abs().to_string();
    let width = usize::try_from(decimals).unwrap_or(0);
    if width == 0 {
        return format!("{sign}{digits}");
    }
    let padded = format!("{digits:0>length$}", length = width + 1);
    let (whole, fraction) = padded.split_at(padded.len() - width);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_for_banks_has_their_letters_only() {
        assert_eq!(upper_ascii("Zoë  Müller-Łukasz\n№1"), "ZOE MULLER-LUKASZ No1".to_uppercase());
        assert_eq!(iso_text("//Zoë & Søn // Ltd/"), "Zoe Son / Ltd");
        assert!(is_iso_text("INVOICE 17 (a/b)") && !is_iso_text("a//b") && !is_iso_text("/a") && !is_iso_text("ä"));
        assert_eq!(upper_ascii("\u{0}\u{1f}"), "");
    }

    #[test]
    fn numbers_are_masked_and_amounts_have_their_decimals() {
        let masks = [("123456789", "****6789"), ("12345", "****2345"), ("1234", "****"), ("", "")];
        for (number, shown) in masks {
            assert_eq!(masked(number), shown);
        }
        for (minor, decimals, shown) in [(1234, 2, "12.34"), (-5, 2, "-0.05"), (7, 0, "7"), (1, 3, "0.001")] {
            assert_eq!(decimal(minor, decimals), shown);
        }
        assert_eq!(shortened("ÀB CD", 3), "ÀB");
    }
}
