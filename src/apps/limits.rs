//! Limits on the money that an app moves: payouts, bills, transfers to users, and collected payments.
//!
//! Invariant: a movement and its part of the day's sum are one commit, so two movements never share the rest of a
//! limit. A failed or canceled movement is subtracted from the day on which it was created; a returned one is not,
//! because the money had left. Sums are counted with or without a limit, so that a limit set at noon applies to the
//! whole day. `verify/day_sums.rs` recomputes them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::model::find;
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{key, record, words};
use crate::world::{Halt, World};

words! {
    /// The kind of a day's sum.
    pub enum Measure {
        /// Payouts to users by a rail.
        Payout = "payout",
        /// Payments of bills.
        Payable = "payable",
        /// Transfers from the app's wallet to users' wallets.
        Transfer = "transfer",
        /// Payments that the app collects.
        Payment = "payment",
        /// Payments that the app collects from one payer.
        PayerPayment = "payer_payment",
    }
}

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

/// Limits on one kind of movement, in cents; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Of one movement.
    #[serde(alias = "per_payout")]
    pub each: Option<Cents>,
    /// Of one payer's payments of a day; payments only.
    pub per_payer_per_day: Option<Cents>,
    /// Of all movements of a day in UTC.
    pub per_day: Option<Cents>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    Payout,
    Payable,
    /// From the app's wallet to a user's.
    Transfer,
    /// A payment by a user or a payment customer.
    Payment(Uuid),
}

impl Movement {
    /// Returns the sums that it counts towards, with the limit on each.
    fn sums(self, limits: &Limits) -> Vec<(Measure, Uuid, Option<Cents>)> {
        let all = (self.measure(), Uuid::nil(), limits.per_day);
        match self {
            Self::Payout | Self::Payable | Self::Transfer => vec![all],
            Self::Payment(payer) => vec![all, (Measure::PayerPayment, payer, limits.per_payer_per_day)],
        }
    }

    const fn measure(self) -> Measure {
        match self {
            Self::Payout => Measure::Payout,
            Self::Payable => Measure::Payable,
            Self::Transfer => Measure::Transfer,
            Self::Payment(_) => Measure::Payment,
        }
    }
}

/// Returns the sums that a movement counts towards, for the pass that recomputes them.
pub fn measures(movement: Movement) -> impl Iterator<Item = (Measure, Uuid)> {
    movement.sums(&Limits::default()).into_iter().map(|(measure, payer, _)| (measure, payer))
}

impl Limits {
    /// Checks the amount of one movement.
    ///
    /// # Errors
    ///
    /// `limit-exceeded`.
    pub fn allows(&self, movement: Movement, amount: Cents) -> Result<(), Refusal> {
        match self.each {
            Some(limit) if amount > limit => {
                let (asked, limit) = (amount.dollars(), limit.dollars());
                let message = match movement {
                    Movement::Payout => format!("A payout of this app is limited to {limit}; this payout is {asked}."),
                    Movement::Payable => {
                        format!("A bill that this app pays is limited to {limit}; this bill is {asked}.")
                    }
                    Movement::Transfer => {
                        format!("A transfer of this app to a user is limited to {limit}; this transfer is {asked}.")
                    }
                    Movement::Payment(_) => {
                        format!("A payment to this app is limited to {limit}; this payment is {asked}.")
                    }
                };
                Err(Refusal::field(Code::LimitExceeded, "/amount", message))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Checks that a day's sum of `used` may grow by an amount.
fn allows_today(measure: Measure, limit: Option<Cents>, used: Cents, amount: Cents) -> Result<(), Refusal> {
    let Some(limit) = limit else { return Ok(()) };
    let left = limit.checked_sub(used).unwrap_or(Cents::ZERO).max(Cents::ZERO);
    if amount <= left {
        return Ok(());
    }
    let what = match measure {
        Measure::Payout => "Payouts of this app",
        Measure::Payable => "Bills that this app pays",
        Measure::Transfer => "Transfers of this app to users",
        Measure::Payment => "Payments to this app",
        Measure::PayerPayment => "Payments of one payer to this app",
    };
    let (limit, used, left) = (limit.dollars(), used.dollars(), left.dollars());
    let message =
        format!("{what} are limited to {limit} a day; {used} are used and {left} are left until midnight UTC.");
    Err(Refusal::field(Code::LimitExceeded, "/amount", message))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_names_what_is_used_and_what_is_left() {
        let limits = Limits { each: Some(Cents::new(500)), per_day: Some(Cents::new(1_000)), ..Limits::default() };
        assert!(limits.allows(Movement::Payable, Cents::new(500)).is_ok());
        assert_eq!(limits.allows(Movement::Payable, Cents::new(501)).unwrap_err().code, Code::LimitExceeded);
        let today = |used: i64, amount: i64| {
            allows_today(Measure::Payout, limits.per_day, Cents::new(used), Cents::new(amount))
        };
        assert!(today(600, 400).is_ok());
        let refusal = today(600, 401).unwrap_err();
        let said =
            "Payouts of this app are limited to $10.00 a day; $6.00 are used and $4.00 are left until midnight UTC.";
        assert_eq!(refusal.errors[0].message, said);
        // A limit below the used sum leaves zero, not a negative rest.
        assert!(today(2_000, 1).unwrap_err().errors[0].message.contains("$0.00 are left"));
        assert!(allows_today(Measure::Payout, None, Cents::new(i64::MAX), Cents::new(1)).is_ok());
    }

    #[test]
    fn limits_of_an_older_program_are_read() {
        let limits: Limits = serde_json::from_str(r#"{"per_payout": 5, "per_day": null}"#).unwrap();
        assert_eq!(limits, Limits { each: Some(Cents::new(5)), ..Limits::default() });
    }
}
