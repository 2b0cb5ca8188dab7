use std::collections::BTreeMap;

use uuid::Uuid;

use super::rules::{Tally, Wrong};
use crate::clock::Time;
use crate::ids::{AppId, OrgId, VerificationId};
use crate::messages::CodePurpose;
use crate::world::record::{Document, record};

record! {
    /// The newest code of a recipient for one purpose and context. The recipient is in plain text, so that a command
    /// finds it without the vault.
    pub struct Verification in "verifications" {
        key (org, recipient, purpose, about)
        many OF_RECIPIENT (org, recipient);
        pub org: OrgId,
        pub recipient: String,
        pub purpose: CodePurpose,
        pub about: Uuid,
        pub code_hash: Vec<u8>,
        pub tries: i64,
        /// Sends within the last hour, in microseconds since 1970, oldest first.
        pub sent_at_micros: Document<Vec<i64>>,
        pub expires_at: Time,
        pub used_at: Option<Time>,
        pub created_at: Time,
    }
}

record! {
    /// The counts that all codes of a recipient share: wrong attempts in any context of any app.
    pub struct VerificationRecipient in "verification_recipients" {
        key (org, recipient);
        pub org: OrgId,
        pub recipient: String,
        pub id: VerificationId,
        /// The app that sent the newest code; it receives the events.
        pub app: AppId,
        pub named_wrong: i64,
        pub named_wrong_at: Option<Time>,
        pub unnamed_wrong: i64,
        pub unnamed_wrong_at: Option<Time>,
        /// Since then no code is sent or compared.
        pub locked_at: Option<Time>,
        /// Sends by links that name no payee, within a day, in microseconds since 1970, oldest first.
        pub unnamed_sent_at_micros: Document<Vec<i64>>,
        /// The number of events from before each app's log had its own numbers.
        pub version: i64,
        /// The number of events in the log of each app that sent a code.
        pub versions: Document<BTreeMap<AppId, i64>>,
        pub created_at: Time,
    }
}

impl VerificationRecipient {
    pub fn tally(&self) -> Tally {
        Tally {
            named: Wrong { count: self.named_wrong, last_at: self.named_wrong_at },
            unnamed: Wrong { count: self.unnamed_wrong, last_at: self.unnamed_wrong_at },
            locked_at: self.locked_at,
        }
    }

    /// Each log has its own numbers, so that none reveals what another app did.
    pub fn version_in(&self, app: AppId) -> i64 {
        self.versions.0.get(&app).copied().unwrap_or(self.version)
    }

    pub fn count_event(&mut self, app: AppId) {
        let version = self.version_in(app) + 1;
        self.versions.0.insert(app, version);
    }

    pub fn keep(&mut self, tally: Tally) {
        self.named_wrong = tally.named.count;
        self.named_wrong_at = tally.named.last_at;
        self.unnamed_wrong = tally.unnamed.count;
        self.unnamed_wrong_at = tally.unnamed.last_at;
        self.locked_at = tally.locked_at;
    }
}

record! {
    pub struct VerificationDay in "verification_days" {
        key (org, app);
        pub org: OrgId,
        pub app: AppId,
        /// `YYYY-MM-DD` in UTC.
        pub day_on: String,
        pub sends: i64,
        /// Codes to payees; `sends` counts codes to verify users.
        pub claim_sends: i64,
    }
}
