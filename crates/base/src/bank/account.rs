use crate::text::mask_last4;
use std::{fmt, str::FromStr};

/// The fewest digits that a bank assigns.
const DIGITS_MIN: usize = 4;
/// Width of the account number field of a NACHA entry.
const DIGITS_MAX: usize = 17;

/// Four to seventeen digits without a check digit; only the bank can verify more.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AccountNumber(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("must be {DIGITS_MIN} to {DIGITS_MAX} digits")]
pub struct InvalidAccountNumber;

impl AccountNumber {
    /// Returns the whole number, for the rail and the vault only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the last four digits (`account_number_last4`), which are all digits of the shortest numbers.
    #[must_use]
    pub fn last4(&self) -> &str {
        // ASCII digits, at least DIGITS_MIN of them.
        &self.0[self.0.len() - 4..]
    }
}

impl FromStr for AccountNumber {
    type Err = InvalidAccountNumber;

    fn from_str(text: &str) -> Result<AccountNumber, InvalidAccountNumber> {
        let text = text.trim();
        let fits = (DIGITS_MIN..=DIGITS_MAX).contains(&text.len());
        if !fits || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidAccountNumber);
        }
        Ok(AccountNumber(text.to_owned()))
    }
}

impl fmt::Debug for AccountNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccountNumber({})", mask_last4(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_to_seventeen_digits() {
        for text in ["1234", " 10000002 ", "00000000000000001"] {
            assert_eq!(text.parse::<AccountNumber>().unwrap().expose(), text.trim());
        }
        for text in ["", "123", "123456789012345678", "12 34", "12-34", "12a4", "١٢٣٤"] {
            assert_eq!(text.parse::<AccountNumber>(), Err(InvalidAccountNumber), "{text}");
        }
    }

    #[test]
    fn only_the_end_is_shown() {
        let account: AccountNumber = "10000002".parse().unwrap();
        assert_eq!(account.last4(), "0002");
        assert_eq!(format!("{account:?}"), "AccountNumber(***0002)");
        let short: AccountNumber = "1234".parse().unwrap();
        assert_eq!(format!("{short:?}"), "AccountNumber(***)");
    }
}
