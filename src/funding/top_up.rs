//! Looks after an app's wallet: pays what the app owes, and refills it when it has run low.

use std::sync::Arc;

use super::ach_account::ach_account;
use super::{debts, deposit};
use crate::apps::App;
use crate::engine::Command;
use crate::ids::{AppId, OrgId};
use crate::jobs::{self, Leased};
use crate::ledger::wallet_funding::{self, WalletFunding};
use crate::ledger::{self, Account};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The note on a transfer that an app's settings asked for, and nobody else.
pub(super) const AUTO_REFILL: &str = "auto_refill";

/// The wallet called, or its rest is over.
#[derive(Clone, Debug)]
pub struct TopUpWallet {
    /// The job.
    pub leased: Leased,
    /// The app.
    pub app: AppId,
}

impl Command for TopUpWallet {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

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
        // All that can be done now was done: the next posting looks again.
        world.change(&watch, |watch| watch.scheduled = false);
        Ok(())
    }
}

/// Pulls what the app's settings say, unless the wallet holds enough or a refill is on its way. Without a bank account
/// nothing can be pulled: the app sets one up, and the next posting calls again.
fn refill(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let found: Option<Arc<App>> = world.get::<App>(key![scope.org, scope.app])?;
    let Some(app) = found.filter(|app| app.deleted_at.is_none()) else { return Ok(()) };
    let balance = ledger::balance(world, scope.org, Account::AppWallet(scope.app))?;
    let is_low = wallet_funding::find(world, scope)?.is_low(balance, world.now());
    let (Some(auto), true, Some(account)) = (app.settings.0.auto_refill, is_low, ach_account(world, scope)?) else {
        return Ok(());
    };

    // From here it must succeed.
    let transfer = deposit::pull(world, scope, &account, auto.amount, None, Some(AUTO_REFILL.to_owned()))?;
    wallet_funding::change(world, scope, |watch| watch.refill = Some(transfer.id))
}
