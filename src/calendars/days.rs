//! The days on which banks settle.

use jiff::civil::{Date, Weekday, date};

use crate::world::record::words;

words! {
    /// The days on which a bank settles.
    pub enum Calendar {
        /// The Federal Reserve: ACH and wires in the United States.
        Fed = "fed",
        /// The euro area.
        Target2 = "target2",
        /// England and Wales.
        Uk = "uk",
        /// Every day, for tests.
        EveryDay = "every_day",
    }
}

/// The longest row of closed days is shorter than this in each calendar.
const CLOSED_DAYS_MAX: usize = 14;

/// Bank holidays of the United Kingdom that follow no rule: date, and whether banks are closed.
const UK_EXCEPTIONS: [(Date, bool); 7] = [
    // The early May holiday of 2020 was on the anniversary of the end of the war in Europe.
    (date(2020, 5, 4), false),
    (date(2020, 5, 8), true),
    // The Platinum Jubilee moved the spring holiday of 2022 and added a day.
    (date(2022, 5, 30), false),
    (date(2022, 6, 2), true),
    (date(2022, 6, 3), true),
    // The state funeral of Queen Elizabeth II, and the coronation of King Charles III.
    (date(2022, 9, 19), true),
    (date(2023, 5, 8), true),
];

impl Calendar {
    /// Returns whether banks settle on this day.
    #[must_use]
    pub fn is_open(self, day: Date) -> bool {
        match self {
            Self::EveryDay => true,
            Self::Fed => !is_weekend(day) && !is_fed_holiday(day),
            Self::Target2 => !is_weekend(day) && !is_target2_holiday(day),
            Self::Uk => !is_weekend(day) && !is_uk_holiday(day),
        }
    }

    /// Returns this day if it is open, else the next open day.
    #[must_use]
    pub fn next_open(self, day: Date) -> Date {
        std::iter::successors(Some(day), |day| Some(after(*day)))
            .take(CLOSED_DAYS_MAX)
            .find(|day| self.is_open(*day))
            .unwrap_or(day)
    }

    /// Returns the day that is this number of open days later. The first day need not be open, and is not counted.
    #[must_use]
    pub fn add_banking_days(self, day: Date, count: u32) -> Date {
        (0..count).fold(day, |day, _| self.next_open(after(day)))
    }

    /// Returns whether the calendar is closed on this day of each week.
    #[must_use]
    pub const fn never_opens_on(self, day: Weekday) -> bool {
        match self {
            Self::EveryDay => false,
            Self::Fed | Self::Target2 | Self::Uk => matches!(day, Weekday::Saturday | Weekday::Sunday),
        }
    }
}

/// Returns the next day; at the end of the range of dates, the same.
fn after(day: Date) -> Date {
    day.tomorrow().unwrap_or(day)
}

fn before(day: Date) -> Date {
    day.yesterday().unwrap_or(day)
}

fn is_weekend(day: Date) -> bool {
    matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

/// Whether this is the holiday of the Federal Reserve, or the Monday after one on a Sunday. A holiday on a Saturday
/// closes no other day: that is where the calendar of federal offices differs.
fn is_fed_holiday(day: Date) -> bool {
    let is_moved = day.weekday() == Weekday::Monday && is_fixed_fed_holiday(before(day));
    let is_one = |month, nth: i8, weekday| day.month() == month && day.weekday() == weekday && is_nth(day, nth);
    is_fixed_fed_holiday(day)
        || is_moved
        || is_one(1, 3, Weekday::Monday)
        || is_one(2, 3, Weekday::Monday)
        || is_one(9, 1, Weekday::Monday)
        || is_one(10, 2, Weekday::Monday)
        || is_one(11, 4, Weekday::Thursday)
        || is_last_monday_of(day, 5)
}

/// Holidays of the Federal Reserve with a fixed date.
fn is_fixed_fed_holiday(day: Date) -> bool {
    match (day.month(), day.day()) {
        (1, 1) | (7, 4) | (11, 11) | (12, 25) => true,
        (6, 19) => day.year() >= 2022,
        _ => false,
    }
}

fn is_target2_holiday(day: Date) -> bool {
    matches!((day.month(), day.day()), (1 | 5, 1) | (12, 25 | 26)) || is_easter_holiday(day)
}

fn is_uk_holiday(day: Date) -> bool {
    if let Some((_, is_closed)) = UK_EXCEPTIONS.iter().find(|(exception, _)| *exception == day) {
        return *is_closed;
    }
    let is_first_monday_of_may = day.month() == 5 && day.weekday() == Weekday::Monday && is_nth(day, 1);
    is_easter_holiday(day)
        || is_first_monday_of_may
        || is_last_monday_of(day, 5)
        || is_last_monday_of(day, 8)
        || is_uk_turn_of_the_year(day)
}

/// Whether banks of the United Kingdom are closed for New Year's Day, Christmas Day or Boxing Day. A holiday on a
/// weekend closes the next weekday that is no holiday.
fn is_uk_turn_of_the_year(day: Date) -> bool {
    let weekday = day.weekday();
    match (day.month(), day.day()) {
        (1, 1) | (12, 25 | 26) => true,
        (1, 2) => weekday == Weekday::Monday,
        (1, 3) => weekday == Weekday::Monday,
        // Christmas Day on a Saturday or a Sunday, so Boxing Day on a Sunday or a Monday.
        (12, 27) => matches!(weekday, Weekday::Monday | Weekday::Tuesday),
        // Boxing Day on a Saturday or a Sunday.
        (12, 28) => matches!(weekday, Weekday::Monday | Weekday::Tuesday),
        _ => false,
    }
}

/// Good Friday or Easter Monday.
fn is_easter_holiday(day: Date) -> bool {
    let days_from =
        |days: i32| easter(day.year()).and_then(|easter| easter.checked_add(jiff::Span::new().days(days)).ok());
    days_from(-2) == Some(day) || days_from(1) == Some(day)
}

/// Easter Sunday of the Gregorian calendar, by the anonymous algorithm of 1876.
fn easter(year: i16) -> Option<Date> {
    let number = i32::from(year);
    let (golden, century, rest) = (number % 19, number / 100, number % 100);
    let shift = (century - (century + 8) / 25 + 1) / 3;
    let epact = (19 * golden + century - century / 4 - shift + 15) % 30;
    let to_sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7;
    let correction = (golden + 11 * epact + 22 * to_sunday) / 451;
    let sum = epact + to_sunday - 7 * correction + 114;
    let (month, day) = (i8::try_from(sum / 31).ok()?, i8::try_from(sum % 31 + 1).ok()?);
    Date::new(year, month, day).ok()
}

/// Whether the day is the nth of its weekday in its month.
fn is_nth(day: Date, nth: i8) -> bool {
    (day.day() - 1) / 7 + 1 == nth
}

fn is_last_monday_of(day: Date, month: i8) -> bool {
    day.month() == month && day.weekday() == Weekday::Monday && day.day() + 7 > day.days_in_month()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The closed weekdays of a year.
    fn closed(calendar: Calendar, year: i16) -> Vec<String> {
        let days = std::iter::successors(Some(date(year, 1, 1)), |day| Some(after(*day)));
        let of_year = days.take_while(|day| day.year() == year);
        of_year
            .filter(|day| !is_weekend(*day) && !calendar.is_open(*day))
            .map(|day| day.to_string()[5..].to_owned())
            .collect()
    }

    /// The dates that the Federal Reserve published. A federal office is closed on more days: 31 December 2021, 3 July
    /// 2026, 18 June 2027, 24 December 2027, 10 November 2028.
    #[test]
    fn the_holidays_of_the_federal_reserve() {
        let table: [(i16, &str); 9] = [
            (2020, "01-01 01-20 02-17 05-25 09-07 10-12 11-11 11-26 12-25"),
            (2021, "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25"),
            (2022, "01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26"),
            (2023, "01-02 01-16 02-20 05-29 06-19 07-04 09-04 10-09 11-23 12-25"),
            (2024, "01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25"),
            (2025, "01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25"),
            (2026, "01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25"),
            (2027, "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25"),
            (2028, "01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-23 12-25"),
        ];
        for (year, expected) in table {
            assert_eq!(closed(Calendar::Fed, year).join(" "), expected, "{year}");
        }
    }

    #[test]
    fn a_saturday_holiday_does_not_close_the_friday() {
        let fridays = [date(2021, 12, 31), date(2026, 7, 3), date(2027, 6, 18), date(2027, 12, 24), date(2028, 11, 10)];
        for friday in fridays {
            assert!(Calendar::Fed.is_open(friday), "{friday}");
        }
        for monday in [date(2022, 6, 20), date(2022, 12, 26), date(2023, 1, 2), date(2027, 7, 5)] {
            assert!(!Calendar::Fed.is_open(monday), "{monday}: its holiday was on the Sunday");
        }
    }

    /// The negative control of both tables: a federal calendar moves a holiday on a Saturday to the Friday, which they
    /// notice.
    #[test]
    fn a_federal_calendar_in_place_of_that_of_the_federal_reserve_is_noticed() {
        let is_moved = |day: &Date| day.weekday() == Weekday::Friday && is_fixed_fed_holiday(after(*day));
        let days = std::iter::successors(Some(date(2020, 1, 1)), |day| Some(after(*day)));
        let wrong: Vec<String> =
            days.take_while(|day| day.year() < 2029).filter(is_moved).map(|day| day.to_string()).collect();
        let expected =
            "2020-07-03 2021-12-24 2021-12-31 2023-11-10 2026-07-03 2027-06-18 2027-12-24 2027-12-31 2028-11-10";
        assert_eq!(wrong.join(" "), expected);
        for friday in wrong {
            let friday: Date = friday.parse().unwrap();
            let published = closed(Calendar::Fed, friday.year());
            assert!(!published.contains(&friday.to_string()[5..].to_owned()), "{friday}");
        }
    }

    #[test]
    fn the_holidays_of_the_euro_area() {
        let table: [(i16, &str); 4] = [
            (2024, "01-01 03-29 04-01 05-01 12-25 12-26"),
            (2025, "01-01 04-18 04-21 05-01 12-25 12-26"),
            (2026, "01-01 04-03 04-06 05-01 12-25"),
            (2027, "01-01 03-26 03-29"),
        ];
        for (year, expected) in table {
            assert_eq!(closed(Calendar::Target2, year).join(" "), expected, "{year}");
        }
    }

    #[test]
    fn the_holidays_of_england_and_wales() {
        let table: [(i16, &str); 8] = [
            (2020, "01-01 04-10 04-13 05-08 05-25 08-31 12-25 12-28"),
            (2021, "01-01 04-02 04-05 05-03 05-31 08-30 12-27 12-28"),
            (2022, "01-03 04-15 04-18 05-02 06-02 06-03 08-29 09-19 12-26 12-27"),
            (2023, "01-02 04-07 04-10 05-01 05-08 05-29 08-28 12-25 12-26"),
            (2024, "01-01 03-29 04-01 05-06 05-27 08-26 12-25 12-26"),
            (2025, "01-01 04-18 04-21 05-05 05-26 08-25 12-25 12-26"),
            (2026, "01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28"),
            (2027, "01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28"),
        ];
        for (year, expected) in table {
            assert_eq!(closed(Calendar::Uk, year).join(" "), expected, "{year}");
        }
    }

    #[test]
    fn easter_at_its_limits() {
        let dates =
            [(1818, 3, 22), (1943, 4, 25), (2000, 4, 23), (2008, 3, 23), (2024, 3, 31), (2038, 4, 25), (2285, 3, 22)];
        for (year, month, day) in dates {
            assert_eq!(easter(year), Some(date(year, month, day)));
        }
    }

    #[test]
    fn banking_days_across_a_holiday() {
        let add = |day, count| Calendar::Fed.add_banking_days(day, count);
        // Thanksgiving 2026 is on Thursday, 26 November.
        assert_eq!(add(date(2026, 11, 25), 1), date(2026, 11, 27));
        assert_eq!(add(date(2026, 11, 26), 1), date(2026, 11, 27));
        assert_eq!(add(date(2026, 11, 27), 1), date(2026, 11, 30));
        assert_eq!(add(date(2026, 12, 24), 2), date(2026, 12, 29));
        assert_eq!(add(date(2026, 11, 28), 0), date(2026, 11, 28), "a count of 0 changes nothing");
        assert_eq!(Calendar::Fed.next_open(date(2026, 11, 28)), date(2026, 11, 30));
        assert_eq!(Calendar::EveryDay.add_banking_days(date(2026, 12, 24), 2), date(2026, 12, 26));
    }

    fn days() -> impl Strategy<Value = Date> {
        (0..73_000i64).prop_map(|days| date(2000, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap())
    }

    fn calendars() -> impl Strategy<Value = Calendar> {
        prop::sample::select(Calendar::ALL)
    }

    proptest! {
        #[test]
        fn the_next_open_day_is_open_and_none_is_between(calendar in calendars(), day in days()) {
            let next = calendar.next_open(day);
            prop_assert!(calendar.is_open(next) && next >= day);
            let between = std::iter::successors(Some(day), |day| Some(after(*day))).take_while(|day| *day < next);
            prop_assert!(between.into_iter().all(|day| !calendar.is_open(day)));
        }

        #[test]
        fn banking_days_add_up(calendar in calendars(), day in days(), one in 0..20u32, other in 0..20u32) {
            let sum = calendar.add_banking_days(day, one + other);
            prop_assert_eq!(calendar.add_banking_days(calendar.add_banking_days(day, one), other), sum);
            let start = after(day);
            let open = std::iter::successors(Some(start), |day| Some(after(*day)))
                .take_while(|day| *day <= sum).filter(|day| calendar.is_open(*day)).count();
            prop_assert_eq!(u32::try_from(open).unwrap(), one + other);
        }

        #[test]
        fn at_most_five_days_are_closed_in_a_row(calendar in calendars(), day in days()) {
            let closed = std::iter::successors(Some(day), |day| Some(after(*day))).take_while(|day| !calendar.is_open(*day));
            prop_assert!(closed.count() <= 5);
        }
    }
}
