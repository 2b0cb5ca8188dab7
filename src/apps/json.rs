//! Apps, keys and organizations in responses and events.

use serde::Serialize;

use super::keys::Drawn;
use super::model::{App, AppMetrics, AppStatus, Key, Organization};
use crate::clock::Time;
use crate::events::{self, EventName, NewEvent};
use crate::ids::{AppId, OrgId};
use crate::ledger::{self, Account, wallet_funding};
use crate::money::Cents;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// An app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AppJson {
    /// The id of the app.
    pub id: AppId,
    /// The name of the app, which payees see.
    pub name: String,
    /// The state of the app.
    pub status: AppStatus,
    /// The app's balances and counts.
    pub metrics: AppMetricsJson,
    /// Any text that you keep with the app.
    #[schema(required)]
    pub metadata: Option<String>,
    /// When the app was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
}

/// The app's balances and counts; amounts in cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AppMetricsJson {
    /// The balance of the app's wallet.
    pub wallet_balance: i64,
    /// The part of the wallet that can be spent: the balance less the app's debt for money that a bank took back.
    pub wallet_available: i64,
    /// Payments that were collected and cannot be spent yet. They are not part of the wallet's balance.
    pub wallet_held: i64,
    /// The money that was paid out and did not come back.
    pub money_out: i64,
    /// The number of users connected to the app.
    pub connected_users: i64,
}

/// A new app with its first key, which is shown here and never again.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct CreatedAppJson {
    /// The app.
    #[serde(flatten)]
    pub app: AppJson,
    /// The app's first key.
    pub keys: ShownKeyJson,
}

/// Both halves of a key.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ShownKeyJson {
    /// The public half.
    pub client_id: String,
    /// The secret half.
    pub api_key: String,
    /// When the key expires; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Time>,
}

impl From<&Drawn> for ShownKeyJson {
    fn from(drawn: &Drawn) -> Self {
        Self { client_id: drawn.client_id.clone(), api_key: drawn.secret.clone(), expires_at: None }
    }
}

/// A key, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct KeyJson {
    /// The public half.
    pub client_id: String,
    /// The last four characters of the secret, to distinguish keys.
    pub api_key_last4: String,
    /// When the key was issued.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the key was revoked; null if it was not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub revoked: Option<Time>,
    /// When the key expires; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Time>,
    /// When the key was last used, to the hour.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Time>,
}

impl From<&Key> for KeyJson {
    fn from(key: &Key) -> Self {
        Self {
            client_id: key.client_id.clone(),
            api_key_last4: key.last4.clone(),
            created: key.created_at,
            revoked: key.revoked_at,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
        }
    }
}

/// An organization.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct OrganizationJson {
    /// The id of the organization.
    pub id: OrgId,
    /// The name of the organization.
    pub name: String,
    /// The money that the organization has not given to an app.
    pub wallet: OrganizationWalletJson,
    /// When the organization was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
}

/// The wallet of an organization.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct OrganizationWalletJson {
    /// The balance in cents.
    pub amount: i64,
}

/// Returns the organization with its wallet.
pub fn organization(world: &World, organization: &Organization) -> Result<OrganizationJson, Halt> {
    let wallet = ledger::balance(world, organization.org, Account::OrganizationWallet)?;
    Ok(OrganizationJson {
        id: organization.org,
        name: organization.name.clone(),
        wallet: OrganizationWalletJson { amount: wallet.get() },
        created: organization.created_at,
    })
}

/// Returns the app with its balances and counts.
pub fn shown(world: &mut World, app: &App) -> Result<AppJson, Halt> {
    let measured = world.get::<AppMetrics>(key![app.org, app.id])?;
    let wallet = ledger::balance(world, app.org, Account::AppWallet(app.id))?;
    let held = ledger::balance(world, app.org, Account::AppCollected(app.id))?;
    let owed = wallet_funding::find(world, Scope { org: app.org, app: app.id })?.owed;
    let available = wallet.minus(owed).unwrap_or(wallet).max(Cents::ZERO);
    let (money_out, connected_users) =
        measured.map_or((Cents::ZERO, 0), |metrics| (metrics.money_out, metrics.connected_users));
    Ok(AppJson {
        id: app.id,
        name: app.name.clone(),
        status: app.status,
        metrics: AppMetricsJson {
            wallet_balance: wallet.get(),
            wallet_available: available.get(),
            wallet_held: held.get(),
            money_out: money_out.get(),
            connected_users,
        },
        metadata: app.metadata.clone(),
        created: app.created_at,
    })
}

/// Counts and emits a change of the app that is stored in other rows, such as its bank account.
pub fn touch(world: &mut World, app: &std::sync::Arc<App>) -> Result<(), Halt> {
    let app = world.change(app, |app| app.version += 1);
    emit_updated(world, &app)
}

/// Emits the app's current state.
pub fn emit_updated(world: &mut World, app: &App) -> Result<(), Halt> {
    let object = shown(world, app)?;
    let scope = Scope { org: app.org, app: app.id };
    events::emit(world, scope, NewEvent::of(EventName::AppUpdated, app.id.0, app.version, &object))
}
