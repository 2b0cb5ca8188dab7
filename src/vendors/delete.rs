//! Deletes a vendor or one of its accounts. A repeat changes nothing.

use std::sync::Arc;

use super::json::{VendorPaymentMethodJson, payment_method_json};
use super::model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};
use super::rules::{self, VendorEvent};
use crate::acting::{Act, acting_if_named};
use crate::bank_accounts;
use crate::engine::Command;
use crate::ids::{MemberId, VendorId, VendorPaymentMethodId};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Returns whether unpaid, uncanceled bills name a vendor or one of its accounts. A parameter, because this folder must
/// not depend on `payables`.
pub type AreOpen = fn(&World, &Vendor, Option<VendorPaymentMethodId>) -> Result<bool, Halt>;

/// DELETE /v2/accounts-payable/vendors/{vendor_id}
#[derive(Clone, Copy, Debug)]
pub struct DeleteVendor {
    pub scope: Scope,
    pub vendor: VendorId,
    pub acting: Option<MemberId>,
    pub are_open: AreOpen,
}

impl Command for DeleteVendor {
    type Reply = Arc<Vendor>;

    fn decide(&self, world: &mut World) -> Result<Arc<Vendor>, Halt> {
        let vendor = super::find(world, self.scope, self.vendor)?;
        acting_if_named(world, self.scope.org, self.acting, Act::Prepare)?;
        if vendor.status == VendorStatus::Deleted {
            return Ok(vendor);
        }
        if (self.are_open)(world, &vendor, None)? {
            return Err(open("vendor").into());
        }
        let methods = super::payment_methods(world, &vendor)?;

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
        super::emit(world, &vendor)?;
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
    pub are_open: AreOpen,
}

impl Command for DeletePaymentMethod {
    type Reply = VendorPaymentMethodJson;

    fn decide(&self, world: &mut World) -> Result<VendorPaymentMethodJson, Halt> {
        let vendor = super::find(world, self.scope, self.vendor)?;
        let method = super::payment_method(world, &vendor, self.method)?;
        acting_if_named(world, self.scope.org, self.acting, Act::Prepare)?;
        if method.status == MethodStatus::Deleted {
            return payment_method_json(world, &method);
        }
        if (self.are_open)(world, &vendor, Some(method.id))? {
            return Err(open("payment method").into());
        }

        // From here it must succeed.
        let method = take_out(world, &method)?;
        payment_method_json(world, &method)
    }
}

fn open(what: &str) -> Refusal {
    let message = format!(
        "Open payables name this {what}. Update or cancel those that are created or rejected, reject those that are \
         submitted or failed, and pay those that are approved."
    );
    Refusal::new(Code::InvalidState, message)
}

fn take_out(world: &mut World, method: &Arc<VendorPaymentMethod>) -> Result<Arc<VendorPaymentMethod>, Halt> {
    let to = rules::apply(method.status, VendorEvent::Deleted)?;
    let account = bank_accounts::find(world, method.org, method.vendor.0, method.bank_account)?;
    bank_accounts::disable(world, &account, "removed");
    super::change_method(world, method, |method| method.status = to)
}
