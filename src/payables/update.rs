//! Changes a payable, as long as nobody has been asked to approve it, or after they said no.

use std::sync::Arc;

use super::items::{self, Item};
use super::json::PayableJson;
use super::model::{ActionKind, FundingSource, Payable, PayableStatus};
use super::rules::{self, PayableEvent};
use super::{HistoryEntry, advance};
use crate::acting::{Act, acting};
use crate::engine::Command;
use crate::http::inputs::Amount;
use crate::ids::{MemberId, OrgId, PayableId, VendorId, VendorPaymentMethodId};
use crate::money::Cents;
use crate::patch::Patch;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors::{self, MethodStatus, Vendor, VendorPaymentMethod};
use crate::world::{Halt, World};

/// What to change of a payable.
#[derive(Clone, Debug)]
pub struct PayablePatch {
    /// The number of the bill.
    pub number: Option<String>,
    /// What it is for.
    pub description: Patch<String>,
    /// The app's own id for it.
    pub external_id: Patch<String>,
    /// Who is to be paid.
    pub vendor: Patch<VendorId>,
    /// To which of their accounts.
    pub payment_method: Patch<VendorPaymentMethodId>,
    /// Cents.
    pub amount: Option<Amount>,
    /// What is billed.
    pub items: Patch<Vec<Item>>,
    /// Where the money comes from.
    pub funding_source: Option<FundingSource>,
}

/// Whom a payable names.
#[derive(Clone, Debug, Default)]
pub(super) struct Payee {
    vendor: Option<Arc<Vendor>>,
    method: Option<Arc<VendorPaymentMethod>>,
}

impl PayablePatch {
    fn items(&self, payable: &Payable) -> Vec<Item> {
        self.items.clone().over(Some(payable.items.0.clone())).unwrap_or_default()
    }

    /// What the payable will come to.
    pub(super) fn amount(&self, payable: &Payable) -> Result<Cents, Refusal> {
        items::amount(self.amount, &self.items(payable), payable.amount)
    }

    /// Whom the payable will name. Another vendor takes the account of the one before away, because it is not theirs.
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
            return Err(Refusal::new(Code::InvalidState, "This payment method was deleted.").into());
        }
        Ok(Payee { vendor: Some(vendor), method: Some(method) })
    }

    fn changes(&self, payable: &Payable, amount: Cents, payee: &Payee) -> bool {
        let mut after = payable.clone();
        self.apply(&mut after, amount, payee.clone());
        PayableJson::from(&after) != PayableJson::from(payable)
    }

    /// Makes the changes, which were looked at.
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
    /// The app.
    pub scope: Scope,
    /// The payable.
    pub payable: PayableId,
    /// The member who acts.
    pub acting: MemberId,
    /// What to change.
    pub patch: PayablePatch,
}

impl Command for Update {
    type Reply = Arc<Payable>;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = super::find(world, self.scope, self.payable)?;
        let amount = self.patch.amount(&payable)?;
        let actor = acting(world, self.scope.org, self.acting, Act::Prepare)?;
        rules::apply(payable.status, PayableEvent::Updated)?;
        let payee = self.patch.payee(world, &payable)?;
        // What changes nothing is no transition, and has no event; but a rejected bill may be taken up as it is.
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

/// Changes a payable that may be changed. One that was rejected is created again: what was submitted before, and who
/// had said what to it, counts no more.
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
