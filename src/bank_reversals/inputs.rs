//! Inputs of requests about reversals.

use super::model::{ReversalReason, ReversalStatus};
use crate::clock::Time;
use crate::http::lists::list_query;
use crate::ids::{BankFileId, MemberId, TransferId};
use crate::input::input;
use crate::input::types::{LongText, word_input};

word_input!(ReversalReason);
word_input!(ReversalStatus);

input! {
    /// The entry or the file to reverse, and why.
    pub struct BankReversalProposal {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The entry to reverse; all entries of the file if not given.
        pub entry_id: Option<TransferId>,
        /// The error. The ACH rules allow a reversal for no other reason.
        pub reason: ReversalReason,
        /// When the error was found: at most 24 hours ago.
        pub found_at: Time,
        /// What went wrong, and how the member knows it.
        pub evidence: LongText,
    }
}

input! {
    /// The approval of a proposed reversal.
    pub struct BankReversalApproval {
        /// The member (admin or payer), another one than the one who proposed it.
        pub acting_user_id: MemberId,
        /// The version of the reversal that the member saw.
        pub version: i64,
    }
}

input! {
    /// Why a proposed reversal is dismissed.
    pub struct BankReversalDismissal {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The reason.
        pub reason: LongText,
    }
}

list_query! {
    /// The filters of the list of reversals.
    pub struct BankReversalsQuery {
        /// Return only reversals of this file.
        pub bank_file_id: Option<BankFileId>,
        /// Return only reversals in this state.
        pub status: Option<ReversalStatus>,
    }
}
