//! The approval by a second person, and the end.

use std::sync::Arc;

use super::model::RailProvider;
use super::rows;
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::routes;
use crate::banking::setup::{self, SetupEvent, SetupStatus};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{OrgId, RailProviderId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

const NOUN: &str = "provider";

/// POST /v2/bank/providers/{rail_provider_id}/approve
#[derive(Clone, Copy, Debug)]
pub struct ApproveProvider {
    pub org: OrgId,
    /// Not the member who added it or gave its newest secret.
    pub person: Person,
    pub provider: RailProviderId,
}

impl Command for ApproveProvider {
    type Reply = Arc<RailProvider>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailProvider>, Halt> {
        let provider = rows::find(world, self.org, self.provider)?;
        let actor = self.person.may(world, self.org, Act::Pay)?;
        setup::is_second_person(provider.made_by, actor.member)?;
        let to = setup::apply(NOUN, provider.status, SetupEvent::Approved)?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &provider, ActKind::RailProviderApproved, Some(actor.member), |provider| {
            provider.status = to;
            provider.approved_by = Some(actor.member);
            provider.approved_at = Some(now);
        })
    }
}

/// POST /v2/bank/providers/{rail_provider_id}/end. A repetition changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct EndProvider {
    pub org: OrgId,
    pub person: Person,
    pub provider: RailProviderId,
}

impl Command for EndProvider {
    type Reply = Arc<RailProvider>;

    fn decide(&self, world: &mut World) -> Result<Arc<RailProvider>, Halt> {
        let provider = rows::find(world, self.org, self.provider)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if provider.status == SetupStatus::Ended {
            return Ok(provider);
        }
        let to = setup::apply(NOUN, provider.status, SetupEvent::Ended)?;
        // Its payments are looked up with its credential, also after its end.
        if provider.status == SetupStatus::Draft && routes::had_provider(world, self.org, provider.id)? {
            let message =
                "Its new secret waits for an approval, and payments may need it. Let another member approve it first.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::MemberNeeded).into());
        }
        if routes::of_provider(world, self.org, provider.id)? {
            let message = "A route names the provider, and is in force or will be. End the route first.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
        }

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &provider, ActKind::RailProviderEnded, Some(actor.member), |provider| {
            provider.status = to;
            provider.ended_by = Some(actor.member);
            provider.ended_at = Some(now);
        })
    }
}
