//! Pays a user from their wallet to one of their payout methods.

use std::sync::Arc;

use super::carrier::Carrier;
use super::of_link;
use super::quote::{FeeRequest, Quote, Way, quote};
use crate::apps;
use crate::apps::{Movement, limit_days};
use crate::bank_files;
use crate::banking::routes;
use crate::ids::{JobId, PayoutLinkId, TransferId};
use crate::jobs::{self, Work};
use crate::ledger;
use crate::ledger::postings::{self, PayoutAmounts};
use crate::money::Cents;
use crate::payout_links;
use crate::payout_methods::{CORRECTED, PayoutMethod};
use crate::platform::Platform;
use crate::rail_payments;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::taxes;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferKind};
use crate::users::{self, User};
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub struct Order {
    pub scope: Scope,
    pub user: Arc<User>,
    pub method: Arc<PayoutMethod>,
    /// Cents that leave the wallet, including the payee's fees.
    pub amount: Cents,
    pub fees: FeeRequest,
    /// Whether the app fills the user's wallet for it; money that does not arrive goes back to the app.
    pub fund: bool,
    /// The link that is paid out.
    pub link: Option<PayoutLinkId>,
    pub tax_exempt: bool,
    pub metadata: Option<String>,
}

impl Order {
    /// Returns the cents that it adds to the payee's tax year: the amount with which the app fills the wallet; other
    /// money was counted when it arrived there. `None` for a tax-exempt order.
    fn taxed(&self) -> Option<Cents> {
        let added = if self.fund { self.amount } else { Cents::ZERO };
        (!self.tax_exempt).then_some(added)
    }
}

/// Takes the money and queues the job for the rail. The wallet must hold the amount, unless the app fills it. A payout
/// above the app's approval limit, or to a user with a warning, is flagged, and its job is queued when a member
/// approves it ([`super::ApprovePayout`]).
///
/// # Errors
/// `user-inactive`, `user-info-missing`, `invalid-state`; `invalid-input` at `/amount` if nothing would arrive;
/// `limit-exceeded`; `transaction-insufficient-funds`.
pub fn pay(world: &mut World, order: &Order) -> Result<Arc<Transfer>, Halt> {
    let scope = order.scope;
    taxes::may_be_paid(world, scope, &order.user, order.taxed())?;
    may_use(&order.method)?;
    may_go_by(world, scope, &order.user, order.method.platform)?;
    let Quote { prices, charged, basis } = quote(world, scope, &Way::to(&order.method), order.amount, order.fees)?;
    let carrier = Carrier::of(world, scope, prices.platform, &order.method, charged.payout_amount)?;
    limit_days::count(world, scope, Movement::Payout, order.amount)?;
    let id: TransferId = world.id();
    let amounts = PayoutAmounts {
        payout: charged.payout_amount,
        fee: charged.fee,
        platform_fee: charged.platform_fee,
        fx: charged.fx_upcharge,
        party: prices.party,
    };
    if order.fund {
        ledger::post(world, &postings::app_to_user(scope, id, order.user.id, order.amount))?;
    }
    ledger::post(world, &postings::pay_out(scope, id, order.user.id, prices.platform, &amounts))?;

    // From here it must succeed.
    if order.fund && !order.tax_exempt {
        taxes::count_received(world, scope, order.user.id, order.amount)?;
    }
    let transfer = Transfer::new(scope.org, scope.app, id, TransferKind::Payout, order.amount, world.now());
    let transfer = Transfer {
        user_id: Some(order.user.id),
        platform: Some(prices.platform),
        payout_method: Some(order.method.id),
        payout_link: order.link,
        funded: order.fund,
        tax_exempt: order.tax_exempt,
        metadata: order.metadata.clone(),
        ..transfer.with_fees(&charged, prices.party, basis)
    };
    let transfer = transfers::open(world, transfer)?;
    of_link::count(world, &transfer)?;
    apps::count_money_out(world, scope, order.amount)?;
    let approval_limit = apps::find(world, scope)?.settings.0.payout_approval_limit;
    // A link counts whole, so that small parts cannot avoid the approval.
    let weighed = match order.link {
        Some(link) => payout_links::find(world, scope, link)?.amount.max(order.amount),
        None => order.amount,
    };
    if approval_limit.is_some_and(|limit| weighed > limit) || users::holds_payouts(&order.user) {
        return transfers::advance(world, &transfer, TransferEvent::Flagged, |_| ());
    }
    hand_to_rail(world, &carrier, transfer, &order.user)
}

/// Adds a payout to the file of its carrier. Without a file it queues the job for the provider or the simulated rail,
/// which has the transfer's id, so that it can be withdrawn until a worker begins it.
pub(super) fn hand_to_rail(
    world: &mut World,
    carrier: &Carrier,
    transfer: Arc<Transfer>,
    user: &User,
) -> Result<Arc<Transfer>, Halt> {
    match carrier {
        Carrier::File(carrier) => return bank_files::join(world, carrier, &transfer, &user.full_name()),
        Carrier::Provider(carrier, platform) => rail_payments::hand_over(world, *carrier, &transfer, *platform),
        Carrier::Simulated => {}
    }
    jobs::enqueue_as(world, transfer.org, job_of(&transfer), Work::SubmitTransfer { transfer: transfer.id.0 });
    Ok(transfer)
}

/// Returns the job that submits a payout to its rail.
pub(super) const fn job_of(transfer: &Transfer) -> JobId {
    JobId(transfer.id.0)
}

pub(super) fn may_use(method: &PayoutMethod) -> Result<(), Refusal> {
    if method.in_use {
        return Ok(());
    }
    if method.disabled_reason.as_deref() == Some(CORRECTED) {
        let message = "The bank replaced the numbers of this payout method. Use the user's newer method for this rail.";
        return Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountDisabled));
    }
    Err(Refusal::new(Code::UserInfoMissing, "This payout method is no longer in use. Choose another one.")
        .because(Reason::AccountDisabled))
}

/// Requires that the rail is connected, and that neither the app nor the user excludes it
/// (`payout_options_exclude_list`).
pub(super) fn may_go_by(world: &mut World, scope: Scope, user: &User, platform: Platform) -> Result<(), Halt> {
    routes::must_be_connected(world, scope, platform)?;
    if users::open_rails(world, scope, user)?.contains(&platform) {
        return Ok(());
    }
    let message = format!(
        "{platform} is excluded for this user by the app's settings or the user's profile. Choose another rail."
    );
    Err(Refusal::new(Code::InvalidState, message).because(Reason::RailExcluded).into())
}
