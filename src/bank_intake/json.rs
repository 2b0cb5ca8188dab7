use serde::Serialize;
use utoipa::ToSchema;

use super::model::{
    BankItem, BookedAs, Finding, InboundFile, InboundStatus, ItemKind, ItemReason, ItemStatus, LineMeaning, Proposal,
};
use crate::clock::Time;
use crate::ids::{
    AppId, BankConnectionId, BankFileId, BankItemId, BankStatementId, InboundFileId, MemberId, PayoutMethodId,
    SettlementAccountId, TransferId,
};
use crate::money::Cents;

/// A file that a bank sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InboundFileJson {
    /// The file's id.
    pub id: InboundFileId,
    /// When it was stored.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// The state.
    pub status: InboundStatus,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The name at the bank.
    #[schema(example = "RETURNS_20261124.ach")]
    pub name: String,
    /// The length in bytes.
    pub size: i64,
    /// The SHA-256 hash of the bytes, in hexadecimal digits.
    pub sha256: String,
    /// The first file with the same bytes.
    #[schema(required)]
    pub duplicate_of: Option<InboundFileId>,
    /// Why it is in quarantine, with line, column and rule; at most 50, errors first.
    pub findings: Vec<Finding>,
    /// The findings that are left out.
    pub findings_left_out: u64,
    /// The reports of it that are stored: all that change something, once it is applied.
    pub items: i64,
    /// The reports that matched nothing when it was applied.
    pub unmatched: i64,
    /// The member who uploaded it; null for a file from the bank's folder.
    #[schema(required)]
    pub uploaded_by: Option<MemberId>,
    /// The member who replayed or discarded it last.
    #[schema(required)]
    pub closed_by: Option<MemberId>,
    /// Why it was discarded.
    #[schema(required)]
    pub evidence: Option<String>,
}

impl From<&InboundFile> for InboundFileJson {
    fn from(file: &InboundFile) -> Self {
        Self {
            id: file.id,
            created: file.created_at,
            updated: file.updated_at,
            status: file.status,
            bank_connection_id: file.connection,
            name: file.name.clone(),
            size: file.size,
            sha256: file.sha256.clone(),
            duplicate_of: file.duplicate_of,
            findings: file.findings.0.kept.clone(),
            findings_left_out: file.findings.0.left_out,
            items: file.items,
            unmatched: file.unmatched,
            uploaded_by: file.uploaded_by,
            closed_by: file.closed_by,
            evidence: file.evidence.clone(),
        }
    }
}

/// A return, a change, a line of a statement or another report of a bank.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankItemJson {
    /// The report's id.
    pub id: BankItemId,
    /// When it was stored.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state.
    pub status: ItemStatus,
    /// What the bank reports.
    pub kind: ItemKind,
    /// Why it was unmatched.
    #[schema(required)]
    pub reason: Option<ItemReason>,
    /// The bank's code: R02 for a return, C01 for a change, REJ and a number for a rejection, RJCT for a status, 165 or
    /// PMNT-RCDT-ESCT for a line of a statement.
    #[schema(example = "R02")]
    pub code: String,
    /// The ISO 20022 reason of a return or a refusal.
    #[schema(required, example = "AC04")]
    pub bank_reason: Option<String>,
    /// The file that it is in.
    pub inbound_file_id: InboundFileId,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The line in the file.
    pub line: i64,
    /// The trace number of our payment.
    #[schema(required, example = "011000010000001")]
    pub trace: Option<String>,
    /// In cents; the sum of the payments for a rejection; negative for a debit of the account by a line.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// The id of the payment, as the bank repeats it; the customer's reference of a line.
    pub individual_id: String,
    /// The bank's own words; null after an erasure.
    #[schema(required)]
    pub text: Option<String>,
    /// The payment that it matches, or seems to: the id of its entry, which is that of its transfer or of a reversal or a
    /// retry.
    #[schema(required)]
    pub transfer_id: Option<TransferId>,
    /// The file that the bank rejected.
    #[schema(required)]
    pub bank_file_id: Option<BankFileId>,
    /// The payout method with the corrected numbers.
    #[schema(required)]
    pub payout_method_id: Option<PayoutMethodId>,
    /// The member who matched it with the payout.
    #[schema(required)]
    pub matched_by: Option<MemberId>,
    /// The member who approved or ignored it.
    #[schema(required)]
    pub closed_by: Option<MemberId>,
    /// When it was approved or ignored.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub closed: Option<Time>,
    /// What the members know; null after an erasure.
    #[schema(required)]
    pub evidence: Option<String>,
    /// The statement of a line.
    #[schema(required)]
    pub bank_statement_id: Option<BankStatementId>,
    /// The account of a line.
    #[schema(required)]
    pub settlement_account_id: Option<SettlementAccountId>,
    /// The day of a line's statement.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub date: Option<String>,
    /// The bank's reference of a line.
    #[schema(required)]
    pub reference: Option<String>,
    /// What the bank's code says about a line.
    #[schema(required)]
    pub meaning: Option<LineMeaning>,
    /// What a line was booked as.
    #[schema(required)]
    pub booked_as: Option<BookedAs>,
    /// The app that a deposit belongs to.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// What a member says that a line is, until another member approves it.
    #[schema(required)]
    pub proposal: Option<Proposal>,
    /// Counts the changes by members. An approval names it.
    #[schema(example = 2)]
    pub version: i64,
}

impl BankItemJson {
    /// For administrative acts, which outlive the erasure of a payee.
    pub(super) fn without_words(item: &BankItem) -> Self {
        Self { text: None, evidence: None, ..Self::from(item) }
    }
}

impl From<&BankItem> for BankItemJson {
    fn from(item: &BankItem) -> Self {
        Self {
            id: item.id,
            created: item.created_at,
            status: item.status,
            kind: item.kind,
            reason: item.reason,
            code: item.code.clone(),
            bank_reason: item.bank_reason.clone(),
            inbound_file_id: item.inbound_file,
            bank_connection_id: item.connection,
            line: item.line,
            trace: item.trace.clone(),
            amount: item.amount,
            individual_id: item.individual_id.clone(),
            text: item.text.clone(),
            transfer_id: item.transfer,
            bank_file_id: item.bank_file,
            payout_method_id: item.payout_method,
            matched_by: item.matched_by,
            closed_by: item.closed_by,
            closed: item.closed_at,
            evidence: item.evidence.clone(),
            bank_statement_id: item.statement,
            settlement_account_id: item.settlement_account,
            date: item.booked_on.clone(),
            reference: item.reference.clone(),
            meaning: item.meaning,
            booked_as: item.booked_as,
            app_id: item.app,
            proposal: item.proposal.as_ref().map(|proposal| proposal.0.clone()),
            version: item.version,
        }
    }
}
