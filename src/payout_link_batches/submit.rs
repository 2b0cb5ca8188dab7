//! Stores a submitted batch. The worker creates its links later.

use super::model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus, ValidatedRow, sum};
use super::rows::emit;
use crate::engine::Command;
use crate::ids::PayoutLinkBatchId;
use crate::jobs::{self, Work};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// POST /v2/payout-link-batches
#[derive(Clone, Debug)]
pub struct Submit {
    pub scope: Scope,
    pub rows: Vec<ValidatedRow>,
    /// Identifies an equal batch.
    pub fingerprint: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Submitted {
    pub id: PayoutLinkBatchId,
    pub rows: Vec<ValidatedRow>,
    /// Whether the batch was stored before and was enqueued again.
    pub again: bool,
}

impl Command for Submit {
    type Reply = Submitted;

    fn needs(&self) -> Vec<Want> {
        vec![Want::by::<PayoutLinkBatch>(PayoutLinkBatch::BY_FINGERPRINT, self.by_fingerprint())]
    }

    fn decide(&self, world: &mut World) -> Result<Submitted, Halt> {
        let before = world.find::<PayoutLinkBatch>(PayoutLinkBatch::BY_FINGERPRINT, self.by_fingerprint())?;
        let again = match before.as_deref() {
            Some(batch) => Some(may_be_enqueued_again(batch)?),
            None => None,
        };

        // From here it must succeed.
        let id = match again {
            Some(id) => id,
            None => self.add(world)?,
        };
        jobs::enqueue(world, self.scope.org, Work::ProcessPayoutLinkBatch { batch: id.0 });
        Ok(Submitted { id, rows: self.rows.clone(), again: again.is_some() })
    }
}

impl Submit {
    fn by_fingerprint(&self) -> crate::world::Key {
        key![self.scope.org, self.scope.app, self.fingerprint]
    }

    fn add(&self, world: &mut World) -> Result<PayoutLinkBatchId, Halt> {
        let (id, now) = (world.id(), world.now());
        for (number, row) in (0..).zip(&self.rows) {
            world.add(BatchRow {
                org: self.scope.org,
                batch: id,
                number,
                asked: Document(row.clone()),
                status: RowStatus::Waiting,
                payout_link: None,
                error_code: None,
                error_message: None,
            });
        }
        let batch = world.add(PayoutLinkBatch {
            org: self.scope.org,
            id,
            app: self.scope.app,
            fingerprint: self.fingerprint.clone(),
            status: BatchStatus::Submitted,
            total: i64::try_from(self.rows.len()).unwrap_or(i64::MAX),
            succeeded: 0,
            failed: 0,
            amount: sum(self.rows.iter().map(|row| row.amount_cents)),
            succeeded_amount: Cents::ZERO,
            version: 1,
            created_at: now,
            completed_at: None,
        });
        emit(world, &batch)?;
        Ok(id)
    }
}

/// Returns an equal batch that can be enqueued again, because no link of it is created yet. Afterwards only its results
/// can be fetched.
fn may_be_enqueued_again(batch: &PayoutLinkBatch) -> Result<PayoutLinkBatchId, Refusal> {
    match batch.status {
        BatchStatus::Submitted => Ok(batch.id),
        BatchStatus::Processing | BatchStatus::Completed | BatchStatus::CompletedWithErrors => {
            let message = format!(
                "Batch {id} has the same rows and is {status}; see GET /v2/payout-link-batches/{id}. To pay the same \
                 amounts again, send the rows with new idempotency keys.",
                id = batch.id,
                status = batch.status,
            );
            Err(Refusal::field(Code::BatchAlreadyProcessed, "/links", message))
        }
    }
}
