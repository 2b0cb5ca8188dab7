//! International bank account numbers (ISO 13616).

use crate::text::mask_last4;
use std::{fmt, str::FromStr};

/// An IBAN of a registered country with valid length, structure and mod-97 check; upper case, no spaces.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Iban(sepa::Iban);

/// Why a text is not an IBAN, in order of precedence. The messages do not repeat the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum InvalidIban {
    /// Wrong length, country, characters or structure.
    #[error("is not a valid IBAN: its length or structure does not match its country")]
    Structure,
    /// A digit is wrong or two are swapped.
    #[error("is not a valid IBAN: its check digits do not match")]
    Checksum,
}

impl Iban {
    /// Returns the whole IBAN without spaces, for the rail and the vault only.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the two letters of its country.
    #[must_use]
    pub fn country_code(&self) -> &str {
        self.0.country_code()
    }

    /// Returns its last four characters, for display.
    #[must_use]
    pub fn last4(&self) -> &str {
        // ASCII, at least fifteen characters.
        let text = self.0.as_str();
        &text[text.len() - 4..]
    }
}

/// Returns whether accounts in this country, by its two letters in upper case, have an IBAN.
#[must_use]
pub fn has_ibans(country: &str) -> bool {
    sepa::iban_country_length(country).is_some()
}

impl FromStr for Iban {
    type Err = InvalidIban;

    fn from_str(text: &str) -> Result<Iban, InvalidIban> {
        let iban = sepa::validate_iban(text).map_err(|problem| {
            if matches!(problem, sepa::IbanError::InvalidChecksum { .. }) {
                InvalidIban::Checksum
            } else {
                InvalidIban::Structure
            }
        })?;
        // For a country outside the registry, such as "ZZ", the library checks only the sum.
        if sepa::iban_country_length(iban.country_code()).is_none() {
            return Err(InvalidIban::Structure);
        }
        Ok(Iban(iban))
    }
}

impl fmt::Debug for Iban {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iban({})", mask_last4(self.0.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_that_hold() {
        for (text, country) in [
            ("DE89 3704 0044 0532 0130 00", "DE"),
            ("gb29nwbk60161331926819", "GB"),
            ("FR1420041010050500013M02606", "FR"),
            ("NO9386011117947", "NO"),
            ("MT84MALT011000012345MTLCAST001S", "MT"),
        ] {
            let iban: Iban = text.parse().unwrap();
            assert_eq!(iban.expose(), text.replace(' ', "").to_uppercase());
            assert_eq!(iban.country_code(), country);
        }
    }

    #[test]
    fn ibans_that_do_not() {
        for (text, why) in [
            ("", InvalidIban::Structure),
            ("DE8937040044053201300", InvalidIban::Structure),
            ("DE8937O400440532013000", InvalidIban::Structure),
            ("4111111111111111", InvalidIban::Structure),
            ("DE89370400440532013001", InvalidIban::Checksum),
            ("DE89370400440532010300", InvalidIban::Checksum),
        ] {
            assert_eq!(text.parse::<Iban>(), Err(why), "{text}");
        }
    }

    /// The sum is valid, but the country does not exist; the library alone would accept it.
    #[test]
    fn a_country_outside_the_registry_is_refused() {
        let bban = "00000000000000";
        let text = format!("ZZ{}{bban}", sepa::iban_check_digits("ZZ", bban));
        assert!(sepa::validate_iban(&text).is_ok());
        assert_eq!(text.parse::<Iban>(), Err(InvalidIban::Structure));
    }

    #[test]
    fn only_the_end_is_shown() {
        let iban: Iban = "DE89370400440532013000".parse().unwrap();
        assert_eq!(format!("{iban:?}"), "Iban(***3000)");
        assert_eq!(iban.last4(), "3000");
    }
}
