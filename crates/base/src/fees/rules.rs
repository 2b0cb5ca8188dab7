//! The arithmetic of fees: pure, exact, and shared by the estimate and the payout.

use crate::{
    money::{Cents, MoneyOverflow, Percent, Rounding},
    platform::Platform,
};
use serde::{Deserialize, Serialize};

/// How a fee is computed from an amount.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FeeSettings)]
pub struct Schedule {
    /// Cents, independent of the amount.
    #[schema(value_type = i64)]
    pub fixed: Cents,
    /// The percentage of the amount, added to `fixed`.
    #[schema(value_type = String)]
    pub percent: Percent,
    /// The minimum fee, in cents.
    #[schema(value_type = i64)]
    pub min: Cents,
    /// The maximum fee, in cents; `None` for no limit. It takes precedence over `min`.
    #[schema(value_type = Option<i64>, required)]
    pub max: Option<Cents>,
}

impl Schedule {
    pub const FREE: Schedule = Schedule { fixed: Cents::ZERO, percent: Percent::ZERO, min: Cents::ZERO, max: None };
}

/// The minimum fee of a schedule with a percentage.
pub const SHARE_MIN: Cents = Cents::new(1);

/// The party that pays the fees (`payout_fee_party`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// The payee: the fees are taken from the amount.
    User,
    /// The app: its balance pays the fees on top of the amount.
    Platform,
}

impl Party {
    /// In the order of docs/specification.md.
    pub const ALL: [Party; 2] = [Party::User, Party::Platform];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Party::User => "user",
            Party::Platform => "platform",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("must be \"user\" or \"platform\"")]
pub struct UnknownParty;

impl std::str::FromStr for Party {
    type Err = UnknownParty;

    fn from_str(word: &str) -> Result<Party, UnknownParty> {
        Party::ALL.into_iter().find(|party| party.as_str() == word).ok_or(UnknownParty)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChargeInput<'a> {
    /// The rail that is used: `rtp` after the upgrade.
    pub platform: Platform,
    /// The requested amount, above zero.
    pub amount: Cents,
    pub service: &'a Schedule,
    /// The app's schedule: the override of the payout, else the app's table, else [`Schedule::FREE`].
    pub app: &'a Schedule,
    /// Whether `app` is an override of the payout (`payout_fee_fixed`, `payout_fee_percent`), which applies to the
    /// requested amount even on rails that pay whole dollars.
    pub override_: bool,
    /// The percentage for a currency exchange.
    pub fx: Percent,
    pub party: Party,
}

/// The parts of a charge, in cents, named after the fields of the fee estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Breakdown {
    /// `fee_amount`: the service's fee.
    pub fee: Cents,
    /// `platform_fee_amount`: the app's fee.
    pub platform_fee: Cents,
    /// `fx_upcharge_amount`.
    pub fx_upcharge: Cents,
    /// `total_fee_amount`: the sum of the three.
    pub total: Cents,
    /// `user_fee_amount`: the payee's part of the total, all or nothing.
    pub user_fee: Cents,
    /// `payout_amount`: the amount that arrives, above zero.
    pub payout_amount: Cents,
}

/// The reason why an amount cannot be charged, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum FeeRefusal {
    #[error("the amount must be greater than 0")]
    AmountNotPositive,
    /// The fee does not fit in 64 bits of cents.
    #[error("the fees are too large")]
    Overflow,
    /// The payee would have to pay.
    #[error("the fees of {} exceed the amount of {}", .total.dollars(), .amount.dollars())]
    FeesExceedAmount { total: Cents, amount: Cents },
    /// Nothing would arrive, and no rail carries a zero amount.
    #[error("the fees use up the whole amount of {}", .amount.dollars())]
    FeesTakeAll { amount: Cents },
}

impl From<MoneyOverflow> for FeeRefusal {
    fn from(_: MoneyOverflow) -> FeeRefusal {
        FeeRefusal::Overflow
    }
}

/// Returns one fee: `fixed + percent × amount`, rounded half-even once, then limited to `min` and `max`
/// (docs/decisions.md 7). The limits are whole cents, so the order does not matter. A percentage above zero costs at
/// least [`SHARE_MIN`]; otherwise a thousand small payouts would be free where one large payout is not.
///
/// # Errors
/// [`MoneyOverflow`].
pub fn fee(schedule: &Schedule, amount: Cents) -> Result<Cents, MoneyOverflow> {
    let least = if schedule.percent.is_zero() { schedule.min } else { schedule.min.max(SHARE_MIN) };
    let fee = schedule.percent.of_on_top(schedule.fixed, amount, Rounding::HalfEven)?.max(least);
    Ok(schedule.max.map_or(fee, |max| fee.min(max)))
}

/// Returns the amounts on which the service's and the app's fees are taken. On cards that pay whole dollars these are
/// the whole dollars, except for an override (docs/decisions.md 7).
///
/// # Errors
/// [`MoneyOverflow`] near the end of 64 bits.
pub fn bases(platform: Platform, amount: Cents, override_: bool) -> Result<(Cents, Cents), MoneyOverflow> {
    let base = if platform.pays_whole_dollars() { amount.whole_dollars()? } else { amount };
    Ok((base, if override_ { amount } else { base }))
}

/// Computes the fees of a payout and the amount that arrives.
///
/// # Errors
/// [`FeeRefusal`] if nothing would arrive.
pub fn charge(input: ChargeInput<'_>) -> Result<Breakdown, FeeRefusal> {
    let amount = input.amount;
    if !amount.is_positive() {
        return Err(FeeRefusal::AmountNotPositive);
    }

    let (base, app_base) = bases(input.platform, amount, input.override_)?;
    let service_fee = fee(input.service, base)?;
    let platform_fee = fee(input.app, app_base)?;
    let fx_upcharge = input.fx.of(amount, Rounding::HalfEven);
    let total = service_fee.plus(platform_fee)?.plus(fx_upcharge)?;
    let user_fee = match input.party {
        Party::User => total,
        Party::Platform => Cents::ZERO,
    };
    let payout_amount = amount.minus(user_fee)?;
    if payout_amount.is_negative() {
        return Err(FeeRefusal::FeesExceedAmount { total, amount });
    }
    if payout_amount.is_zero() {
        return Err(FeeRefusal::FeesTakeAll { amount });
    }
    Ok(Breakdown { fee: service_fee, platform_fee, fx_upcharge, total, user_fee, payout_amount })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn schedule(fixed: i64, percent: &str, min: i64, max: Option<i64>) -> Schedule {
        Schedule {
            fixed: Cents::new(fixed),
            percent: percent.parse().unwrap(),
            min: Cents::new(min),
            max: max.map(Cents::new),
        }
    }

    fn input<'a>(platform: Platform, amount: i64, service: &'a Schedule) -> ChargeInput<'a> {
        ChargeInput {
            platform,
            amount: Cents::new(amount),
            service,
            app: &Schedule::FREE,
            override_: false,
            fx: Percent::ZERO,
            party: Party::User,
        }
    }

    #[test]
    fn one_fee() {
        let table = [
            (schedule(25, "0", 0, None), 1000, 25),
            (schedule(0, "0.02", 0, Some(2000)), 1_000_000, 2000),
            (schedule(0, "0.02", 0, Some(2000)), 99_999, 2000),
            (schedule(0, "0.01", 50, None), 100, 50),
            (schedule(0, "0.01", 50, None), 5001, 50),
            (schedule(0, "0.01", 50, None), 5051, 51),
            (schedule(150, "0.005", 0, None), 100, 150),
            (schedule(150, "0.005", 0, None), 300, 152),
            (schedule(151, "0.005", 0, None), 100, 152),
            (schedule(0, "0", 80, Some(50)), 100, 50),
            (schedule(0, "0.02", 0, Some(2000)), 1, 1),
            (schedule(0, "0.02", 0, Some(2000)), 25, 1),
            (schedule(0, "0.02", 0, Some(0)), 25, 0),
            (schedule(0, "0", 0, None), 25, 0),
        ];
        for (schedule, amount, cents) in table {
            assert_eq!(fee(&schedule, Cents::new(amount)), Ok(Cents::new(cents)), "{schedule:?} of {amount}");
        }
    }

    #[test]
    fn cards_take_base_fees_on_whole_dollars_but_overrides_on_the_request() {
        let ten_percent = schedule(0, "0.1", 0, None);
        for (platform, override_, service_fee, platform_fee) in [
            (Platform::PrepaidCardA, false, 10, 10),
            (Platform::PrepaidCardA, true, 10, 20),
            (Platform::GiftCardA, false, 10, 10),
            (Platform::GiftCardA, true, 10, 20),
            (Platform::Ach, false, 20, 20),
            (Platform::Ach, true, 20, 20),
        ] {
            let breakdown =
                charge(ChargeInput { app: &ten_percent, override_, ..input(platform, 199, &ten_percent) }).unwrap();
            assert_eq!(breakdown.fee, Cents::new(service_fee), "{platform} {override_}");
            assert_eq!(breakdown.platform_fee, Cents::new(platform_fee), "{platform} {override_}");
        }
    }

    #[test]
    fn the_party_decides_who_pays_the_same_total() {
        let service = schedule(200, "0.01", 0, None);
        let app = schedule(30, "0", 0, None);
        let by = |party| {
            charge(ChargeInput {
                app: &app,
                fx: "0.01".parse().unwrap(),
                party,
                ..input(Platform::IntlBank, 10_000, &service)
            })
            .unwrap()
        };
        let by_user = by(Party::User);
        assert_eq!(
            by_user,
            Breakdown {
                fee: Cents::new(300),
                platform_fee: Cents::new(30),
                fx_upcharge: Cents::new(100),
                total: Cents::new(430),
                user_fee: Cents::new(430),
                payout_amount: Cents::new(9_570),
            }
        );
        assert_eq!(
            by(Party::Platform),
            Breakdown { user_fee: Cents::ZERO, payout_amount: Cents::new(10_000), ..by_user }
        );
    }

    #[test]
    fn a_payout_of_nothing_is_refused() {
        let service = schedule(25, "0", 0, None);
        let refusal = |amount| charge(input(Platform::Ach, amount, &service)).err();
        let (total, amount) = (Cents::new(25), Cents::new(24));
        assert_eq!(refusal(0), Some(FeeRefusal::AmountNotPositive));
        assert_eq!(refusal(-1), Some(FeeRefusal::AmountNotPositive));
        assert_eq!(refusal(24), Some(FeeRefusal::FeesExceedAmount { total, amount }));
        assert_eq!(refusal(25), Some(FeeRefusal::FeesTakeAll { amount: total }));
        assert_eq!(refusal(26), None);
        let paid_by_platform = ChargeInput { party: Party::Platform, ..input(Platform::Ach, 1, &service) };
        assert_eq!(charge(paid_by_platform).unwrap().payout_amount, Cents::new(1));
        let endless = schedule(i64::MAX, "0.9", 0, None);
        assert_eq!(charge(input(Platform::Ach, 100, &endless)), Err(FeeRefusal::Overflow));
    }

    #[test]
    fn json_is_the_shape_of_fee_settings() {
        let json = r#"{"fixed":150,"percent":"0.005","min":0,"max":null}"#;
        assert_eq!(serde_json::to_string(&schedule(150, ".005", 0, None)).unwrap(), json);
        assert_eq!(serde_json::from_str::<Schedule>(json).unwrap(), schedule(150, ".005", 0, None));
    }

    proptest! {
        #[test]
        fn a_breakdown_adds_up(
            amount in 1i64..=9_999_999_999, fixed in 0i64..10_000, points in 0u32..10_000,
            fx in 0u32..500, rail in 0usize..14, override_: bool, by_user: bool,
        ) {
            let service = Schedule { fixed: Cents::new(fixed), percent: Percent::basis_points(points / 2), ..Schedule::FREE };
            let app = Schedule { percent: Percent::basis_points(points / 3), ..Schedule::FREE };
            let party = if by_user { Party::User } else { Party::Platform };
            let input = ChargeInput {
                platform: Platform::ALL[rail], amount: Cents::new(amount), service: &service, app: &app,
                override_, fx: Percent::basis_points(fx), party,
            };
            if let Ok(parts) = charge(input) {
                prop_assert_eq!(parts.fee.get() + parts.platform_fee.get() + parts.fx_upcharge.get(), parts.total.get());
                prop_assert_eq!(parts.payout_amount.get() + parts.user_fee.get(), amount);
                prop_assert!(parts.payout_amount.is_positive());
                prop_assert!(!parts.fee.is_negative() && !parts.platform_fee.is_negative());
            }
        }
    }
}
