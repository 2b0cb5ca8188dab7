use serde::Serialize;
use utoipa::ToSchema;

use crate::bank_intake::{ItemReason, ItemStatus, LineMeaning};
use crate::ids::{BankFileId, BankItemId, BankStatementId, SettlementAccountId, TransferId};
use crate::money::Cents;

/// The bank's balance of an account next to the ledger's, and everything that is open.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankReconciliation)]
pub struct ReconciliationJson {
    /// The account.
    pub settlement_account_id: SettlementAccountId,
    /// The day of the statement.
    #[schema(value_type = String, format = Date)]
    pub date: String,
    /// The applied statement of the day.
    pub bank_statement_id: BankStatementId,
    /// The bank's balance before the lines of the day, in cents.
    #[schema(value_type = i64)]
    pub opening: Cents,
    /// The bank's balance after them, in cents.
    #[schema(value_type = i64)]
    pub closing: Cents,
    /// The lines of the day by their meaning.
    pub lines: Vec<LineSumJson>,
    /// The money in the account according to the ledger, in cents.
    #[schema(value_type = i64)]
    pub ledger: Cents,
    /// The ledger's money less the bank's balance, in cents; always 0.
    #[schema(value_type = i64)]
    pub difference: Cents,
    /// What the bank has not booked now.
    pub unbooked: Vec<UnbookedJson>,
    /// The lines that are in suspense now.
    pub suspense: Vec<SuspenseJson>,
    /// Banking days before today of which no statement is applied.
    #[schema(value_type = Vec<String>)]
    pub missing: Vec<String>,
    /// The statements that wait for another one, or are in quarantine.
    pub open_statements: Vec<BankStatementId>,
    /// Whether the difference is 0, each line in suspense is explained, nothing unbooked is overdue, and no statement
    /// is missing or open.
    pub balanced: bool,
}

/// The lines of one meaning, which is that of the bank's code.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankLineSum)]
pub struct LineSumJson {
    /// The meaning.
    pub meaning: LineMeaning,
    /// The number of lines.
    pub count: i64,
    /// Their sum, in cents; negative for debits.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// What of the sum is in suspense now, because no payment, return or deposit of ours explains it.
    #[schema(value_type = i64)]
    pub in_suspense: Cents,
}

/// A file, or a returned payment, for which a line of a statement is expected.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UnbookedItem)]
pub struct UnbookedJson {
    /// The file that the bank has not debited.
    #[schema(required)]
    pub bank_file_id: Option<BankFileId>,
    /// The returned payment that the bank has not credited.
    #[schema(required)]
    pub transfer_id: Option<TransferId>,
    /// The settlement day of the file, or the day of the return.
    #[schema(value_type = String, format = Date)]
    pub since: String,
    /// Banking days from then to the statement.
    pub age: i64,
    /// The amount of the line, in cents; negative for a debit.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Whether the bank should have booked it: it is two banking days old.
    pub overdue: bool,
}

/// A line in suspense.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SuspenseItem)]
pub struct SuspenseJson {
    /// The line.
    pub bank_item_id: BankItemId,
    /// The state: unmatched, matched or explained.
    pub status: ItemStatus,
    /// Why it is in suspense.
    #[schema(required)]
    pub reason: Option<ItemReason>,
    /// The day of its statement.
    #[schema(value_type = String, format = Date)]
    pub since: String,
    /// Banking days from then to the statement of the reconciliation.
    pub age: i64,
    /// In cents; negative for a debit.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Whether it keeps the account from being balanced: it is not explained, or, above $100.00, not by two members.
    pub open: bool,
    /// What a member knows.
    #[schema(required)]
    pub evidence: Option<String>,
}
