//! Applies the rail's outcome to a deposit or a withdrawal; called by `settlements`.

use std::sync::Arc;

use super::debts::make_up;
use crate::apps::{self, App};
use crate::bank_accounts::{self, BankAccount};
use crate::clock::DAY_SECONDS;
use crate::ids::{AppId, TransferId};
use crate::jobs::{self, Work};
use crate::ledger::wallet_funding::{self, WalletFunding};
use crate::ledger::{self, Account, postings};
use crate::platform::Platform;
use crate::rails::Direction;
use crate::rails::failures::{FailureCode, MethodOutcome};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Pause of automatic refills after a failed or returned pull.
const REST_SECONDS: i64 = DAY_SECONDS;

/// Completes a paid pull or a withdrawal that arrived. `outside` is the ledger account that represents where the money
/// comes from, or is now.
pub fn complete(world: &mut World, transfer: &Arc<Transfer>, outside: Account) -> Result<Arc<Transfer>, Halt> {
    let (platform, direction) = by_rail(transfer)?;
    let (scope, id, amount) = (transfer.scope(), transfer.id, transfer.arrives);
    match direction {
        Direction::Debit => {
            ledger::post(world, &postings::deposit(scope, id, amount).through(outside))?;
            wallet_funding::change(world, scope, |watch| pulled(watch, id))?;
        }
        Direction::Credit => {
            ledger::post(world, &postings::settle_withdrawal(scope, id, platform, amount).through(outside))?;
        }
    }
    let now = world.now();
    transfers::advance(world, transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))
}

/// Fails a pull, or a withdrawal whose money came back.
pub fn fail(world: &mut World, transfer: &Arc<Transfer>, code: FailureCode) -> Result<Arc<Transfer>, Halt> {
    let (platform, direction) = by_rail(transfer)?;
    let (scope, id) = (transfer.scope(), transfer.id);
    match direction {
        Direction::Debit => {
            if wallet_funding::find(world, scope)?.refill == Some(id) {
                rest(world, scope)?;
            }
            wallet_funding::change(world, scope, |watch| pulled(watch, id))?;
        }
        Direction::Credit => {
            ledger::post(world, &postings::fail_withdrawal(scope, id, platform, transfer.arrives))?;
        }
    }
    end_badly(world, transfer, TransferEvent::Failed, code)
}

/// Reverses a pull that the bank took back, or a withdrawal that the bank sent back. `outside` is the ledger account
/// with which it was completed.
pub fn take_back(
    world: &mut World,
    transfer: &Arc<Transfer>,
    code: FailureCode,
    outside: Account,
) -> Result<Arc<Transfer>, Halt> {
    let (platform, direction) = by_rail(transfer)?;
    let (scope, id, amount) = (transfer.scope(), transfer.id, transfer.arrives);
    match direction {
        Direction::Debit => {
            // First, so that the posting does not start another refill that would be returned too.
            rest(world, scope)?;
            let covered = postings::deposit_returned(scope, id, amount).through(outside);
            let uncovered = postings::deposit_returned_uncovered(scope, id, platform, amount).through(outside);
            make_up(world, transfer, &covered, &uncovered)?;
        }
        Direction::Credit => {
            ledger::post(world, &postings::return_withdrawal(scope, id, platform, amount).through(outside))?;
        }
    }
    end_badly(world, transfer, TransferEvent::Returned, code)
}

/// Ends the transfer and disables a bank account that the failure shows to be unusable.
fn end_badly(
    world: &mut World,
    transfer: &Arc<Transfer>,
    event: TransferEvent,
    code: FailureCode,
) -> Result<Arc<Transfer>, Halt> {
    let transfer = transfers::advance(world, transfer, event, |transfer| transfer.error = Some(code))?;
    if let (Some(account), MethodOutcome::Disabled) = (transfer.bank_account, code.failure().method) {
        let account = world.get::<BankAccount>(key![transfer.org, account])?;
        let app = world.get::<App>(key![transfer.org, transfer.app])?;
        if let (Some(account), Some(app)) = (account, app)
            && account.in_use
        {
            bank_accounts::disable(world, &account, code.as_str());
            apps::touch(world, &app)?;
        }
    }
    Ok(transfer)
}

/// Records that the bank has decided on a pull. Another refill may be in progress.
fn pulled(watch: &mut WalletFunding, id: TransferId) {
    watch.pulls -= 1;
    watch.refill = watch.refill.filter(|refill| *refill != id);
}

/// Pauses automatic refills, and schedules a check of the wallet at the end of the pause.
fn rest(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let Scope { org, app: AppId(app) } = scope;
    let until = world.now().plus_seconds(REST_SECONDS);
    wallet_funding::change(world, scope, |watch| watch.refill_after = Some(until))?;
    jobs::enqueue_at(world, org, Work::TopUpWallet { app }, until);
    Ok(())
}

fn by_rail(transfer: &Transfer) -> Result<(Platform, Direction), Refusal> {
    let message = "A refill at a rail has no rail.";
    transfer.platform.zip(transfer.direction()).ok_or_else(|| Refusal::new(Code::InternalError, message))
}
