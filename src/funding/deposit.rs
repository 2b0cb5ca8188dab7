use std::sync::Arc;

use super::ach_account::needed_ach_account;
use crate::apps;
use crate::bank_accounts::BankAccount;
use crate::bank_files::{self, Way};
use crate::engine::Command;
use crate::ids::PayoutLinkId;
use crate::ledger::wallet_funding;
use crate::money::Cents;
use crate::platform::Platform;
use crate::scope::Scope;
use crate::transfers::{self, Transfer, TransferJson, TransferKind};
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub struct Deposit {
    pub scope: Scope,
    /// Cents.
    pub amount: Cents,
    pub metadata: Option<String>,
}

impl Command for Deposit {
    type Reply = TransferJson;

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        apps::find(world, self.scope)?;
        let account = needed_ach_account(world, self.scope)?;
        let way = way(world, self.scope, &account, self.amount)?;

        // From here it must succeed.
        let transfer = pull(world, self.scope, (&account, &way), self.amount, None, self.metadata.clone())?;
        transfers::json(world, &transfer)
    }
}

/// Returns how a pull from the app's bank account travels.
///
/// # Errors
/// Those of [`bank_files::way_from_own`].
pub fn way(world: &World, scope: Scope, account: &BankAccount, amount: Cents) -> Result<Way, Halt> {
    bank_files::way_from_own(world, scope, account, amount, "deposits")
}

/// Starts a pull from the app's bank account. The wallet receives the money when the bank has paid. `link` names the
/// payout link that waits for it.
///
/// # Errors
/// The store's.
pub fn pull(
    world: &mut World,
    scope: Scope,
    (account, way): (&BankAccount, &Way),
    amount: Cents,
    link: Option<PayoutLinkId>,
    metadata: Option<String>,
) -> Result<Arc<Transfer>, Halt> {
    let transfer = Transfer::new(scope.org, scope.app, world.id(), TransferKind::Refill, amount, world.now());
    let transfer = Transfer {
        platform: Some(Platform::Ach),
        bank_account: Some(account.id),
        payout_link: link,
        metadata,
        ..transfer
    };
    let transfer = transfers::open(world, transfer)?;
    wallet_funding::change(world, scope, |watch| watch.pulls += 1)?;
    bank_files::hand_over(world, way, transfer, &account.name)
}
