use serde::Serialize;
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{
    BankConnectionId, BankFileId, BankItemId, BankStatementId, InboundFileId, OriginatorId, SettlementAccountId,
};
use crate::money::Cents;
use crate::world::record::words;

words! {
    /// What is wrong.
    pub enum AlarmKind {
        /// The program stopped a connection.
        Stopped = "stopped",
        /// A file is not at the bank, and its deadline is near or over.
        Unsent = "unsent",
        /// A file may be at the bank.
        InDoubt = "in_doubt",
        /// The bank refused a file.
        Rejected = "rejected",
        /// What the bank says about a file may be wrong.
        Contested = "contested",
        /// The bank has not acknowledged a file in time.
        NotAcknowledged = "not_acknowledged",
        /// The bank has not booked a file or a return in time.
        Unbooked = "unbooked",
        /// The next files pay more than the account has.
        NotCovered = "not_covered",
        /// The files of today are above 80 % of a limit of the connection.
        NearLimit = "near_limit",
        /// Statements of banking days have not arrived.
        StatementMissing = "statement_missing",
        /// A statement waits for the one before it, or contradicts it.
        StatementStopped = "statement_stopped",
        /// A line of a statement is not explained.
        Suspense = "suspense",
        /// The folder with the bank's files cannot be read.
        Unreachable = "unreachable",
        /// A file of the bank is not applied.
        Quarantined = "quarantined",
        /// Returns, changes or refusals of the bank match no payment.
        Unmatched = "unmatched",
        /// A return rate of debits is near its limit or above it.
        ReturnRate = "return_rate",
    }
}

/// Something at a bank that a person must look at.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankAlarm)]
pub struct BankAlarmJson {
    /// What is wrong.
    pub kind: AlarmKind,
    /// One sentence, and what to do.
    pub message: String,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The account.
    #[schema(required)]
    pub settlement_account_id: Option<SettlementAccountId>,
    /// The file.
    #[schema(required)]
    pub bank_file_id: Option<BankFileId>,
    /// The file of the bank.
    #[schema(required)]
    pub inbound_file_id: Option<InboundFileId>,
    /// The originator.
    #[schema(required)]
    pub originator_id: Option<OriginatorId>,
    /// The statement.
    #[schema(required)]
    pub bank_statement_id: Option<BankStatementId>,
    /// The line of a statement.
    #[schema(required)]
    pub bank_item_id: Option<BankItemId>,
    /// The amount of the file, the line or the reports, or what is missing, in cents; negative for a debit by the bank.
    #[schema(required, value_type = Option<i64>)]
    pub amount: Option<Cents>,
    /// The banking days without a statement.
    #[schema(value_type = Vec<String>)]
    pub days: Vec<String>,
    /// The bank's deadline of the file, or when it should have acknowledged it; since when its folder cannot be read.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub deadline: Option<Time>,
}

impl BankAlarmJson {
    pub(super) fn new(kind: AlarmKind, connection: BankConnectionId, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            bank_connection_id: connection,
            settlement_account_id: None,
            bank_file_id: None,
            inbound_file_id: None,
            originator_id: None,
            bank_statement_id: None,
            bank_item_id: None,
            amount: None,
            days: Vec::new(),
            deadline: None,
        }
    }
}
