use crate::banking::settings::{FileFormat, Settings};
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId, OrgId};
use crate::world::record::{Document, record, words};

words! {
    /// The state of a connection.
    pub enum ConnectionStatus {
        /// New or changed; no file may be sent.
        Draft = "draft",
        /// The bank has accepted a test file.
        Tested = "tested",
        /// In use.
        Approved = "approved",
        /// Stopped: no file is sent.
        Paused = "paused",
    }
}

record! {
    pub struct BankConnection in "bank_connections" {
        key (org, id)
        many OF_ORG (org);
        pub org: OrgId,
        pub id: BankConnectionId,
        pub name: String,
        /// `manual`, or the name of a transport in the server's configuration.
        pub transport: String,
        pub format: FileFormat,
        pub settings: Document<Settings>,
        /// Counts the changes of the settings.
        pub settings_version: i64,
        pub status: ConnectionStatus,
        /// The member who created it or changed it last.
        pub made_by: MemberId,
        pub tested_by: Option<MemberId>,
        pub tested_at: Option<Time>,
        /// How the bank confirmed the test.
        pub evidence: Option<String>,
        pub approved_by: Option<MemberId>,
        pub approved_at: Option<Time>,
        pub paused_by: Option<MemberId>,
        pub paused_at: Option<Time>,
        pub pause_reason: Option<String>,
        /// When its folder could not be read for the first time, and the code of the last error, until it is read again.
        pub unreachable_since: Option<Time>,
        pub unreachable: Option<String>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}
