//! Deletes an app that holds no money.

use super::json::{AppJson, emit_updated, shown};
use super::model::{Key, find};
use crate::bank_accounts;
use crate::engine::Command;
use crate::events;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{AppId, OrgId};
use crate::ledger::{self, Account, LedgerAccount, wallet_funding};
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Cell, key};
use crate::world::{Halt, Query, Record, Want, World};

/// Erases what other nouns keep of the persons behind an app. They are listed after this noun, so the table of routes
/// hands them in.
pub type Erase = fn(&mut World, Scope) -> Result<(), Halt>;

/// Refuses with `invalid-state` while objects of the app are open in another noun, as far as a read can tell. They too
/// are handed in by the table of routes.
///
/// It is asked before the command, not in it: only whoever has seen all objects of an app can say that none is open, and
/// a commit must not wait for that. What comes in between is an event more, and the command does nothing then.
pub type RefuseOpen = fn(&World, Scope) -> Result<(), Halt>;

/// What nouns that are listed after this one have to say when an app is deleted.
#[derive(Clone, Copy, Debug)]
pub struct DeletionHooks {
    /// Erases what is kept of the persons behind the app.
    pub erase: Erase,
    /// Each refuses while something of its noun is open.
    pub refuse_open: &'static [RefuseOpen],
}

/// Whether the app has an object of this kind in one of these states.
///
/// # Errors
/// That of the read.
pub fn has_any<R: Record>(world: &World, scope: Scope, states: &[impl Cell + Copy]) -> Result<bool, Halt> {
    for state in states {
        let one = Query::of::<R>(scope.org.to_value(), "id", 1).equal("app", scope.app).equal("status", *state);
        if !world.page::<R>(&one)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// An app to be deleted. Its history and its ledger stay; its keys open nothing any more, and what is known of its
/// company, its directors and its bank account is erased.
#[derive(Clone, Debug)]
pub struct DeleteApp {
    /// Which.
    pub scope: Scope,
    /// Erases what other nouns keep.
    pub erase: Erase,
    /// The events of the app when its objects were looked at.
    pub events_seen: i64,
}

impl Command for DeleteApp {
    /// `None` when something has happened since its objects were looked at; then nothing is done.
    type Reply = Option<AppJson>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn needs(&self) -> Vec<Want> {
        let Scope { org, app } = self.scope;
        let accounts = own(app).into_iter().chain(under_way(app)).chain(counterparts(app));
        accounts.map(|account| Want::row::<LedgerAccount>(key![org, account.id(org)])).collect()
    }

    fn decide(&self, world: &mut World) -> Result<Option<AppJson>, Halt> {
        let app = find(world, self.scope)?;
        if events::length(world, self.scope)? != self.events_seen {
            return Ok(None);
        }
        wallet_funding::must_be_at_rest(world, self.scope)?;
        refuse_while_money_remains(world, self.scope)?;
        let keys = world.all::<Key>(Key::OF_APP, key![self.scope.org, Some(self.scope.app)])?;

        // From here it must succeed.
        let now = world.now();
        bank_accounts::erase_of(world, self.scope.org, self.scope.app.0)?;
        (self.erase)(world, self.scope)?;
        for key in keys.iter().filter(|key| key.revoked_at.is_none()) {
            world.change(key, |key| key.revoked_at = Some(now));
        }
        let app = world.change(&app, |app| {
            app.deleted_at = Some(now);
            app.version += 1;
        });
        emit_updated(world, &app)?;
        acts::record(world, self.scope.org, NewAct::of(ActKind::AppDeleted, Some(app.id), app.id))?;
        Ok(Some(shown(world, &app)?))
    }
}

/// What is the app's own.
fn own(app: AppId) -> [Account; 3] {
    [Account::AppWallet(app), Account::AppHeld(app), Account::AppCollected(app)]
}

/// What is under way on each rail.
fn under_way(app: AppId) -> impl Iterator<Item = Account> {
    Platform::ALL.into_iter().chain([Platform::Rtp]).map(move |platform| Account::Clearing(app, platform))
}

/// The rest of its book but its users' wallets.
fn counterparts(app: AppId) -> [Account; 4] {
    [Account::ServiceFees(app), Account::Fx(app), Account::External(app), Account::Funding(app)]
}

/// Refuses while any cent of the app's book is still somebody's.
fn refuse_while_money_remains(world: &World, scope: Scope) -> Result<(), Halt> {
    let Scope { org, app } = scope;
    let held = sum(world, org, own(app))?;
    if !held.is_zero() {
        let message = format!("The app still holds {}. Withdraw the money and cancel open links.", held.dollars());
        return Err(Refusal::new(Code::InvalidState, message).into());
    }
    for rail in under_way(app) {
        if !ledger::balance(world, org, rail)?.is_zero() {
            let message = "The app has transfers in progress. Wait until they are complete.";
            return Err(Refusal::new(Code::InvalidState, message).into());
        }
    }
    // The app's book sums to zero, so what its users hold is what everything else lacks. It is not worth
    // loading a million wallets to hear the same.
    let users = sum(world, org, counterparts(app))?;
    if !users.is_zero() {
        let message = format!("Users of the app still hold {}. Pay it out first.", users.negated().dollars());
        return Err(Refusal::new(Code::InvalidState, message).into());
    }
    Ok(())
}

fn sum(world: &World, org: OrgId, accounts: impl IntoIterator<Item = Account>) -> Result<Cents, Halt> {
    let mut sum = Cents::ZERO;
    for account in accounts {
        let balance = ledger::balance(world, org, account)?;
        sum = sum.plus(balance).map_err(|reason| Refusal::new(Code::InvalidState, reason.to_string()))?;
    }
    Ok(sum)
}
