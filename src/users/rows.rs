//! Finds and changes the rows.

use std::sync::Arc;

use super::model::{AppUser, User};
use super::profiles;
use crate::ids::{OrgId, UserId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::vault::{Purpose, SealContext};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

pub fn seal_context(org: OrgId, user: UserId, column: &str) -> SealContext {
    SealContext::new(Purpose::TaxId, org, "users", user.0, column).formerly(user.0)
}

/// Returns a user of the app, including deleted and disconnected ones. The app sees a disconnected user as erased, even
/// if other apps are still connected. Rejects with `not-found`.
pub fn find(world: &mut World, scope: Scope, id: UserId) -> Result<Arc<User>, Halt> {
    find_if_known(world, scope, id)?.ok_or_else(|| Refusal::not_found("user").into())
}

/// Returns the user as [`find`] does, or `None` if the app does not know this id.
pub fn find_if_known(world: &mut World, scope: Scope, id: UserId) -> Result<Option<Arc<User>>, Halt> {
    match world.get::<AppUser>(key![scope.org, scope.app, id])? {
        Some(profile) => Ok(world.get::<User>(key![scope.org, id])?.map(|user| profiles::as_seen(user, &profile))),
        None => Ok(None),
    }
}

/// Returns a user of the organization, regardless of connected apps. Rejects with `not-found`.
pub fn find_in_organization(world: &mut World, org: OrgId, id: UserId) -> Result<Arc<User>, Halt> {
    let user = world.get::<User>(key![org, id])?;
    user.ok_or_else(|| Refusal::not_found("user").into())
}

/// Returns the organization's user with this phone number in E.164 form.
pub fn by_phone(world: &mut World, org: OrgId, e164: &str) -> Result<Option<Arc<User>>, Halt> {
    world.find::<User>(User::BY_PHONE, key![org, e164.to_owned()])
}

pub fn want_by_phone(org: OrgId, e164: &str) -> Want {
    Want::by::<User>(User::BY_PHONE, key![org, e164.to_owned()])
}
