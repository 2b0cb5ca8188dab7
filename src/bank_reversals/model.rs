use crate::clock::Time;
use crate::ids::{BankFileId, BankReversalId, MemberId, OrgId, TransferId};
use crate::world::record::{record, words};

words! {
    /// The errors for which the ACH rules allow a reversal.
    pub enum ReversalReason {
        /// The same payment was made twice.
        Duplicate = "duplicate",
        /// It went to, or came from, the wrong person.
        WrongReceiver = "wrong_receiver",
        /// It has another amount than it should have.
        WrongAmount = "wrong_amount",
        /// It was made on another day than it should have been.
        WrongDate = "wrong_date",
    }
}

words! {
    /// The state of an order to reverse.
    pub enum ReversalStatus {
        /// A member proposed it; another one must approve it.
        Proposed = "proposed",
        /// Approved; its entries join their file.
        Approved = "approved",
        /// All of its entries are in their files.
        Joined = "joined",
        /// A member dismissed the proposal.
        Dismissed = "dismissed",
    }
}

record! {
    /// An order of two members to reverse an entry or a file.
    pub struct BankReversal in "bank_reversals" {
        key (org, id)
        many OF_FILE (org, file);
        pub org: OrgId,
        pub id: BankReversalId,
        /// The file with the error.
        pub file: BankFileId,
        /// The only entry that is reversed; `None` for all entries of the file.
        pub entry: Option<TransferId>,
        pub reason: ReversalReason,
        /// What went wrong, and how the member knows it; `None` after an erasure.
        pub evidence: Option<String>,
        /// When the error was found.
        pub found_at: Time,
        /// The end of the fifth banking day after the settlement.
        pub send_by: Time,
        pub status: ReversalStatus,
        /// The entry of the file up to which reversals joined.
        pub through: Option<TransferId>,
        /// The reversals that joined a file.
        pub joined: i64,
        /// The entries that cannot be reversed: they were returned, or are too late.
        pub skipped: i64,
        /// The reversals that took effect, also those that were returned later.
        pub settled: i64,
        /// The reversals that the bank returned or refused.
        pub returned: i64,
        /// The reversals that never reached the bank.
        pub unsent: i64,
        pub made_by: MemberId,
        pub approved_by: Option<MemberId>,
        pub approved_at: Option<Time>,
        pub dismissed_by: Option<MemberId>,
        /// Why it was dismissed.
        pub dismissal: Option<String>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}
