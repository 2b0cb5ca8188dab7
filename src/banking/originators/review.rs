//! The approval by a second person, and the end.

use std::sync::Arc;

use super::model::Originator;
use super::rows;
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupEvent, SetupStatus};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{OrgId, OriginatorId};
use crate::world::{Halt, World};

const NOUN: &str = "originator";

/// POST /v2/bank/originators/{originator_id}/approve
#[derive(Clone, Copy, Debug)]
pub struct ApproveOriginator {
    pub org: OrgId,
    /// Not the member who added it.
    pub person: Person,
    pub originator: OriginatorId,
}

impl Command for ApproveOriginator {
    type Reply = Arc<Originator>;

    fn decide(&self, world: &mut World) -> Result<Arc<Originator>, Halt> {
        let originator = rows::find(world, self.org, self.originator)?;
        let actor = self.person.may(world, self.org, Act::Pay)?;
        setup::is_second_person(originator.made_by, actor.member)?;
        let to = setup::apply(NOUN, originator.status, SetupEvent::Approved)?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &originator, ActKind::OriginatorApproved, actor.member, |originator| {
            originator.status = to;
            originator.approved_by = Some(actor.member);
            originator.approved_at = Some(now);
        })
    }
}

/// POST /v2/bank/originators/{originator_id}/end. A repetition changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct EndOriginator {
    pub org: OrgId,
    pub person: Person,
    pub originator: OriginatorId,
}

impl Command for EndOriginator {
    type Reply = Arc<Originator>;

    fn decide(&self, world: &mut World) -> Result<Arc<Originator>, Halt> {
        let originator = rows::find(world, self.org, self.originator)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if originator.status == SetupStatus::Ended {
            return Ok(originator);
        }
        let to = setup::apply(NOUN, originator.status, SetupEvent::Ended)?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &originator, ActKind::OriginatorEnded, actor.member, |originator| {
            originator.status = to;
            originator.ended_by = Some(actor.member);
            originator.ended_at = Some(now);
        })
    }
}
