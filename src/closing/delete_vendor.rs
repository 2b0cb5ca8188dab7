//! Deletes a vendor or one of its accounts. A repeat changes nothing.

use std::sync::Arc;

use crate::acting::{Act, acting_if_named};
use crate::bank_accounts;
use crate::engine::Command;
use crate::ids::{MemberId, VendorId, VendorPaymentMethodId};
use crate::payables;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors::rules::{self, VendorEvent};
use crate::vendors::{self, MethodStatus, Vendor, VendorPaymentMethod, VendorPaymentMethodJson, VendorStatus};
use crate::world::{Halt, World};

/// DELETE /v2/accounts-payable/vendors/{vendor_id}
#[derive(Clone, Copy, Debug)]
pub struct DeleteVendor {
    pub scope: Scope,
    pub vendor: VendorId,
    pub acting: Option<MemberId>,
}

impl Command for DeleteVendor {
    type Reply = Arc<Vendor>;

    fn decide(&self, world: &mut World) -> Result<Arc<Vendor>, Halt> {
        let vendor = vendors::find(world, self.scope, self.vendor)?;
        acting_if_named(world, self.scope.org, self.acting, Act::Prepare)?;
        if vendor.status == VendorStatus::Deleted {
            return Ok(vendor);
        }
        if payables::are_open(world, &vendor, None)? {
            return Err(open("vendor").into());
        }
        let methods = vendors::payment_methods(world, &vendor)?;

        // From here it must succeed.
        for method in &methods {
            take_out(world, method)?;
        }
        let now = world.now();
        let vendor = world.change(&vendor, |vendor| {
            vendor.status = VendorStatus::Deleted;
            vendor.deleted_at = Some(now);
            vendor.version += 1;
        });
        vendors::emit(world, &vendor)?;
        Ok(vendor)
    }
}

/// DELETE /v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}
#[derive(Clone, Copy, Debug)]
pub struct DeletePaymentMethod {
    pub scope: Scope,
    pub vendor: VendorId,
    pub method: VendorPaymentMethodId,
    pub acting: Option<MemberId>,
}

impl Command for DeletePaymentMethod {
    type Reply = VendorPaymentMethodJson;

    fn decide(&self, world: &mut World) -> Result<VendorPaymentMethodJson, Halt> {
        let vendor = vendors::find(world, self.scope, self.vendor)?;
        let method = vendors::payment_method(world, &vendor, self.method)?;
        acting_if_named(world, self.scope.org, self.acting, Act::Prepare)?;
        if method.status == MethodStatus::Deleted {
            return vendors::payment_method_json(world, &method);
        }
        if payables::are_open(world, &vendor, Some(method.id))? {
            return Err(open("payment method").into());
        }

        // From here it must succeed.
        let method = take_out(world, &method)?;
        vendors::payment_method_json(world, &method)
    }
}

fn open(what: &str) -> Refusal {
    let message = format!(
        "Open payables name this {what}. Update or cancel those that are created or rejected, reject those that are \
         submitted or failed, and pay those that are approved."
    );
    Refusal::new(Code::InvalidState, message).because(Reason::InUse)
}

fn take_out(world: &mut World, method: &Arc<VendorPaymentMethod>) -> Result<Arc<VendorPaymentMethod>, Halt> {
    let to = rules::apply(method.status, VendorEvent::Deleted)?;
    let account = bank_accounts::find(world, method.org, method.vendor.0, method.bank_account)?;
    bank_accounts::disable(world, &account, "removed");
    vendors::change_method(world, method, |method| method.status = to)
}
