use std::sync::Arc;

use super::json::RailProviderJson;
use super::model::RailProvider;
use super::rows::{self, NUDGE, SECRET, seal_context};
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupStatus};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::OrgId;
use crate::rails::providers::ProviderKind;
use crate::refusal::{Code, Refusal};
use crate::vault::Unsealed;
use crate::world::{Halt, World};

/// The credentials for a command, which seals them into its row.
#[derive(Clone, Debug)]
pub struct Secrets {
    pub secret: Unsealed,
    pub nudge: Option<Unsealed>,
}

/// POST /v2/bank/providers
#[derive(Clone, Debug)]
pub struct AddProvider {
    pub org: OrgId,
    pub person: Person,
    pub name: String,
    pub kind: ProviderKind,
    pub url: String,
    pub client_id: Option<String>,
    pub secrets: Secrets,
}

impl Command for AddProvider {
    type Reply = Arc<RailProvider>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailProvider>, Halt> {
        let actor = self.person.may(world, self.org, Act::Govern)?;
        self.has_its_client_id()?;
        let others = rows::of_org(world, self.org)?;
        setup::has_room("providers", others.iter().map(|other| other.status))?;

        // From here it must succeed.
        let (id, created_at) = (world.id(), world.now());
        let provider = RailProvider {
            org: self.org,
            id,
            name: self.name.clone(),
            kind: self.kind,
            url: self.url.clone(),
            client_id: self.client_id.clone(),
            sealed_secret: Vec::new(),
            sealed_nudge_secret: None,
            short_since: None,
            status: SetupStatus::Draft,
            made_by: actor.member,
            approved_by: None,
            approved_at: None,
            ended_by: None,
            ended_at: None,
            version: 1,
            created_at,
        };
        let sealed_secret = self.secrets.secret.seal(&seal_context(&provider, SECRET));
        let sealed_nudge_secret = self.secrets.nudge.as_ref().map(|nudge| nudge.seal(&seal_context(&provider, NUDGE)));
        let provider = world.add(RailProvider { sealed_secret, sealed_nudge_secret, ..provider });
        let act = NewAct::of(ActKind::RailProviderAdded, None, id).by(Some(actor.member));
        acts::record(world, self.org, act.changing(&(), &RailProviderJson::from(&*provider)))?;
        Ok(provider)
    }
}

impl AddProvider {
    fn has_its_client_id(&self) -> Result<(), Refusal> {
        let message = match (self.kind, &self.client_id) {
            (ProviderKind::Adapter, None) | (ProviderKind::Paypal, Some(_)) => return Ok(()),
            (ProviderKind::Adapter, Some(_)) => "is for providers of the kind paypal only",
            (ProviderKind::Paypal, None) => "is required for a provider of the kind paypal",
        };
        Err(Refusal::field(Code::InvalidInput, "/client_id", message))
    }
}
