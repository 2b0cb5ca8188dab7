//! Changes a payable before it is submitted, or after it was rejected.

use super::rows;
use std::sync::Arc;

use super::items::{self, Item};
use super::json::PayableJson;
use super::model::{ActionKind, FundingSource, Payable, PayableStatus};
use super::rows::{HistoryEntry, advance};
use super::rules::{self, PayableEvent};
use crate::acting::{Act, acting};
use crate::engine::Command;
use crate::ids::{MemberId, PayableId, VendorId, VendorPaymentMethodId};
use crate::input::types::Amount;
use crate::money::Cents;
use crate::patch::Patch;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors::{self, MethodStatus, Vendor, VendorPaymentMethod};
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub struct PayablePatch {
    pub number: Option<String>,
    pub description: Patch<String>,
    pub external_id: Patch<String>,
    pub vendor: Patch<VendorId>,
    pub payment_method: Patch<VendorPaymentMethodId>,
    /// Cents.
    pub amount: Option<Amount>,
    pub items: Patch<Vec<Item>>,
    pub funding_source: Option<FundingSource>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Payee {
    vendor: Option<Arc<Vendor>>,
    method: Option<Arc<VendorPaymentMethod>>,
}

impl PayablePatch {
    fn items(&self, payable: &Payable) -> Vec<Item> {
        self.items.clone().over(Some(payable.items.0.clone())).unwrap_or_default()
    }

    pub(super) fn amount(&self, payable: &Payable) -> Result<Cents, Refusal> {
        items::amount(self.amount, &self.items(payable), payable.amount)
    }

    /// Returns the vendor and account of the changed payable. Another vendor removes the account, because it is not
    /// theirs.
    pub(super) fn payee(&self, world: &World, payable: &Payable) -> Result<Payee, Halt> {
        let vendor = self.vendor.clone().over(payable.vendor);
        let kept = payable.payment_method.filter(|_| vendor == payable.vendor);
        let Some(vendor) = vendor else {
            return match self.payment_method {
                Patch::Set(_) => {
                    let message = "requires ap_vendor_id, the vendor of the payment method";
                    Err(Refusal::field(Code::InvalidInput, "/ap_payment_method_id", message).into())
                }
                Patch::Keep | Patch::Clear => Ok(Payee::default()),
            };
        };
        let vendor = vendors::find_active(world, payable.scope(), vendor)?;
        let Some(method) = self.payment_method.clone().over(kept) else {
            return Ok(Payee { vendor: Some(vendor), method: None });
        };
        let method = vendors::payment_method(world, &vendor, method)?;
        if method.status == MethodStatus::Deleted {
            return Err(Refusal::new(
                Code::InvalidState,
                "This payment method was deleted. Name another one of the vendor.",
            )
            .because(Reason::ObjectDeleted)
            .into());
        }
        Ok(Payee { vendor: Some(vendor), method: Some(method) })
    }

    fn changes(&self, payable: &Payable, amount: Cents, payee: &Payee) -> bool {
        let mut after = payable.clone();
        self.apply(&mut after, amount, payee.clone());
        PayableJson::from(&after) != PayableJson::from(payable)
    }

    /// Applies the changes, which are validated.
    pub(super) fn apply(&self, payable: &mut Payable, amount: Cents, payee: Payee) {
        payable.number = self.number.clone().unwrap_or(std::mem::take(&mut payable.number));
        payable.description = self.description.clone().over(payable.description.take());
        payable.external_id = self.external_id.clone().over(payable.external_id.take());
        payable.items.0 = self.items(payable);
        payable.amount = amount;
        payable.funding_source = self.funding_source.unwrap_or(payable.funding_source);
        payable.vendor = payee.vendor.as_ref().map(|vendor| vendor.id);
        payable.vendor_name = payee.vendor.map(|vendor| vendor.name.clone());
        payable.payment_method = payee.method.as_ref().map(|method| method.id);
        payable.payment_method_name = payee.method.map(|method| method.name.clone());
    }
}

/// PATCH /v2/accounts-payable/payables/{payable_id}
#[derive(Clone, Debug)]
pub struct Update {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: MemberId,
    pub patch: PayablePatch,
}

impl Command for Update {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let amount = self.patch.amount(&payable)?;
        let actor = acting(world, self.scope.org, self.acting, Act::Prepare)?;
        rules::apply(payable.status, PayableEvent::Updated)?;
        let payee = self.patch.payee(world, &payable)?;
        // A change without effect is no transition and emits no event, except that it reopens a rejected bill.
        if payable.status == PayableStatus::Created && !self.patch.changes(&payable, amount, &payee) {
            return Ok(payable);
        }
        rules::may_be_changed(&payable)?;

        // From here it must succeed.
        revise(world, &payable, HistoryEntry::of(ActionKind::Update, actor), |payable| {
            self.patch.apply(payable, amount, payee);
        })
    }
}

/// Changes a payable that may be changed. A rejected one becomes created again, without its earlier submission and
/// approvals.
pub(super) fn revise(
    world: &mut World,
    payable: &Arc<Payable>,
    entry: HistoryEntry,
    edit: impl FnOnce(&mut Payable),
) -> Result<Arc<Payable>, Halt> {
    advance(world, payable, PayableEvent::Updated, Some(entry), |payable| {
        payable.terms = None;
        payable.submitted_by = None;
        payable.policy = None;
        payable.approval_steps.0.clear();
        edit(payable);
    })
}
