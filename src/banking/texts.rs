//! Values of requests about banks: texts in the characters of bank files, days, times and zones.

use bursar_formats::text::is_iso_text;
use jiff::civil::Date;
use serde_json::{Value as Schema, json};

use super::settings::{FileFormat, LineEnding};
use super::setup::SetupStatus;
use crate::calendars::{Calendar, DayOfWeek, LocalTime, Zone};
use crate::country::is_country;
use crate::fees::BOOK_CURRENCY;
use crate::input::types::word_input;
use crate::input::{Input, Problems, text, wrong};
use crate::strict_json::Json;

word_input!(Calendar);
word_input!(DayOfWeek);
word_input!(FileFormat);
word_input!(LineEnding);
word_input!(SetupStatus);

/// Text of a bank file: upper-case letters, digits and punctuation of ASCII, at most `MAX` characters, no blank at
/// either end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankText<const MAX: usize>(pub String);

fn is_bank_letter(letter: char) -> bool {
    matches!(letter, ' '..='~') && !letter.is_ascii_lowercase()
}

impl<const MAX: usize> Input for BankText<MAX> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        let fits = (1..=MAX).contains(&given.len()) && given.chars().all(is_bank_letter) && given.trim() == given;
        if fits {
            return Ok(Self(given.to_owned()));
        }
        let message = format!(
            "must have 1 to {MAX} characters: upper-case letters without accents, digits and punctuation, with no \
             blank at either end"
        );
        Err(wrong(at, message))
    }
    fn schema() -> Schema {
        let letters = r"[!-`{-~]";
        json!({"type": "string", "minLength": 1, "maxLength": MAX, "pattern": format!("^{letters}([ -`{{-~]*{letters})?$")})
    }
}

/// Text of an ISO 20022 message: letters, digits and the punctuation that banks accept, at most `MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsoText<const MAX: usize>(pub String);

impl<const MAX: usize> Input for IsoText<MAX> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        if (1..=MAX).contains(&given.len()) && is_iso_text(given) && given.trim() == given {
            return Ok(Self(given.to_owned()));
        }
        let message = format!(
            "must have 1 to {MAX} characters: letters without accents, digits, blanks and / - ? : ( ) . , ' +, without \
             // and without / or a blank at either end"
        );
        Err(wrong(at, message))
    }
    fn schema() -> Schema {
        let word = "[A-Za-z0-9?:().,'+-]+";
        json!({"type": "string", "minLength": 1, "maxLength": MAX, "pattern": format!("^{word}(( +| */ *){word})*$")})
    }
}

/// The country of an address, by ISO 3166-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressCountry(pub String);

impl Input for AddressCountry {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        if is_country(given) {
            return Ok(Self(given.to_owned()));
        }
        Err(wrong(at, "must be a two-letter country code such as US (ISO 3166-1)"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^[A-Z]{2}$"})
    }
}

/// The immediate origin: nine or ten characters as the bank assigned them. A blank at the beginning is part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(pub String);

impl Input for Origin {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        let rest = given.strip_prefix(' ').unwrap_or(given);
        let is_long_enough = rest.len() == 9 || (rest.len() == 10 && rest == given);
        if is_long_enough && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
            return Ok(Self(given.to_owned()));
        }
        Err(wrong(
            at,
            "must be the nine or ten upper-case letters and digits that the bank assigned; a blank may precede nine",
        ))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^( [A-Z0-9]{9}|[A-Z0-9]{9,10})$"})
    }
}

/// The company id of an originator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyId(pub String);

impl Input for CompanyId {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        if given.len() == 10 && given.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
            return Ok(Self(given.to_owned()));
        }
        Err(wrong(at, "must be the ten upper-case letters and digits that the bank assigned"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^[A-Z0-9]{10}$"})
    }
}

/// Longest name of a file, with its placeholders.
const FILE_NAME_MAX: usize = 64;
/// What a name must contain, so that two files of a day differ.
const PLACEHOLDERS_NEEDED: [&str; 2] = ["{date}", "{modifier}"];
const PLACEHOLDERS: [&str; 3] = ["{date}", "{time}", "{modifier}"];

/// The name of a connection's files, with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(pub String);

impl Input for FileName {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        let plain = PLACEHOLDERS.iter().fold(given.to_owned(), |name, placeholder| name.replace(placeholder, "0"));
        let is_plain = plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        let fits = given.len() <= FILE_NAME_MAX && is_plain && !plain.starts_with(['.', '-']);
        if fits && PLACEHOLDERS_NEEDED.iter().all(|needed| given.contains(needed)) {
            return Ok(Self(given.to_owned()));
        }
        let message = format!(
            "must be a name such as ACME_{{date}}_{{modifier}}.ach: at most {FILE_NAME_MAX} letters, digits, dots, \
             hyphens and underscores, with {{date}} and {{modifier}}, and {{time}} if wanted"
        );
        Err(wrong(at, message))
    }
    fn schema() -> Schema {
        json!({"type": "string", "maxLength": FILE_NAME_MAX, "examples": ["ACME_{date}_{modifier}.ach"]})
    }
}

impl Input for LocalTime {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        text(json, at)?.parse().map_err(|_| wrong(at, "must be a time from 00:00 to 23:59"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"})
    }
}

impl Input for Zone {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        given.parse().map_err(|unknown: crate::calendars::UnknownZone| wrong(at, unknown.to_string()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "examples": ["America/New_York"]})
    }
}

/// A currency of settlement accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency(pub String);

impl Input for Currency {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        match text(json, at)? {
            BOOK_CURRENCY => Ok(Self(BOOK_CURRENCY.to_owned())),
            _ => Err(wrong(at, format!("must be {BOOK_CURRENCY}; the ledger has no other currency"))),
        }
    }
    fn schema() -> Schema {
        json!({"type": "string", "enum": [BOOK_CURRENCY]})
    }
}

/// The years of a day in a request.
const YEARS: std::ops::RangeInclusive<i16> = 2000..=2099;

/// A day, `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(pub Date);

impl Input for Day {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        let day: Option<Date> = if given.len() == 10 { given.parse().ok() } else { None };
        let day = day.filter(|day| YEARS.contains(&day.year()));
        day.map(Self).ok_or_else(|| wrong(at, "must be a day such as 2026-11-24, from 2000 to 2099"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": "date", "pattern": "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes<T: Input>(given: &str) -> bool {
        T::read(&Json::Text(given.to_owned()), "").is_ok()
    }

    #[test]
    fn texts_have_the_characters_of_bank_files() {
        let pattern = BankText::<4>::schema()["pattern"].as_str().unwrap().to_owned();
        let pattern = regex::Regex::new(&pattern).unwrap();
        for (given, fits) in [("A", true), ("A B", true), ("A&~1", true), (" A", false), ("A ", false), ("a", false)] {
            assert_eq!((takes::<BankText<4>>(given), pattern.is_match(given)), (fits, fits), "{given:?}");
        }
        for given in ["", "ÄB", "A\nB", "ABCDE", "A\u{7f}"] {
            assert!(!takes::<BankText<4>>(given), "{given:?}");
        }
    }

    #[test]
    fn texts_of_messages_have_the_characters_that_banks_accept() {
        for (given, fits) in
            [("Acme Inc", true), ("A/B", true), ("", false), ("/A", false), ("A//B", false), ("Ä", false)]
        {
            assert_eq!(takes::<IsoText<8>>(given), fits, "{given:?}");
        }
        assert!(!takes::<IsoText<3>>("ABCD") && !takes::<IsoText<3>>(" A"));
        assert!(takes::<AddressCountry>("US") && !takes::<AddressCountry>("us") && !takes::<AddressCountry>("ZZ"));
    }

    #[test]
    fn ids_of_banks_are_as_assigned() {
        for (given, fits) in [
            ("1234567890", true),
            (" 123456789", true),
            ("123456789", true),
            (" 1234567890", false),
            ("12345678", false),
        ] {
            assert_eq!(takes::<Origin>(given), fits, "{given:?}");
        }
        assert!(
            takes::<CompanyId>("1234567890") && !takes::<CompanyId>("123456789") && !takes::<CompanyId>("a234567890")
        );
    }

    #[test]
    fn a_file_name_is_no_path() {
        for given in ["ACME_{date}_{modifier}.ach", "{date}{time}{modifier}"] {
            assert!(takes::<FileName>(given), "{given}");
        }
        for given in
            ["{date}/{modifier}", "../{date}{modifier}", "-{date}{modifier}", "{date}", "{date}{modifier}{app}", ""]
        {
            assert!(!takes::<FileName>(given), "{given}");
        }
    }

    #[test]
    fn days_and_times() {
        assert!(takes::<Day>("2026-11-24") && !takes::<Day>("2026-02-30") && !takes::<Day>("1999-12-31"));
        assert!(!takes::<Day>("2026-11-24T00:00:00") && !takes::<Day>("20261124"));
        assert!(takes::<LocalTime>("23:59") && !takes::<LocalTime>("24:00"));
        assert!(takes::<Zone>("Europe/Berlin") && !takes::<Zone>("Europe/Nowhere"));
    }
}
