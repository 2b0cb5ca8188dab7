//! Tax reporting thresholds by year.
//!
//! Dated data, like the fee schedules: a year's threshold is added, never edited. Deliberately absent: form 1099-K,
//! which card and network settlers file from $20,000 and 200 payments on. An app's payments here are nonemployee
//! compensation, which belongs on form 1099-NEC.

use crate::clock::Time;
use crate::money::Cents;

/// From this year on, payments of this amount to one person are reported on form 1099-NEC.
struct Threshold {
    from_year: i64,
    amount: Cents,
}

/// Oldest first. The last one applies until another is added: from 2027 on the amount follows inflation, and the IRS
/// announces it each autumn.
const FORM_1099_NEC: [Threshold; 2] = [
    Threshold { from_year: i64::MIN, amount: Cents::new(60_000) }, // IRC 6041(a): $600
    Threshold { from_year: 2026, amount: Cents::new(200_000) },    // Public Law 119-21, section 70433: $2,000
];

/// Returns the tax year of a time: the calendar year, in UTC.
pub fn year_of(moment: Time) -> i64 {
    i64::from(moment.date().year())
}

/// Returns the cents per year from which an app's payments to one person are reported.
pub fn reported_from(year: i64) -> Cents {
    let reached = FORM_1099_NEC.iter().rfind(|threshold| threshold.from_year <= year);
    reached.map_or(Cents::AMOUNT_MAX, |threshold| threshold.amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_by_year() {
        for (year, dollars) in [(1954, 600), (2024, 600), (2025, 600), (2026, 2_000), (2027, 2_000), (2100, 2_000)] {
            assert_eq!(reported_from(year), Cents::new(dollars * 100), "{year}");
        }
        assert!(FORM_1099_NEC.is_sorted_by_key(|threshold| threshold.from_year));
    }

    #[test]
    fn a_year_ends_at_midnight_in_utc() {
        for (moment, year) in [("2026-12-31T23:59:59.999999Z", 2026), ("2027-01-01T00:00:00Z", 2027)] {
            assert_eq!(year_of(Time::parse(moment).unwrap()), year);
        }
    }
}
