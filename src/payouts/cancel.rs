//! Cancels a payout before it is sent to its rail.

use super::pay::job_of;
use super::settle;
use crate::bank_files;
use crate::engine::Command;
use crate::ids::TransferId;
use crate::jobs;
use crate::rail_payments;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::rules::{self, TransferEvent};
use crate::transfers::{self, Transfer, TransferJson, TransferKind, TransferStatus};
use crate::world::{Halt, World};

/// POST /v2/transfers/{transfer_id}/cancel
#[derive(Clone, Debug)]
pub struct CancelPayout {
    pub scope: Scope,
    pub transfer: TransferId,
}

impl Command for CancelPayout {
    type Reply = TransferJson;

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        let transfer = transfers::find(world, self.scope, self.transfer)?;
        if transfer.kind != TransferKind::Payout {
            let message = format!("A transfer of type {} cannot be canceled; only payouts can.", transfer.kind);
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::WrongKind).into());
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

/// Withdraws the job that would submit the payout, or its entry in an open file. Once a worker has begun the job, or the
/// file was cut, the rail may have the payout, and only the rail decides its outcome.
fn keep_from_rail(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    // A flagged payout has no such job yet.
    if transfer.status == TransferStatus::Flagged {
        return Ok(());
    }
    if transfer.waits_for_rail() && jobs::withdraw(world, transfer.org, job_of(transfer))? {
        return rail_payments::withdraw(world, transfer.org, transfer.id);
    }
    if bank_files::withdraw(world, transfer)? {
        return Ok(());
    }
    let message = "The payout was already sent to its rail and can no longer be canceled. Wait for its outcome; if it fails, its \
                   money is back.";
    Err(Refusal::new(Code::InvalidState, message).because(Reason::TooLate).into())
}
