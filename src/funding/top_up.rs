//! Maintains an app's wallet: covers the app's debts, and refills a low balance.

use std::sync::Arc;

use super::ach_account::ach_account;
use super::{debts, deposit};
use crate::apps::App;
use crate::engine::Command;
use crate::ids::AppId;
use crate::jobs::{self, Leased};
use crate::ledger::wallet_funding::{self, WalletFunding};
use crate::ledger::{self, Account};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

pub(super) const AUTO_REFILL: &str = "auto_refill";

/// Runs after a posting that needs it, or at the end of a pause.
#[derive(Clone, Debug)]
pub struct TopUpWallet {
    pub leased: Leased,
    pub app: AppId,
}

impl Command for TopUpWallet {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        vec![
            Want::row::<App>(key![self.leased.org, self.app]),
            Want::row::<WalletFunding>(key![self.leased.org, self.app]),
        ]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let scope = Scope { org: self.leased.org, app: self.app };
        debts::cover(world, scope)?;
        refill(world, scope)?;
        let Some(watch) = world.get::<WalletFunding>(key![scope.org, scope.app])? else { return Ok(()) };
        // Nothing remains to do now; the next posting checks again.
        world.change(&watch, |watch| watch.scheduled = false);
        Ok(())
    }
}

/// Pulls the configured amount if the balance is low and no refill is in progress. Without a bank account, or a way from
/// it, it does nothing: the next posting after its setup tries again.
fn refill(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let found: Option<Arc<App>> = world.get::<App>(key![scope.org, scope.app])?;
    let Some(app) = found.filter(|app| app.deleted_at.is_none()) else { return Ok(()) };
    let balance = ledger::balance(world, scope.org, Account::AppWallet(scope.app))?;
    let is_low = wallet_funding::find(world, scope)?.is_low(balance, world.now());
    let (Some(auto), true, Some(account)) = (app.settings.0.auto_refill, is_low, ach_account(world, scope)?) else {
        return Ok(());
    };
    let Ok(way) = world.attempt(|world| deposit::way(world, scope, &account, auto.amount))? else { return Ok(()) };

    // From here it must succeed.
    let note = Some(AUTO_REFILL.to_owned());
    let transfer = deposit::pull(world, scope, (&account, &way), auto.amount, None, note)?;
    wallet_funding::change(world, scope, |watch| watch.refill = Some(transfer.id))
}
