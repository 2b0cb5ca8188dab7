use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BankConnection, ConnectionStatus};
use crate::banking::settings::{Acknowledgements, FileFormat, NachaIdentity, Pain001Identity, Sides, UncoveredFiles};
use crate::calendars::{Calendar, Cutoff, Window, Zone};
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId};

/// A connection to a bank.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankConnectionJson {
    /// The connection's id.
    pub id: BankConnectionId,
    /// When the connection was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the connection was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// The connection's name.
    pub name: String,
    /// The state.
    pub status: ConnectionStatus,
    /// manual, or the name of a transport in the server's configuration.
    #[schema(example = "manual")]
    pub transport: String,
    /// The format of its files.
    pub format: FileFormat,
    /// How the bank knows its customer; null for the format pain001.
    #[schema(required)]
    pub nacha: Option<NachaIdentity>,
    /// How the bank knows its customer; null for the format nacha.
    #[schema(required)]
    pub pain001: Option<Pain001Identity>,
    /// The days on which the bank settles.
    pub calendar: Calendar,
    /// The time zone of the windows.
    #[schema(value_type = String, example = "America/New_York")]
    pub time_zone: Zone,
    /// The times until which the bank takes files.
    pub windows: Vec<Window>,
    /// The most money that moves.
    pub limits: Sides,
    /// The name of its files.
    #[schema(example = "ACME_{date}_{modifier}.ach")]
    pub file_name: String,
    /// How the bank acknowledges its files.
    pub acknowledgements: Acknowledgements,
    /// What happens to a file whose account does not cover it at its cut-off.
    pub uncovered_files: UncoveredFiles,
    /// How often the settings were changed.
    pub settings_version: i64,
    /// The member who created the connection or changed it last.
    pub made_by: MemberId,
    /// The member who recorded the test.
    #[schema(required)]
    pub tested_by: Option<MemberId>,
    /// When the test was recorded.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub tested: Option<Time>,
    /// How the bank confirmed the test.
    #[schema(required)]
    pub evidence: Option<String>,
    /// The member who approved the connection.
    #[schema(required)]
    pub approved_by: Option<MemberId>,
    /// When the connection was approved.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub approved: Option<Time>,
    /// The member who paused the connection.
    #[schema(required)]
    pub paused_by: Option<MemberId>,
    /// When the connection was paused.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub paused: Option<Time>,
    /// Why the connection was paused.
    #[schema(required)]
    pub pause_reason: Option<String>,
}

impl From<&BankConnection> for BankConnectionJson {
    fn from(connection: &BankConnection) -> Self {
        let settings = connection.settings.0.clone();
        Self {
            id: connection.id,
            created: connection.created_at,
            updated: connection.updated_at,
            name: connection.name.clone(),
            status: connection.status,
            transport: connection.transport.clone(),
            format: connection.format,
            nacha: settings.identity.nacha().cloned(),
            pain001: settings.identity.pain001().cloned(),
            calendar: settings.calendar,
            time_zone: settings.time_zone,
            windows: settings.windows,
            limits: settings.limits,
            file_name: settings.file_name,
            acknowledgements: settings.acknowledgements,
            uncovered_files: settings.uncovered_files,
            settings_version: connection.settings_version,
            made_by: connection.made_by,
            tested_by: connection.tested_by,
            tested: connection.tested_at,
            evidence: connection.evidence.clone(),
            approved_by: connection.approved_by,
            approved: connection.approved_at,
            paused_by: connection.paused_by,
            paused: connection.paused_at,
            pause_reason: connection.pause_reason.clone(),
        }
    }
}

/// The connections that were paused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PausedConnectionsJson {
    /// The connections.
    pub data: Vec<BankConnectionJson>,
}

/// A window of one day.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankCutoffJson {
    /// The window's name.
    pub window: String,
    /// From here on entries join a later file.
    #[schema(value_type = String, format = DateTime)]
    pub cutoff: Time,
    /// The bank's deadline.
    #[schema(value_type = String, format = DateTime)]
    pub submit_by: Time,
    /// The date that the file carries.
    #[schema(value_type = String, format = Date)]
    pub effective: String,
    /// When the file settles.
    #[schema(value_type = String, format = DateTime)]
    pub settles: Time,
    /// Whether the file settles on the day of the window.
    pub same_day: bool,
}

/// A day of a connection's calendar.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankDayJson {
    /// The day in the connection's time zone.
    #[schema(value_type = String, format = Date)]
    pub date: String,
    /// Whether the bank settles on this day.
    pub open: bool,
    /// The windows, earliest first.
    pub windows: Vec<BankCutoffJson>,
}

/// Days of a connection's calendar.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankCalendarJson {
    /// The connection's id.
    pub bank_connection_id: BankConnectionId,
    /// The days on which the bank settles.
    pub calendar: Calendar,
    /// The time zone of the days.
    #[schema(value_type = String, example = "America/New_York")]
    pub time_zone: Zone,
    /// The days, in order.
    pub data: Vec<BankDayJson>,
}

impl From<Cutoff<'_>> for BankCutoffJson {
    fn from(cutoff: Cutoff<'_>) -> Self {
        Self {
            window: cutoff.window.name.clone(),
            cutoff: cutoff.cutoff_at,
            submit_by: cutoff.submit_by,
            effective: cutoff.effective_on.to_string(),
            settles: cutoff.settles_at,
            same_day: cutoff.window.same_day,
        }
    }
}
