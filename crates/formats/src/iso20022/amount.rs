//! Amounts with their currency.

use crate::text::decimal;

/// Currencies whose minor unit is not a hundredth (ISO 4217).
const WITHOUT_DECIMALS: [&str; 16] =
    ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"];
const WITH_THREE_DECIMALS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

/// Returns the number of decimals of a currency.
#[must_use]
pub fn decimals(currency: &str) -> u32 {
    if WITHOUT_DECIMALS.contains(&currency) {
        0
    } else if WITH_THREE_DECIMALS.contains(&currency) {
        3
    } else {
        2
    }
}

/// An amount in the minor unit of its currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    pub minor: i64,
    pub currency: String,
}

impl Amount {
    /// The amount as a decimal number with all decimals of the currency.
    #[must_use]
    pub fn text(&self) -> String {
        decimal(i128::from(self.minor), decimals(&self.currency))
    }
}

/// Reads a decimal number without a sign as minor units. Further decimals must be zeros.
pub fn minor(text: &str, decimals: u32) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !digits(whole) || !digits(fraction) || text.len() > 20 {
        return None;
    }
    let width = usize::try_from(decimals).ok()?;
    let (kept, further) = fraction.split_at_checked(width).unwrap_or((fraction, ""));
    if further.bytes().any(|byte| byte != b'0') {
        return None;
    }
    format!("{whole}{kept:0<width$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_in_the_decimals_of_their_currency() {
        let cases = [
            ("12.34", "USD", Some(1234)),
            ("12", "USD", Some(1200)),
            ("12.3", "EUR", Some(1230)),
            (".5", "EUR", Some(50)),
            ("12.340", "EUR", Some(1234)),
            ("12.345", "EUR", None),
            ("12.345", "KWD", Some(12345)),
            ("12", "JPY", Some(12)),
            ("12.5", "JPY", None),
            ("-1.00", "USD", None),
            ("1e3", "USD", None),
            ("", "USD", None),
            (".", "USD", None),
            ("99999999999999999999", "USD", None),
        ];
        for (text, currency, expected) in cases {
            assert_eq!(minor(text, decimals(currency)), expected, "{text} {currency}");
        }
        assert_eq!(Amount { minor: 5, currency: "KWD".to_owned() }.text(), "0.005");
    }
}
