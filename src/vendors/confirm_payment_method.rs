//! Lets a second member confirm a later account.

use super::json::{VendorPaymentMethodJson, payment_method_json};
use super::rows;
use super::rules::{self, VendorEvent};
use crate::acting::{Act, Named, proven};
use crate::engine::Command;
use crate::ids::{VendorId, VendorPaymentMethodId};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}/confirm
#[derive(Clone, Copy, Debug)]
pub struct ConfirmPaymentMethod {
    pub scope: Scope,
    pub vendor: VendorId,
    pub method: VendorPaymentMethodId,
    /// The second member.
    pub acting: Named,
}

impl Command for ConfirmPaymentMethod {
    type Reply = VendorPaymentMethodJson;

    fn decide(&self, world: &mut World) -> Result<VendorPaymentMethodJson, Halt> {
        let vendor = rows::find(world, self.scope, self.vendor)?;
        let method = rows::payment_method(world, &vendor, self.method)?;
        let actor = proven(world, self.scope, self.acting, Act::Confirm)?;
        rules::is_second_member(&method, actor.member)?;
        let to = rules::apply(method.status, VendorEvent::Confirmed)?;

        // From here it must succeed.
        let now = world.now();
        let method = rows::change_method(world, &method, |method| {
            method.status = to;
            method.confirmed_by = Some(actor.member);
            method.confirmed_at = Some(now);
            method.usable_at = Some(now.plus_seconds(rules::REST_SECONDS));
        })?;
        payment_method_json(world, &method)
    }
}
