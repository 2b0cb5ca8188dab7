//! Finds and changes the rows.

use std::sync::Arc;

use super::json::PaymentCustomerJson;
use super::model::PaymentCustomer;
use crate::bank_accounts::{self, BankAccount};
use crate::events::{self, EventName, NewEvent};
use crate::ids::PaymentCustomerId;
use crate::rails::failures::FailureCode;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns a customer of the app.
///
/// # Errors
/// `not-found`, also for another app's and for a deleted one.
pub fn find(world: &World, scope: Scope, id: PaymentCustomerId) -> Result<Arc<PaymentCustomer>, Halt> {
    match world.get::<PaymentCustomer>(key![scope.org, id])? {
        Some(customer) if customer.app == scope.app && customer.in_use => Ok(customer),
        Some(_) | None => Err(Refusal::not_found("payment customer").into()),
    }
}

/// Changes a customer and emits its event.
pub(super) fn change(
    world: &mut World,
    customer: &Arc<PaymentCustomer>,
    edit: impl FnOnce(&mut PaymentCustomer),
) -> Result<Arc<PaymentCustomer>, Halt> {
    let now = world.now();
    let customer = world.change(customer, |customer| {
        edit(customer);
        customer.version += 1;
        customer.updated_at = now;
    });
    emit(world, &customer)?;
    Ok(customer)
}

/// Disables a bank account after a failure whose code is `reason`.
pub fn disable_account(world: &mut World, account: &Arc<BankAccount>, reason: &str) -> Result<(), Halt> {
    let customer = world.get::<PaymentCustomer>(key![account.org, account.holder])?;
    let has_ended = reason == FailureCode::Unauthorized.as_str();
    let disabled = if has_ended {
        bank_accounts::disable_for(world, account, reason)
    } else {
        bank_accounts::disable(world, account, reason)
    };
    match customer.filter(|_| disabled.version != account.version) {
        Some(customer) => touch(world, &customer),
        None => Ok(()),
    }
}

/// Records a change of a customer that is stored in other rows, such as a bank account.
///
/// # Errors
/// The store's.
pub fn touch(world: &mut World, customer: &Arc<PaymentCustomer>) -> Result<(), Halt> {
    change(world, customer, |_| ()).map(|_| ())
}

pub(super) fn emit(world: &mut World, customer: &PaymentCustomer) -> Result<(), Halt> {
    let object = PaymentCustomerJson::from(customer);
    let scope = Scope { org: customer.org, app: customer.app };
    let name = EventName::PaymentCustomerUpdated;
    events::emit(world, scope, NewEvent::of(name, customer.id.0, customer.version, &object))
}
