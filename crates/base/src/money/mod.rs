//! Money: an exact number of cents.
//!
//! Invariant: no amount is ever a float, and none ever wraps. A sum has its exact value or is a [`MoneyOverflow`],
//! which the caller must handle.
//!
//! Deliberately absent: currencies (a ledger has one currency), division, and the operators `+` and `-`, which cannot
//! return an error.

mod percent;
pub mod typed;

pub use percent::{InvalidPercent, Percent, Rounding};

use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount in cents; negative for money in the opposite direction. In JSON a plain integer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cents(i64);

/// A sum that does not fit in 64 bits of cents. With amounts of at most [`Cents::AMOUNT_MAX`] it takes more than 900
/// million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the sum of the amounts is too large")]
pub struct MoneyOverflow;

impl Cents {
    pub const ZERO: Cents = Cents(0);

    /// The largest amount of one transfer: the ten digits of a NACHA amount field.
    pub const AMOUNT_MAX: Cents = Cents(9_999_999_999);

    #[must_use]
    pub const fn new(cents: i64) -> Cents {
        Cents(cents)
    }

    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the exact sum, or `None` if it does not fit.
    #[must_use]
    pub const fn checked_add(self, other: Cents) -> Option<Cents> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Cents(sum)),
            None => None,
        }
    }

    /// Returns the exact difference, or `None` if it does not fit.
    #[must_use]
    pub const fn checked_sub(self, other: Cents) -> Option<Cents> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Cents(difference)),
            None => None,
        }
    }

    /// Returns the exact sum, or [`MoneyOverflow`] if it does not fit.
    pub fn plus(self, other: Cents) -> Result<Cents, MoneyOverflow> {
        self.checked_add(other).ok_or(MoneyOverflow)
    }

    /// Returns the exact difference, or [`MoneyOverflow`] if it does not fit.
    pub fn minus(self, other: Cents) -> Result<Cents, MoneyOverflow> {
        self.checked_sub(other).ok_or(MoneyOverflow)
    }

    /// Returns the amount with the opposite sign.
    ///
    /// Panics on `i64::MIN` cents, which no sum of valid amounts reaches: it has no positive counterpart.
    #[must_use]
    pub const fn negated(self) -> Cents {
        match self.0.checked_neg() {
            Some(negated) => Cents(negated),
            None => panic!("i64::MIN cents has no opposite"),
        }
    }

    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    #[must_use]
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns the amount without its cents, rounded down, for the rails that pay whole dollars only: 195 becomes 100,
    /// and -195 becomes -200. Fails within a dollar of `i64::MIN`.
    pub fn whole_dollars(self) -> Result<Cents, MoneyOverflow> {
        self.minus(Cents(self.0.rem_euclid(100)))
    }

    /// Formats the amount for an input field: `1234.56`.
    #[must_use]
    pub fn plain(self) -> String {
        self.dollars().replace(['$', ','], "")
    }

    /// Formats the amount for people: `$1,234.56`, `-$0.05`. The API uses the `Display` form, plain cents.
    #[must_use]
    pub fn dollars(self) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        let digits = (cents / 100).to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        format!("{sign}${grouped}.{:02}", cents % 100)
    }
}

/// Plain cents, such as `-1000`: the text form of amounts in transfers and transactions.
impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dollars_are_for_people() {
        let table = [
            (0, "$0.00"),
            (5, "$0.05"),
            (-5, "-$0.05"),
            (99_999, "$999.99"),
            (123_456, "$1,234.56"),
            (100_000_000, "$1,000,000.00"),
            (9_999_999_999, "$99,999,999.99"),
            (i64::MIN, "-$92,233,720,368,547,758.08"),
        ];
        for (cents, text) in table {
            assert_eq!(Cents::new(cents).dollars(), text);
        }
    }

    #[test]
    fn text_and_json_are_plain_cents() {
        assert_eq!(Cents::new(-1000).to_string(), "-1000");
        assert_eq!(serde_json::to_string(&Cents::new(195)).unwrap(), "195");
        assert_eq!(serde_json::from_str::<Cents>("-7").unwrap(), Cents::new(-7));
        assert!(serde_json::from_str::<Cents>("1.5").is_err());
        assert!(serde_json::from_str::<Cents>("\"1\"").is_err());
    }

    #[test]
    fn whole_dollars_round_down() {
        for (cents, whole) in [(0, 0), (99, 0), (100, 100), (195, 100), (-1, -100)] {
            assert_eq!(Cents::new(cents).whole_dollars(), Ok(Cents::new(whole)));
        }
        assert_eq!(Cents::new(i64::MIN).whole_dollars(), Err(MoneyOverflow));
    }

    #[test]
    fn nothing_wraps() {
        let max = Cents::new(i64::MAX);
        assert_eq!(max.plus(Cents::new(1)), Err(MoneyOverflow));
        assert_eq!(max.negated().minus(Cents::new(2)), Err(MoneyOverflow));
        assert_eq!(max.checked_add(Cents::new(1)), None);
    }

    proptest! {
        #[test]
        fn sums_are_exact_or_refused(a: i64, b: i64) {
            let wide = i128::from(a) + i128::from(b);
            let sum = Cents::new(a).plus(Cents::new(b)).map(|sum| i128::from(sum.get()));
            prop_assert_eq!(sum, i64::try_from(wide).map(i128::from).map_err(|_| MoneyOverflow));
        }

        #[test]
        fn what_is_added_can_be_taken_back(a in -1_000_000_000_000i64..1_000_000_000_000, b in -1_000_000_000_000i64..1_000_000_000_000) {
            let (a, b) = (Cents::new(a), Cents::new(b));
            prop_assert_eq!(a.plus(b).and_then(|sum| sum.minus(b)), Ok(a));
        }
    }
}
