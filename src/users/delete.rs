//! Deletes a user: erases the personal data and keeps the id and the ledger (docs/decisions.md 6).
//!
//! If other apps are connected, an app key removes only the app's own profile and methods. The response is the same in
//! both cases.

use super::model::{Compliance, User};
use super::profiles::{self, By, change, profile_if_connected};
use super::rules::{self, UserEvent};
use super::{UserJson, find, find_in_organization, json, notices, screening, verification};
use crate::apps;
use crate::bank_accounts;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{OrgId, UserId};
use crate::ledger::{self, Account};
use crate::payout_methods::{self, PayoutMethod};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// Functions of nouns that depend on `users`. The route table passes them in, because `users` cannot depend on those
/// nouns.
#[derive(Clone, Copy, Debug)]
pub struct UserDeletionHooks {
    /// Returns whether a transfer to or from the app's user is still in progress.
    pub under_way: fn(&mut World, Scope, UserId) -> Result<bool, Halt>,
    /// Enqueues a job that erases the payee's data in the records of other nouns.
    pub erase: fn(&mut World, OrgId, UserId) -> Result<(), Halt>,
}

/// Deletes a user. A repeated call changes nothing.
#[derive(Clone, Debug)]
pub struct DeleteUser {
    pub scope: Scope,
    /// An organization key erases the person for all apps.
    pub by: By,
    pub user: UserId,
    pub hooks: UserDeletionHooks,
}

impl Command for DeleteUser {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let org = self.scope.org;
        let seen = find(world, self.scope, self.user)?;
        let user = match self.by {
            By::App => seen,
            // The organization can erase the payee even after this app has disconnected.
            By::Organization => find_in_organization(world, org, seen.id)?,
        };
        if user.deleted_at.is_some() {
            return json(world, self.scope, &user);
        }
        must_not_be_flagged(&user)?;
        let connections = profiles::connections(world, &user)?;
        if let (By::App, true, Some(own)) =
            (self.by, connections.len() > 1, profile_if_connected(world, self.scope, user.id)?)
        {
            self.must_be_settled(world, self.scope)?;
            let seen = profiles::disconnect(world, &own, &user)?;
            return json(world, self.scope, &seen);
        }
        for connection in &connections {
            self.must_be_settled(world, Scope { org, app: connection.app })?;
        }
        let methods = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![org, user.id])?;

        // From here it must succeed.
        for method in &methods {
            payout_methods::erase(world, method);
        }
        bank_accounts::erase_of(world, org, user.id.0)?;
        for recipient in [&user.phone_e164, &user.email].into_iter().flatten() {
            verification::forget(world, org, recipient)?;
        }
        notices::erase(world, &user)?;
        screening::erase(world, &user)?;
        (self.hooks.erase)(world, org, user.id)?;
        for connection in &connections {
            apps::count_connected_user(world, Scope { org, app: connection.app }, -1)?;
        }
        profiles::clear(world, &connections);
        let now = world.now();
        let user = change(world, &user, EventName::UserUpdated, |user| {
            erase(user);
            user.deleted_at = Some(now);
        })?;
        json(world, self.scope, &user)
    }
}

/// Rejects the deletion of a user who is under review or confirmed as a sanctions match: the person could register
/// again as a new user, and the findings must be kept.
fn must_not_be_flagged(user: &User) -> Result<(), Refusal> {
    if user.compliance.0.flags.ofac {
        let message = "The user is under a sanctions review, or matches the sanctions list. Clear the review first.";
        return Err(Refusal::new(Code::InvalidState, message));
    }
    Ok(())
}

impl DeleteUser {
    fn must_be_settled(&self, world: &mut World, scope: Scope) -> Result<(), Halt> {
        if !ledger::balance(world, scope.org, Account::UserWallet(scope.app, self.user))?.is_zero() {
            return Err(
                Refusal::new(Code::UserHasBalance, "The user's wallet is not empty. Pay out the money first.").into()
            );
        }
        if (self.hooks.under_way)(world, scope, self.user)? {
            return Err(Refusal::new(
                Code::UserHasBalance,
                "The user has a transfer in progress. Wait until it is complete.",
            )
            .into());
        }
        Ok(())
    }
}

/// Frees the phone number for a new user.
pub(super) fn erase(user: &mut User) {
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
    user.sealed_date_of_birth = None;
    user.adjustment_1099 = None;
    user.sealed_address = None;
    user.sealed_tax_form = None;
    user.tax_id_hash = None;
    user.compliance = Document(Compliance::default());
}
