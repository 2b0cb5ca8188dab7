//! Finds and changes the rows.

use std::sync::Arc;

use super::json::RailPaymentJson;
use super::model::RailPayment;
use super::rules::{PaymentEvent, transition};
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId, TransferId};
use crate::refusal::Refusal;
use crate::vault::{Purpose, SealContext};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns the payment of a transfer; `None` if no provider carries it.
///
/// # Errors
/// The store's.
pub fn get(world: &World, org: OrgId, transfer: TransferId) -> Result<Option<Arc<RailPayment>>, Halt> {
    world.get::<RailPayment>(key![org, transfer])
}

pub(super) fn find(world: &World, org: OrgId, transfer: TransferId) -> Result<Arc<RailPayment>, Halt> {
    Ok(get(world, org, transfer)?.ok_or_else(|| Refusal::not_found("payment at a provider"))?)
}

pub(super) fn change(
    world: &mut World,
    payment: &Arc<RailPayment>,
    edit: impl FnOnce(&mut RailPayment),
) -> Arc<RailPayment> {
    let now = world.now();
    world.change(payment, |payment| {
        edit(payment);
        payment.updated_at = now;
        payment.version += 1;
    })
}

/// Changes a payment as an administrative act.
pub(super) fn change_by(
    world: &mut World,
    before: &Arc<RailPayment>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut RailPayment),
) -> Result<Arc<RailPayment>, Halt> {
    let after = change(world, before, edit);
    let act = NewAct::of(kind, Some(after.app), after.transfer).by(Some(by));
    acts::record(world, after.org, act.changing(&RailPaymentJson::from(&**before), &RailPaymentJson::from(&*after)))?;
    Ok(after)
}

/// Records that a payment is canceled before its provider was called.
///
/// # Errors
/// The store's.
pub fn withdraw(world: &mut World, org: OrgId, transfer: TransferId) -> Result<(), Halt> {
    let Some(payment) = get(world, org, transfer)? else { return Ok(()) };
    if let Some(to) = transition(payment.status, PaymentEvent::Withdrawn) {
        change(world, &payment, |payment| payment.status = to);
    }
    Ok(())
}

/// Returns the seal context of an order, which includes the provider that receives it and the amount.
#[must_use]
pub fn seal_context(payment: &RailPayment) -> SealContext {
    SealContext::new(Purpose::Provider, payment.org, "rail_payments", payment.transfer.0, "sealed_order")
        .bound_to(payment.provider.0)
        .bound_to(payment.amount.get().to_be_bytes())
}
