//! The funding of an app's wallet: the floor for automatic refills, the app's debt, and pulls on their way.
//!
//! Every posting that touches an app wallet enqueues a job if the wallet is low or can pay the debt. `funding` runs the
//! job, because it knows accounts and rails. An app without a setting and without debt has no row.

use std::sync::Arc;

use super::account::Account;
use super::balances::balance;
use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::jobs::{self, Work};
use crate::money::Cents;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// The funding state of an app's wallet.
    pub struct WalletFunding in "wallet_funding" {
        key (org, app);
        pub org: OrgId,
        pub app: AppId,
        /// The wallet is refilled when it holds fewer cents than this; `None` without automatic refill.
        pub floor: Option<Cents>,
        /// The automatic refill that is on its way: at most one at a time.
        pub refill: Option<TransferId>,
        /// No automatic refill before this moment, because the last one failed.
        pub refill_after: Option<Time>,
        /// Cents that a bank took back and the app's wallet could not cover.
        pub owed: Cents,
        /// Pulls for the app that a rail has not settled.
        pub pulls: i64,
        /// Whether a job for the wallet is enqueued.
        pub scheduled: bool,
    }
}

impl WalletFunding {
    fn new(scope: Scope) -> Self {
        let Scope { org, app } = scope;
        Self { org, app, floor: None, refill: None, refill_after: None, owed: Cents::ZERO, pulls: 0, scheduled: false }
    }

    /// Whether a wallet with this balance needs a refill now.
    pub fn is_low(&self, balance: Cents, now: Time) -> bool {
        let may = self.refill.is_none() && self.refill_after.is_none_or(|until| now >= until);
        may && self.floor.is_some_and(|floor| balance < floor)
    }

    /// Whether a wallet with this balance needs a job.
    fn needs_job(&self, balance: Cents, now: Time) -> bool {
        !self.scheduled && (self.is_low(balance, now) || (self.owed.is_positive() && balance.is_positive()))
    }
}

/// Returns the funding of an app's wallet, empty if it has no row.
pub fn find(world: &World, scope: Scope) -> Result<Arc<WalletFunding>, Halt> {
    let found = world.get::<WalletFunding>(key![scope.org, scope.app])?;
    Ok(found.unwrap_or_else(|| Arc::new(WalletFunding::new(scope))))
}

/// Changes the funding, and enqueues the job if it is needed now.
pub fn change(world: &mut World, scope: Scope, edit: impl FnOnce(&mut WalletFunding)) -> Result<(), Halt> {
    let watch = match world.get::<WalletFunding>(key![scope.org, scope.app])? {
        Some(watch) => watch,
        None => world.add(WalletFunding::new(scope)),
    };
    world.change(&watch, edit);
    let held = balance(world, scope.org, Account::AppWallet(scope.app))?;
    schedule(world, scope, held)
}

/// Enqueues the job if the wallet needs it at this balance.
pub(super) fn schedule(world: &mut World, scope: Scope, balance: Cents) -> Result<(), Halt> {
    let Some(watch) = world.get::<WalletFunding>(key![scope.org, scope.app])? else { return Ok(()) };
    if watch.needs_job(balance, world.now()) {
        world.change(&watch, |watch| watch.scheduled = true);
        jobs::enqueue(world, scope.org, Work::TopUpWallet { app: scope.app.0 });
    }
    Ok(())
}

/// Refuses to delete an app while it expects money or has a debt.
///
/// # Errors
///
/// `invalid-state`.
pub fn must_be_at_rest(world: &World, scope: Scope) -> Result<(), Halt> {
    let watch = find(world, scope)?;
    if watch.pulls > 0 {
        let message = "The app has bank debits in progress. Wait until they are complete.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
    }
    if watch.owed.is_positive() {
        let owed = watch.owed.dollars();
        let message = format!("The app owes {owed} for returned money. Deposit it first.");
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::MoneyRemains).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_wallet_calls_once_when_it_is_low_or_can_pay_what_it_owes() {
        let now = Time::from_micros(1_000);
        let scope = Scope { org: OrgId(Uuid::from_u128(1)), app: AppId(Uuid::from_u128(2)) };
        let none = WalletFunding::new(scope);
        let floor = WalletFunding { floor: Some(Cents::new(100)), ..none.clone() };
        let owes = WalletFunding { owed: Cents::new(5), ..none.clone() };
        let table = [
            (none, 0, false),
            (floor.clone(), 99, true),
            (floor.clone(), 100, false),
            (WalletFunding { scheduled: true, ..floor.clone() }, 99, false),
            (WalletFunding { refill: Some(TransferId(Uuid::from_u128(3))), ..floor.clone() }, 99, false),
            (WalletFunding { refill_after: Some(now.plus_micros(1)), ..floor.clone() }, 99, false),
            (WalletFunding { refill_after: Some(now), ..floor }, 99, true),
            (owes.clone(), 0, false),
            (owes.clone(), 1, true),
            (WalletFunding { scheduled: true, ..owes }, 1, false),
        ];
        for (watch, balance, needs_job) in table {
            assert_eq!(watch.needs_job(Cents::new(balance), now), needs_job, "{watch:?} at {balance}");
        }
    }
}
