//! Exchange rates: the sandbox's own dated tables. They are realistic and constant between two dates, so that tests are
//! predictable.
//!
//! Invariant: a published table is never edited. A new rate is a new table with its own first day, so that past payouts
//! can still be explained. Deliberately absent: a market. For real exchanges, the exchanging bank sets the rate.

use jiff::civil::{Date, date};
use rust_decimal::Decimal;

use crate::money::{Cents, MoneyOverflow, Rounding};

/// The currency of the ledger.
pub const BOOK_CURRENCY: &str = "USD";

/// The price of one dollar in another currency from a day on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// ISO 4217.
    pub currency: &'static str,
    /// Units per dollar.
    pub per_dollar: Decimal,
    /// Decimal digits of the currency (ISO 4217): 2 for EUR, 0 for JPY, 3 for KWD.
    pub minor_digits: u32,
    pub since: Date,
}

impl Rate {
    /// Converts an amount to the currency's smallest unit, rounded half-even once.
    pub fn convert(&self, amount: Cents) -> Result<i64, MoneyOverflow> {
        // |cents| < 2^63, a rate has at most seven digits and a currency at most three: the product is below 2^97.
        let units = i128::from(amount.get()) * self.per_dollar.mantissa() * 10_i128.pow(self.minor_digits);
        let cents_in_a_dollar = 100 * 10_i128.pow(self.per_dollar.scale());
        i64::try_from(Rounding::HalfEven.divide(units, cents_in_a_dollar)).map_err(|_| MoneyOverflow)
    }
}

/// Returns the rate of a currency on a day; `None` for USD and unsupported currencies.
#[must_use]
pub fn rate(currency: &str, on: Date) -> Option<Rate> {
    let place = CURRENCIES.iter().position(|(known, ..)| *known == currency)?;
    // Days before the first table use the first one.
    let (since, rates) = TABLES.iter().rev().find(|(since, _)| *since <= on).unwrap_or(&TABLES[0]);
    let (currency, minor_digits, scale) = CURRENCIES[place];
    let per_dollar = Decimal::from_parts(rates[place], 0, 0, false, scale);
    Some(Rate { currency, per_dollar, minor_digits, since: *since })
}

#[must_use]
pub fn is_payable(currency: &str) -> bool {
    currency == BOOK_CURRENCY || CURRENCIES.iter().any(|(known, ..)| *known == currency)
}

/// Returns the payable currencies for messages: `USD, AED, …`.
#[must_use]
pub fn payable() -> String {
    let others = CURRENCIES.iter().map(|(currency, ..)| *currency);
    std::iter::once(BOOK_CURRENCY).chain(others).collect::<Vec<_>>().join(", ")
}

/// Returns the payout currency of a country (ISO 3166-1 alpha-2): USD if its own is unsupported.
#[must_use]
pub fn currency_of(country: &str) -> &'static str {
    if EURO_AREA.contains(&country) {
        return "EUR";
    }
    COUNTRIES.iter().find(|(known, _)| *known == country).map_or(BOOK_CURRENCY, |(_, currency)| currency)
}

/// Currency (ISO 4217), its decimal digits, and those of its rates.
const CURRENCIES: [(&str, u32, u32); 26] = [
    ("AED", 2, 4),
    ("AUD", 2, 4),
    ("BHD", 3, 4),
    ("BRL", 2, 4),
    ("CAD", 2, 4),
    ("CHF", 2, 4),
    ("CLP", 0, 2),
    ("CNY", 2, 4),
    ("COP", 2, 2),
    ("CZK", 2, 3),
    ("DKK", 2, 4),
    ("EUR", 2, 4),
    ("GBP", 2, 4),
    ("HUF", 2, 2),
    ("INR", 2, 3),
    ("JPY", 0, 2),
    ("KRW", 0, 2),
    ("KWD", 3, 4),
    ("MXN", 2, 4),
    ("NOK", 2, 4),
    ("NZD", 2, 4),
    ("PHP", 2, 3),
    ("PLN", 2, 4),
    ("SEK", 2, 4),
    ("SGD", 2, 4),
    ("ZAR", 2, 4),
];

/// The rates in the order of [`CURRENCIES`], each table with its first day; oldest first.
const TABLES: [(Date, [u32; 26]); 3] = [
    (
        date(2025, 1, 1),
        [
            36_725, 16_120, 3_760, 61_850, 14_380, 9_080, 99_450, 72_990, 440_200, 24_290, 72_030, 9_660, 7_990,
            39_720, 85_610, 15_720, 147_250, 3_084, 208_300, 113_600, 17_870, 58_010, 41_300, 110_600, 13_650, 188_500,
        ],
    ),
    (
        date(2026, 1, 1),
        [
            36_725, 14_960, 3_760, 54_800, 13_720, 7_930, 90_120, 69_930, 377_400, 20_640, 63_600, 8_520, 7_430,
            32_760, 89_870, 15_660, 144_100, 3_072, 179_800, 100_800, 17_360, 58_820, 35_900, 92_200, 12_860, 165_600,
        ],
    ),
    (
        date(2026, 7, 1),
        [
            36_725, 14_880, 3_760, 54_100, 13_650, 7_960, 91_050, 69_700, 381_000, 20_710, 63_720, 8_540, 7_410,
            33_010, 90_150, 15_480, 143_200, 3_070, 180_400, 100_200, 17_280, 58_640, 36_080, 92_900, 12_840, 164_900,
        ],
    ),
];

const EURO_AREA: [&str; 26] = [
    "AD", "AT", "BE", "BG", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR", "IE", "IT", "LT", "LU", "LV", "MC", "ME",
    "MT", "NL", "PT", "SI", "SK", "SM", "VA",
];

/// Other countries and their currencies from [`CURRENCIES`].
const COUNTRIES: [(&str, &str); 26] = [
    ("AE", "AED"),
    ("AU", "AUD"),
    ("BH", "BHD"),
    ("BR", "BRL"),
    ("CA", "CAD"),
    ("CH", "CHF"),
    ("CL", "CLP"),
    ("CN", "CNY"),
    ("CO", "COP"),
    ("CZ", "CZK"),
    ("DK", "DKK"),
    ("GB", "GBP"),
    ("HU", "HUF"),
    ("IN", "INR"),
    ("JP", "JPY"),
    ("KR", "KRW"),
    ("KW", "KWD"),
    ("LI", "CHF"),
    ("MX", "MXN"),
    ("NO", "NOK"),
    ("NZ", "NZD"),
    ("PH", "PHP"),
    ("PL", "PLN"),
    ("SE", "SEK"),
    ("SG", "SGD"),
    ("ZA", "ZAR"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn on(day: Date, currency: &str) -> Rate {
        rate(currency, day).unwrap()
    }

    #[test]
    fn a_dollar_in_the_units_of_each_currency() {
        let day = date(2026, 3, 2);
        for (currency, units) in
            [("EUR", 8_520), ("JPY", 15_660), ("KWD", 30_720), ("MXN", 179_800), ("COP", 37_740_000)]
        {
            assert_eq!(on(day, currency).convert(Cents::new(10_000)), Ok(units), "{currency}");
        }
        // At 156.60 yen per dollar, 50 cents are 78.3 yen and 25 cents 39.15; a yen has no decimals.
        assert_eq!(on(day, "JPY").convert(Cents::new(50)), Ok(78));
        assert_eq!(on(day, "JPY").convert(Cents::new(25)), Ok(39));
        // At 0.8520 euro per dollar, 25 cents are 21.3 euro cents; 1.25 dollars are 106.5, rounded to the even 106.
        assert_eq!(on(day, "EUR").convert(Cents::new(25)), Ok(21));
        assert_eq!(on(day, "EUR").convert(Cents::new(125)), Ok(106));
        assert_eq!(on(day, "COP").convert(Cents::new(i64::MAX)), Err(MoneyOverflow));
        assert_eq!(on(day, "KWD").minor_digits, 3);
    }

    #[test]
    fn a_table_holds_from_its_first_day() {
        for (day, since, rate) in [
            (date(1999, 1, 1), date(2025, 1, 1), "0.9660"),
            (date(2025, 12, 31), date(2025, 1, 1), "0.9660"),
            (date(2026, 1, 1), date(2026, 1, 1), "0.8520"),
            (date(2026, 6, 30), date(2026, 1, 1), "0.8520"),
            (date(2026, 7, 1), date(2026, 7, 1), "0.8540"),
            (date(2100, 1, 1), date(2026, 7, 1), "0.8540"),
        ] {
            let euro = on(day, "EUR");
            assert_eq!((euro.since, euro.per_dollar.to_string().as_str()), (since, rate), "{day}");
        }
        assert!(TABLES.is_sorted_by(|(left, _), (right, _)| left < right));
    }

    #[test]
    fn who_is_paid_in_what() {
        for (country, currency) in
            [("DE", "EUR"), ("MX", "MXN"), ("LI", "CHF"), ("EC", "USD"), ("US", "USD"), ("", "USD")]
        {
            assert_eq!(currency_of(country), currency, "{country}");
        }
        assert!(is_payable("USD") && is_payable("KWD") && !is_payable("XXX") && !is_payable("eur"));
        assert_eq!(rate("USD", date(2026, 1, 1)), None);
        assert!(CURRENCIES.is_sorted_by_key(|(currency, ..)| *currency));
        assert!(COUNTRIES.iter().all(|(_, currency)| is_payable(currency)));
    }

    #[test]
    fn the_smallest_payout_arrives_as_something() {
        for (since, _) in TABLES {
            for (currency, ..) in CURRENCIES {
                assert!(on(since, currency).convert(Cents::new(1)).unwrap() > 0, "{currency}");
            }
        }
    }
}
