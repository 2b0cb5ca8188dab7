//! The sums that limits compare: of each day, by kind of movement.
//!
//! Invariant: a movement and its part of the day's sum are one commit, so two movements never share the rest of a
//! limit. A failed or canceled movement is subtracted from the day on which it was created; a returned one is not,
//! because the money had left. Sums are counted with or without a limit, so that a limit set at noon applies to the
//! whole day. `verify/day_sums.rs` recomputes them.

use std::sync::Arc;

use uuid::Uuid;

use super::limits::{Measure, Movement, allows_today, measures};
use super::rows::find;
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::scope::Scope;
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// The sum of an app's movements of one kind on one day in UTC.
    pub struct LimitDay in "limit_days" {
        key (org, app, measure, payer, day);
        pub org: OrgId,
        pub app: AppId,
        pub measure: Measure,
        /// The user or payment customer who pays; nil for all other measures.
        pub payer: Uuid,
        /// `2026-01-31`
        pub day: String,
        pub total: Cents,
    }
}

/// Counts a movement that is created now.
///
/// # Errors
///
/// `limit-exceeded`, with the limit, the used part and the rest.
pub fn count(world: &mut World, scope: Scope, movement: Movement, amount: Cents) -> Result<(), Halt> {
    let limits = *find(world, scope)?.settings.0.limits(movement);
    limits.allows(movement, amount)?;
    let today = world.now().date().to_string();
    let mut days = Vec::new();
    for (measure, payer, limit) in movement.sums(&limits) {
        let day = day(world, scope, measure, payer, today.clone())?;
        allows_today(measure, limit, day.total, amount)?;
        days.push(day);
    }

    // From here it must succeed. Near the end of 64 bits the sum stays as it is: such a sum is above any limit.
    for day in days {
        world.change(&day, |day| day.total = day.total.plus(amount).unwrap_or(day.total));
    }
    Ok(())
}

/// Subtracts a movement that was created at this time and did not arrive.
pub fn uncount(world: &mut World, scope: Scope, movement: Movement, amount: Cents, made_at: Time) -> Result<(), Halt> {
    let made_on = made_at.date().to_string();
    for (measure, payer) in measures(movement) {
        let day = day(world, scope, measure, payer, made_on.clone())?;
        world.change(&day, |day| day.total = day.total.minus(amount).unwrap_or(day.total).max(Cents::ZERO));
    }
    Ok(())
}

fn day(world: &mut World, scope: Scope, measure: Measure, payer: Uuid, day: String) -> Result<Arc<LimitDay>, Halt> {
    let Scope { org, app } = scope;
    match world.get::<LimitDay>(key![org, app, measure, payer, day])? {
        Some(found) => Ok(found),
        None => Ok(world.add(LimitDay { org, app, measure, payer, day, total: Cents::ZERO })),
    }
}
