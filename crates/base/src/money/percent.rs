//! Percentages: exact decimals from 0 to below 1, and the only place where they are applied to money.
//!
//! Invariant: a [`Percent`] is at least 0 and below 1 with at most [`FRACTION_DIGITS_MAX`] digits, so a share of any
//! amount is computed exactly in 128-bit integers and rounded once.
//!
//! Deliberately absent: a default rounding (each call names its own) and percentages of percentages.

use super::{Cents, MoneyOverflow};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// Digits after the point that a percentage may have. Eighteen digits times any `i64` fit in an `i128`.
const FRACTION_DIGITS_MAX: usize = 18;

/// A share as a decimal fraction: five percent is `0.05`. In JSON a string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(Decimal);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest cent; exactly half a cent goes to the even neighbor, so that many roundings favor neither side.
    HalfEven,
}

impl Rounding {
    /// Returns a quotient as a whole number. `denominator` is above zero.
    pub(crate) fn divide(self, numerator: i128, denominator: i128) -> i128 {
        let below = numerator.div_euclid(denominator);
        let rest = numerator.rem_euclid(denominator);
        match self {
            Rounding::HalfEven => match (rest * 2).cmp(&denominator) {
                std::cmp::Ordering::Less => below,
                std::cmp::Ordering::Greater => below + 1,
                std::cmp::Ordering::Equal => below + below.rem_euclid(2),
            },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum InvalidPercent {
    /// Not `0`, `0.…` or `.…` with digits only.
    #[error("must be a decimal fraction below 1, such as \"0.05\" or \".05\" for five percent")]
    NotAFraction,
    #[error("must have at most {FRACTION_DIGITS_MAX} digits after the point")]
    TooManyDigits,
}

impl Percent {
    pub const ZERO: Percent = Percent(Decimal::ZERO);

    /// Returns a percentage from hundredths of a percent: 50 is half a percent. Panics at 10,000 (the whole amount) and
    /// above; in a `static` that is a build error.
    #[must_use]
    pub const fn basis_points(points: u32) -> Percent {
        assert!(points < 10_000, "a percentage is below 1");
        Percent(Decimal::from_parts(points, 0, 0, false, 4))
    }

    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Returns this share of the amount, rounded once. It is never more than the amount.
    #[must_use]
    pub fn of(self, amount: Cents, rounding: Rounding) -> Cents {
        self.of_on_top(Cents::ZERO, amount, rounding).expect("a share below 1 of an i64 fits in an i64")
    }

    /// Returns `fixed` plus this share of the amount, the sum rounded once: 25 cents and 5 % of 10 cents are 25.5 and
    /// so 26. Rounding only the share would give 25, because the even neighbor depends on `fixed`. Fails if the sum
    /// does not fit.
    pub fn of_on_top(self, fixed: Cents, amount: Cents, rounding: Rounding) -> Result<Cents, MoneyOverflow> {
        // All in units of 10^-scale cents, scale <= 18: |each product| < 2^63 * 10^18 < 2^123.
        let unit = 10_i128.pow(self.0.scale());
        let exact = i128::from(fixed.get()) * unit + i128::from(amount.get()) * self.0.mantissa();
        i64::try_from(rounding.divide(exact, unit)).map(Cents::new).map_err(|_| MoneyOverflow)
    }
}

impl Percent {
    /// Returns the unrounded value of [`Percent::of_on_top`], for explanations: 25 cents and 5 % of 10 cents are
    /// `25.5`.
    #[must_use]
    pub fn exact_on_top(self, fixed: Cents, amount: Cents) -> Decimal {
        // Amounts have ten digits before the point and 18 after it, and a decimal has at least 28. Larger amounts lose
        // their last digits to rounding.
        let share = self.0 * Decimal::from(amount.get());
        (Decimal::from(fixed.get()) + share).normalize()
    }
}

/// The grammar of `payout_fee_percent` in docs/specification.md: `0` optionally followed by a fraction, or a fraction
/// that starts with a point.
impl FromStr for Percent {
    type Err = InvalidPercent;

    fn from_str(text: &str) -> Result<Percent, InvalidPercent> {
        if text == "0" {
            return Ok(Percent::ZERO);
        }
        let digits = text.strip_prefix("0.").or_else(|| text.strip_prefix('.')).ok_or(InvalidPercent::NotAFraction)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidPercent::NotAFraction);
        }
        if digits.len() > FRACTION_DIGITS_MAX {
            return Err(InvalidPercent::TooManyDigits);
        }
        let fraction = format!("0.{digits}");
        Decimal::from_str_exact(&fraction).map(Percent).map_err(|_| InvalidPercent::NotAFraction)
    }
}

/// The shortest form with a leading zero: `0.05`, `0`.
impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.normalize().fmt(f)
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Percent, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn percent(text: &str) -> Percent {
        text.parse().unwrap()
    }

    #[test]
    fn the_grammar_of_the_fee_estimate() {
        for (text, shown) in [
            ("0", "0"),
            ("0.0", "0"),
            (".05", "0.05"),
            ("0.050", "0.05"),
            (".999999999999999999", "0.999999999999999999"),
        ] {
            assert_eq!(percent(text).to_string(), shown, "{text}");
        }
        for text in [
            "", "1", "1.0", "00", "00.5", "0.", ".", "-0.1", "+.1", "5", "0,5", "0.5%", " 0", "0.0 ", ".5e1", "0x1",
            "٠.٥", "0.٥",
        ] {
            assert_eq!(text.parse::<Percent>(), Err(InvalidPercent::NotAFraction), "{text}");
        }
        assert_eq!(".0000000000000000001".parse::<Percent>(), Err(InvalidPercent::TooManyDigits));
    }

    #[test]
    fn half_a_cent_goes_to_the_even_neighbour() {
        let table = [
            ("0.5", 1, 0),
            ("0.5", 3, 2),
            ("0.5", 5, 2),
            ("0.05", 10, 0),
            ("0.05", 30, 2),
            ("0.051", 10, 1),
            ("0.5", -1, 0),
            ("0.5", -3, -2),
            ("0.0000000001", 9_999_999_999, 1),
            ("0.9999999999", i64::MAX, 9_223_372_035_932_438_603),
        ];
        for (share, amount, cents) in table {
            assert_eq!(
                percent(share).of(Cents::new(amount), Rounding::HalfEven),
                Cents::new(cents),
                "{share} of {amount}"
            );
        }
    }

    #[test]
    fn the_sum_is_rounded_not_the_share() {
        let sum = |fixed| percent("0.05").of_on_top(Cents::new(fixed), Cents::new(10), Rounding::HalfEven);
        assert_eq!(sum(25), Ok(Cents::new(26)));
        assert_eq!(sum(24), Ok(Cents::new(24)));
        assert_eq!(
            percent("0.999999999999999999").of_on_top(Cents::new(i64::MAX), Cents::new(i64::MAX), Rounding::HalfEven),
            Err(MoneyOverflow)
        );
        assert_eq!(
            percent("0.9").of_on_top(Cents::new(i64::MAX), Cents::new(10), Rounding::HalfEven),
            Err(MoneyOverflow)
        );
    }

    #[test]
    fn json_carries_a_string() {
        assert_eq!(serde_json::to_string(&Percent::basis_points(50)).unwrap(), "\"0.005\"");
        assert_eq!(serde_json::from_str::<Percent>("\".005\"").unwrap(), Percent::basis_points(50));
        assert!(serde_json::from_str::<Percent>("0.005").is_err());
    }

    proptest! {
        #[test]
        fn a_share_agrees_with_exact_decimals(points in 0u32..10_000, amount in -9_999_999_999i64..=9_999_999_999) {
            let share = Percent::basis_points(points);
            let exact = Decimal::from(amount) * Decimal::new(i64::from(points), 4);
            let cents = share.of(Cents::new(amount), Rounding::HalfEven).get();
            prop_assert_eq!(Decimal::from(cents), exact.round_dp_with_strategy(0, rust_decimal::RoundingStrategy::MidpointNearestEven));
            prop_assert!(cents.abs() <= amount.abs());
        }

        #[test]
        fn text_round_trips(points in 0u32..10_000) {
            let share = Percent::basis_points(points);
            prop_assert_eq!(share.to_string().parse(), Ok(share));
        }
    }
}
