//! The approval by a second person, and the end.

use std::sync::Arc;

use super::model::RailRoute;
use super::rows;
use super::rules::{are_approved, begins_later};
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupEvent, SetupStatus};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{OrgId, RailRouteId};
use crate::world::{Halt, World};

const NOUN: &str = "route";

/// POST /v2/bank/routes/{rail_route_id}/approve
#[derive(Clone, Copy, Debug)]
pub struct ApproveRoute {
    pub org: OrgId,
    /// Not the member who added it.
    pub person: Person,
    pub route: RailRouteId,
}

impl Command for ApproveRoute {
    type Reply = Arc<RailRoute>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailRoute>, Halt> {
        let route = rows::find(world, self.org, self.route)?;
        let actor = self.person.may(world, self.org, Act::Pay)?;
        setup::is_second_person(route.made_by, actor.member)?;
        let to = setup::apply(NOUN, route.status, SetupEvent::Approved)?;
        let parts = rows::parts_of(world, &route)?;
        are_approved(&parts)?;
        let zone = parts.zone();
        begins_later(&route.from_on, zone.day_of(world.now()), zone.name())?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &route, ActKind::RailRouteApproved, actor.member, |route| {
            route.status = to;
            route.approved_by = Some(actor.member);
            route.approved_at = Some(now);
        })
    }
}

/// POST /v2/bank/routes/{rail_route_id}/end. A repetition changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct EndRoute {
    pub org: OrgId,
    pub person: Person,
    pub route: RailRouteId,
}

impl Command for EndRoute {
    type Reply = Arc<RailRoute>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailRoute>, Halt> {
        let route = rows::find(world, self.org, self.route)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if route.status == SetupStatus::Ended {
            return Ok(route);
        }
        let to = setup::apply(NOUN, route.status, SetupEvent::Ended)?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &route, ActKind::RailRouteEnded, actor.member, |route| {
            route.status = to;
            route.ended_by = Some(actor.member);
            route.ended_at = Some(now);
        })
    }
}
