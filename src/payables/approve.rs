//! Records the approval of a member.

use super::rows;
use std::sync::Arc;

use super::model::{ActionKind, Payable};
use super::rows::{HistoryEntry, advance};
use super::rules::{self, PayableEvent};
use crate::acting::{Act, Named, proven};
use crate::engine::Command;
use crate::ids::PayableId;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/payables/{payable_id}/approve
///
/// Counts in the first step that is not complete, once for each member; the last required approval makes the payable
/// approved. The member must be named in the step, and still be active in a role that approves.
#[derive(Clone, Debug)]
pub struct Approve {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: Named,
    pub comment: Option<String>,
}

impl Command for Approve {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = proven(world, self.scope, self.acting, Act::Approve)?;
        rules::is_not_submitter(payable.submitted_by, actor.member)?;
        rules::apply(payable.status, PayableEvent::Approved)?;
        let steps = rules::approved_by(&payable.approval_steps.0, actor.member, world.now(), self.comment.as_deref())?;
        let is_last = steps.iter().all(|step| step.completed_at.is_some());

        // From here it must succeed.
        let event = if is_last { PayableEvent::Approved } else { PayableEvent::StepApproved };
        let entry = HistoryEntry { kind: ActionKind::Approve, actor: Some(actor), comment: self.comment.clone() };
        advance(world, &payable, event, Some(entry), |payable| payable.approval_steps.0 = steps)
    }
}
