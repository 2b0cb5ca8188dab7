use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId, OrgId, SettlementAccountId};
use crate::payout_methods::AccountType;
use crate::world::record::{record, words};

words! {
    /// How the bank reports the lines of the account.
    pub enum StatementKind {
        /// A BAI2 file each banking day.
        Bai2 = "bai2",
        /// A camt.053 message each banking day.
        Camt053 = "camt053",
        /// A person enters the balance.
        Manual = "manual",
    }
}

words! {
    /// What the bank books as one line.
    pub enum BookingGrain {
        /// Each entry.
        Entry = "entry",
        /// The sum of a batch.
        Batch = "batch",
        /// The sum of a file.
        File = "file",
        /// The sum of all files of a day in one direction.
        Day = "day",
    }
}

record! {
    pub struct SettlementAccount in "settlement_accounts" {
        key (org, id)
        many OF_CONNECTION (org, connection);
        pub org: OrgId,
        pub id: SettlementAccountId,
        pub connection: BankConnectionId,
        pub name: String,
        /// ISO 4217.
        pub currency: String,
        pub account_type: AccountType,
        pub routing_number: String,
        pub last4: String,
        /// Opened by [`super::open`].
        pub sealed_number: Vec<u8>,
        /// A keyed hash of routing number and number.
        pub fingerprint: Vec<u8>,
        pub statement_kind: StatementKind,
        pub booking_grain: BookingGrain,
        pub status: SetupStatus,
        pub made_by: MemberId,
        pub approved_by: Option<MemberId>,
        pub approved_at: Option<Time>,
        pub ended_by: Option<MemberId>,
        pub ended_at: Option<Time>,
        pub version: i64,
        pub created_at: Time,
    }
}
