//! A batch as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BatchStatus, PayoutLinkBatch, ValidatedRow};
use crate::clock::Time;
use crate::ids::PayoutLinkBatchId;
use crate::money::Cents;

/// The answer to a batch that was submitted.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SubmittedPayoutLinkBatch)]
pub struct SubmittedJson {
    /// Always true.
    #[schema(example = true)]
    pub success: bool,
    /// The batch's id.
    pub id: PayoutLinkBatchId,
    /// The rows as they were understood. No link is made yet.
    pub validated_rows: Vec<ValidatedRow>,
}

/// How far a batch is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PayoutLinkBatch)]
pub struct PayoutLinkBatchJson {
    /// Its id.
    pub id: PayoutLinkBatchId,
    /// When it was submitted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// submitted, processing, completed, completed_with_errors.
    pub status: BatchStatus,
    /// Rows.
    pub total: i64,
    /// Rows that have their link.
    pub succeeded: i64,
    /// Rows that could not make one; the results say why.
    pub failed: i64,
    /// Cents that all rows together ask for.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Cents that the rows with a link asked for.
    #[schema(value_type = i64)]
    pub succeeded_amount: Cents,
    /// When its last row was done.
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
