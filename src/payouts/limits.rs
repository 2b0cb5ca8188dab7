//! What an app's payouts of a day amount to, and whether one more may be made.
//!
//! Invariant: a payout and its part of the day's sum are one commit, so no two payouts share what is left of a limit.
//! What fails or is taken back is given back to the day on which it was made; what had arrived and came back is not,
//! because it had left.

use std::sync::Arc;

use crate::apps;
use crate::http::Scope;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::transfers::Transfer;
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// What an app's payouts of one day in UTC amount to. Counted whether or not there is a limit, so that one that is
    /// set at noon holds for the whole day.
    pub struct PayoutDay in "payout_days" {
        key (org, app, day);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// `2026-01-31`
        pub day: String,
        /// Cents.
        pub total: Cents,
    }
}

/// Counts a payout that is being made now.
///
/// # Errors
/// `limit-exceeded`, naming the limit, what is used and what is left.
pub(super) fn count(world: &mut World, scope: Scope, amount: Cents) -> Result<(), Halt> {
    let limits = apps::find(world, scope)?.settings.0.payout_limits;
    limits.may_pay(amount)?;
    let day = day(world, scope, world.now().date().to_string())?;
    limits.may_pay_today(day.total, amount)?;

    // From here it must succeed. Near the end of 64 bits the sum stands still: such a sum is above any limit.
    world.change(&day, |day| day.total = day.total.plus(amount).unwrap_or(day.total));
    Ok(())
}

/// Gives back what a payout was counted for.
pub(super) fn uncount(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    let day = day(world, transfer.scope(), transfer.created_at.date().to_string())?;
    // A payout that was made before days were counted was not counted.
    world.change(&day, |day| day.total = day.total.minus(transfer.amount).unwrap_or(day.total).max(Cents::ZERO));
    Ok(())
}

fn day(world: &mut World, scope: Scope, day: String) -> Result<Arc<PayoutDay>, Halt> {
    let Scope { org, app } = scope;
    match world.get::<PayoutDay>(key![org, app, day])? {
        Some(found) => Ok(found),
        None => Ok(world.add(PayoutDay { org, app, day, total: Cents::ZERO })),
    }
}
