//! Vendors: companies that send bills, and their bank accounts (docs/decisions.md 10 and 16).
//!
//! Anyone who can redirect a vendor's payments can steal the next one. Therefore only a new vendor's first account is
//! usable at once; a later one needs a second member's confirmation and then a rest of 24 hours. Invariants: no later
//! account is paid before both; the member who added it never confirms it; a vendor or account with an open bill is not
//! deleted. Deliberately absent: changing an account, which would bypass this (delete it and add another); and bills,
//! which are `payables`.
//!
//! Start at `rules.rs`, then `add_payment_method.rs`.

mod add_payment_method;
mod confirm_payment_method;
mod create;
mod http;
mod json;
mod model;
pub mod rules;

pub use add_payment_method::AddPaymentMethod;
pub use confirm_payment_method::ConfirmPaymentMethod;
pub use create::CreateVendor;
pub use http::{Deletion, EXTERNAL_ID_MAX, routes};
pub use json::{VendorJson, VendorPaymentMethodJson, payment_method_json};
pub use model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};

use std::sync::Arc;

use crate::events::{self, EventName, NewEvent};
use crate::ids::{VendorId, VendorPaymentMethodId};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns a vendor of the app, also a deleted one.
pub fn find(world: &World, scope: Scope, id: VendorId) -> Result<Arc<Vendor>, Halt> {
    match world.get::<Vendor>(key![scope.org, id])? {
        Some(vendor) if vendor.app == scope.app => Ok(vendor),
        Some(_) | None => Err(Refusal::not_found("vendor").into()),
    }
}

/// Returns an active vendor of the app.
///
/// # Errors
/// `not-found`; `invalid-state` for a deleted one.
pub fn find_active(world: &World, scope: Scope, id: VendorId) -> Result<Arc<Vendor>, Halt> {
    let vendor = find(world, scope, id)?;
    match vendor.status {
        VendorStatus::Active => Ok(vendor),
        VendorStatus::Deleted => Err(Refusal::new(Code::InvalidState, "This vendor was deleted.").into()),
    }
}

/// Returns a payment method of the vendor, also a deleted one.
///
/// # Errors
/// `not-found`, also for another vendor's.
pub fn payment_method(
    world: &World,
    vendor: &Vendor,
    id: VendorPaymentMethodId,
) -> Result<Arc<VendorPaymentMethod>, Halt> {
    match world.get::<VendorPaymentMethod>(key![vendor.org, id])? {
        Some(method) if method.vendor == vendor.id => Ok(method),
        Some(_) | None => Err(Refusal::not_found("payment method of this vendor").into()),
    }
}

/// Returns the vendor's payment methods except deleted ones, oldest first.
pub fn payment_methods(world: &World, vendor: &Vendor) -> Result<Vec<Arc<VendorPaymentMethod>>, Halt> {
    let mut methods = ever_added(world, vendor)?;
    methods.retain(|method| method.status != MethodStatus::Deleted);
    Ok(methods)
}

fn ever_added(world: &World, vendor: &Vendor) -> Result<Vec<Arc<VendorPaymentMethod>>, Halt> {
    world.all::<VendorPaymentMethod>(VendorPaymentMethod::OF_VENDOR, key![vendor.org, vendor.id])
}

pub fn emit(world: &mut World, vendor: &Vendor) -> Result<(), Halt> {
    let new = NewEvent::of(EventName::VendorUpdated, vendor.id.0, vendor.version, &VendorJson::from(vendor));
    events::emit(world, Scope { org: vendor.org, app: vendor.app }, new)
}

fn emit_method(world: &mut World, method: &VendorPaymentMethod) -> Result<(), Halt> {
    let object = payment_method_json(world, method)?;
    let new = NewEvent::of(EventName::VendorPaymentMethodUpdated, method.id.0, method.version, &object);
    events::emit(world, Scope { org: method.org, app: method.app }, new)
}

/// Changes a payment method and emits its event. Each transition is one event.
pub fn change_method(
    world: &mut World,
    method: &Arc<VendorPaymentMethod>,
    edit: impl FnOnce(&mut VendorPaymentMethod),
) -> Result<Arc<VendorPaymentMethod>, Halt> {
    let now = world.now();
    let method = world.change(method, |method| {
        edit(method);
        method.updated_at = now;
        method.version += 1;
    });
    emit_method(world, &method)?;
    Ok(method)
}
