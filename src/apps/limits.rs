//! Limits on the money that an app moves: payouts, bills, transfers to users, and collected payments.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::money::Cents;
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};
use crate::world::record::words;

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
    pub(super) fn sums(self, limits: &Limits) -> Vec<(Measure, Uuid, Option<Cents>)> {
        let all = (self.measure(), Uuid::nil(), limits.per_day);
        match self {
            Self::Payout | Self::Payable | Self::Transfer => vec![all],
            Self::Payment(payer) => vec![all, (Measure::PayerPayment, payer, limits.per_payer_per_day)],
        }
    }

    /// Returns the app setting with the limit of one movement.
    const fn setting(self) -> &'static str {
        match self {
            Self::Payout => "payout_limits.per_payout",
            Self::Payable => "payable_limits.per_payable",
            Self::Transfer => "transfer_limits.per_transfer",
            Self::Payment(_) => "payment_limits.per_payment",
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
                let details = Details::limit(movement.setting(), limit.get());
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
                Err(Refusal::field(Code::LimitExceeded, "/amount", message).because(Reason::AmountLimit).with(details))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Checks that a day's sum of `used` may grow by an amount.
pub(super) fn allows_today(measure: Measure, limit: Option<Cents>, used: Cents, amount: Cents) -> Result<(), Refusal> {
    let Some(limit) = limit else { return Ok(()) };
    let left = limit.checked_sub(used).unwrap_or(Cents::ZERO).max(Cents::ZERO);
    if amount <= left {
        return Ok(());
    }
    let (what, setting) = match measure {
        Measure::Payout => ("Payouts of this app", "payout_limits.per_day"),
        Measure::Payable => ("Bills that this app pays", "payable_limits.per_day"),
        Measure::Transfer => ("Transfers of this app to users", "transfer_limits.per_day"),
        Measure::Payment => ("Payments to this app", "payment_limits.per_day"),
        Measure::PayerPayment => ("Payments of one payer to this app", "payment_limits.per_payer_per_day"),
    };
    let details = Details { available: Some(left.get()), ..Details::limit(setting, limit.get()) };
    let (limit, used, left) = (limit.dollars(), used.dollars(), left.dollars());
    let message =
        format!("{what} are limited to {limit} a day; {used} are used and {left} are left until midnight UTC.");
    Err(Refusal::field(Code::LimitExceeded, "/amount", message).because(Reason::DailyLimit).with(details))
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
