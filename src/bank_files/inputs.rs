//! Inputs of requests about files.

use super::model::{FileOutcome, FileStatus};
use crate::http::lists::list_query;
use crate::ids::{BankConnectionId, BankFileId, MemberId};
use crate::input::input;
use crate::input::types::{LongText, word_input};

word_input!(FileStatus);
word_input!(FileOutcome);

input! {
    /// The member who acts.
    pub struct BankFileAct {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
    }
}

input! {
    /// What a member knows about a file.
    pub struct BankFileMark {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// How the member knows it: who at the bank, when, the reference.
        pub evidence: LongText,
    }
}

input! {
    /// What a member knows from the bank about a file.
    pub struct BankFileKnown {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// accepted: the bank has taken the file; rejected: it refused the file; not_received: it never got a file in doubt.
        pub outcome: FileOutcome,
        /// How the member knows it: who at the bank, when, the reference.
        pub evidence: LongText,
    }
}

input! {
    /// Why a file is canceled.
    pub struct BankFileCancellation {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The reason.
        pub reason: LongText,
    }
}

list_query! {
    /// The filters of the list of files.
    pub struct BankFilesQuery {
        /// Return only files of this connection.
        pub bank_connection_id: Option<BankConnectionId>,
        /// Return only files in this state.
        pub status: Option<FileStatus>,
    }
}

list_query! {
    /// The filter of the list of payments in files.
    pub struct BankEntriesQuery {
        /// Return only payments of this file.
        pub bank_file_id: Option<BankFileId>,
    }
}
