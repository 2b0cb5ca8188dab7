//! Users: the people who are paid, and the profile that each app has of them.
//!
//! The phone number identifies a person within an organization (docs/decisions.md 6 and 17). An app sees only users
//! that it is connected to: it created them, the organization connected it, or the payee claimed one of its links.
//! Knowing a phone number connects nothing.
//!
//! Invariants: an organization has one user per phone number; an app reads and writes its own profile and methods only;
//! a deleted user keeps the id and the history and no personal data; only a verified user can set up a payout method.
//! Links and transfers depend on this noun, not the reverse.
//!
//! Start at [`find`] and [`connect_or_create`].

mod address;
mod connect;
mod contact_change;
mod contacts;
mod create;
mod findings;
pub mod http;
mod inputs;
mod json;
mod model;
pub mod notices;
mod payout_methods;
mod profiles;
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
pub use contact_change::{change_contact, may_change_contact};
pub use contacts::{Reached, reached};
pub use create::{
    CreateUser, Identity, Person, by_proven_email, connect_or_create, fill_profile, may_prove_address, prove,
};
pub use findings::{ComplianceDecision, background_check_transitions};
pub use http::{ComplianceDecisionJson, routes};
pub use inputs::{Address, AddressParts, BirthDate, CountryCode};
pub use json::{MethodDetailsJson, PhoneJson, UserJson, json, method_details};
pub use model::{
    Adjustment1099, AppUser, BackgroundCheckStatus, Compliance, EntityType, Flags, Form1099, OfacStatus,
    TaxIdVerification, User, UserStatus, W9,
};
pub use payout_methods::{
    NewMethod, choose_payout_method, disable_payout_method, open_rails, prefer_payout_method, set_up_payout_method,
};
pub use profiles::{
    By, automatic_method, change, change_profile, connections, default_payout_method, disconnect, erase, is_connected,
    is_paid_automatically, may_be_paid_without_payee, must_not_be_frozen, profile, profile_if_connected,
};
pub use rules::{must_be_active, must_be_verified, must_not_be_reviewed, transitions};
pub use screening::screen_another_name;
pub use tax_form::{SealedTaxForm, SetCompliance, TaxForm, TaxFormInput, TaxIdType, collect_tax_form, tax_id};
pub use tax_year::{TaxYear, await_tax_form, count_given_back, count_received, may_be_paid, tax_form_is_due};
pub use update::{MethodChoice, UpdateUser, UserPatch};
pub use verify::{SendVerificationToken, Verify};
pub use warnings::{METHODS_A_MONTH_MAX, holds_payouts, warn_of_name};

use std::sync::Arc;

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
