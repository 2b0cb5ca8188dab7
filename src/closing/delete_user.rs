//! Deletes a user: erases the personal data and keeps the id and the ledger (docs/decisions.md 6).
//!
//! If other apps are connected, an app key removes only the app's own profile and methods. The response is the same in
//! both cases.

use super::model;
use crate::apps;
use crate::bank_accounts;
use crate::engine::Command;
use crate::ids::UserId;
use crate::ledger::{self, Account};
use crate::payout_methods::{self, PayoutMethod};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers;
use crate::users::{self, By, User, UserJson, notices, screening};
use crate::verification;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Deletes a user. A repeated call changes nothing.
#[derive(Clone, Debug)]
pub struct DeleteUser {
    pub scope: Scope,
    /// An organization key erases the person for all apps.
    pub by: By,
    pub user: UserId,
}

impl Command for DeleteUser {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let org = self.scope.org;
        let seen = users::find(world, self.scope, self.user)?;
        let user = match self.by {
            By::App => seen,
            // The organization can erase the payee even after this app has disconnected.
            By::Organization => users::find_in_organization(world, org, seen.id)?,
        };
        if user.deleted_at.is_some() {
            return users::json(world, self.scope, &user);
        }
        must_not_be_flagged(&user)?;
        let connections = users::connections(world, &user)?;
        if let (By::App, true, Some(own)) =
            (self.by, connections.len() > 1, users::profile_if_connected(world, self.scope, user.id)?)
        {
            self.must_be_settled(world, self.scope)?;
            let seen = users::disconnect(world, &own, &user)?;
            return users::json(world, self.scope, &seen);
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
        model::begin(world, org, user.id)?;
        for connection in &connections {
            apps::count_connected_user(world, Scope { org, app: connection.app }, -1)?;
        }
        let user = users::erase(world, &user, &connections)?;
        users::json(world, self.scope, &user)
    }
}

/// Rejects the deletion of a user who is under review or confirmed as a sanctions match: the person could register
/// again as a new user, and the findings must be kept.
fn must_not_be_flagged(user: &User) -> Result<(), Refusal> {
    if user.compliance.0.flags.ofac {
        let message = "The user is under a sanctions review, or matches the sanctions list. Clear the review first.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::UnderReview));
    }
    Ok(())
}

impl DeleteUser {
    fn must_be_settled(&self, world: &mut World, scope: Scope) -> Result<(), Halt> {
        if !ledger::balance(world, scope.org, Account::UserWallet(scope.app, self.user))?.is_zero() {
            let message = "The user's wallet is not empty. Pay out the money first.";
            return Err(Refusal::new(Code::UserHasBalance, message).because(Reason::MoneyRemains).into());
        }
        if transfers::under_way(world, scope, self.user)? {
            let message = "The user has a transfer in progress. Wait until it is complete.";
            return Err(Refusal::new(Code::UserHasBalance, message).because(Reason::InUse).into());
        }
        Ok(())
    }
}
