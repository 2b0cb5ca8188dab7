//! Records the bank's acceptance of a test file, and the approval by a second person.

use std::sync::Arc;

use super::model::{BankConnection, ConnectionStatus};
use super::rows;
use super::rules::{self, ConnectionEvent};
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::settings::TRANSPORT_MANUAL;
use crate::banking::setup;
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{BankConnectionId, OrgId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// POST /v2/bank/connections/{bank_connection_id}/test
#[derive(Clone, Debug)]
pub struct TestConnection {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
    /// How the bank confirmed the test file.
    pub evidence: String,
}

impl Command for TestConnection {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let connection = rows::find(world, self.org, self.connection)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        let to = rules::apply(connection.status, ConnectionEvent::Tested)?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &connection, ActKind::BankConnectionTested, actor.member, |connection| {
            connection.status = to;
            connection.tested_by = Some(actor.member);
            connection.tested_at = Some(now);
            connection.evidence = Some(self.evidence.clone());
        })
    }
}

/// Refuses a connection whose files the bank cannot distinguish from those of another one in use: each has its own modifiers
/// and trace numbers, and reads every file in its folder.
fn must_be_alone(world: &World, connection: &BankConnection) -> Result<(), Halt> {
    let origin = |connection: &BankConnection| {
        connection.settings.0.identity.nacha().map(|nacha| (nacha.destination.clone(), nacha.origin.clone()))
    };
    for other in rows::of_org(world, connection.org)? {
        let is_used = matches!(other.status, ConnectionStatus::Approved | ConnectionStatus::Paused);
        if other.id == connection.id || !is_used {
            continue;
        }
        let shared = if connection.transport != TRANSPORT_MANUAL && other.transport == connection.transport {
            format!("the transport {} too", other.transport)
        } else if origin(connection).is_some() && origin(&other) == origin(connection) {
            "the same destination and origin".to_owned()
        } else {
            continue;
        };
        let message = format!(
            "The connection {} ({}) uses {shared}. Change one of the two: the bank must distinguish their files.",
            other.name, other.id
        );
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::AlreadyExists).into());
    }
    Ok(())
}

/// POST /v2/bank/connections/{bank_connection_id}/approve
#[derive(Clone, Copy, Debug)]
pub struct ApproveConnection {
    pub org: OrgId,
    /// Not the member who changed it last.
    pub person: Person,
    pub connection: BankConnectionId,
}

impl Command for ApproveConnection {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let connection = rows::find(world, self.org, self.connection)?;
        let actor = self.person.may(world, self.org, Act::Pay)?;
        setup::is_second_person(connection.made_by, actor.member)?;
        let to = rules::apply(connection.status, ConnectionEvent::Approved)?;
        must_be_alone(world, &connection)?;

        // From here it must succeed.
        rows::poll(world, &connection)?;
        let now = world.now();
        rows::change(world, &connection, ActKind::BankConnectionApproved, actor.member, |connection| {
            connection.status = to;
            connection.approved_by = Some(actor.member);
            connection.approved_at = Some(now);
        })
    }
}
