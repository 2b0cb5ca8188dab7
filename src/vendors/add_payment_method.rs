//! Adds a bank account of a vendor.

use super::json::{VendorPaymentMethodJson, payment_method_json};
use super::model::{MethodStatus, VendorPaymentMethod};
use super::rows;
use crate::acting::{Act, acting_if_named};
use crate::bank_accounts::{self, SealedAccount};
use crate::engine::Command;
use crate::ids::{MemberId, VendorId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/vendors/{vendor_id}/payment-methods
///
/// The first account that a vendor ever had is confirmed at once. A second member must confirm every later one, even if
/// the others were deleted, so the member who adds it must be known.
#[derive(Clone, Debug)]
pub struct AddPaymentMethod {
    pub scope: Scope,
    pub vendor: VendorId,
    pub acting: Option<MemberId>,
    pub account: SealedAccount,
}

impl Command for AddPaymentMethod {
    type Reply = VendorPaymentMethodJson;

    fn decide(&self, world: &mut World) -> Result<VendorPaymentMethodJson, Halt> {
        let Scope { org, app } = self.scope;
        let vendor = rows::find(world, self.scope, self.vendor)?;
        let is_first = rows::ever_added(world, &vendor)?.is_empty();
        if !is_first && self.acting.is_none() {
            let message = "is required for every account except the first of a new vendor, because a second member \
                           must confirm the account";
            return Err(Refusal::field(Code::InvalidInput, "/acting_user_id", message).into());
        }
        let actor = acting_if_named(world, org, self.acting, Act::Prepare)?;
        let vendor = rows::find_active(world, self.scope, vendor.id)?;
        let known = bank_accounts::of_holder(world, org, vendor.id.0)?;
        if known.iter().any(|account| account.fingerprint == self.account.fingerprint) {
            let message =
                "This account is already a payment method of the vendor. Use that one; GET the vendor lists it.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::AlreadyExists).into());
        }

        // From here it must succeed.
        let account = bank_accounts::add(world, self.scope, vendor.id.0, &self.account)?;
        let (id, now) = (world.id(), world.now());
        let method = world.add(VendorPaymentMethod {
            org,
            id,
            app,
            vendor: vendor.id,
            bank_account: account.id,
            name: account.name.clone(),
            status: if is_first { MethodStatus::Confirmed } else { MethodStatus::Unconfirmed },
            added_by: actor.map(|actor| actor.member),
            confirmed_by: None,
            confirmed_at: is_first.then_some(now),
            usable_at: is_first.then_some(now),
            version: 1,
            created_at: now,
            updated_at: now,
        });
        rows::emit_method(world, &method)?;
        payment_method_json(world, &method)
    }
}
