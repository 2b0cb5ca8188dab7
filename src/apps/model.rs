use super::settings::Settings;
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::world::record::{Document, record, words};

record! {
    /// The tenant: it owns apps, users, money, keys and members.
    pub struct Organization in "organizations" {
        key (org);
        pub org: OrgId,
        pub name: String,
        pub created_at: Time,
    }
}

words! {
    /// The state of an app. The sandbox approves at once.
    pub enum AppStatus {
        /// Created, not yet reviewed.
        Created = "created",
        /// Under review.
        InReview = "in_review",
        /// May move money.
        Approved = "approved",
    }
}

record! {
    /// A tenant's app, which separates funds and users.
    pub struct App in "apps" {
        key (org, id)
        many OF_ORG (org);
        pub org: OrgId,
        pub id: AppId,
        /// 3 to 60 characters; payees see it.
        pub name: String,
        pub status: AppStatus,
        pub metadata: Option<String>,
        pub settings: Document<Settings>,
        /// Increases with every change, so that events can be ordered.
        pub version: i64,
        pub created_at: Time,
        /// The ledger and the history of a deleted app stay.
        pub deleted_at: Option<Time>,
    }
}

record! {
    /// The figures of an app, in their own row, so that a payout does not rewrite the app.
    pub struct AppMetrics in "app_metrics" {
        key (org, app);
        pub org: OrgId,
        pub app: AppId,
        /// Cents paid out that did not come back.
        pub money_out: Cents,
        pub connected_users: i64,
    }
}

record! {
    /// A key: its public half, and a hash of its secret half.
    pub struct Key in "api_keys" {
        key (org, client_id)
        many OF_ORG (org)
        many OF_APP (org, app);
        pub org: OrgId,
        /// The public half; see [`super::keys`].
        pub client_id: String,
        /// `None` for a key of the organization.
        pub app: Option<AppId>,
        /// Keyed hash of the secret, bound to client id, organization and app.
        pub secret_hash: Vec<u8>,
        /// The secret's last four characters, to distinguish keys.
        pub last4: String,
        pub created_at: Time,
        /// `None` for never.
        pub expires_at: Option<Time>,
        /// Stored at most once an hour.
        pub last_used_at: Option<Time>,
        pub revoked_at: Option<Time>,
    }
}

impl Key {
    pub fn is_live(&self, now: Time) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| now < at)
    }
}
