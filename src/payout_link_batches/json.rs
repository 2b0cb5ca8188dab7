//! A batch as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus, ValidatedRow};
use crate::clock::Time;
use crate::ids::{PayoutLinkBatchId, PayoutLinkId};
use crate::money::Cents;

/// The response to a submitted batch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SubmittedPayoutLinkBatch)]
pub struct SubmittedJson {
    /// Always true.
    #[schema(example = true)]
    pub success: bool,
    /// The batch's id.
    pub id: PayoutLinkBatchId,
    /// The rows as they were understood. No link is created yet.
    pub validated_rows: Vec<ValidatedRow>,
}

/// A batch and its progress.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PayoutLinkBatch)]
pub struct PayoutLinkBatchJson {
    /// The batch's id.
    pub id: PayoutLinkBatchId,
    /// When the batch was submitted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// submitted, processing, completed, completed_with_errors.
    #[schema(example = "completed_with_errors")]
    pub status: BatchStatus,
    /// The number of rows.
    #[schema(example = 3)]
    pub total: i64,
    /// The number of rows with a link.
    #[schema(example = 2)]
    pub succeeded: i64,
    /// The number of failed rows; the results have their errors.
    #[schema(example = 1)]
    pub failed: i64,
    /// Cents of all rows.
    #[schema(value_type = i64, example = 3000)]
    pub amount: Cents,
    /// Cents of the rows with a link.
    #[schema(value_type = i64, example = 2000)]
    pub succeeded_amount: Cents,
    /// When the last row was processed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub completed: Option<Time>,
}

impl From<&PayoutLinkBatch> for PayoutLinkBatchJson {
    fn from(batch: &PayoutLinkBatch) -> Self {
        Self {
            id: batch.id,
            created: batch.created_at,
            status: batch.status,
            total: batch.total,
            succeeded: batch.succeeded,
            failed: batch.failed,
            amount: batch.amount,
            succeeded_amount: batch.succeeded_amount,
            completed: batch.completed_at,
        }
    }
}

/// A row of a batch, with its result so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PayoutLinkBatchResult)]
pub struct BatchResultJson {
    /// The row's position in the batch, from 0. It is the cursor of the list.
    pub id: i64,
    /// waiting, succeeded, failed. succeeded means that the link exists, not that it was delivered or paid.
    #[schema(example = "succeeded")]
    pub status: RowStatus,
    /// The row's link.
    #[schema(required)]
    pub payout_link_id: Option<PayoutLinkId>,
    /// The address of the claim, while it can be shown.
    #[schema(required)]
    pub link: Option<String>,
    /// The code of the error.
    #[schema(required)]
    pub error_code: Option<String>,
    /// The message of the error.
    #[schema(required)]
    pub error_message: Option<String>,
    /// The row as it was understood, without the data of an erased payee.
    pub row: ValidatedRow,
}

impl BatchResultJson {
    /// `link` is the address of the row's claim.
    pub fn new(row: &BatchRow, link: Option<String>) -> Self {
        Self {
            id: row.number,
            status: row.status,
            payout_link_id: row.payout_link,
            link,
            error_code: row.error_code.clone(),
            error_message: row.error_message.clone(),
            row: row.asked.0.clone(),
        }
    }
}
