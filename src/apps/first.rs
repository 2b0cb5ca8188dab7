//! Creates an organization for the operator of the service: with its key, its administrator and an optional app.
//!
//! The callers are `bursar organizations create`, and the setup token that a production server prints when it first
//! starts over an empty store. Invariants: the secrets are in clear in one response only; only the administrator knows
//! their password, which they choose at once or with a set-up token.

use serde::Serialize;
use utoipa::ToSchema;

use super::create::CreateApp;
use super::json::ShownKeyJson;
use super::keys::NewKey;
use super::model::Organization;
use crate::clock::Time;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId};
use crate::members::sign_in::Invite;
use crate::members::{self, NewMember};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// The operator's input.
#[derive(Clone, Debug)]
pub struct FirstOrganization {
    pub name: String,
    pub admin_name: String,
    pub admin_email: String,
    /// The hash of the administrator's password; `None` if they receive a set-up token.
    pub admin_password_hash: Option<String>,
    pub app_name: Option<String>,
}

/// A new organization, with the secrets that are shown once.
#[derive(Clone, Serialize, ToSchema)]
pub struct CreatedOrganizationJson {
    /// The id of the organization.
    pub id: OrgId,
    /// The name of the organization.
    pub name: String,
    /// The organization's key.
    pub keys: ShownKeyJson,
    /// The organization's administrator.
    pub administrator: AdministratorJson,
    /// The first app; null if none was requested.
    #[schema(required)]
    pub app: Option<FirstAppJson>,
}

/// The administrator of a new organization.
#[derive(Clone, Serialize, ToSchema)]
pub struct AdministratorJson {
    /// The id that `acting_user_id` takes.
    pub id: MemberId,
    /// The administrator's e-mail address.
    pub email: String,
    /// The way to set the password; null if it is set.
    #[schema(required)]
    pub set_up: Option<SetUpLinkJson>,
}

/// A set-up token, and the page that takes it.
#[derive(Clone, Serialize, ToSchema)]
pub struct SetUpLinkJson {
    /// The token that `POST /v2/member-set-ups` takes. Give it to the member; it is shown here and never again.
    pub token: String,
    /// The page on which the member sets their password.
    pub link: String,
    /// When the token expires.
    #[schema(value_type = String, format = DateTime)]
    pub expires: Time,
}

/// The first app of a new organization.
#[derive(Clone, Serialize, ToSchema)]
pub struct FirstAppJson {
    /// The id of the app.
    pub id: String,
    /// The name of the app.
    pub name: String,
    /// The app's key.
    pub keys: ShownKeyJson,
}

/// Omits the secrets.
impl std::fmt::Debug for CreatedOrganizationJson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CreatedOrganizationJson({})", self.id)
    }
}

/// Creates an organization with its key and its administrator.
#[derive(Clone, Debug)]
pub struct CreateOrganization {
    pub org: OrgId,
    pub name: String,
    pub key: NewKey,
    pub administrator: NewMember,
    /// The keyed hash of the administrator's set-up token, if they have no password.
    pub set_up_hash: Option<Vec<u8>>,
    pub app: Option<CreateApp>,
}

impl Command for CreateOrganization {
    /// The id of the first app, and the expiry of the set-up token.
    type Reply = (Option<String>, Option<Time>);

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let (org, now) = (self.org, world.now());
        if world.get::<Organization>(key![org])?.is_some() {
            return Err(Refusal::new(Code::InvalidState, "The organization already exists. Use its keys.")
                .because(Reason::AlreadyExists)
                .into());
        }
        let administrator = members::add(world, org, self.administrator.clone())?;
        world.add(Organization { org, name: self.name.clone(), created_at: now });
        world.add(self.key.record(org, None, now));
        acts::record(world, org, NewAct::of(ActKind::OrganizationCreated, None, org))?;
        acts::record(world, org, NewAct::of(ActKind::KeyIssued, None, &self.key.client_id))?;
        members::change::record_created(world, &administrator)?;
        let invite =
            |secret_hash: Vec<u8>| Invite { org, member: administrator.id, secret_hash, by_organization: true };
        let expires = self.set_up_hash.clone().map(|hash| invite(hash).decide(world)).transpose()?;
        let app = self.app.as_ref().map(|app| app.decide(world)).transpose()?;
        Ok((app.map(|app| app.id.to_string()), expires))
    }
}
