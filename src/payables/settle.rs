//! The result of a payment to a vendor on its rail: completed, failed or returned.
//!
//! Unlike a payee's payout method, a vendor's account stays enabled after a failure: it is the only approved account.
//! Paying again tries it again; another account requires another approval.

use std::sync::Arc;

use super::model::Payable;
use super::rows::advance;
use super::rules::PayableEvent;
use crate::apps;
use crate::apps::{Movement, limit_days};
use crate::ledger::holds::{self, CapturedBy, Closed};
use crate::ledger::{self, Account, postings};
use crate::platform::Platform;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};
use crate::transfers::{self, Transfer, rules::TransferEvent};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Completes the payment: captures the hold and marks the bill as paid. `outside` is the ledger account that represents
/// where the money is now.
pub fn complete(world: &mut World, transfer: &Arc<Transfer>, outside: Account) -> Result<(), Halt> {
    let payable = of(world, transfer)?;
    let by = CapturedBy::Rail(platform(transfer)?, outside);
    must_be_open(holds::capture(world, transfer.scope(), transfer.id, by)?)?;
    let now = world.now();
    transfers::advance(world, transfer, TransferEvent::Completed, |transfer| transfer.completed_at = Some(now))?;
    advance(world, &payable, PayableEvent::PaymentCompleted, None, |_| ()).map(|_| ())
}

/// Fails the payment: releases the hold to the wallet, and the bill can be paid again.
pub fn fail(world: &mut World, transfer: &Arc<Transfer>, code: FailureCode) -> Result<(), Halt> {
    let payable = of(world, transfer)?;
    must_be_open(holds::release(world, transfer.scope(), transfer.id)?)?;
    limit_days::uncount(world, transfer.scope(), Movement::Payable, transfer.amount, transfer.created_at)?;
    transfers::advance(world, transfer, TransferEvent::Failed, |transfer| transfer.error = Some(code))?;
    apps::count_money_out(world, transfer.scope(), transfer.amount.negated())?;
    advance(world, &payable, PayableEvent::PaymentFailed, None, |_| ()).map(|_| ())
}

/// Returns a completed payment's money to the wallet, so the bill can be paid again. `outside` is the ledger account with
/// which it was completed.
pub fn take_back(world: &mut World, transfer: &Arc<Transfer>, code: FailureCode, outside: Account) -> Result<(), Halt> {
    let payable = of(world, transfer)?;
    let posting = postings::return_payable(transfer.scope(), transfer.id, platform(transfer)?, transfer.amount);
    ledger::post(world, &posting.through(outside))?;
    transfers::advance(world, transfer, TransferEvent::Returned, |transfer| transfer.error = Some(code))?;
    apps::count_money_out(world, transfer.scope(), transfer.amount.negated())?;
    advance(world, &payable, PayableEvent::PaymentReturned, None, |_| ()).map(|_| ())
}

/// Returns the bill whose last attempt to pay is this transfer. Earlier attempts ended before it began.
fn of(world: &World, transfer: &Transfer) -> Result<Arc<Payable>, Halt> {
    let found = world.all::<Payable>(Payable::BY_TRANSFER, key![transfer.org, Some(transfer.id)])?;
    Ok(found.into_iter().next().ok_or_else(|| Refusal::not_found("payable of this transfer"))?)
}

fn platform(transfer: &Transfer) -> Result<Platform, Refusal> {
    transfer.platform.ok_or_else(|| Refusal::new(Code::InternalError, "A transfer to a vendor has no rail."))
}

/// An in-flight transfer has an open hold; if not, one of the two rows is damaged.
fn must_be_open(closed: Closed) -> Result<(), Refusal> {
    match closed {
        Closed::Now => Ok(()),
        Closed::Before => Err(Refusal::new(Code::InternalError, "The money of this transfer was already moved.")),
    }
}
