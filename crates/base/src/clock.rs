//! Times and clocks. A [`Time`] is in UTC with microseconds, the precision of every store, so reading returns exactly
//! the written value.
//!
//! Deliberately absent: a global clock. The business gets its clock as a parameter.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::civil::Weekday;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Microseconds since 1970 in UTC. Shown as RFC 3339 with `Z` and six digits of a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

pub const DAY_SECONDS: i64 = 86_400;

impl Time {
    /// Returns a time from microseconds since 1970.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since 1970.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since 1970.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Adds seconds, which may be negative; saturates at the ends of the range.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// Adds microseconds.
    #[must_use]
    pub const fn plus_micros(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// Adds business days, keeping the time of day: Saturdays and Sundays do not count.
    #[must_use]
    pub fn plus_business_days(self, days: i64) -> Self {
        let mut moment = self;
        for _ in 0..days {
            moment = moment.plus_seconds(DAY_SECONDS);
            while matches!(moment.date().weekday(), Weekday::Saturday | Weekday::Sunday) {
                moment = moment.plus_seconds(DAY_SECONDS);
            }
        }
        moment
    }

    /// Returns the whole seconds from `earlier` to `self`.
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).div_euclid(1_000_000)
    }

    /// Parses RFC 3339 with any offset; fractions below a microsecond are cut off.
    pub fn parse(text: &str) -> Option<Self> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        Some(Self(moment.as_microsecond()))
    }

    /// Returns the calendar day in UTC.
    pub fn date(self) -> jiff::civil::Date {
        self.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// Formats the time in UTC by a strftime pattern: `%B %-d` is `March 2`.
    pub fn strftime(self, form: &str) -> String {
        self.timestamp().to_zoned(jiff::tz::TimeZone::UTC).strftime(form).to_string()
    }

    fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.timestamp())
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("is not a valid date-time"))
    }
}

/// A source of the current time. The sandbox's clock runs like the wall clock but can be moved forward; the manual
/// clock of tests and the simulator advances only when moved.
#[derive(Clone, Debug)]
pub enum Clock {
    /// The wall clock plus an offset in microseconds.
    Wall(Arc<AtomicI64>),
    /// Microseconds since 1970, changed only by moves.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    pub fn wall() -> Self {
        Self::Wall(Arc::default())
    }

    /// Returns a clock that shows `start` until it is moved.
    pub fn manual(start: Time) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(start.0)))
    }

    pub fn now(&self) -> Time {
        match self {
            Self::Wall(offset) => {
                Time(jiff::Timestamp::now().as_microsecond().saturating_add(offset.load(Ordering::SeqCst)))
            }
            Self::Manual(now) => Time(now.load(Ordering::SeqCst)),
        }
    }

    pub fn advance(&self, seconds: i64) {
        let (Self::Wall(micros) | Self::Manual(micros)) = self;
        micros.fetch_add(seconds.saturating_mul(1_000_000), Ordering::SeqCst);
    }

    /// Ensures that the clock is at `time` or later. The engine may date an event a microsecond after `now` to keep
    /// times distinct; a manual clock moves up to it, so that no event is in the future. The wall clock reaches it
    /// anyway.
    pub fn reach(&self, time: Time) {
        match self {
            Self::Wall(_) => {}
            Self::Manual(now) => {
                now.fetch_max(time.0, Ordering::SeqCst);
            }
        }
    }

    /// Returns how much of a measured duration has passed on this clock. None passes on a manual clock unless it is moved.
    pub fn passed(&self, measured: Duration) -> Duration {
        match self {
            Self::Wall(_) => measured,
            Self::Manual(_) => Duration::ZERO,
        }
    }

    /// Returns the seconds by which this clock is ahead of the wall clock.
    pub fn ahead_seconds(&self) -> i64 {
        match self {
            Self::Wall(offset) => offset.load(Ordering::SeqCst) / 1_000_000,
            Self::Manual(_) => 0,
        }
    }

    /// Sets the minimum offset, when a store with a moved clock is opened or another process has moved it. The clock
    /// never goes back.
    pub fn set_ahead_seconds(&self, seconds: i64) {
        match self {
            Self::Wall(offset) => drop(offset.fetch_max(seconds.saturating_mul(1_000_000), Ordering::SeqCst)),
            Self::Manual(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_days_leave_weekends_out() {
        let plus = |from: &str, days| Time::parse(from).unwrap().plus_business_days(days).strftime("%a %F %H");
        // 2026-11-20 is a Friday.
        assert_eq!(plus("2026-11-20T15:00:00Z", 0), "Fri 2026-11-20 15");
        assert_eq!(plus("2026-11-20T15:00:00Z", 1), "Mon 2026-11-23 15");
        assert_eq!(plus("2026-11-20T15:00:00Z", 3), "Wed 2026-11-25 15");
        assert_eq!(plus("2026-11-21T15:00:00Z", 1), "Mon 2026-11-23 15");
        assert_eq!(plus("2026-11-23T15:00:00Z", 5), "Mon 2026-11-30 15");
    }

    #[test]
    fn times_are_shown_with_microseconds_and_read_back() {
        let time = Time::from_micros(1_790_000_000_000_001);
        assert_eq!(time.to_string(), "2026-09-21T14:13:20.000001Z");
        assert_eq!(Time::parse(&time.to_string()), Some(time));
        assert_eq!(Time::parse("2026-09-21T16:13:20.0000019+02:00"), Some(time));
        assert_eq!(Time::parse("yesterday"), None);
    }

    #[test]
    fn a_manual_clock_moves_only_on_command() {
        let clock = Clock::manual(Time::from_micros(0));
        clock.advance(90);
        assert_eq!(clock.now(), Time::from_micros(90_000_000));
    }
}
