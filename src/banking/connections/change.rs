//! Changes the settings of a connection, which ends its test and its approval.

use std::sync::Arc;

use super::model::BankConnection;
use super::rows;
use super::rules::{self, ConnectionEvent};
use crate::acting::Act;
use crate::banking::acknowledgements::AcknowledgementsInput;
use crate::banking::person::Person;
use crate::banking::settings::{Identity, NachaIdentity, Pain001Identity, Settings, Sides, UncoveredFiles};
use crate::calendars::{Calendar, Window, Zone};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{BankConnectionId, OrgId};
use crate::input::{Problems, wrong};
use crate::refusal::Refusal;
use crate::world::{Halt, World};

/// The changes; `None` leaves a field as it is.
#[derive(Clone, Debug, Default)]
pub struct ConnectionPatch {
    pub name: Option<String>,
    pub transport: Option<String>,
    pub nacha: Option<NachaIdentity>,
    pub pain001: Option<Pain001Identity>,
    pub calendar: Option<Calendar>,
    pub time_zone: Option<Zone>,
    pub windows: Option<Vec<Window>>,
    pub limits: Option<Sides>,
    pub file_name: Option<String>,
    pub acknowledgements: Option<AcknowledgementsInput>,
    pub uncovered_files: Option<UncoveredFiles>,
}

impl ConnectionPatch {
    fn over(&self, before: &Settings) -> Result<Settings, Problems> {
        let before = before.clone();
        let identity = match (before.identity, self.nacha.clone(), self.pain001.clone()) {
            (Identity::Nacha(_), _, Some(_)) => {
                return Err(wrong("/pain001", "must be missing: the connection has the format nacha"));
            }
            (Identity::Pain001(_), Some(_), _) => {
                return Err(wrong("/nacha", "must be missing: the connection has the format pain001"));
            }
            (Identity::Nacha(was), new, None) => Identity::Nacha(new.unwrap_or(was)),
            (Identity::Pain001(was), None, new) => Identity::Pain001(new.unwrap_or(was)),
        };
        let acknowledgements = match self.acknowledgements.clone() {
            Some(input) => input.read_out(identity.format())?,
            None => before.acknowledgements,
        };
        Ok(Settings {
            acknowledgements,
            identity,
            calendar: self.calendar.unwrap_or(before.calendar),
            time_zone: self.time_zone.clone().unwrap_or(before.time_zone),
            windows: self.windows.clone().unwrap_or(before.windows),
            limits: self.limits.unwrap_or(before.limits),
            file_name: self.file_name.clone().unwrap_or(before.file_name),
            uncovered_files: self.uncovered_files.unwrap_or(before.uncovered_files),
        })
    }
}

/// PATCH /v2/bank/connections/{bank_connection_id}. Equal values change nothing.
#[derive(Clone, Debug)]
pub struct ChangeConnection {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
    pub patch: ConnectionPatch,
}

impl Command for ChangeConnection {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let connection = rows::find(world, self.org, self.connection)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        let settings = self.patch.over(&connection.settings.0).map_err(Refusal::fields)?;
        let problems = settings.problems();
        if !problems.is_empty() {
            return Err(Refusal::fields(problems).into());
        }
        let name = self.patch.name.clone().unwrap_or_else(|| connection.name.clone());
        let transport = self.patch.transport.clone().unwrap_or_else(|| connection.transport.clone());
        let is_same = settings == connection.settings.0 && transport == connection.transport && name == connection.name;
        if is_same {
            return Ok(connection);
        }
        let to = rules::apply(connection.status, ConnectionEvent::Changed)?;

        // From here it must succeed.
        rows::change(world, &connection, ActKind::BankConnectionChanged, actor.member, |connection| {
            connection.name = name;
            connection.transport = transport;
            connection.settings.0 = settings;
            connection.settings_version += 1;
            connection.status = to;
            connection.made_by = actor.member;
            (connection.tested_by, connection.tested_at, connection.evidence) = (None, None, None);
            (connection.approved_by, connection.approved_at) = (None, None);
            (connection.paused_by, connection.paused_at, connection.pause_reason) = (None, None, None);
        })
    }
}
