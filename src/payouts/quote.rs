//! The cost of a payout: the only place that combines rail, schedules, app and fee party. The estimate, the claim page
//! and the payout itself use it.

use crate::apps;
use crate::banking::routes;
use crate::fees::{
    self, Added, BOOK_CURRENCY, Breakdown, ChargeInput, Exchange, FeeBasis, FeeRefusal, Party, PlatformFeeSource,
    RailTerms, Rate, Schedule,
};
use crate::language::Text;
use crate::money::{Cents, Percent};
use crate::payout_methods::PayoutMethod;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// The highest amount that is paid by RTP to an account that takes real-time payments: $100,000.00.
pub const RTP_AMOUNT_MAX: Cents = Cents::new(10_000_000);

/// The properties of rail and account that determine the price.
#[derive(Clone, Debug)]
pub struct Way {
    pub platform: Platform,
    pub rtp_enabled: bool,
    /// The currency of the account; `None` if no account is known.
    pub currency: Option<String>,
}

impl Way {
    /// Returns the pricing input of an account that is not set up yet.
    #[must_use]
    pub fn by(platform: Platform) -> Self {
        Self { platform, rtp_enabled: false, currency: None }
    }

    #[must_use]
    pub fn to(method: &PayoutMethod) -> Self {
        Self { platform: method.platform, rtp_enabled: method.rtp_enabled, currency: Some(method.currency.clone()) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeeRequest {
    /// The app's default if empty.
    pub party: Option<Party>,
    /// The app's own fee, instead of its fee table.
    pub override_: Option<Schedule>,
}

/// Why an ach payout does or does not use rtp (docs/decisions.md 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upgrade {
    /// It does: the account takes instant payments, and the amount is within the limit.
    Instant,
    NotAch,
    /// It depends on the amount, and none is known.
    NoAmount,
    AccountTakesNone,
    /// The amount is above [`RTP_AMOUNT_MAX`].
    AboveLimit,
    /// A route carries ach, or must, and none carries rtp.
    NotConnected,
}

#[derive(Clone, Debug)]
pub struct Prices {
    /// The rail, after the upgrade from ACH to RTP.
    pub platform: Platform,
    pub upgrade: Upgrade,
    pub terms: &'static RailTerms,
    pub added: Added,
    /// The currency conversion charge, as a share of this payout.
    pub fx: Percent,
    /// The exchange rate; `None` without a conversion or a known currency.
    pub rate: Option<Rate>,
    pub party: Party,
}

#[derive(Clone, Debug)]
pub struct Quote {
    pub prices: Prices,
    pub charged: Breakdown,
    /// The basis of the charge, which is stored with it.
    pub basis: FeeBasis,
}

/// Returns the schedules of a payout. Without an amount, the rail is the requested one.
pub fn prices(
    world: &mut World,
    scope: Scope,
    way: &Way,
    amount: Option<Cents>,
    asked: FeeRequest,
) -> Result<Prices, Halt> {
    let app = apps::find(world, scope)?;
    let (settings, now) = (&app.settings.0, world.now());
    let wanted = upgrade(way, amount);
    let is_lost = wanted == Upgrade::Instant && !routes::is_rtp_connected(world, scope)?;
    let upgrade = if is_lost { Upgrade::NotConnected } else { wanted };
    let platform = if upgrade == Upgrade::Instant { Platform::Rtp } else { way.platform };
    let terms = fees::schedule(platform, now.date());
    let currency = way.currency.as_deref();
    let held = settings.fees.added(now, platform, currency);
    let added = match asked.override_ {
        Some(schedule) => Added { schedule, source: PlatformFeeSource::Override, row: None, ..held },
        None => held,
    };
    Ok(Prices {
        platform,
        upgrade,
        terms,
        added,
        // Dollars that arrive as dollars are not converted, in any country.
        fx: if currency == Some(BOOK_CURRENCY) { Percent::ZERO } else { terms.fx_percent },
        rate: currency.and_then(|currency| fees::rate(currency, now.date())),
        party: asked.party.unwrap_or(settings.payout_fee_party),
    })
}

/// Quotes a payout of `amount`.
///
/// # Errors
/// `invalid-input` at `/amount` if nothing would arrive; `user-info-missing` if bursar does not convert to the
/// account's currency.
pub fn quote(world: &mut World, scope: Scope, way: &Way, amount: Cents, asked: FeeRequest) -> Result<Quote, Halt> {
    let prices = prices(world, scope, way, Some(amount), asked)?;
    if let (Some(currency), None) = (way.currency.as_deref().filter(|one| *one != BOOK_CURRENCY), prices.rate) {
        let message = format!(
            "The account's currency {currency} is not supported. Choose an account in one of: {}.",
            fees::payable()
        );
        return Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountIncomplete).into());
    }
    let charged = fees::charge(ChargeInput {
        platform: prices.platform,
        amount,
        service: &prices.terms.schedule,
        app: &prices.added.schedule,
        override_: asked.override_.is_some(),
        fx: prices.fx,
        party: prices.party,
    });
    let charged = charged.map_err(refusal)?;
    let exchange = prices.rate.map(|rate| Exchange::of(&rate, Some(charged.payout_amount))).transpose();
    let exchange = exchange.map_err(|reason| refusal(reason.into()))?;
    let basis = FeeBasis::new(prices.terms, &prices.added, exchange);
    Ok(Quote { prices, charged, basis })
}

/// Upgrades ACH to RTP if the account takes it and the amount is within the limit (docs/decisions.md 7).
fn upgrade(way: &Way, amount: Option<Cents>) -> Upgrade {
    match (way.platform, amount) {
        (platform, _) if platform != Platform::Ach => Upgrade::NotAch,
        (_, None) => Upgrade::NoAmount,
        (_, Some(_)) if !way.rtp_enabled => Upgrade::AccountTakesNone,
        (_, Some(amount)) if amount > RTP_AMOUNT_MAX => Upgrade::AboveLimit,
        (_, Some(_)) => Upgrade::Instant,
    }
}

fn refusal(reason: FeeRefusal) -> Refusal {
    let refusal = Refusal::field(Code::InvalidInput, "/amount", reason.to_string());
    match reason {
        FeeRefusal::FeesExceedAmount { .. } | FeeRefusal::FeesTakeAll { .. } => refusal.saying(Text::AmountUnderFee),
        FeeRefusal::AmountNotPositive | FeeRefusal::Overflow => refusal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ach_goes_by_rtp_where_account_and_amount_allow_it() {
        let way = |platform, rtp_enabled| Way { rtp_enabled, ..Way::by(platform) };
        let limit = RTP_AMOUNT_MAX.get();
        for (platform, rtp_enabled, amount, expected) in [
            (Platform::Ach, true, Some(1), Upgrade::Instant),
            (Platform::Ach, true, Some(limit), Upgrade::Instant),
            (Platform::Ach, true, Some(limit + 1), Upgrade::AboveLimit),
            (Platform::Ach, false, Some(1), Upgrade::AccountTakesNone),
            (Platform::Ach, true, None, Upgrade::NoAmount),
            (Platform::Wire, true, Some(1), Upgrade::NotAch),
            (Platform::Wire, true, None, Upgrade::NotAch),
        ] {
            assert_eq!(upgrade(&way(platform, rtp_enabled), amount.map(Cents::new)), expected);
        }
    }
}
