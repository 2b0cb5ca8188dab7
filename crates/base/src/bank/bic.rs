//! Business identifier codes of banks (ISO 9362).

use std::{fmt, str::FromStr};

/// Eight or eleven characters with an existing country. It identifies a bank and is public.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bic(sepa::Bic);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("must be a BIC: eight or eleven characters such as \"COBADEFF\"")]
pub struct InvalidBic;

impl Bic {
    /// Returns the code in upper case, without spaces, in its original length.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the two letters of its country.
    #[must_use]
    pub fn country_code(&self) -> &str {
        self.0.country_code()
    }
}

impl FromStr for Bic {
    type Err = InvalidBic;

    fn from_str(text: &str) -> Result<Bic, InvalidBic> {
        sepa::validate_bic(text).map(Bic).map_err(|_| InvalidBic)
    }
}

impl fmt::Display for Bic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bics() {
        for (text, shown, country) in
            [("COBADEFF", "COBADEFF", "DE"), ("cobadeffxxx", "COBADEFFXXX", "DE"), ("CHAS US 33", "CHASUS33", "US")]
        {
            let bic: Bic = text.parse().unwrap();
            assert_eq!((bic.as_str(), bic.country_code()), (shown, country));
        }
        for text in ["", "COBADEF", "COBADEFFX", "COBAZZFF", "COBA99FF", "NOTPROVIDED", "COBADEFF-XX"] {
            assert_eq!(text.parse::<Bic>(), Err(InvalidBic), "{text}");
        }
    }
}
