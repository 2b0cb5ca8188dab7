use super::json::VerificationJson;
use super::rows::{count, emit, recipient_row};
use super::rules::Tally;
use crate::engine::Command;
use crate::events::EventName;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId};
use crate::messages::CodePurpose;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/verifications/unlock. Works for a recipient without a user. A repeated call changes nothing.
#[derive(Clone, Debug)]
pub struct Unlock {
    pub org: OrgId,
    pub recipient: String,
    /// The signed-in member; `None` for an organization key.
    pub by: Option<MemberId>,
}

impl Command for Unlock {
    /// The counts, and whether anything was unlocked.
    type Reply = (VerificationJson, bool);

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let now = world.now();
        let counted = recipient_row(world, self.org, &self.recipient)?;
        let counted = counted.ok_or_else(|| Refusal::not_found("verification"))?;
        if counted.tally() == Tally::default() {
            return Ok((VerificationJson::of(&counted, CodePurpose::Verification, now), false));
        }

        // From here it must succeed.
        let scope = Scope { org: self.org, app: counted.app };
        let counted = count(world, scope, &self.recipient, Some(counted), |counted| {
            counted.keep(Tally::default());
            counted.count_event(scope.app);
        })?;
        let json = VerificationJson::of(&counted, CodePurpose::Verification, now);
        emit(world, scope, EventName::VerificationUnlocked, &counted, &json)?;
        let act = NewAct::of(ActKind::VerificationUnlocked, None, counted.id).by(self.by);
        acts::record(world, self.org, act)?;
        Ok((json, true))
    }
}
