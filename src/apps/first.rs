//! An organization made by those who run the service: with its key, its administrator and, where asked for, an app.
//!
//! Two ways lead here: `bursar organizations create`, and the setup token that the first start of a production server over
//! an empty store prints. Invariants: the secrets are in the one answer and nowhere else in clear; only the
//! administrator knows their password: they choose it, at once or with a set-up token.

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
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// What the operator says of it.
#[derive(Clone, Debug)]
pub struct FirstOrganization {
    /// Its name.
    pub name: String,
    /// The name of its administrator.
    pub admin_name: String,
    /// The administrator's address.
    pub admin_email: String,
    /// The hash of the administrator's password; `None` where they get a set-up token.
    pub admin_password_hash: Option<String>,
    /// The name of its first app, if one is made.
    pub app_name: Option<String>,
}

/// An organization that was just made, with the secrets that are shown once.
#[derive(Clone, Serialize, ToSchema)]
pub struct CreatedOrganizationJson {
    /// Its id.
    pub id: OrgId,
    /// Its name.
    pub name: String,
    /// Its key.
    pub keys: ShownKeyJson,
    /// Its administrator.
    pub administrator: AdministratorJson,
    /// Its first app; null where none was asked for.
    #[schema(required)]
    pub app: Option<FirstAppJson>,
}

/// The administrator of a new organization.
#[derive(Clone, Serialize, ToSchema)]
pub struct AdministratorJson {
    /// What `acting_user_id` takes.
    pub id: MemberId,
    /// Their address.
    pub email: String,
    /// By what they set their password; null where it is set.
    #[schema(required)]
    pub set_up: Option<SetUpLinkJson>,
}

/// A set-up token, and the page that takes it.
#[derive(Clone, Serialize, ToSchema)]
pub struct SetUpLinkJson {
    /// What `POST /v2/member-set-ups` takes. Give it to the member; it is shown here and never again.
    pub token: String,
    /// The page on which the member sets their password.
    pub link: String,
    /// Until when it is valid.
    #[schema(value_type = String, format = DateTime)]
    pub expires: Time,
}

/// The first app of a new organization.
#[derive(Clone, Serialize, ToSchema)]
pub struct FirstAppJson {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its key.
    pub keys: ShownKeyJson,
}

/// Does not show the secrets.
impl std::fmt::Debug for CreatedOrganizationJson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CreatedOrganizationJson({})", self.id)
    }
}

/// Makes an organization with its key and its administrator.
#[derive(Clone, Debug)]
pub struct CreateOrganization {
    /// Its id.
    pub org: OrgId,
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: NewKey,
    /// Its administrator.
    pub administrator: NewMember,
    /// The keyed hash of the administrator's set-up token, where they have no password.
    pub set_up_hash: Option<Vec<u8>>,
    /// Its first app, if one is made.
    pub app: Option<CreateApp>,
}

impl Command for CreateOrganization {
    /// The id of the first app, and until when the set-up token is valid.
    type Reply = (Option<String>, Option<Time>);

    fn organization(&self) -> OrgId {
        self.org
    }

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let (org, now) = (self.org, world.now());
        if world.get::<Organization>(key![org])?.is_some() {
            return Err(Refusal::new(Code::InvalidState, "The organization already exists.").into());
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
