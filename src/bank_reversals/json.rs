use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BankReversal, ReversalReason, ReversalStatus};
use crate::clock::Time;
use crate::ids::{BankFileId, BankReversalId, MemberId, TransferId};

/// An order of two members to reverse an entry or a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankReversalJson {
    /// The reversal's id.
    pub id: BankReversalId,
    /// When it was proposed.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// The state.
    pub status: ReversalStatus,
    /// The file with the error.
    pub bank_file_id: BankFileId,
    /// The only entry that is reversed; null for all entries of the file.
    #[schema(required)]
    pub entry_id: Option<TransferId>,
    /// The error.
    pub reason: ReversalReason,
    /// When the error was found.
    #[schema(value_type = String, format = DateTime)]
    pub found_at: Time,
    /// What went wrong, and how the member knows it; null after an erasure.
    #[schema(required)]
    pub evidence: Option<String>,
    /// The end of the fifth banking day after the settlement. No reversal reaches the bank later.
    #[schema(value_type = String, format = DateTime)]
    pub send_by: Time,
    /// The reversals that joined a file.
    pub joined: i64,
    /// The entries of the file that cannot be reversed: they were returned, were reversed before, or are too late.
    pub skipped: i64,
    /// The reversals that took effect, also those that were returned later.
    pub settled: i64,
    /// The reversals that the bank returned or refused.
    pub returned: i64,
    /// The reversals that never reached the bank. Their entries can be reversed again.
    pub unsent: i64,
    /// The member who proposed it.
    pub made_by: MemberId,
    /// The member who approved it.
    #[schema(required)]
    pub approved_by: Option<MemberId>,
    /// When it was approved.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub approved: Option<Time>,
    /// The member who dismissed it.
    #[schema(required)]
    pub dismissed_by: Option<MemberId>,
    /// Why it was dismissed.
    #[schema(required)]
    pub dismissal: Option<String>,
    /// The version that an approval names.
    pub version: i64,
}

impl BankReversalJson {
    /// For administrative acts, which outlive the erasure of a payee.
    pub(super) fn without_words(reversal: &BankReversal) -> Self {
        Self { evidence: None, dismissal: None, ..Self::from(reversal) }
    }
}

impl From<&BankReversal> for BankReversalJson {
    fn from(reversal: &BankReversal) -> Self {
        Self {
            id: reversal.id,
            created: reversal.created_at,
            updated: reversal.updated_at,
            status: reversal.status,
            bank_file_id: reversal.file,
            entry_id: reversal.entry,
            reason: reversal.reason,
            found_at: reversal.found_at,
            evidence: reversal.evidence.clone(),
            send_by: reversal.send_by,
            joined: reversal.joined,
            skipped: reversal.skipped,
            settled: reversal.settled,
            returned: reversal.returned,
            unsent: reversal.unsent,
            made_by: reversal.made_by,
            approved_by: reversal.approved_by,
            approved: reversal.approved_at,
            dismissed_by: reversal.dismissed_by,
            dismissal: reversal.dismissal.clone(),
            version: reversal.version,
        }
    }
}
