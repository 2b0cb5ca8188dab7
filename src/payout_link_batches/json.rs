//! A batch as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BatchStatus, PayoutLinkBatch, ValidatedRow};
use crate::clock::Time;
use crate::ids::PayoutLinkBatchId;
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
