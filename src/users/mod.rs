//! Users: the people who are paid, and which apps may pay them.
//!
//! The phone is a person's identity inside an organization (decisions.md 6): an app that names a known phone is
//! connected to that user, it does not get a second one. An app sees only users that it is connected to.
//!
//! Invariants: one user for each phone of an organization; a deleted user keeps the id and the history and
//! nothing of the person; a payout method is set up only by a verified user. Deliberately absent: links and
//! transfers, which are listed after this noun and use its finders.
//!
//! Start at [`find`] and [`connect_or_create`].

mod address;
mod connect;
mod create;
mod delete;
mod findings;
pub mod http;
mod inputs;
mod json;
mod model;
mod payout_methods;
mod rules;
pub mod screening;
pub mod tax_form;
mod tax_year;
mod update;
pub mod verification;
mod verify;
mod warnings;

pub use address::{SealedAddress, SetAddress};
pub use connect::ConnectUser;
pub use create::{
    CreateUser, Identity, Person, by_proven_email, connect_or_create, fill_profile, may_prove_address, prove,
};
pub use delete::{DeleteUser, Elsewhere};
pub use findings::{ComplianceDecision, background_check_moves};
pub use http::routes;
pub use inputs::{Address, AddressParts, BirthDate, CountryCode};
pub use json::{MethodDetailsJson, PhoneJson, UserJson, json, method_details};
pub use model::{
    Adjustment1099, AppUser, BackgroundCheckStatus, Compliance, EntityType, Flags, Form1099, OfacStatus,
    TaxIdVerification, User, UserStatus, W9,
};
pub use payout_methods::{NewMethod, disable_payout_method, open_rails, prefer_payout_method, set_up_payout_method};
pub use rules::{moves, must_be_active, must_be_verified, must_not_be_reviewed};
pub use screening::screen_another_name;
pub use tax_form::{SealedTaxForm, SetCompliance, TaxForm, TaxFormInput, TaxIdType, collect_tax_form, tax_id};
pub use tax_year::{TaxYear, await_tax_form, count_given_back, count_received, may_be_paid, tax_form_is_due};
pub use update::{MethodChoice, UpdateUser, UserPatch};
pub use verify::{SendVerificationToken, Verify};
pub use warnings::{METHODS_A_MONTH_MAX, holds_payouts, warn_of_name};

use std::sync::Arc;

use crate::events::{self, EventName, News};
use crate::http::Scope;
use crate::ids::{OrgId, UserId};
use crate::payout_methods::PayoutMethod;
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// A user that the app is connected to; deleted ones too.
///
/// # Errors
/// `not-found`.
pub fn find(world: &mut World, scope: Scope, id: UserId) -> Result<Arc<User>, Halt> {
    find_if_known(world, scope, id)?.ok_or_else(|| Refusal::not_found("user").into())
}

/// A user of the app, if the app knows one with this id.
pub fn find_if_known(world: &mut World, scope: Scope, id: UserId) -> Result<Option<Arc<User>>, Halt> {
    match world.get::<AppUser>(key![scope.org, scope.app, id])? {
        Some(_) => world.get::<User>(key![scope.org, id]),
        None => Ok(None),
    }
}

/// A user of the organization, whichever apps know it.
///
/// # Errors
/// `not-found`.
pub fn find_in_organization(world: &mut World, org: OrgId, id: UserId) -> Result<Arc<User>, Halt> {
    let user = world.get::<User>(key![org, id])?;
    user.ok_or_else(|| Refusal::not_found("user").into())
}

/// The organization's user with this phone (E.164), if there is one.
pub fn by_phone(world: &mut World, org: OrgId, e164: &str) -> Result<Option<Arc<User>>, Halt> {
    world.find::<User>(User::BY_PHONE, key![org, e164.to_owned()])
}

/// The row that [`by_phone`] asks for.
pub fn want_by_phone(org: OrgId, e164: &str) -> Want {
    Want::by::<User>(User::BY_PHONE, key![org, e164.to_owned()])
}

/// Whether the app may pay the user.
pub fn is_connected(world: &mut World, scope: Scope, id: UserId) -> Result<bool, Halt> {
    Ok(world.get::<AppUser>(key![scope.org, scope.app, id])?.is_some())
}

/// The user's default payout method, if it is still in use.
pub fn default_payout_method(world: &mut World, user: &User) -> Result<Option<Arc<PayoutMethod>>, Halt> {
    let Some(id) = user.default_payout_method else { return Ok(None) };
    let method = crate::payout_methods::find(world, user.org, user.id, id)?;
    Ok(Some(method).filter(|method| method.in_use))
}

/// Changes a user and tells every app that the user is connected to, whichever of them acts: the user is the same for
/// all. Every transition of a user goes through here.
pub fn change(
    world: &mut World,
    user: &Arc<User>,
    event: EventName,
    edit: impl FnOnce(&mut User),
) -> Result<Arc<User>, Halt> {
    let connections = world.all::<AppUser>(AppUser::OF_USER, key![user.org, user.id])?;
    let user = world.change(user, |user| {
        edit(user);
        user.version += 1;
    });
    for connection in &connections {
        tell(world, Scope { org: user.org, app: connection.app }, &user, event)?;
    }
    Ok(user)
}

fn tell(world: &mut World, scope: Scope, user: &User, name: EventName) -> Result<(), Halt> {
    let object = json(world, scope, user)?;
    events::tell(world, scope, News::of(name, user.id.0, user.version, &object))
}
