//! Cancels a payable before it is submitted for approval.

use super::rows;
use std::sync::Arc;

use super::model::{ActionKind, Payable};
use super::rows::{HistoryEntry, advance};
use super::rules::{self, PayableEvent};
use crate::acting::{Act, acting};
use crate::engine::Command;
use crate::ids::{MemberId, PayableId};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/payables/{payable_id}/cancel
#[derive(Clone, Copy, Debug)]
pub struct Cancel {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: MemberId,
}

impl Command for Cancel {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = acting(world, self.scope.org, self.acting, Act::Prepare)?;
        rules::apply(payable.status, PayableEvent::Canceled)?;

        // From here it must succeed.
        advance(world, &payable, PayableEvent::Canceled, Some(HistoryEntry::of(ActionKind::Cancel, actor)), |_| ())
    }
}
