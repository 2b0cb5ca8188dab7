//! Time zones, by their names in the database of time zones.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::local_time::LocalTime;
use crate::clock::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of a time zone, for example America/New_York")]
pub struct UnknownZone;

/// A time zone with its rules. Shown and stored as its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of the ACH operators and of the Federal Reserve's deadlines.
    #[must_use]
    pub fn eastern() -> Self {
        // Without its rules, UTC is the only zone left; a test holds that they are part of the program.
        "America/New_York".parse().unwrap_or(Self(TimeZone::UTC))
    }

    /// The zone of days that no bank defines.
    #[must_use]
    pub const fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    #[must_use]
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Returns the day in this zone.
    #[must_use]
    pub fn day_of(&self, time: Time) -> Date {
        self.local(time).date()
    }

    /// Returns date and time in this zone.
    #[must_use]
    pub fn local(&self, time: Time) -> DateTime {
        let instant = Timestamp::from_microsecond(time.micros()).unwrap_or(Timestamp::UNIX_EPOCH);
        instant.to_zoned(self.0.clone()).datetime()
    }

    /// Returns the instant of a local time. A time that occurs twice means its first occurrence; a time that the
    /// change to summer time skips is as much later as the clock moves. `None` at the ends of the range of dates.
    #[must_use]
    pub fn instant(&self, day: Date, at: LocalTime) -> Option<Time> {
        let local = day.to_datetime(at.civil());
        let instant = self.0.to_ambiguous_timestamp(local).compatible().ok()?;
        Some(Time::from_micros(instant.as_microsecond()))
    }
}

impl FromStr for Zone {
    type Err = UnknownZone;

    fn from_str(name: &str) -> Result<Self, UnknownZone> {
        let zone = TimeZone::get(name).map_err(|_| UnknownZone)?;
        // The database ignores the case of names; only the name as written there is stored.
        if zone.iana_name() == Some(name) && !zone.is_unknown() { Ok(Self(zone)) } else { Err(UnknownZone) }
    }
}

impl TryFrom<String> for Zone {
    type Error = UnknownZone;

    fn try_from(name: String) -> Result<Self, UnknownZone> {
        name.parse()
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.name().to_owned()
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn zones_are_part_of_the_program() {
        for name in ["America/New_York", "America/Los_Angeles", "Europe/Berlin", "Europe/London", "UTC"] {
            assert_eq!(name.parse::<Zone>().map(|zone| zone.name().to_owned()), Ok(name.to_owned()));
        }
        for name in ["america/new_york", "EST5EDT,M3.2.0,M11.1.0", "Mars/Olympus", "", "/etc/localtime", "../UTC"] {
            assert_eq!(name.parse::<Zone>(), Err(UnknownZone), "{name}");
        }
        assert_eq!(serde_json::to_string(&Zone::eastern()).unwrap(), "\"America/New_York\"");
        assert!(serde_json::from_str::<Zone>("\"Mars/Olympus\"").is_err());
    }

    #[test]
    fn local_times_on_the_days_of_the_clock_change() {
        let at = |day, time: &str| Zone::eastern().instant(day, time.parse().unwrap()).unwrap().to_string();
        assert_eq!(at(date(2026, 3, 6), "17:00"), "2026-03-06T22:00:00.000000Z", "winter");
        assert_eq!(at(date(2026, 3, 9), "17:00"), "2026-03-09T21:00:00.000000Z", "summer");
        // On 8 March 2026 the clock moves from 02:00 to 03:00, on 1 November from 02:00 back to 01:00.
        assert_eq!(at(date(2026, 3, 8), "02:30"), "2026-03-08T07:30:00.000000Z", "skipped");
        assert_eq!(at(date(2026, 3, 8), "03:30"), "2026-03-08T07:30:00.000000Z");
        assert_eq!(at(date(2026, 11, 1), "01:30"), "2026-11-01T05:30:00.000000Z", "the first of two");
        assert_eq!(at(date(2026, 11, 1), "02:30"), "2026-11-01T07:30:00.000000Z");
    }

    #[test]
    fn the_day_is_that_of_the_zone() {
        let time = Time::parse("2026-11-24T03:00:00Z").unwrap();
        assert_eq!(Zone::eastern().day_of(time), date(2026, 11, 23));
        assert_eq!("Europe/Berlin".parse::<Zone>().unwrap().day_of(time), date(2026, 11, 24));
    }
}
