//! The demonstration organization of a fresh sandbox: an app with money, and one member of each role (docs/decisions.md
//! 13 and 15).

use serde::{Deserialize, Serialize};

use super::json::emit_updated;
use super::keys::{Drawn, NewKey, Opens};
use super::model::{App, AppStatus, Organization};
use super::settings::Settings;
use crate::bank_accounts::{self, OwnAccountInput, SealedAccount};
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{AppId, Entropy, MemberId, OrgId};
use crate::ledger::{self, postings};
use crate::members::{self, NewMember, Role, password};
use crate::money::Cents;
use crate::program::Environment;
use crate::scope::Scope;
use crate::vault::Vault;
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// The first balance of the app's wallet: $1,000,000.00.
pub const DEPOSIT: Cents = Cents::new(100_000_000);
/// The app's account at the sandbox's bank. It is no magic number, so deposits succeed.
const ACCOUNT_NUMBER: &str = "000111222333";
const ROUTING_NUMBER: &str = "110000000";

/// The content of `sandbox-credentials.json` (docs/decisions.md 15).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// Without a trailing slash.
    pub base_url: String,
    pub organization: OrganizationCredentials,
    pub app: AppCredentials,
    /// One member of each role.
    pub members: Vec<MemberCredentials>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationCredentials {
    pub id: OrgId,
    pub client_id: String,
    pub api_key: String,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppCredentials {
    pub id: AppId,
    pub name: String,
    pub client_id: String,
    pub api_key: String,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberCredentials {
    pub id: MemberId,
    /// The number that histories show.
    pub number: i64,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub password: String,
}

/// Omits the secrets.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials({})", self.organization.id)
    }
}

const fn name_of(role: Role) -> &'static str {
    match role {
        Role::Admin => "Ada Admin",
        Role::Viewer => "Victor Viewer",
        Role::Payer => "Paula Payer",
        Role::ApApprover => "Alan Approver",
        Role::ApCreator => "Clara Creator",
    }
}

impl Credentials {
    /// Draws new ids, keys and passwords.
    pub fn draw(entropy: &mut Entropy, now: Time, environment: Environment, base_url: &str) -> Self {
        let org: OrgId = entropy.id(now);
        let own = Drawn::draw(entropy, environment, org, Opens::Organization);
        let organization = OrganizationCredentials { id: org, client_id: own.client_id, api_key: own.secret };
        let apps = Drawn::draw(entropy, environment, org, Opens::App);
        let app = AppCredentials {
            id: entropy.id(now),
            name: "Demonstration".to_owned(),
            client_id: apps.client_id,
            api_key: apps.secret,
        };
        let members = (1_i64..).zip(Role::ALL).map(|(number, &role)| MemberCredentials {
            id: entropy.id(now),
            number,
            name: name_of(role).to_owned(),
            email: format!("{role}@example.com"),
            role,
            password: password::draw(entropy),
        });
        Self { base_url: base_url.to_owned(), organization, app, members: members.collect() }
    }
}

/// Creates the organization, the app and the members of the credentials. Returns false, without a change, if the
/// organization exists.
#[derive(Clone, Debug)]
pub struct CreateDemonstration {
    pub org: OrgId,
    organization_key: NewKey,
    app: AppId,
    app_name: String,
    app_key: NewKey,
    app_account: SealedAccount,
    members: Vec<NewMember>,
}

impl CreateDemonstration {
    /// Returns the command for these credentials. It has hashes only; `entropy` salts the passwords'.
    pub fn of(credentials: &Credentials, vault: &Vault, entropy: &mut Entropy) -> Self {
        let stored = |client_id: &str, secret: &str| {
            Drawn { client_id: client_id.to_owned(), secret: secret.to_owned() }.to_store(vault)
        };
        let account = OwnAccountInput {
            name: None,
            account_number: ACCOUNT_NUMBER.parse().expect("twelve digits"),
            routing_number: ROUTING_NUMBER.parse().expect("the sandbox bank's own number"),
            account_type: None,
            holder_type: None,
        };
        let app_account = account.sealed(vault, entropy.bytes()).named(&credentials.app.name);
        let members = credentials.members.iter().map(|member| NewMember {
            id: member.id,
            name: member.name.clone(),
            email: member.email.clone(),
            role: member.role,
            password_hash: Some(password::hash(&member.password, entropy.bytes(), password::Strength::Drawn)),
        });
        Self {
            org: credentials.organization.id,
            organization_key: stored(&credentials.organization.client_id, &credentials.organization.api_key),
            app: credentials.app.id,
            app_name: credentials.app.name.clone(),
            app_key: stored(&credentials.app.client_id, &credentials.app.api_key),
            app_account,
            members: members.collect(),
        }
    }
}

impl Command for CreateDemonstration {
    type Reply = bool;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Organization>(key![self.org])]
    }

    fn decide(&self, world: &mut World) -> Result<bool, Halt> {
        let (org, now) = (self.org, world.now());
        if world.get::<Organization>(key![org])?.is_some() {
            return Ok(false);
        }
        for member in &self.members {
            members::add(world, org, member.clone())?;
        }
        let scope = Scope { org, app: self.app };
        ledger::post(world, &postings::demonstrate(scope, DEPOSIT))?;
        bank_accounts::add(world, scope, self.app.0, &self.app_account)?;

        // From here it must succeed.
        world.add(Organization { org, name: "Demonstration organization".to_owned(), created_at: now });
        world.add(self.organization_key.record(org, None, now));
        world.add(self.app_key.record(org, Some(self.app), now));
        let app = world.add(App {
            org,
            id: self.app,
            name: self.app_name.clone(),
            status: AppStatus::Approved,
            metadata: None,
            settings: Document(Settings::default()),
            version: 1,
            created_at: now,
            deleted_at: None,
        });
        emit_updated(world, &app)?;
        Ok(true)
    }
}
