//! The windows in which a bank takes files: cut-offs, effective dates, settlement times.

use jiff::civil::{self, Date, Weekday};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::days::Calendar;
use super::local_time::LocalTime;
use super::zone::Zone;
use crate::clock::Time;
use crate::world::record::words;

/// Days that the search for the next cut-off covers: the longest row of closed days, and each day of the week.
const SEARCHED_DAYS: usize = 21;

/// The deadlines of the ACH operators for same-day files and their settlement, in Eastern time.
const SAME_DAY: [(LocalTime, LocalTime); 3] = [
    (LocalTime::new(10, 30), LocalTime::new(13, 0)),
    (LocalTime::new(14, 45), LocalTime::new(17, 0)),
    (LocalTime::new(16, 45), LocalTime::new(18, 0)),
];
/// When all other entries settle on their effective date: in Eastern time for ACH, else in the zone of the bank.
const SETTLED: LocalTime = LocalTime::new(8, 30);

/// Days in winter, in summer, and between the changes of America and Europe: the time between two zones differs.
const OFFSETS: [Date; 3] = [civil::date(2026, 1, 14), civil::date(2026, 3, 18), civil::date(2026, 7, 15)];

words! {
    /// A day of the week.
    pub enum DayOfWeek {
        Monday = "mon",
        Tuesday = "tue",
        Wednesday = "wed",
        Thursday = "thu",
        Friday = "fri",
        Saturday = "sat",
        Sunday = "sun",
    }
}

impl DayOfWeek {
    #[must_use]
    pub const fn weekday(self) -> Weekday {
        match self {
            Self::Monday => Weekday::Monday,
            Self::Tuesday => Weekday::Tuesday,
            Self::Wednesday => Weekday::Wednesday,
            Self::Thursday => Weekday::Thursday,
            Self::Friday => Weekday::Friday,
            Self::Saturday => Weekday::Saturday,
            Self::Sunday => Weekday::Sunday,
        }
    }
}

/// A time of the day until which a bank takes files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BankWindow)]
pub struct Window {
    /// The name, unique in its connection.
    pub name: String,
    /// The days of the week on which it exists, if they are banking days.
    pub days: Vec<DayOfWeek>,
    /// The bank's deadline, in the zone of the connection.
    #[schema(value_type = String, example = "17:30")]
    pub submit_by: LocalTime,
    /// Minutes before the deadline at which no more entries join the file.
    pub lead_minutes: i64,
    /// Whether its files settle on the same day.
    pub same_day: bool,
}

/// A window that no file could use as it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    #[error("the calendar {0} is closed on each {1}; remove it")]
    ClosedDay(Calendar, DayOfWeek),
    #[error("is after 16:45 Eastern time, when the ACH operator takes the last files for the same day")]
    TooLateForSameDay,
    #[error("needs the calendar fed or every_day; the calendar {0} has no same-day ACH")]
    NoSameDay(Calendar),
}

/// One occurrence of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cutoff<'a> {
    pub window: &'a Window,
    /// The day of the window.
    pub day: Date,
    /// From here on entries join a later file.
    pub cutoff_at: Time,
    /// The bank's deadline.
    pub submit_by: Time,
    /// The date that the file carries.
    pub effective_on: Date,
    /// When the banks settle the file.
    pub settles_at: Time,
}

/// The times of a window on a day, without the settlement.
struct Times<'a> {
    window: &'a Window,
    cutoff_at: Time,
    submit_by: Time,
}

/// The windows of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<'a> {
    pub calendar: Calendar,
    pub zone: &'a Zone,
    pub windows: &'a [Window],
}

impl<'a> Schedule<'a> {
    /// Returns what is wrong with a window; `None` if files can use it.
    #[must_use]
    pub fn problem(&self, window: &Window) -> Option<WindowError> {
        if let Some(day) = window.days.iter().find(|day| self.calendar.never_opens_on(day.weekday())) {
            return Some(WindowError::ClosedDay(self.calendar, *day));
        }
        if !window.same_day {
            return None;
        }
        match self.calendar {
            Calendar::Target2 | Calendar::Uk => Some(WindowError::NoSameDay(self.calendar)),
            Calendar::Fed | Calendar::EveryDay => OFFSETS
                .into_iter()
                .any(|day| self.same_day_settlement(day, window.submit_by).is_none())
                .then_some(WindowError::TooLateForSameDay),
        }
    }

    /// Returns the cut-offs whose windows are on this day, earliest first.
    #[must_use]
    pub fn of_day(&self, day: Date) -> Vec<Cutoff<'a>> {
        self.times(day).into_iter().filter_map(|times| self.cutoff(&times, day)).collect()
    }

    /// Returns the next cut-off after `now` of a window that `fits`; `None` if there is none within three weeks.
    #[must_use]
    pub fn next(&self, now: Time, fits: impl Fn(&Window) -> bool) -> Option<Cutoff<'a>> {
        let days = std::iter::successors(Some(self.zone.day_of(now)), |day| day.tomorrow().ok()).take(SEARCHED_DAYS);
        let mut found: Option<Cutoff<'a>> = None;
        for day in days {
            // Each payment looks for its cut-off, so settlements are computed for no other.
            let mut later = self.times(day).into_iter().filter(|it| it.cutoff_at > now && fits(it.window));
            let first = later.find_map(|times| self.cutoff(&times, day));
            found = found.into_iter().chain(first).min_by_key(|it| (it.cutoff_at, it.submit_by));
            // A window of the next day may have its cut-off on this one, if its lead is long.
            if found.as_ref().is_some_and(|found| found.day < day) {
                return found;
            }
        }
        found
    }

    /// Returns the same time of the day as a settlement, some banking days later.
    #[must_use]
    pub fn banking_days_later(&self, settles_at: Time, days: u32) -> Option<Time> {
        let zone = self.settlement_zone();
        let local = zone.local(settles_at);
        let time = LocalTime::new(local.hour(), local.minute());
        zone.instant(self.calendar.add_banking_days(local.date(), days), time)
    }

    /// Returns the windows of this day, earliest cut-off first.
    fn times(&self, day: Date) -> Vec<Times<'a>> {
        if !self.calendar.is_open(day) {
            return Vec::new();
        }
        let today = self.windows.iter().filter(|window| window.days.iter().any(|it| it.weekday() == day.weekday()));
        let times = today.filter_map(|window| {
            let submit_by = self.zone.instant(day, window.submit_by)?;
            let cutoff_at = submit_by.plus_seconds(window.lead_minutes.saturating_mul(-60));
            Some(Times { window, cutoff_at, submit_by })
        });
        let mut times: Vec<Times<'a>> = times.collect();
        times.sort_by_key(|times| (times.cutoff_at, times.submit_by));
        times
    }

    fn cutoff(&self, times: &Times<'a>, day: Date) -> Option<Cutoff<'a>> {
        let Times { window, cutoff_at, submit_by } = *times;
        let (effective_on, settles_at) = if window.same_day {
            (day, self.same_day_settlement(day, window.submit_by)?)
        } else {
            let effective_on = self.calendar.add_banking_days(day, 1);
            (effective_on, self.settlement_zone().instant(effective_on, SETTLED)?)
        };
        Some(Cutoff { window, day, cutoff_at, submit_by, effective_on, settles_at })
    }

    /// Returns when a file that reaches the bank by this time settles on the same day; `None` if it is too late.
    fn same_day_settlement(&self, day: Date, submit_by: LocalTime) -> Option<Time> {
        let submit_by = self.zone.instant(day, submit_by)?;
        let eastern = Zone::eastern();
        let (_, settled) = SAME_DAY
            .into_iter()
            .find(|(deadline, _)| eastern.instant(day, *deadline).is_some_and(|deadline| submit_by <= deadline))?;
        eastern.instant(day, settled)
    }

    fn settlement_zone(&self) -> Zone {
        match self.calendar {
            Calendar::Fed | Calendar::EveryDay => Zone::eastern(),
            Calendar::Target2 | Calendar::Uk => self.zone.clone(),
        }
    }
}
