//! Finds apps, and counts their users and payments.

use std::sync::Arc;

use super::model::{App, AppMetrics, Organization};
use crate::money::Cents;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::{Cell, key};
use crate::world::{Halt, Query, Record, Want, World};

/// Returns the app, unless it was deleted.
pub fn find(world: &mut World, scope: Scope) -> Result<Arc<App>, Halt> {
    match world.get::<App>(key![scope.org, scope.app])? {
        Some(app) if app.deleted_at.is_none() => Ok(app),
        Some(_) | None => Err(Refusal::not_found("app").into()),
    }
}

/// The row that [`find`] reads.
pub fn want(scope: Scope) -> Want {
    Want::row::<App>(key![scope.org, scope.app])
}

/// Returns the app, deleted or not. Late events, such as a payout that a bank returns, still belong to it.
pub fn find_even_deleted(world: &World, scope: Scope) -> Result<Arc<App>, Halt> {
    Ok(world.get::<App>(key![scope.org, scope.app])?.ok_or_else(|| Refusal::not_found("app"))?)
}

/// Adds `change` (1 or -1) to the number of connected users.
pub fn count_connected_user(world: &mut World, scope: Scope, change: i64) -> Result<(), Halt> {
    count(world, scope, |metrics| metrics.connected_users = metrics.connected_users.saturating_add(change))
}

/// Counts an amount that left for a payee; a negative one came back.
pub fn count_money_out(world: &mut World, scope: Scope, amount: Cents) -> Result<(), Halt> {
    // A figure for display, not a balance: on overflow it stays as it is, and the payout continues.
    count(world, scope, |metrics| metrics.money_out = metrics.money_out.plus(amount).unwrap_or(metrics.money_out))
}

fn count(world: &mut World, scope: Scope, edit: impl FnOnce(&mut AppMetrics)) -> Result<(), Halt> {
    let metrics = match world.get::<AppMetrics>(key![scope.org, scope.app])? {
        Some(metrics) => metrics,
        None => world.add(AppMetrics { org: scope.org, app: scope.app, money_out: Cents::ZERO, connected_users: 0 }),
    };
    world.change(&metrics, edit);
    Ok(())
}

/// Whether the app has an object of this kind in one of these states.
///
/// # Errors
///
/// The error of the read.
pub fn has_any<R: Record>(world: &World, scope: Scope, states: &[impl Cell + Copy]) -> Result<bool, Halt> {
    for state in states {
        let one = Query::of::<R>(scope.org.to_value(), "id", 1).equal("app", scope.app).equal("status", *state);
        if !world.page::<R>(&one)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the store has no organization.
pub(super) fn is_empty(world: &mut World) -> Result<bool, Halt> {
    Ok(world.page::<Organization>(&Query::across::<Organization>(1))?.is_empty())
}
