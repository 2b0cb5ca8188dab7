//! The settings of a connection, as its bank's guide gives them. Pure.

use regex::{Regex, RegexBuilder};
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

words! {
    /// What happens to a file whose account does not cover it at its cut-off.
    #[derive(Default)]
    pub enum UncoveredFiles {
        /// An alarm.
        #[default]
        Alarm = "alarm",
        /// An alarm, and the file waits until another member releases it.
        Hold = "hold",
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

words! {
    /// What the bank answers to a file.
    #[derive(Default)]
    pub enum AcknowledgementKind {
        /// Nothing that is read.
        #[default]
        None = "none",
        /// A text; ACH has no standard for it.
        Text = "text",
        /// A status report, pain.002.
        StatusReport = "status_report",
    }
}

words! {
    /// How a text writes an amount.
    pub enum AmountForm {
        /// 1234.56 or 1,234.56
        Dollars = "dollars",
        /// 123456
        Cents = "cents",
    }
}

/// The pattern of a connection without one of its own: the text that the simulated bank sends.
pub const USUAL_PATTERN: &str = r"ACKNOWLEDGEMENT OF ACH FILE\s+FILE CREATION DATE: *(?P<date>\d{6})\s+FILE CREATION TIME: *\d{4}\s+FILE ID MODIFIER: *(?P<modifier>[A-Z0-9])\s+ENTRIES: *(?P<entries>\d+)\s+TOTAL DEBITS: *(?P<debit>[\d,.]+)\s+TOTAL CREDITS: *(?P<credit>[\d,.]+)\s+STATUS: *(?P<status>[A-Z]+)(?:\s+REASON: *(?P<reason>.*))?";

/// How the bank acknowledges the files of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BankAcknowledgements)]
pub struct Acknowledgements {
    /// What the bank answers to a file.
    pub kind: AcknowledgementKind,
    /// Minutes after its delivery until which the bank acknowledges a file; null for the kind none.
    #[schema(required)]
    pub within_minutes: Option<i64>,
    /// The regular expression of one acknowledgement in a text; null for another kind.
    #[schema(required)]
    pub pattern: Option<String>,
    /// The words of the group status that accept a file.
    pub accepted: Vec<String>,
    /// The words of the group status that refuse a file.
    pub rejected: Vec<String>,
    /// How a text writes amounts; null for another kind.
    #[schema(required)]
    pub amounts: Option<AmountForm>,
}

impl Acknowledgements {
    /// Returns the compiled pattern of a text.
    #[must_use]
    pub fn regex(&self) -> Option<Regex> {
        self.pattern.as_deref().and_then(|pattern| compile(pattern).ok())
    }
}

/// The most memory of a compiled pattern, in bytes.
const PROGRAM_MAX: usize = 1 << 20;

/// A dot does not match the end of a line; `^` and `$` match at each line. Time is linear in the text.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).multi_line(true).size_limit(PROGRAM_MAX).dfa_size_limit(PROGRAM_MAX).build()
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
    #[serde(default)]
    pub acknowledgements: Acknowledgements,
    #[serde(default)]
    pub uncovered_files: UncoveredFiles,
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
