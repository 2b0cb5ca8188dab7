//! The settings of a connection, as its bank's guide gives them. Pure.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::calendars::{Calendar, Schedule, Window, Zone};
use crate::input::{Problems, wrong};
use crate::money::Cents;
use crate::world::record::words;

/// A person downloads each file and takes it to the bank.
pub const TRANSPORT_MANUAL: &str = "manual";

words! {
    /// The format of the files that a bank takes.
    pub enum FileFormat {
        /// ACH files of 94 characters a record.
        Nacha = "nacha",
        /// Messages of the standard ISO 20022, version pain.001.001.09.
        Pain001 = "pain001",
    }
}

words! {
    /// How a line of a file ends.
    pub enum LineEnding {
        /// A line feed.
        Lf = "lf",
        /// A carriage return and a line feed.
        Crlf = "crlf",
    }
}

/// How the bank knows its customer, in the fields of a NACHA file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NachaIdentity {
    /// The routing number of the bank that originates the entries (ODFI).
    #[schema(example = "011000015")]
    pub odfi_routing_number: String,
    /// The immediate destination: the routing number of the bank's ACH operations.
    #[schema(example = "011000015")]
    pub destination: String,
    /// The immediate destination's name.
    #[schema(example = "SAMPLE BANK")]
    pub destination_name: String,
    /// The immediate origin, exactly as the bank assigned it.
    #[schema(example = "1234567890")]
    pub origin: String,
    /// The immediate origin's name.
    #[schema(example = "ACME INC")]
    pub origin_name: String,
    /// How a line ends.
    pub line_ending: LineEnding,
    /// Whether each batch has an entry for the settlement account that balances it.
    pub balanced: bool,
}

/// How the bank knows its customer, in the elements of a pain.001 message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pain001Identity {
    /// The customer's name, which payees see.
    #[schema(example = "Acme Inc")]
    pub name: String,
    /// The street and the number.
    #[schema(example = "1 Main Street")]
    pub street: String,
    /// The postal code.
    #[schema(example = "02110")]
    pub post_code: String,
    /// The town.
    #[schema(example = "Boston")]
    pub town: String,
    /// The country, by ISO 3166-1.
    #[schema(example = "US")]
    pub country: String,
}

/// How the bank knows its customer, by the format of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Identity {
    Nacha(NachaIdentity),
    Pain001(Pain001Identity),
}

impl Identity {
    #[must_use]
    pub const fn format(&self) -> FileFormat {
        match self {
            Self::Nacha(_) => FileFormat::Nacha,
            Self::Pain001(_) => FileFormat::Pain001,
        }
    }

    #[must_use]
    pub const fn nacha(&self) -> Option<&NachaIdentity> {
        match self {
            Self::Nacha(nacha) => Some(nacha),
            Self::Pain001(_) => None,
        }
    }

    #[must_use]
    pub const fn pain001(&self) -> Option<&Pain001Identity> {
        match self {
            Self::Nacha(_) => None,
            Self::Pain001(pain001) => Some(pain001),
        }
    }
}

/// The most money that moves in one direction, in cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BankLimits)]
pub struct SideLimits {
    /// The limit of one entry.
    #[schema(value_type = i64)]
    pub per_entry: Cents,
    /// The limit of one file.
    #[schema(value_type = i64)]
    pub per_file: Cents,
    /// The limit of one day in the connection's time zone.
    #[schema(value_type = i64)]
    pub per_day: Cents,
}

/// The limits of both directions. A direction without limits is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BankLimitsOfBothDirections)]
pub struct Sides {
    /// Payments to others; null if the connection sends none.
    #[schema(required)]
    pub credit: Option<SideLimits>,
    /// Money pulled from others; null if the connection pulls none.
    #[schema(required)]
    pub debit: Option<SideLimits>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Stored as a field with the name of the format.
    #[serde(flatten)]
    pub identity: Identity,
    pub calendar: Calendar,
    pub time_zone: Zone,
    pub windows: Vec<Window>,
    pub limits: Sides,
    /// A name with the placeholders `{date}`, `{time}` and `{modifier}`.
    pub file_name: String,
}

impl Settings {
    #[must_use]
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule { calendar: self.calendar, zone: &self.time_zone, windows: &self.windows }
    }

    /// Returns the errors of fields that contradict each other.
    #[must_use]
    pub fn problems(&self) -> Problems {
        let mut problems = Problems::new();
        for (place, window) in self.windows.iter().enumerate() {
            let at = format!("/windows/{place}");
            if let Some(error) = self.schedule().problem(window) {
                problems.extend(wrong(&at, error.to_string()));
            }
            if self.windows.iter().take(place).any(|other| other.name == window.name) {
                problems.extend(wrong(&format!("{at}/name"), "is the name of another window of the connection"));
            }
        }
        if self.limits == (Sides { credit: None, debit: None }) {
            problems.extend(wrong("/limits", "must have limits for credit, for debit, or for both"));
        }
        for (name, side) in [("credit", self.limits.credit), ("debit", self.limits.debit)] {
            let Some(SideLimits { per_entry, per_file, per_day }) = side else { continue };
            if per_entry > per_file {
                problems.extend(wrong(&format!("/limits/{name}/per_file"), "must be at least per_entry"));
            }
            if per_file > per_day {
                problems.extend(wrong(&format!("/limits/{name}/per_day"), "must be at least per_file"));
            }
        }
        problems
    }
}
