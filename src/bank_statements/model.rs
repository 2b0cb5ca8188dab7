use crate::clock::Time;
use crate::ids::{BankConnectionId, BankStatementId, InboundFileId, MemberId, OrgId, SettlementAccountId};
use crate::money::Cents;
use crate::world::record::{record, words};

words! {
    /// The state of a statement.
    pub enum StatementStatus {
        /// Complete; it is applied when the one before it is.
        Waiting = "waiting",
        /// All of its lines are booked.
        Applied = "applied",
        /// It contradicts the statement before it, and none of its lines is booked.
        Quarantined = "quarantined",
        /// A member discarded it. Never applied.
        Discarded = "discarded",
    }
}

words! {
    /// Why a statement is not applied.
    pub enum StatementReason {
        /// No statement of the banking day before it is applied.
        MissingBefore = "missing_before",
        /// Its opening balance is not the closing balance before it.
        OtherOpening = "other_opening",
    }
}

record! {
    /// A statement of a settlement account. Its lines are bank items.
    pub struct BankStatement in "bank_statements" {
        key (org, id)
        many BY_DAY (org, settlement_account, booked_on)
        many BY_STATUS (org, settlement_account, status);
        pub org: OrgId,
        pub id: BankStatementId,
        pub connection: BankConnectionId,
        pub settlement_account: SettlementAccountId,
        pub inbound_file: InboundFileId,
        /// `YYYY-MM-DD`: the day of the closing balance.
        pub booked_on: String,
        /// The bank's id of it.
        pub reference: String,
        /// The bank's number of it, if the bank counts them.
        pub sequence: Option<i64>,
        /// Negative if the account is overdrawn.
        pub opening: Cents,
        pub closing: Cents,
        pub lines: i64,
        /// Lines that credit the account.
        pub credits: i64,
        pub credit: Cents,
        pub debits: i64,
        pub debit: Cents,
        pub status: StatementStatus,
        pub reason: Option<StatementReason>,
        /// Counts the applied statements of the account from 1.
        pub position: Option<i64>,
        pub applied_at: Option<Time>,
        /// The member who knows that the bank has no statement between it and the last applied one.
        pub confirmed_by: Option<MemberId>,
        /// The member who discarded it.
        pub closed_by: Option<MemberId>,
        pub evidence: Option<String>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

record! {
    /// The last applied statement of a settlement account.
    pub struct BankBalance in "bank_balances" {
        key (org, settlement_account);
        pub org: OrgId,
        pub settlement_account: SettlementAccountId,
        pub statement: BankStatementId,
        pub booked_on: String,
        pub sequence: Option<i64>,
        pub closing: Cents,
        /// Applied statements.
        pub statements: i64,
    }
}
