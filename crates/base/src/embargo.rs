//! Countries and regions under a comprehensive embargo: their phone numbers, addresses and accounts are refused.
//!
//! As of 2026-01-01. Sources: 31 CFR 515 (Cuba), 560 (Iran), 510 (North Korea); 31 CFR 542 (Syria: the program ended on
//! 2025-06-30 by Executive Order 14312, but export controls remain, so the country stays listed until further notice);
//! Executive Orders 13685 (Crimea) and 14065 (the so-called Donetsk and Luhansk People's Republics).
//!
//! Invariant: no setting permits a listed country. Deliberately absent: lists of people, which are in `screening`.

/// Two-letter codes.
const COUNTRIES: [&str; 4] = ["CU", "IR", "KP", "SY"];
/// Prefixes of numbers in the listed regions, calling code first. They are numbers of Russia or Ukraine.
const NUMBERS: [&str; 9] = ["7365", "7869", "7978", "7856", "7857", "7949", "7959", "38065", "380692"];
/// Countries whose addresses may be in a listed region.
const WITH_REGIONS: [&str; 2] = ["RU", "UA"];
/// Names of the regions and of their largest towns, in Latin letters, in their various spellings.
const REGIONS: [&str; 18] = [
    "crimea",
    "krym",
    "krim",
    "sevastopol",
    "simferopol",
    "kerch",
    "yalta",
    "evpatoria",
    "yevpatoria",
    "feodosia",
    "donetsk",
    "donetsck",
    "luhansk",
    "lugansk",
    "dnr",
    "lnr",
    "makeevka",
    "makiivka",
];

/// The refusal of a country under embargo, as a sentence without its subject.
pub const REFUSED: &str = "is in a country or region under embargo";

/// Returns whether a country, by its two letters in upper case, is under embargo.
#[must_use]
pub fn is_country(code: &str) -> bool {
    COUNTRIES.contains(&code)
}

/// Returns whether a number, given as the digits of its E.164 form, is in a listed region.
#[must_use]
pub fn is_number(digits: &str) -> bool {
    NUMBERS.iter().any(|beginning| digits.starts_with(beginning))
}

/// Returns whether an address is in a listed country or region; `parts` are its lines, its city and its state.
#[must_use]
pub fn is_address<'a>(country: &str, mut parts: impl Iterator<Item = &'a str>) -> bool {
    let is_of_region = |part: &str| {
        let latin = deunicode::deunicode(part).to_ascii_lowercase().replace('\'', "");
        latin
            .split(|letter: char| !letter.is_ascii_alphabetic())
            .any(|word| REGIONS.iter().any(|region| word == *region || region.len() > 4 && word.starts_with(region)))
    };
    is_country(country) || WITH_REGIONS.contains(&country) && parts.any(is_of_region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_and_regions() {
        for code in COUNTRIES {
            assert!(is_country(code) && crate::country::is_country(code), "{code}");
        }
        assert!(!["US", "CA", "DE", "RU", "UA", "IQ"].into_iter().any(is_country));
        for digits in ["79781234567", "380651234567", "380692123456", "79491234567"] {
            assert!(is_number(digits), "{digits}");
        }
        for digits in ["12127361234", "79161234567", "380441234567"] {
            assert!(!is_number(digits), "{digits}");
        }
    }

    #[test]
    fn addresses() {
        for (country, part) in [
            ("IR", "Tehran"),
            ("UA", "Автономна Республіка Крим"),
            ("UA", "Sevastopol"),
            ("RU", "Республика Крым"),
            ("UA", "Донецьк"),
            ("UA", "Luhansk Oblast"),
            ("RU", "LNR"),
        ] {
            assert!(is_address(country, [part].into_iter()), "{country} {part}");
        }
        for (country, part) in [("UA", "Kyiv"), ("RU", "Moskva"), ("US", "12 Yalta Street"), ("DE", "Krimmler Weg")] {
            assert!(!is_address(country, [part].into_iter()), "{country} {part}");
        }
    }
}
