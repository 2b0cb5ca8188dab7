//! Times of a day without a date.

use std::fmt;
use std::str::FromStr;

use jiff::civil;
use serde::{Deserialize, Serialize};

/// Hours and minutes of a day, shown as `17:30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LocalTime {
    hour: i8,
    minute: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a time from 00:00 to 23:59")]
pub struct InvalidTime;

impl LocalTime {
    pub(super) const fn new(hour: i8, minute: i8) -> Self {
        Self { hour, minute }
    }

    #[must_use]
    pub const fn civil(self) -> civil::Time {
        civil::time(self.hour, self.minute, 0, 0)
    }
}

impl FromStr for LocalTime {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let (hour, minute) = text.split_once(':').ok_or(InvalidTime)?;
        let number = |digits: &str, most: i8| {
            let plain = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<i8>().ok().filter(|number| plain && *number <= most).ok_or(InvalidTime)
        };
        Ok(Self { hour: number(hour, 23)?, minute: number(minute, 59)? })
    }
}

impl TryFrom<String> for LocalTime {
    type Error = InvalidTime;

    fn try_from(text: String) -> Result<Self, InvalidTime> {
        text.parse()
    }
}

impl From<LocalTime> for String {
    fn from(time: LocalTime) -> Self {
        time.to_string()
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}
