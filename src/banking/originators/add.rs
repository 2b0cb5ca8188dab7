use std::sync::Arc;

use super::json::OriginatorJson;
use super::model::{EntryClass, Originator};
use super::rows;
use crate::acting::Act;
use crate::apps;
use crate::banking::connections;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupStatus};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{AppId, BankConnectionId, OrgId};
use crate::scope::Scope;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// POST /v2/bank/originators
#[derive(Clone, Debug)]
pub struct AddOriginator {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
    /// `None` for all apps.
    pub app: Option<AppId>,
    pub company_name: String,
    pub company_id: String,
    pub description: String,
    pub discretionary: Option<String>,
    pub entry_classes: Vec<EntryClass>,
    pub prenotes: bool,
}

impl Command for AddOriginator {
    type Reply = Arc<Originator>;

    fn decide(&self, world: &mut World) -> Result<Arc<Originator>, Halt> {
        let actor = self.person.may(world, self.org, Act::Govern)?;
        let connection = connections::find(world, self.org, self.connection)?;
        if let Some(app) = self.app {
            apps::find(world, Scope { org: self.org, app })?;
        }
        let others = rows::of_connection(world, &connection)?;
        setup::has_room("originators of this connection", others.iter().map(|other| other.status))?;

        // From here it must succeed.
        let (id, created_at) = (world.id(), world.now());
        let originator = world.add(Originator {
            org: self.org,
            id,
            connection: self.connection,
            app: self.app,
            company_name: self.company_name.clone(),
            company_id: self.company_id.clone(),
            description: self.description.clone(),
            discretionary: self.discretionary.clone(),
            entry_classes: Document(self.entry_classes.clone()),
            prenotes: self.prenotes,
            status: SetupStatus::Draft,
            made_by: actor.member,
            approved_by: None,
            approved_at: None,
            ended_by: None,
            ended_at: None,
            version: 1,
            created_at,
        });
        let act = NewAct::of(ActKind::OriginatorAdded, self.app, id).by(Some(actor.member));
        acts::record(world, self.org, act.changing(&(), &OriginatorJson::from(&*originator)))?;
        Ok(originator)
    }
}
