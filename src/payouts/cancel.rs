//! Takes a payout back that its rail was not told of yet.

use super::pay::job_of;
use super::settle;
use crate::engine::Command;
use crate::ids::{OrgId, TransferId};
use crate::jobs;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::rules::{self, TransferEvent};
use crate::transfers::{self, Transfer, TransferJson, TransferKind, TransferStatus};
use crate::world::{Halt, World};

/// POST /v2/transfers/{transfer_id}/cancel
#[derive(Clone, Debug)]
pub struct CancelPayout {
    /// The app.
    pub scope: Scope,
    /// The payout.
    pub transfer: TransferId,
}

impl Command for CancelPayout {
    type Reply = TransferJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        let transfer = transfers::find(world, self.scope, self.transfer)?;
        if transfer.kind != TransferKind::Payout {
            let message = format!("A transfer of type {} cannot be canceled.", transfer.kind);
            return Err(Refusal::new(Code::InvalidState, message).into());
        }
        if transfer.status == TransferStatus::Canceled {
            return transfers::json(world, &transfer);
        }
        rules::apply(transfer.status, TransferEvent::Canceled)?;
        keep_from_rail(world, &transfer)?;

        // From here it must succeed.
        let transfer = settle::cancel(world, &transfer)?;
        transfers::json(world, &transfer)
    }
}

/// Takes the job back that would hand it over. Once a worker has begun that, the rail may know of the payout: then
/// nobody but the rail can say what becomes of it.
fn keep_from_rail(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    // One that waits for its approval has no such job yet.
    if transfer.status == TransferStatus::Flagged {
        return Ok(());
    }
    if transfer.waits_for_rail() && jobs::withdraw(world, transfer.org, job_of(transfer))? {
        return Ok(());
    }
    let message = "The payout was already sent to its rail and can no longer be canceled.";
    Err(Refusal::new(Code::InvalidState, message).into())
}
