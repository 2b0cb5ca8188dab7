use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BankStatement, StatementReason, StatementStatus};
use crate::bank_intake::BankItemJson;
use crate::clock::Time;
use crate::ids::{AppId, BankConnectionId, BankStatementId, InboundFileId, MemberId, SettlementAccountId};
use crate::money::Cents;

/// A statement of a settlement account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankStatementJson {
    /// The statement's id.
    pub id: BankStatementId,
    /// When it was stored.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// The state.
    pub status: StatementStatus,
    /// Why it is not applied.
    #[schema(required)]
    pub reason: Option<StatementReason>,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The account.
    pub settlement_account_id: SettlementAccountId,
    /// The file that it is in.
    pub inbound_file_id: InboundFileId,
    /// The day of the closing balance.
    #[schema(value_type = String, format = Date)]
    pub date: String,
    /// The bank's id of it.
    pub reference: String,
    /// The bank's number of it.
    #[schema(required)]
    pub sequence: Option<i64>,
    /// The balance before the lines, in cents; negative if the account is overdrawn.
    #[schema(value_type = i64)]
    pub opening: Cents,
    /// The balance after the lines, in cents.
    #[schema(value_type = i64)]
    pub closing: Cents,
    /// The number of lines.
    pub line_count: i64,
    /// The number of lines that credit the account.
    pub credits: i64,
    /// Their sum, in cents.
    #[schema(value_type = i64)]
    pub credit: Cents,
    /// The number of lines that debit the account.
    pub debits: i64,
    /// Their sum, in cents.
    #[schema(value_type = i64)]
    pub debit: Cents,
    /// Its place among the applied statements of the account, from 1.
    #[schema(required)]
    pub position: Option<i64>,
    /// When it was applied.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub applied: Option<Time>,
    /// The member who confirmed that no statement is missing before it.
    #[schema(required)]
    pub confirmed_by: Option<MemberId>,
    /// The member who discarded it.
    #[schema(required)]
    pub closed_by: Option<MemberId>,
    /// Why it was confirmed or discarded.
    #[schema(required)]
    pub evidence: Option<String>,
}

impl From<&BankStatement> for BankStatementJson {
    fn from(statement: &BankStatement) -> Self {
        Self {
            id: statement.id,
            created: statement.created_at,
            updated: statement.updated_at,
            status: statement.status,
            reason: statement.reason,
            bank_connection_id: statement.connection,
            settlement_account_id: statement.settlement_account,
            inbound_file_id: statement.inbound_file,
            date: statement.booked_on.clone(),
            reference: statement.reference.clone(),
            sequence: statement.sequence,
            opening: statement.opening,
            closing: statement.closing,
            line_count: statement.lines,
            credits: statement.credits,
            credit: statement.credit,
            debits: statement.debits,
            debit: statement.debit,
            position: statement.position,
            applied: statement.applied_at,
            confirmed_by: statement.confirmed_by,
            closed_by: statement.closed_by,
            evidence: statement.evidence.clone(),
        }
    }
}

/// A statement with its lines.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankStatementWithLines {
    #[serde(flatten)]
    pub statement: BankStatementJson,
    /// The lines, in the bank's order; first the money before the first statement of the account.
    pub lines: Vec<BankItemJson>,
}

/// The reference with which a payer names an app.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DepositReferenceJson {
    /// The app.
    pub app_id: AppId,
    /// The app's name.
    pub name: String,
    /// The text that a wire or another credit transfer contains.
    #[schema(example = "BUR7K3Q9X2M4T")]
    pub reference: String,
}
