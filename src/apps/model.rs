//! The records of tenancy, and how they are found.

use std::sync::Arc;

use super::settings::Settings;
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::{Document, key, record, words};
use crate::world::{Halt, Want, World};

record! {
    /// The tenant: it owns apps, users, money, keys and members.
    pub struct Organization in "organizations" {
        key (org);
        /// Its id.
        pub org: OrgId,
        /// Its name.
        pub name: String,
        /// When it was made.
        pub created_at: Time,
    }
}

words! {
    /// How far an app has come. The sandbox approves at once.
    pub enum AppStatus {
        /// Made, not yet looked at.
        Created = "created",
        /// Being looked at.
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
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: AppId,
        /// Its name, 3 to 60 characters; payees see it.
        pub name: String,
        /// How far it has come.
        pub status: AppStatus,
        /// Whatever its makers keep with it.
        pub metadata: Option<String>,
        /// See [`Settings`].
        pub settings: Document<Settings>,
        /// Goes up with every change, so that events can be ordered.
        pub version: i64,
        /// When it was made.
        pub created_at: Time,
        /// When it was deleted. Its ledger and its history stay.
        pub deleted_at: Option<Time>,
    }
}

record! {
    /// What an app is measured by. A row of its own, so that a payout does not rewrite the app.
    pub struct AppMetrics in "app_metrics" {
        key (org, app);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// Cents that have left for payees and did not come back.
        pub money_out: Cents,
        /// Users that are connected to it.
        pub connected_users: i64,
    }
}

record! {
    /// A key: its public half, and a hash of its secret half.
    pub struct Key in "api_keys" {
        key (org, client_id)
        many OF_ORG (org)
        many OF_APP (org, app);
        /// The organization.
        pub org: OrgId,
        /// The public half; see [`super::keys`].
        pub client_id: String,
        /// The app it opens; none for a key of the organization itself.
        pub app: Option<AppId>,
        /// Keyed hash of the secret, bound to client id, organization and app.
        pub secret_hash: Vec<u8>,
        /// The secret's last four characters, so that people can tell keys apart.
        pub last4: String,
        /// When it was issued.
        pub created_at: Time,
        /// From when on it opens nothing; `None` for never.
        pub expires_at: Option<Time>,
        /// When it was last used, as written down at most once an hour.
        pub last_used_at: Option<Time>,
        /// Since when it opens nothing.
        pub revoked_at: Option<Time>,
    }
}

impl Key {
    /// Whether it opens anything.
    pub fn is_live(&self, now: Time) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| now < at)
    }
}

/// The app, unless it was deleted.
pub fn find(world: &mut World, scope: Scope) -> Result<Arc<App>, Halt> {
    match world.get::<App>(key![scope.org, scope.app])? {
        Some(app) if app.deleted_at.is_none() => Ok(app),
        Some(_) | None => Err(Refusal::not_found("app").into()),
    }
}

/// The row that [`find`] asks for.
pub fn want(scope: Scope) -> Want {
    Want::row::<App>(key![scope.org, scope.app])
}

/// The app, deleted or not. What comes back late, such as a payout that a bank returns, still belongs to it.
pub fn find_even_deleted(world: &World, scope: Scope) -> Result<Arc<App>, Halt> {
    Ok(world.get::<App>(key![scope.org, scope.app])?.ok_or_else(|| Refusal::not_found("app"))?)
}

/// One user more is connected to the app, or one less (`change` is 1 or -1).
pub fn count_connected_user(world: &mut World, scope: Scope, change: i64) -> Result<(), Halt> {
    count(world, scope, |metrics| metrics.connected_users = metrics.connected_users.saturating_add(change))
}

/// This amount has left for a payee; a negative one came back.
pub fn count_money_out(world: &mut World, scope: Scope, amount: Cents) -> Result<(), Halt> {
    // A figure to look at, not a balance: at the end of 64 bits it stands still rather than refuse a payout.
    count(world, scope, |metrics| metrics.money_out = metrics.money_out.plus(amount).unwrap_or(metrics.money_out))
}

fn count(world: &mut World, scope: Scope, edit: impl FnOnce(&mut AppMetrics)) -> Result<(), Halt> {
    let metrics = match world.get::<AppMetrics>(key![scope.org, scope.app])? {
        Some(metrics) => metrics,
        None => world.add(AppMetrics { org: scope.org, app: scope.app, money_out: Cents::ZERO, connected_users: 0 }),
    };
    world.change(&metrics, edit);
    Ok(())
}
