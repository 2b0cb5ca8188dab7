use std::{fmt, str::FromStr};

/// Nine digits with a valid ABA checksum. It identifies a bank and is public.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoutingNumber(String);

/// Why a text is not a routing number, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum InvalidRoutingNumber {
    #[error("must be nine digits")]
    NotNineDigits,
    /// A digit is wrong or two are swapped.
    #[error("is not a valid routing number: its check digit does not match")]
    Checksum,
}

impl RoutingNumber {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RoutingNumber {
    type Err = InvalidRoutingNumber;

    fn from_str(text: &str) -> Result<RoutingNumber, InvalidRoutingNumber> {
        let text = text.trim();
        if text.len() != 9 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidRoutingNumber::NotNineDigits);
        }
        // ABA: the digits weighted 3, 7, 1 sum to a multiple of ten. Nine zeros do too, but identify no bank.
        let weights = [3, 7, 1].into_iter().cycle();
        let digits = text.bytes().map(|byte| u32::from(byte - b'0'));
        let sum: u32 = digits.zip(weights).map(|(digit, weight)| digit * weight).sum();
        if sum == 0 || !sum.is_multiple_of(10) {
            return Err(InvalidRoutingNumber::Checksum);
        }
        Ok(RoutingNumber(text.to_owned()))
    }
}

impl fmt::Display for RoutingNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_that_hold_and_numbers_that_do_not() {
        for text in ["110000000", "011000015", "021000021", "322271627", " 121000248 "] {
            assert_eq!(text.parse::<RoutingNumber>().unwrap().as_str(), text.trim());
        }
        for text in ["", "11000000", "1100000000", "11000000a", "110-000-000"] {
            assert_eq!(text.parse::<RoutingNumber>(), Err(InvalidRoutingNumber::NotNineDigits));
        }
        for text in ["000000000", "110000001", "123456789"] {
            assert_eq!(text.parse::<RoutingNumber>(), Err(InvalidRoutingNumber::Checksum));
        }
    }

    proptest! {
        #[test]
        fn one_wrong_digit_is_always_found(at in 0usize..9, digit in b'0'..=b'9') {
            let mut text = *b"021000021";
            prop_assume!(text[at] != digit);
            text[at] = digit;
            let text = std::str::from_utf8(&text).unwrap();
            prop_assert_eq!(text.parse::<RoutingNumber>(), Err(InvalidRoutingNumber::Checksum));
        }
    }
}
