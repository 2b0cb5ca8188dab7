//! Inputs of requests about statements.

use super::model::StatementStatus;
use crate::banking::Day;
use crate::http::lists::list_query;
use crate::ids::{MemberId, SettlementAccountId};
use crate::input::input;
use crate::input::types::{LongText, word_input};

word_input!(StatementStatus);

list_query! {
    /// The filters of the list of statements.
    pub struct BankStatementsQuery {
        /// Return only statements of this settlement account.
        pub settlement_account_id: Option<SettlementAccountId>,
        /// Return only statements in this state.
        pub status: Option<StatementStatus>,
    }
}

input! {
    /// How a member knows that the bank has no statement before this one.
    pub struct BankStatementConfirmation {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// How the member knows it: who at the bank, when.
        pub evidence: LongText,
    }
}

input! {
    /// The account and the day of a reconciliation.
    pub struct ReconciliationQuery {
        /// The settlement account.
        pub settlement_account_id: SettlementAccountId,
        /// The day of a statement; the last applied one if it is missing.
        pub on: Option<Day>,
    }
}
