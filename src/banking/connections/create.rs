use std::sync::Arc;

use super::json::BankConnectionJson;
use super::model::{BankConnection, ConnectionStatus};
use super::rows;
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::settings::Settings;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::OrgId;
use crate::refusal::Refusal;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Connections of an organization at most: pausing all of them is one commit.
const CONNECTIONS_MAX: usize = 1_000;

/// POST /v2/bank/connections
#[derive(Clone, Debug)]
pub struct CreateConnection {
    pub org: OrgId,
    pub person: Person,
    pub name: String,
    pub transport: String,
    pub settings: Settings,
}

impl Command for CreateConnection {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let actor = self.person.may(world, self.org, Act::Govern)?;
        let problems = self.settings.problems();
        if !problems.is_empty() {
            return Err(Refusal::fields(problems).into());
        }
        if rows::of_org(world, self.org)?.len() >= CONNECTIONS_MAX {
            let message = format!(
                "The organization has {CONNECTIONS_MAX} bank connections, which is the limit. Change one that is not used."
            );
            return Err(Refusal::over_limit("bank_connections", CONNECTIONS_MAX, message).into());
        }

        // From here it must succeed.
        let (id, now) = (world.id(), world.now());
        let connection = world.add(BankConnection {
            org: self.org,
            id,
            name: self.name.clone(),
            transport: self.transport.clone(),
            format: self.settings.identity.format(),
            settings: Document(self.settings.clone()),
            settings_version: 1,
            status: ConnectionStatus::Draft,
            made_by: actor.member,
            tested_by: None,
            tested_at: None,
            evidence: None,
            approved_by: None,
            approved_at: None,
            paused_by: None,
            paused_at: None,
            pause_reason: None,
            unreachable_since: None,
            unreachable: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        let act = NewAct::of(ActKind::BankConnectionCreated, None, id).by(Some(actor.member));
        acts::record(world, self.org, act.changing(&(), &BankConnectionJson::from(&*connection)))?;
        Ok(connection)
    }
}
