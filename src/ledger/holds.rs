//! Holds: money that an app sets aside until a link is claimed or a payable is paid.
//!
//! Each function moves the money and changes the hold in one step; its caller posts nothing more. Invariant: an app's
//! held balance is the sum of its open holds.

use std::sync::Arc;

use super::account::Account;
use super::model::{Hold, HoldState};
use super::post::{Posting, post};
use super::postings;
use super::rules::{self, HoldEvent, HoldTransition};
use crate::ids::{TransferId, UserId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The destination of captured money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedBy {
    /// The wallet of the person who claimed it.
    User(UserId),
    /// The rail that pays the vendor, and the ledger account that represents where the money is then.
    Rail(Platform, Account),
}

/// Whether this call closed the hold.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// This call closed it: the money moved.
    Now,
    /// An earlier call closed it in the same way: no money moved again.
    Before,
}

/// Returns the hold of this transfer.
///
/// # Errors
///
/// `not-found`, also for another organization or app.
pub fn find(world: &World, scope: Scope, id: TransferId) -> Result<Arc<Hold>, Halt> {
    match world.get::<Hold>(key![scope.org, id])? {
        Some(hold) if hold.app == scope.app => Ok(hold),
        Some(_) | None => Err(Refusal::not_found("hold").into()),
    }
}

/// Sets money of the app's wallet aside for a new transfer: its id was just drawn, so it cannot have a hold yet.
///
/// # Errors
///
/// `transaction-insufficient-funds`.
pub fn open_new(world: &mut World, scope: Scope, id: TransferId, amount: Cents) -> Result<Arc<Hold>, Halt> {
    post(world, &postings::open_hold(scope, id, amount))?;
    Ok(add(world, scope, id, amount))
}

/// Sets money aside that was pulled for this transfer, even if the app has a debt.
///
/// # Errors
///
/// `transaction-insufficient-funds`; `invalid-state` if the transfer has a hold.
pub fn open_pulled(world: &mut World, scope: Scope, id: TransferId, amount: Cents) -> Result<Arc<Hold>, Halt> {
    if world.get::<Hold>(key![scope.org, id])?.is_some() {
        return Err(Refusal::new(Code::InvalidState, "The money is already held. No action is required.")
            .because(Reason::AlreadyDone)
            .into());
    }
    post(world, &postings::open_hold(scope, id, amount).taking_owed())?;
    Ok(add(world, scope, id, amount))
}

fn add(world: &mut World, scope: Scope, id: TransferId, amount: Cents) -> Arc<Hold> {
    let opened_at = world.now();
    let hold = Hold { org: scope.org, id, app: scope.app, amount, state: HoldState::Open, opened_at, closed_at: None };
    world.add(hold)
}

/// Sends all of the money to the payee.
///
/// # Errors
///
/// `not-found`; `invalid-state` if it was released.
pub fn capture(world: &mut World, scope: Scope, id: TransferId, by: CapturedBy) -> Result<Closed, Halt> {
    let hold = find(world, scope, id)?;
    let posting = match by {
        CapturedBy::User(user) => postings::capture_hold(scope, id, user, hold.amount),
        CapturedBy::Rail(platform, outside) => postings::pay_payable(scope, id, platform, hold.amount).through(outside),
    };
    close(world, &hold, HoldEvent::Capture, &posting)
}

/// Returns all of the money to the app's wallet.
///
/// # Errors
///
/// `not-found`; `invalid-state` if it was captured.
pub fn release(world: &mut World, scope: Scope, id: TransferId) -> Result<Closed, Halt> {
    let hold = find(world, scope, id)?;
    let posting = postings::release_hold(scope, id, hold.amount);
    close(world, &hold, HoldEvent::Release, &posting)
}

fn close(world: &mut World, hold: &Arc<Hold>, event: HoldEvent, posting: &Posting) -> Result<Closed, Halt> {
    let state = match rules::transition(hold.state, event) {
        HoldTransition::Moved(state) => state,
        HoldTransition::AlreadyApplied => return Ok(Closed::Before),
        HoldTransition::Refused(why) => return Err(why.into()),
    };
    post(world, posting)?;

    // From here it must succeed.
    let now = world.now();
    world.change(hold, |hold| {
        hold.state = state;
        hold.closed_at = Some(now);
    });
    Ok(Closed::Now)
}
