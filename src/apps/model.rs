use std::sync::Arc;

use super::settings::Settings;
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::{Cell, Document, key, record, words};
use crate::world::{Halt, Query, Record, Want, World};

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

/// Returns the app, unless it was deleted.
pub fn find(world: &mut World, scope: Scope) -> Result<Arc<App>, Halt> {
    match world.get::<App>(key![scope.org, scope.app])? {
        Some(app) if app.deleted_at.is_none() => Ok(app),
        Some(_) | None => Err(Refusal::not_found("app").into()),
    }
}

/// The row that [`find`] reads.
pub fn want(scope: Scope) -> Want {
    Want::row::<App>(key![scope.org, scope.app])
}

/// Returns the app, deleted or not. Late events, such as a payout that a bank returns, still belong to it.
pub fn find_even_deleted(world: &World, scope: Scope) -> Result<Arc<App>, Halt> {
    Ok(world.get::<App>(key![scope.org, scope.app])?.ok_or_else(|| Refusal::not_found("app"))?)
}

/// Adds `change` (1 or -1) to the number of connected users.
pub fn count_connected_user(world: &mut World, scope: Scope, change: i64) -> Result<(), Halt> {
    count(world, scope, |metrics| metrics.connected_users = metrics.connected_users.saturating_add(change))
}

/// Counts an amount that left for a payee; a negative one came back.
pub fn count_money_out(world: &mut World, scope: Scope, amount: Cents) -> Result<(), Halt> {
    // A figure for display, not a balance: on overflow it stays as it is, and the payout continues.
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

/// Whether the app has an object of this kind in one of these states.
///
/// # Errors
///
/// The error of the read.
pub fn has_any<R: Record>(world: &World, scope: Scope, states: &[impl Cell + Copy]) -> Result<bool, Halt> {
    for state in states {
        let one = Query::of::<R>(scope.org.to_value(), "id", 1).equal("app", scope.app).equal("status", *state);
        if !world.page::<R>(&one)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
