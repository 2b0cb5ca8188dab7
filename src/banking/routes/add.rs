use std::sync::Arc;

use super::json::RailRouteJson;
use super::model::{Carries, RailRoute};
use super::rows;
use super::rules::{Parts, begins_later};
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupStatus};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::OrgId;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// POST /v2/bank/routes
#[derive(Clone, Debug)]
pub struct AddRoute {
    pub org: OrgId,
    pub person: Person,
    pub platform: Platform,
    pub currency: String,
    /// `YYYY-MM-DD`
    pub from_on: String,
    pub carries: Carries,
}

impl Command for AddRoute {
    type Reply = Arc<RailRoute>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailRoute>, Halt> {
        let actor = self.person.may(world, self.org, Act::Govern)?;
        let parts = rows::parts(world, self.org, self.carries)?;
        may_carry(&parts, self.platform)?;
        let zone = parts.zone();
        begins_later(&self.from_on, zone.day_of(world.now()), zone.name())?;
        let others = rows::of_rail(world, self.org, self.platform, &self.currency)?;
        setup::has_room("routes of this rail", others.iter().map(|other| other.status))?;
        let is_of_day = |other: &&Arc<RailRoute>| other.status != SetupStatus::Ended && other.from_on == self.from_on;
        if let Some(other) = others.iter().find(is_of_day) {
            let message =
                format!("is the first day of the route {}; end that one first, or choose another day", other.id);
            return Err(Refusal::field(Code::InvalidState, "/from_on", message).because(Reason::AlreadyExists).into());
        }

        // From here it must succeed.
        let (id, created_at) = (world.id(), world.now());
        let (bank, provider) = match self.carries {
            Carries::Bank(bank) => (Some(bank), None),
            Carries::Provider(provider) => (None, Some(provider)),
        };
        let route = world.add(RailRoute {
            org: self.org,
            id,
            platform: self.platform,
            currency: self.currency.clone(),
            from_on: self.from_on.clone(),
            connection: bank.map(|bank| bank.connection),
            originator: bank.map(|bank| bank.originator),
            settlement_account: bank.map(|bank| bank.settlement_account),
            provider,
            status: SetupStatus::Draft,
            made_by: actor.member,
            approved_by: None,
            approved_at: None,
            ended_by: None,
            ended_at: None,
            version: 1,
            created_at,
        });
        let act = NewAct::of(ActKind::RailRouteAdded, None, id).by(Some(actor.member));
        acts::record(world, self.org, act.changing(&(), &RailRouteJson::from(&*route)))?;
        Ok(route)
    }
}

/// Refuses a rail that the connection's files or the provider cannot carry.
fn may_carry(parts: &Parts, platform: Platform) -> Result<(), Refusal> {
    let (carried, carrier) = parts.carried();
    if carried.contains(&platform) {
        return Ok(());
    }
    let words: Vec<&str> = carried.iter().map(|platform| platform.as_str()).collect();
    let message = format!("must be one of the rails of a {carrier}: {}", words.join(", "));
    Err(Refusal::field(Code::InvalidInput, "/platform", message))
}
