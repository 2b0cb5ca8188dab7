//! Finds and changes the rows.

use std::sync::Arc;

use super::json::{VendorJson, payment_method_json};
use super::model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};
use crate::events::{self, EventName, NewEvent};
use crate::ids::{VendorId, VendorPaymentMethodId};
use crate::reason::Reason;
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
        VendorStatus::Deleted => {
            Err(Refusal::new(Code::InvalidState, "This vendor was deleted. Create a new vendor, or name another one.")
                .because(Reason::ObjectDeleted)
                .into())
        }
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

pub(super) fn ever_added(world: &World, vendor: &Vendor) -> Result<Vec<Arc<VendorPaymentMethod>>, Halt> {
    world.all::<VendorPaymentMethod>(VendorPaymentMethod::OF_VENDOR, key![vendor.org, vendor.id])
}

pub fn emit(world: &mut World, vendor: &Vendor) -> Result<(), Halt> {
    let new = NewEvent::of(EventName::VendorUpdated, vendor.id.0, vendor.version, &VendorJson::from(vendor));
    events::emit(world, Scope { org: vendor.org, app: vendor.app }, new)
}

pub(super) fn emit_method(world: &mut World, method: &VendorPaymentMethod) -> Result<(), Halt> {
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
