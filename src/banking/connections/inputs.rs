//! Inputs of requests about connections.

use serde_json::{Value as Schema, json};

use super::model::ConnectionStatus;
use crate::bank::RoutingNumber;
use crate::bank_transports::{Transports, is_name};
use crate::banking::acknowledgements::AcknowledgementsInput;
use crate::banking::settings::{
    FileFormat, Identity, LineEnding, NachaIdentity, Pain001Identity, Settings, SideLimits, Sides, TRANSPORT_MANUAL,
    UncoveredFiles,
};
use crate::banking::texts::{AddressCountry, BankText, Day, FileName, IsoText, Origin};
use crate::calendars::{Calendar, DayOfWeek, LocalTime, Window, Zone};
use crate::http::lists::list_query;
use crate::ids::{MemberId, OrgId, OriginatorId, SettlementAccountId};
use crate::input::types::{Amount, Integer, LongText, Name, word_input};
use crate::input::{Change, Input, Problems, input, text, wrong};
use crate::refusal::Refusal;
use crate::strict_json::Json;

word_input!(ConnectionStatus);
word_input!(UncoveredFiles);

/// Windows of a connection at most.
const WINDOWS_MAX: usize = 24;
/// The longest time between a cut-off and the bank's deadline, in minutes.
const LEAD_MAX: i64 = 12 * 60;

const UNKNOWN_TRANSPORT: &str = "must be manual, or the name of a transport that the server's configuration has for \
                                 this organization";

/// How files reach the bank.
#[derive(Clone, Debug)]
pub struct Transport(pub String);

impl Transport {
    /// Refuses a name that the configuration does not have for this organization.
    pub fn known(self, transports: &Transports, org: OrgId) -> Result<Self, Refusal> {
        if self.0 == TRANSPORT_MANUAL || transports.has(org, &self.0) {
            return Ok(self);
        }
        Err(Refusal::fields(wrong("/transport", UNKNOWN_TRANSPORT)))
    }
}

impl Input for Transport {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        match text(json, at)? {
            given if given == TRANSPORT_MANUAL || is_name(given) => Ok(Self(given.to_owned())),
            _ => Err(wrong(at, UNKNOWN_TRANSPORT)),
        }
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^[a-z0-9-]{1,40}$", "examples": [TRANSPORT_MANUAL]})
    }
}

input! {
    /// How the bank knows its customer, in the fields of a NACHA file.
    pub struct NachaInput {
        /// The routing number of the bank that originates the entries (ODFI).
        pub odfi_routing_number: RoutingNumber,
        /// The immediate destination: the routing number of the bank's ACH operations.
        pub destination: RoutingNumber,
        /// The immediate destination's name.
        pub destination_name: BankText<23>,
        /// The immediate origin, exactly as the bank assigned it: nine or ten characters; a blank may precede nine.
        pub origin: Origin,
        /// The immediate origin's name.
        pub origin_name: BankText<23>,
        /// How a line ends: lf or crlf.
        pub line_ending: LineEnding,
        /// Whether each batch has an entry for the settlement account that balances it.
        pub balanced: bool,
    }
}

impl NachaInput {
    fn read_out(self) -> NachaIdentity {
        NachaIdentity {
            odfi_routing_number: self.odfi_routing_number.as_str().to_owned(),
            destination: self.destination.as_str().to_owned(),
            destination_name: self.destination_name.0,
            origin: self.origin.0,
            origin_name: self.origin_name.0,
            line_ending: self.line_ending,
            balanced: self.balanced,
        }
    }
}

input! {
    /// How the bank knows its customer, in the elements of a pain.001 message.
    pub struct Pain001Input {
        /// The customer's name, which payees see.
        pub name: IsoText<70>,
        /// The street and the number.
        pub street: IsoText<70>,
        /// The postal code.
        pub post_code: IsoText<16>,
        /// The town.
        pub town: IsoText<35>,
        /// The country, by ISO 3166-1.
        pub country: AddressCountry,
    }
}

impl Pain001Input {
    fn read_out(self) -> Pain001Identity {
        Pain001Identity {
            name: self.name.0,
            street: self.street.0,
            post_code: self.post_code.0,
            town: self.town.0,
            country: self.country.0,
        }
    }
}

/// Returns the identity that the format needs. The other one must be missing.
fn identity(
    format: FileFormat,
    nacha: Option<NachaInput>,
    pain001: Option<Pain001Input>,
) -> Result<Identity, Problems> {
    match (format, nacha, pain001) {
        (FileFormat::Nacha, Some(nacha), None) => Ok(Identity::Nacha(nacha.read_out())),
        (FileFormat::Pain001, None, Some(pain001)) => Ok(Identity::Pain001(pain001.read_out())),
        (FileFormat::Nacha, None, _) => Err(wrong("/nacha", "is required for the format nacha")),
        (FileFormat::Pain001, _, None) => Err(wrong("/pain001", "is required for the format pain001")),
        (FileFormat::Nacha, Some(_), Some(_)) => Err(wrong("/pain001", "must be missing for the format nacha")),
        (FileFormat::Pain001, Some(_), Some(_)) => Err(wrong("/nacha", "must be missing for the format pain001")),
    }
}

/// The days of a window: one to seven, each once.
#[derive(Clone, Debug)]
pub struct Days(pub Vec<DayOfWeek>);

impl Input for Days {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let days = Vec::<DayOfWeek>::read(json, at)?;
        let distinct: std::collections::BTreeSet<DayOfWeek> = days.iter().copied().collect();
        if days.is_empty() || distinct.len() != days.len() {
            return Err(wrong(at, "must name at least one day, and each day once"));
        }
        Ok(Self(days))
    }
    fn schema() -> Schema {
        json!({"type": "array", "items": DayOfWeek::schema(), "minItems": 1, "maxItems": 7, "uniqueItems": true})
    }
}

input! {
    /// A time of the day until which the bank takes files.
    pub struct WindowInput {
        /// The window's name, unique in its connection.
        pub name: Name,
        /// The days of the week on which it exists, if they are banking days.
        pub days: Days,
        /// The bank's deadline in the connection's time zone, for example 17:30.
        pub submit_by: LocalTime,
        /// Minutes before the deadline at which no more entries join the file.
        pub lead_minutes: Integer<0, LEAD_MAX>,
        /// Whether its files settle on the same day.
        pub same_day: bool,
    }
}

/// The windows of a connection.
#[derive(Clone, Debug)]
pub struct Windows(pub Vec<Window>);

impl Input for Windows {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let windows = Vec::<WindowInput>::read(json, at)?;
        if !(1..=WINDOWS_MAX).contains(&windows.len()) {
            return Err(wrong(at, format!("must have 1 to {WINDOWS_MAX} windows")));
        }
        let window = |input: WindowInput| Window {
            name: input.name.0,
            days: input.days.0,
            submit_by: input.submit_by,
            lead_minutes: input.lead_minutes.0,
            same_day: input.same_day,
        };
        Ok(Self(windows.into_iter().map(window).collect()))
    }
    fn schema() -> Schema {
        json!({"type": "array", "items": WindowInput::schema(), "minItems": 1, "maxItems": WINDOWS_MAX})
    }
}

input! {
    /// The most money that moves in one direction, in cents.
    pub struct SideLimitsInput {
        /// The limit of one entry.
        pub per_entry: Amount,
        /// The limit of one file; at least per_entry.
        pub per_file: Amount,
        /// The limit of one day; at least per_file.
        pub per_day: Amount,
    }
}

input! {
    /// The limits of both directions. A direction without limits is closed.
    pub struct LimitsInput {
        /// Payments to others; null or missing if the connection sends none.
        pub credit: Option<SideLimitsInput>,
        /// Money pulled from others; null or missing if the connection pulls none.
        pub debit: Option<SideLimitsInput>,
    }
}

impl LimitsInput {
    fn read_out(self) -> Sides {
        let side = |input: SideLimitsInput| SideLimits {
            per_entry: input.per_entry.0,
            per_file: input.per_file.0,
            per_day: input.per_day.0,
        };
        Sides { credit: self.credit.map(side), debit: self.debit.map(side) }
    }
}

input! {
    /// A new connection.
    pub struct NewBankConnection {
        /// The member who creates it (admin).
        pub acting_user_id: MemberId,
        /// The connection's name.
        pub name: Name,
        /// How files reach the bank: manual, or the name of a transport in the server's configuration.
        pub transport: Transport,
        /// The format of its files.
        pub format: FileFormat,
        /// How the bank knows its customer; for the format nacha.
        pub nacha: Option<NachaInput>,
        /// How the bank knows its customer; for the format pain001.
        pub pain001: Option<Pain001Input>,
        /// The days on which the bank settles.
        pub calendar: Calendar,
        /// The time zone of the windows, by its name in the time zone database.
        pub time_zone: Zone,
        /// The times until which the bank takes files.
        pub windows: Windows,
        /// The most money that moves.
        pub limits: LimitsInput,
        /// The name of its files, with the placeholders {date}, {modifier} and, if wanted, {time}.
        pub file_name: FileName,
        /// How the bank acknowledges its files. Missing: it does not.
        pub acknowledgements: Option<AcknowledgementsInput>,
        /// What happens to a file whose account does not cover it at its cut-off. Missing: an alarm.
        pub uncovered_files: Option<UncoveredFiles>,
    }
}

impl NewBankConnection {
    /// # Errors
    /// The identity of the format is missing, or that of another one is given.
    pub fn settings(self) -> Result<Settings, Refusal> {
        let expected = self.acknowledgements.map(|input| input.read_out(self.format)).transpose();
        Ok(Settings {
            acknowledgements: expected.map_err(Refusal::fields)?.unwrap_or_default(),
            identity: identity(self.format, self.nacha, self.pain001).map_err(Refusal::fields)?,
            calendar: self.calendar,
            time_zone: self.time_zone,
            windows: self.windows.0,
            limits: self.limits.read_out(),
            file_name: self.file_name.0,
            uncovered_files: self.uncovered_files.unwrap_or_default(),
        })
    }
}

input! {
    /// Changes of a connection. Fields that are not sent are unchanged.
    pub struct BankConnectionChanges {
        /// The member who changes it (admin).
        pub acting_user_id: MemberId,
        /// The new name.
        pub name: Change<Name>,
        /// How files reach the bank.
        pub transport: Change<Transport>,
        /// How the bank knows its customer; for the format nacha.
        pub nacha: Change<NachaInput>,
        /// How the bank knows its customer; for the format pain001.
        pub pain001: Change<Pain001Input>,
        /// The days on which the bank settles.
        pub calendar: Change<Calendar>,
        /// The time zone of the windows.
        pub time_zone: Change<Zone>,
        /// The times until which the bank takes files.
        pub windows: Change<Windows>,
        /// The most money that moves.
        pub limits: Change<LimitsInput>,
        /// The name of its files.
        pub file_name: Change<FileName>,
        /// How the bank acknowledges its files.
        pub acknowledgements: Change<AcknowledgementsInput>,
        /// What happens to a file whose account does not cover it at its cut-off.
        pub uncovered_files: Change<UncoveredFiles>,
    }
}

impl From<BankConnectionChanges> for super::change::ConnectionPatch {
    fn from(changes: BankConnectionChanges) -> Self {
        Self {
            name: changes.name.0.map(|name| name.0),
            transport: changes.transport.0.map(|transport| transport.0),
            nacha: changes.nacha.0.map(NachaInput::read_out),
            pain001: changes.pain001.0.map(Pain001Input::read_out),
            calendar: changes.calendar.0,
            time_zone: changes.time_zone.0,
            windows: changes.windows.0.map(|windows| windows.0),
            limits: changes.limits.0.map(LimitsInput::read_out),
            file_name: changes.file_name.0.map(|name| name.0),
            acknowledgements: changes.acknowledgements.0,
            uncovered_files: changes.uncovered_files.0,
        }
    }
}

input! {
    /// The member who acts.
    pub struct ActingMember {
        /// The member.
        pub acting_user_id: MemberId,
    }
}

input! {
    /// The bank's answer to a test file.
    pub struct TestResult {
        /// The member who records it (admin).
        pub acting_user_id: MemberId,
        /// How the bank confirmed the file: who, when, its reference.
        pub evidence: LongText,
    }
}

input! {
    /// Why files stop.
    pub struct Stop {
        /// The member who stops them (admin or payer).
        pub acting_user_id: MemberId,
        /// The reason.
        pub reason: LongText,
    }
}

list_query! {
    /// The filter of the list of connections.
    pub struct BankConnectionsQuery {
        /// Return only connections in this state.
        pub status: Option<ConnectionStatus>,
    }
}

input! {
    /// The parts of a test file.
    pub struct TestFileQuery {
        /// The originator.
        pub originator_id: OriginatorId,
        /// The settlement account, which is also the account of the entry.
        pub settlement_account_id: SettlementAccountId,
    }
}

input! {
    /// The days of a calendar.
    pub struct CalendarQuery {
        /// The connection.
        pub bank_connection_id: crate::ids::BankConnectionId,
        /// The first day.
        pub from: Day,
        /// The last day; at most 366 days after the first.
        pub to: Day,
    }
}
