//! What is kept of codes.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::rules::{Tally, Wrong};
use crate::clock::Time;
use crate::ids::{AppId, OrgId, VerificationId};
use crate::messages::CodePurpose;
use crate::world::record::{Document, record};

record! {
    /// The newest code of a phone or an address for one purpose at one door.
    ///
    /// The recipient is stored in clear, as at the user and in the messages; so a command can find it without
    /// the vault.
    pub struct Verification in "verifications" {
        key (org, recipient, purpose, about)
        many OF_RECIPIENT (org, recipient);
        /// The organization.
        pub org: OrgId,
        /// E.164 or an address.
        pub recipient: String,
        /// What the code proves.
        pub purpose: CodePurpose,
        /// The link, the app or the user that it is bound to.
        pub about: Uuid,
        /// A keyed hash of the newest code.
        pub code_hash: Vec<u8>,
        /// Wrong tries.
        pub tries: i64,
        /// When codes were sent within the last hour, in microseconds since 1970, oldest first.
        pub sent_at_micros: Document<Vec<i64>>,
        /// Until when the newest code is good.
        pub expires_at: Time,
        /// When it was used.
        pub used_at: Option<Time>,
        /// When the first one was sent.
        pub created_at: Time,
    }
}

record! {
    /// What all codes of a phone or an address have in common: how many wrong ones were tried, at any door of any app.
    pub struct VerificationRecipient in "verification_recipients" {
        key (org, recipient);
        /// The organization.
        pub org: OrgId,
        /// E.164 or an address.
        pub recipient: String,
        /// The id that events name.
        pub id: VerificationId,
        /// The app that sent the newest code: it receives the events.
        pub app: AppId,
        /// Wrong codes at doors that name the recipient.
        pub named_wrong: i64,
        /// The last of them.
        pub named_wrong_at: Option<Time>,
        /// Wrong codes at links that name no payee.
        pub unnamed_wrong: i64,
        /// The last of them.
        pub unnamed_wrong_at: Option<Time>,
        /// Since when no code is sent or compared.
        pub locked_at: Option<Time>,
        /// When links that name no payee sent codes here, within a day, in microseconds since 1970, oldest first.
        pub unnamed_sent_at_micros: Document<Vec<i64>>,
        /// Counts the events from before each app's log numbered its own.
        pub version: i64,
        /// Counts the events in the log of each app that sent a code.
        pub versions: Document<BTreeMap<AppId, i64>>,
        /// When the first code was sent.
        pub created_at: Time,
    }
}

impl VerificationRecipient {
    /// The wrong codes, for the rule.
    pub fn tally(&self) -> Tally {
        Tally {
            named: Wrong { count: self.named_wrong, last_at: self.named_wrong_at },
            unnamed: Wrong { count: self.unnamed_wrong, last_at: self.unnamed_wrong_at },
            locked_at: self.locked_at,
        }
    }

    /// The version of the newest event in the log of an app. Each log numbers its own, so that none shows what another app did.
    pub fn version_in(&self, app: AppId) -> i64 {
        self.versions.0.get(&app).copied().unwrap_or(self.version)
    }

    /// Counts an event in the log of an app.
    pub fn count_event(&mut self, app: AppId) {
        let version = self.version_in(app) + 1;
        self.versions.0.insert(app, version);
    }

    /// Keeps what the rule counted.
    pub fn keep(&mut self, tally: Tally) {
        self.named_wrong = tally.named.count;
        self.named_wrong_at = tally.named.last_at;
        self.unnamed_wrong = tally.unnamed.count;
        self.unnamed_wrong_at = tally.unnamed.last_at;
        self.locked_at = tally.locked_at;
    }
}

record! {
    /// How many codes an app sent on one day.
    pub struct VerificationDay in "verification_days" {
        key (org, app);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// The day, `YYYY-MM-DD` in UTC.
        pub day_on: String,
        /// Codes sent on that day to verify users.
        pub sends: i64,
        /// Codes sent on that day to payees.
        pub claim_sends: i64,
    }
}
