//! The fee estimate: the cost of a payout, without making it (docs/specification.md 9). Moves no money.

use rust_decimal::Decimal;
use serde::Serialize;
use utoipa::ToSchema;

use super::choose::{RailRequest, choose};
use super::quote::{FeeRequest, Prices, Quote, Upgrade, prices, quote};
use crate::fees::{self, Exchange, FeeBasis, Party, SHARE_MIN, Schedule};
use crate::ids::{PayoutMethodId, UserId};
use crate::money::{Cents, MoneyOverflow, Percent};
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::users;
use crate::world::{Halt, World};

#[derive(Clone, Copy, Debug)]
pub struct EstimateRequest {
    pub user: UserId,
    /// Cents; if empty, only the schedules are returned.
    pub amount: Option<Cents>,
    pub rail: RailRequest,
    pub account: Option<PayoutMethodId>,
    pub fees: FeeRequest,
    /// Whether to explain the fees.
    pub explain: bool,
}

/// A fee estimate. Amounts are cents, and null if the request has no amount.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FeeEstimate)]
pub struct EstimateJson {
    /// The user to pay.
    pub user_id: UserId,
    /// The rail: `rtp` if an ach payout would use it.
    #[schema(value_type = Platform)]
    pub platform: &'static str,
    /// The party that would pay the fees: user or platform.
    #[schema(value_type = Party)]
    pub payout_fee_party: &'static str,
    /// The service's schedule.
    pub fee_settings: Schedule,
    /// The app's own schedule.
    pub platform_fee_settings: Schedule,
    /// The requested amount.
    #[schema(required, value_type = Option<i64>)]
    pub amount: Option<Cents>,
    /// The service's fee.
    #[schema(required, value_type = Option<i64>)]
    pub fee_amount: Option<Cents>,
    /// The app's fee.
    #[schema(required, value_type = Option<i64>)]
    pub platform_fee_amount: Option<Cents>,
    /// The currency conversion charge.
    #[schema(required, value_type = Option<i64>)]
    pub fx_upcharge_amount: Option<Cents>,
    /// The sum of the three.
    #[schema(required, value_type = Option<i64>)]
    pub total_fee_amount: Option<Cents>,
    /// The user's part of it: all or nothing.
    #[schema(required, value_type = Option<i64>)]
    pub user_fee_amount: Option<Cents>,
    /// The amount that the user would receive.
    #[schema(required, value_type = Option<i64>)]
    pub payout_amount: Option<Cents>,
    /// The explanation of the fees; only with explain=true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
}

/// The explanation of the fees.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FeeExplanation)]
pub struct Explanation {
    /// The basis of the fees: the rule, the row of the app's table, the exchange rate.
    pub basis: FeeBasis,
    /// The requested rail.
    #[schema(example = "ach")]
    pub requested_platform: &'static str,
    /// Why the payout would or would not use rtp.
    pub rtp: &'static str,
    /// Each fee, step by step; empty if the request has no amount.
    pub fees: Vec<WorkedFee>,
}

/// The computation of one fee: `fixed + percent × amount`, rounded once, then limited by the bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WorkedFee {
    /// fee, platform_fee or fx_upcharge.
    #[schema(example = "fee")]
    pub part: &'static str,
    /// The amount on which it is computed, in cents: whole dollars for the base fees of cards.
    #[schema(value_type = i64)]
    pub on_amount: Cents,
    /// The schedule.
    pub schedule: Schedule,
    /// Cents before rounding, a decimal.
    #[schema(example = "25.5")]
    pub unrounded: String,
    /// The rounding mode.
    #[schema(example = "half-even")]
    pub rounding: &'static str,
    /// The applied bound: min, max, one_cent (the lowest fee of a percentage above zero), or null.
    #[schema(required)]
    pub held_to: Option<&'static str>,
    /// The charged fee, in cents.
    #[schema(value_type = i64)]
    pub charged: Cents,
}

/// Estimates a payout.
///
/// # Errors
/// `not-found` for user and account; `invalid-input` for an account of another rail, and if nothing would arrive;
/// `user-info-missing` without an account or a default; with an amount also `user-inactive` and `invalid-state` for a
/// rail that is not open to the user. Fields are named as in a body (`/amount`).
pub fn estimate(world: &mut World, scope: Scope, asked: &EstimateRequest) -> Result<EstimateJson, Halt> {
    let user = users::find(world, scope, asked.user)?;
    let chosen = choose(world, scope, &user, asked.rail, asked.account)?;
    let requested = chosen.platform;
    match asked.amount {
        None => {
            let prices = prices(world, scope, &chosen.priced(), None, asked.fees)?;
            let explain = if asked.explain { Some(explain_prices(&prices, requested.as_str())?) } else { None };
            Ok(EstimateJson { explain, ..schedules(asked.user, &prices) })
        }
        Some(amount) => {
            let way = chosen.payable(world, scope, &user)?;
            let quote = quote(world, scope, &way, amount, asked.fees)?;
            let explain = if asked.explain { Some(explain_quote(&quote, amount, requested.as_str())?) } else { None };
            let charged = quote.charged;
            Ok(EstimateJson {
                amount: Some(amount),
                fee_amount: Some(charged.fee),
                platform_fee_amount: Some(charged.platform_fee),
                fx_upcharge_amount: Some(charged.fx_upcharge),
                total_fee_amount: Some(charged.total),
                user_fee_amount: Some(charged.user_fee),
                payout_amount: Some(charged.payout_amount),
                explain,
                ..schedules(asked.user, &quote.prices)
            })
        }
    }
}

fn schedules(user: UserId, prices: &Prices) -> EstimateJson {
    EstimateJson {
        user_id: user,
        platform: prices.platform.as_str(),
        payout_fee_party: prices.party.as_str(),
        fee_settings: prices.terms.schedule,
        platform_fee_settings: prices.added.schedule,
        amount: None,
        fee_amount: None,
        platform_fee_amount: None,
        fx_upcharge_amount: None,
        total_fee_amount: None,
        user_fee_amount: None,
        payout_amount: None,
        explain: None,
    }
}

fn explain_prices(prices: &Prices, requested_platform: &'static str) -> Result<Explanation, Refusal> {
    let exchange = prices.rate.map(|rate| Exchange::of(&rate, None)).transpose().map_err(too_large)?;
    Ok(Explanation {
        basis: FeeBasis::new(prices.terms, &prices.added, exchange),
        requested_platform,
        rtp: why(prices.upgrade),
        fees: Vec::new(),
    })
}

fn explain_quote(quote: &Quote, amount: Cents, requested_platform: &'static str) -> Result<Explanation, Refusal> {
    let Quote { prices, charged, basis } = quote;
    let override_ = basis.platform_fee_source == fees::PlatformFeeSource::Override;
    let (base, app_base) = fees::bases(prices.platform, amount, override_).map_err(too_large)?;
    Ok(Explanation {
        basis: basis.clone(),
        requested_platform,
        rtp: why(prices.upgrade),
        fees: vec![
            worked("fee", prices.terms.schedule, base, charged.fee),
            worked("platform_fee", prices.added.schedule, app_base, charged.platform_fee),
            worked("fx_upcharge", share(prices.fx), amount, charged.fx_upcharge),
        ],
    })
}

/// Returns the currency conversion charge as a schedule: a percentage without bounds.
const fn share(percent: Percent) -> Schedule {
    Schedule { percent, ..Schedule::FREE }
}

fn worked(part: &'static str, schedule: Schedule, on_amount: Cents, charged: Cents) -> WorkedFee {
    let unrounded = schedule.percent.exact_on_top(schedule.fixed, on_amount);
    let below = unrounded < Decimal::from(schedule.min.get()) && charged == schedule.min;
    let above = schedule.max.is_some_and(|max| charged == max && unrounded > Decimal::from(max.get()));
    let rounds_to_nothing = !above && !below && charged == SHARE_MIN && unrounded <= Decimal::new(5, 1);
    let held_to = match (above, below, rounds_to_nothing) {
        (true, _, _) => Some("max"),
        (false, true, _) => Some("min"),
        (false, false, true) => Some("one_cent"),
        (false, false, false) => None,
    };
    WorkedFee { part, on_amount, schedule, unrounded: unrounded.to_string(), rounding: "half-even", held_to, charged }
}

const fn why(upgrade: Upgrade) -> &'static str {
    match upgrade {
        Upgrade::Instant => {
            "by rtp: the account accepts instant payments, and the amount is within the limit of $100,000.00"
        }
        Upgrade::NotAch => "not by rtp: only ach payouts can use rtp",
        Upgrade::NoAmount => "unknown: it depends on the amount",
        Upgrade::AccountTakesNone => "not by rtp: the account does not accept instant payments",
        Upgrade::NotConnected => "not by rtp: no route connects rtp to a bank or a provider",
        Upgrade::AboveLimit => "not by rtp: the amount is above the limit of $100,000.00",
    }
}

fn too_large(reason: MoneyOverflow) -> Refusal {
    Refusal::field(Code::InvalidInput, "/amount", reason.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_fee_shows_what_was_rounded_and_what_it_was_held_to() {
        let schedule = |fixed, percent: &str, min, max: Option<i64>| Schedule {
            fixed: Cents::new(fixed),
            percent: percent.parse().unwrap(),
            min: Cents::new(min),
            max: max.map(Cents::new),
        };
        for (schedule, amount, unrounded, held_to, charged) in [
            (schedule(25, "0.05", 0, None), 10, "25.5", None, 26),
            (schedule(25, "0", 0, None), 1_000, "25", None, 25),
            (schedule(0, "0.02", 0, Some(2_000)), 1_000_000, "20000", Some("max"), 2_000),
            (schedule(0, "0.02", 0, Some(2_000)), 100_000, "2000", None, 2_000),
            (schedule(0, "0.01", 50, None), 100, "1", Some("min"), 50),
            (schedule(0, "0.01", 50, None), 5_000, "50", None, 50),
            (schedule(0, "0.02", 0, None), 25, "0.5", Some("one_cent"), 1),
            (schedule(0, "0.02", 0, None), 26, "0.52", None, 1),
        ] {
            let cents = fees::fee(&schedule, Cents::new(amount)).unwrap();
            assert_eq!(cents, Cents::new(charged), "{schedule:?}");
            let worked = worked("fee", schedule, Cents::new(amount), cents);
            assert_eq!((worked.unrounded.as_str(), worked.held_to), (unrounded, held_to), "{schedule:?}");
        }
    }
}
