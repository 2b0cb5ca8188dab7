//! Deletes an app.

use crate::app_compliance;
use crate::apps::{self, AppJson, Key};
use crate::bank_accounts;
use crate::banking::settlement_accounts;
use crate::engine::Command;
use crate::events;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{AppId, OrgId};
use crate::ledger::{self, Account, LedgerAccount, wallet_funding};
use crate::money::Cents;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Deletes an app that holds no money. Its history and its ledger stay, its keys become invalid, and the data of its
/// company, its directors and its bank account are erased.
#[derive(Clone, Debug)]
pub struct DeleteApp {
    pub scope: Scope,
    /// The number of the app's events when its objects were read.
    pub events_seen: i64,
}

impl Command for DeleteApp {
    /// `None` if the app has emitted an event since its objects were read; then nothing changes.
    type Reply = Option<AppJson>;

    fn needs(&self) -> Vec<Want> {
        let Scope { org, app } = self.scope;
        let accounts = own(app).into_iter().chain(under_way(app)).chain(counterparts(app));
        accounts.map(|account| Want::row::<LedgerAccount>(key![org, account.id(org)])).collect()
    }

    fn decide(&self, world: &mut World) -> Result<Option<AppJson>, Halt> {
        let app = apps::find(world, self.scope)?;
        if events::length(world, self.scope)? != self.events_seen {
            return Ok(None);
        }
        wallet_funding::must_be_at_rest(world, self.scope)?;
        refuse_while_money_remains(world, self.scope)?;
        let keys = world.all::<Key>(Key::OF_APP, key![self.scope.org, Some(self.scope.app)])?;

        // From here it must succeed.
        let now = world.now();
        bank_accounts::erase_of(world, self.scope.org, self.scope.app.0)?;
        app_compliance::erase(world, self.scope)?;
        for key in keys.iter().filter(|key| key.revoked_at.is_none()) {
            world.change(key, |key| key.revoked_at = Some(now));
        }
        let app = world.change(&app, |app| {
            app.deleted_at = Some(now);
            app.version += 1;
        });
        apps::emit_updated(world, &app)?;
        acts::record(world, self.scope.org, NewAct::of(ActKind::AppDeleted, Some(app.id), app.id))?;
        Ok(Some(apps::shown(world, &app)?))
    }
}

fn own(app: AppId) -> [Account; 3] {
    [Account::AppWallet(app), Account::AppHeld(app), Account::AppCollected(app)]
}

/// Returns the accounts of money on its way, by rail.
fn under_way(app: AppId) -> impl Iterator<Item = Account> {
    Platform::ALL.into_iter().chain([Platform::Rtp]).map(move |platform| Account::Clearing(app, platform))
}

/// Returns the app's other accounts, except the wallets of its users.
fn counterparts(app: AppId) -> [Account; 4] {
    [Account::ServiceFees(app), Account::Fx(app), Account::External(app), Account::Funding(app)]
}

/// Refuses while the app's ledger holds money of the app or its users.
fn refuse_while_money_remains(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let Scope { org, app } = scope;
    let held = sum(world, org, own(app))?;
    if !held.is_zero() {
        let message = format!("The app still holds {}. Withdraw the money and cancel open links.", held.dollars());
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::MoneyRemains).into());
    }
    for rail in under_way(app) {
        if !ledger::balance(world, org, rail)?.is_zero() {
            let message = "The app has transfers in progress. Wait until they are complete.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
        }
    }
    // The app's ledger sums to zero, so these accounts give the total of its users' wallets without loading each
    // wallet.
    let users = sum(world, org, counterparts(app))?;
    let accounts = settlement_accounts::of_org(world, org)?;
    let at_banks = accounts
        .iter()
        .flat_map(|account| [Account::Unbooked(app, account.id), Account::AtBank(Some(app), account.id)]);
    let at_banks = sum(world, org, at_banks)?;
    let users = users
        .plus(at_banks)
        .map_err(|reason| Refusal::new(Code::InvalidState, reason.to_string()).because(Reason::MoneyRemains))?;
    if !users.is_zero() {
        let message = format!("Users of the app still hold {}. Pay it out first.", users.negated().dollars());
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::MoneyRemains).into());
    }
    Ok(())
}

fn sum(world: &World, org: OrgId, accounts: impl IntoIterator<Item = Account>) -> Result<Cents, Halt> {
    let mut sum = Cents::ZERO;
    for account in accounts {
        let balance = ledger::balance(world, org, account)?;
        sum = sum
            .plus(balance)
            .map_err(|reason| Refusal::new(Code::InvalidState, reason.to_string()).because(Reason::MoneyRemains))?;
    }
    Ok(sum)
}
