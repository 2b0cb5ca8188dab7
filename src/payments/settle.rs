//! Applies the rail's report to a payment, for `settlements`.

use std::sync::Arc;

use crate::apps::{Movement, limit_days};
use crate::bank_accounts::{self, BankAccount};
use crate::funding;
use crate::jobs::{self, Work};
use crate::ledger::{self, Account, postings, wallet_funding};
use crate::payment_customers;
use crate::payout_methods;
use crate::platform::Platform;
use crate::rails::failures::{FailureCode, MethodOutcome};
use crate::refusal::{Code, Refusal};
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer};
use crate::users;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Completes a payment: the payer's bank has paid, and the app gets the money. `outside` is the ledger account that
/// represents where the money comes from.
pub fn complete(world: &mut World, transfer: &Arc<Transfer>, outside: Account) -> Result<Arc<Transfer>, Halt> {
    let (platform, scope) = (by_rail(transfer)?, transfer.scope());
    let now = world.now();
    let debit = transfers::debit(world, transfer)?;
    let held_until =
        debit.as_ref().filter(|debit| debit.hold_days > 0).map(|debit| now.plus_business_days(debit.hold_days));
    let posting = match held_until {
        Some(_) => postings::payment_settled_and_held(scope, transfer.id, platform, transfer.arrives),
        None => postings::payment_settled(scope, transfer.id, platform, transfer.arrives),
    };
    ledger::post(world, &posting.through(outside))?;
    wallet_funding::change(world, scope, |watch| watch.pulls -= 1)?;
    if let Some(until) = held_until {
        jobs::enqueue_at(world, scope.org, Work::ReleasePayment { transfer: transfer.id.0 }, until);
    }
    if let Some(debit) = debit {
        world.change(&debit, |debit| {
            debit.held = held_until.is_some();
            debit.available_at = Some(held_until.unwrap_or(now));
        });
    }
    transfers::advance(world, transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))
}

/// Fails a payment. Nothing was posted, so nothing is reversed.
pub fn fail(world: &mut World, transfer: &Arc<Transfer>, code: FailureCode) -> Result<Arc<Transfer>, Halt> {
    wallet_funding::change(world, transfer.scope(), |watch| watch.pulls -= 1)?;
    if let Some(payer) = transfer.user_id.map(|user| user.0).or(transfer.customer.map(|customer| customer.0)) {
        limit_days::uncount(world, transfer.scope(), Movement::Payment(payer), transfer.amount, transfer.created_at)?;
    }
    end_badly(world, transfer, TransferEvent::Failed, code)
}

/// Reverses a payment that the payer's bank took back. The app covers the amount, now or later. `outside` is the ledger
/// account with which it was completed.
pub fn take_back(
    world: &mut World,
    transfer: &Arc<Transfer>,
    code: FailureCode,
    outside: Account,
) -> Result<Arc<Transfer>, Halt> {
    let (platform, scope, amount) = (by_rail(transfer)?, transfer.scope(), transfer.arrives);
    let held = transfers::debit(world, transfer)?.filter(|debit| debit.held);
    if let Some(debit) = held {
        ledger::post(world, &postings::held_payment_returned(scope, transfer.id, platform, amount).through(outside))?;
        world.change(&debit, |debit| {
            debit.held = false;
            debit.available_at = None;
        });
        return end_badly(world, transfer, TransferEvent::Returned, code);
    }
    let covered = postings::payment_returned(scope, transfer.id, platform, amount).through(outside);
    let uncovered = postings::payment_returned_uncovered(scope, transfer.id, platform, amount).through(outside);
    funding::make_up(world, transfer, &covered, &uncovered)?;
    end_badly(world, transfer, TransferEvent::Returned, code)
}

/// Ends the payment, and disables its account if the failure requires it.
fn end_badly(
    world: &mut World,
    transfer: &Arc<Transfer>,
    event: TransferEvent,
    code: FailureCode,
) -> Result<Arc<Transfer>, Halt> {
    let transfer = transfers::advance(world, transfer, event, |transfer| transfer.error = Some(code))?;
    match code.failure().method {
        MethodOutcome::Kept => {}
        MethodOutcome::Disabled => disable_account(world, &transfer, code)?,
    }
    if let Some(user) = transfer.user_id {
        users::follow_failure(world, transfer.scope(), user, code)?;
    }
    Ok(transfer)
}

/// Takes the account of the payment out of use: a payout method or a bank account.
fn disable_account(world: &mut World, transfer: &Transfer, code: FailureCode) -> Result<(), Halt> {
    let scope = transfer.scope();
    if let (Some(user), Some(method)) = (transfer.user_id, transfer.payout_method) {
        let user = users::find(world, scope, user)?;
        let method = payout_methods::paid_to(world, scope.org, user.id, method)?;
        users::disable_payout_method(world, scope, &user, &method, code.as_str())?;
    }
    let Some(account) = transfer.bank_account else { return Ok(()) };
    let Some(account) = world.get::<BankAccount>(key![scope.org, account])? else { return Ok(()) };
    match transfer.customer {
        Some(_) => payment_customers::disable_account(world, &account, code.as_str()),
        None => {
            bank_accounts::disable(world, &account, code.as_str());
            Ok(())
        }
    }
}

fn by_rail(transfer: &Transfer) -> Result<Platform, Refusal> {
    transfer.platform.ok_or_else(|| Refusal::new(Code::InternalError, "A payment at a rail has no rail."))
}
