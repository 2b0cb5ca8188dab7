//! Finds and changes the rows.

use std::sync::Arc;

use jiff::civil::Date;

use super::model::{AppUser, Compliance, User};
use super::rules::{self, UserEvent};
use crate::ids::{OrgId, UserId};
use crate::payout_methods::{self, PayoutMethod};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::vault::{Purpose, SealContext, Vault};
use crate::world::record::{Document, key};
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
        Some(profile) => Ok(world.get::<User>(key![scope.org, id])?.map(|user| as_seen(user, &profile))),
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

/// `nonce` must be unique.
pub fn seal_birth_date(vault: &Vault, org: OrgId, user: UserId, born: Date, nonce: [u8; 24]) -> Vec<u8> {
    vault.seal(&seal_context(org, user, "sealed_date_of_birth"), born.to_string().as_bytes(), nonce)
}

pub fn profile_if_connected(world: &World, scope: Scope, id: UserId) -> Result<Option<Arc<AppUser>>, Halt> {
    let profile = world.get::<AppUser>(key![scope.org, scope.app, id])?;
    Ok(profile.filter(|profile| profile.is_connected()))
}

/// Rejects with `not-found` if the app is not connected.
pub fn profile(world: &World, scope: Scope, id: UserId) -> Result<Arc<AppUser>, Halt> {
    profile_if_connected(world, scope, id)?.ok_or_else(|| Refusal::not_found("user").into())
}

pub fn is_connected(world: &World, scope: Scope, id: UserId) -> Result<bool, Halt> {
    Ok(profile_if_connected(world, scope, id)?.is_some())
}

/// Returns the user as erased if the app has disconnected.
pub(super) fn as_seen(user: Arc<User>, profile: &AppUser) -> Arc<User> {
    let Some(disconnected_at) = profile.disconnected_at else { return user };
    if user.deleted_at.is_some() {
        return user;
    }
    let mut seen = User::clone(&user);
    erase_personal_data(&mut seen);
    seen.deleted_at = Some(disconnected_at);
    Arc::new(seen)
}

/// Returns the app's default method of a user, if it is in use.
pub fn default_payout_method(world: &World, scope: Scope, user: UserId) -> Result<Option<Arc<PayoutMethod>>, Halt> {
    let profile = profile_if_connected(world, scope, user)?;
    let Some(id) = profile.and_then(|profile| profile.default_payout_method) else { return Ok(None) };
    let method = payout_methods::find(world, scope, user, id)?;
    Ok(Some(method).filter(|method| method.in_use))
}

pub fn connections(world: &World, user: &User) -> Result<Vec<Arc<AppUser>>, Halt> {
    let mut profiles = world.all::<AppUser>(AppUser::OF_USER, key![user.org, user.id])?;
    profiles.retain(|profile| profile.is_connected());
    Ok(profiles)
}

/// Frees the phone number for a new user.
pub(super) fn erase_personal_data(user: &mut User) {
    user.status = rules::status_after(user.status, UserEvent::Disable);
    user.phone_country_code = None;
    user.phone_national = None;
    user.phone_e164 = None;
    user.phone_verified_at = None;
    user.email_verified_at = None;
    user.first_name = None;
    user.last_name = None;
    user.email = None;
    (user.phone_app, user.phone_set_at) = (None, None);
    (user.email_app, user.email_set_at) = (None, None);
    user.country = None;
    user.language = None;
    user.sealed_date_of_birth = None;
    user.adjustment_1099 = None;
    user.sealed_address = None;
    user.sealed_tax_form = None;
    user.tax_id_hash = None;
    user.compliance = Document(Compliance::default());
}
