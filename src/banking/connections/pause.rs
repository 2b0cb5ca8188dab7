//! The stop button: of one connection, and of all.

use std::sync::Arc;

use super::model::{BankConnection, ConnectionStatus};
use super::rows;
use super::rules::{self, ConnectionEvent};
use crate::acting::Act;
use crate::banking::person::Person;
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{BankConnectionId, MemberId, OrgId};
use crate::world::{Halt, World};

/// POST /v2/bank/connections/{bank_connection_id}/pause. A paused connection stays as it is.
#[derive(Clone, Debug)]
pub struct PauseConnection {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
    pub reason: String,
}

impl Command for PauseConnection {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let connection = rows::find(world, self.org, self.connection)?;
        let actor = self.person.may(world, self.org, Act::Pay)?;
        if connection.status == ConnectionStatus::Paused {
            return Ok(connection);
        }
        let to = rules::apply(connection.status, ConnectionEvent::Paused)?;

        // From here it must succeed.
        pause(world, &connection, to, Some(actor.member), &self.reason)
    }
}

/// POST /v2/bank/pause: stops every connection in use. Returns those that it stopped.
#[derive(Clone, Debug)]
pub struct PauseAllConnections {
    pub org: OrgId,
    pub person: Person,
    pub reason: String,
}

impl Command for PauseAllConnections {
    type Reply = Vec<Arc<BankConnection>>;

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let actor = self.person.may(world, self.org, Act::Pay)?;
        let in_use = |connection: &Arc<BankConnection>| connection.status == ConnectionStatus::Approved;

        // From here it must succeed.
        let mut paused = Vec::new();
        for connection in rows::of_org(world, self.org)?.into_iter().filter(in_use) {
            let to = rules::apply(connection.status, ConnectionEvent::Paused)?;
            paused.push(pause(world, &connection, to, Some(actor.member), &self.reason)?);
        }
        Ok(paused)
    }
}

/// POST /v2/bank/connections/{bank_connection_id}/resume. A connection in use stays as it is.
#[derive(Clone, Copy, Debug)]
pub struct ResumeConnection {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
}

impl Command for ResumeConnection {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let connection = rows::find(world, self.org, self.connection)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if connection.status == ConnectionStatus::Approved {
            return Ok(connection);
        }
        let to = rules::apply(connection.status, ConnectionEvent::Resumed)?;

        // From here it must succeed.
        rows::change(world, &connection, ActKind::BankConnectionResumed, actor.member, |connection| {
            connection.status = to;
            (connection.paused_by, connection.paused_at, connection.pause_reason) = (None, None, None);
        })
    }
}

/// Stops a connection in use whose files cannot be trusted. Members resume it.
///
/// # Errors
/// The store's.
pub fn stop(world: &mut World, org: OrgId, connection: BankConnectionId, reason: &str) -> Result<(), Halt> {
    let connection = rows::find(world, org, connection)?;
    if connection.status == ConnectionStatus::Approved {
        let to = rules::apply(connection.status, ConnectionEvent::Paused)?;
        pause(world, &connection, to, None, reason)?;
    }
    Ok(())
}

fn pause(
    world: &mut World,
    connection: &Arc<BankConnection>,
    to: ConnectionStatus,
    by: Option<MemberId>,
    reason: &str,
) -> Result<Arc<BankConnection>, Halt> {
    let now = world.now();
    rows::change(world, connection, ActKind::BankConnectionPaused, by, |connection| {
        connection.status = to;
        connection.paused_by = by;
        connection.paused_at = Some(now);
        connection.pause_reason = Some(reason.to_owned());
    })
}
