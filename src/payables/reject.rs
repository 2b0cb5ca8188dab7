//! Rejects a payable.

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

/// POST /v2/accounts-payable/payables/{payable_id}/reject
///
/// Any member whose role approves can reject, even if no step names them: a rejection moves no money, and a payable
/// whose approvers have all left would otherwise wait permanently. A failed payment can be rejected too, so that the
/// payable can be changed.
#[derive(Clone, Debug)]
pub struct Reject {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: Named,
    pub comment: Option<String>,
}

impl Command for Reject {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = proven(world, self.scope, self.acting, Act::Approve)?;
        rules::apply(payable.status, PayableEvent::Rejected)?;

        // From here it must succeed.
        let (member, now) = (actor.member, world.now());
        let entry = HistoryEntry { kind: ActionKind::Reject, actor: Some(actor), comment: self.comment.clone() };
        advance(world, &payable, PayableEvent::Rejected, Some(entry), |payable| {
            let current = payable.approval_steps.0.iter_mut().find(|step| step.completed_at.is_none());
            let asked = current.and_then(|step| step.approvals.iter_mut().find(|approval| approval.member == member));
            if let Some(approval) = asked {
                approval.given = Some(false);
                approval.at = Some(now);
                approval.comment.clone_from(&self.comment);
            }
        })
    }
}
