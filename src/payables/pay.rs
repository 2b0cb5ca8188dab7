//! Pays an approved payable.

use super::rows;
use std::sync::Arc;

use uuid::Uuid;

use super::model::{ActionKind, Attempt, Payable, PayableStatus, Terms};
use super::rows::{HistoryEntry, advance};
use super::rules::{self, PayableEvent};
use crate::acting::{Act, Named, proven};
use crate::apps;
use crate::apps::{Movement, limit_days};
use crate::bank_accounts;
use crate::bank_files;
use crate::engine::Command;
use crate::ids::{PayableId, TransferId};
use crate::ledger::holds;
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{self, Transfer, TransferKind};
use crate::vendors;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The rail that pays vendors. Bills have no fee: the approved amount arrives.
pub const RAIL: Platform = Platform::Ach;

/// POST /v2/accounts-payable/payables/{payable_id}/pay
///
/// Holds the approved amount and instructs the rail. A second request finds the payable paid, even under another
/// idempotency key: only an approved payable, or one whose failed payment returned its money, can be paid.
#[derive(Clone, Copy, Debug)]
pub struct Pay {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: Named,
    /// Whether the request has the app's own key and no member session.
    pub by_app: bool,
    /// The request's idempotency key, if it is a UUID; the history shows it.
    pub key: Option<Uuid>,
}

impl Command for Pay {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let Scope { org, app } = self.scope;
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = proven(world, self.scope, self.acting, Act::Pay)?;
        rules::apply(payable.status, PayableEvent::PaymentInitiated)?;
        let Some(terms) = payable.terms.as_ref().map(|terms| terms.0) else {
            return Err(Refusal::new(Code::InternalError, "The approved terms of this payable are missing.").into());
        };
        let vendor = vendors::find_active(world, self.scope, terms.vendor)?;
        let method = vendors::payment_method(world, &vendor, terms.payment_method)?;
        vendors::rules::may_be_paid(&method, world.now())?;
        let account = bank_accounts::find(world, org, vendor.id.0, terms.bank_account)?;
        let way = bank_files::way_to(world, self.scope, &account, terms.amount, "bills")?;
        self.is_approved_above_the_limit(world, terms.amount)?;
        self.first_account_has_rested(world, &terms, &method)?;
        limit_days::count(world, self.scope, Movement::Payable, terms.amount)?;
        let id: TransferId = world.id();
        holds::open_new(world, self.scope, id, terms.amount)?;

        // From here it must succeed.
        let now = world.now();
        let transfer = Transfer::new(org, app, id, TransferKind::Payable, terms.amount, now);
        let transfer = Transfer { platform: Some(RAIL), bank_account: Some(terms.bank_account), ..transfer };
        let transfer = transfers::open(world, transfer)?;
        apps::count_money_out(world, self.scope, terms.amount)?;
        bank_files::hand_over(world, &way, transfer, &account.name)?;
        let is_retry = payable.status == PayableStatus::PaymentFailed;
        let kind = if is_retry { ActionKind::RetryPayment } else { ActionKind::InitiatePayment };
        advance(world, &payable, PayableEvent::PaymentInitiated, Some(HistoryEntry::of(kind, actor)), |payable| {
            let idempotency_key = self.key.unwrap_or(id.0);
            payable.transfer = Some(id);
            payable.transfer_history.0.push(Attempt { transfer: id, idempotency_key, terms, at: now });
        })
    }
}

impl Pay {
    /// Rejects a payment above the limit to a vendor's new first account. Payments in flight to that account count too.
    fn first_account_has_rested(
        &self,
        world: &mut World,
        terms: &Terms,
        method: &vendors::VendorPaymentMethod,
    ) -> Result<(), Halt> {
        let limit = apps::find(world, self.scope)?.settings.0.payable_approval_limit;
        if limit.is_none() || method.confirmed_by.is_some() {
            return Ok(());
        }
        let open = world.all::<Payable>(Payable::OPEN_OF_VENDOR, key![self.scope.org, Some(terms.vendor)])?;
        let to_account = |payable: &&Arc<Payable>| {
            payable.status == PayableStatus::PaymentInitiated && payable.payment_method == Some(method.id)
        };
        let on_its_way: Option<Cents> = open
            .iter()
            .filter(to_account)
            .filter_map(|payable| payable.terms.as_ref())
            .try_fold(terms.amount, |sum, terms| sum.checked_add(terms.0.amount));
        let total = on_its_way.unwrap_or(Cents::AMOUNT_MAX);
        Ok(vendors::rules::first_has_rested(method, total, limit, world.now())?)
    }

    /// Rejects a payment above `payable_approval_limit` by an app key, because that key can name any member.
    fn is_approved_above_the_limit(&self, world: &mut World, amount: Cents) -> Result<(), Halt> {
        let limit = apps::find(world, self.scope)?.settings.0.payable_approval_limit;
        match limit.filter(|limit| self.by_app && amount > *limit) {
            Some(limit) => {
                let message = format!(
                    "The app's own key can pay bills of at most {}. Pay this bill with the payer's session, or with \
                     an organization key and Api-App-Id.",
                    limit.dollars()
                );
                Err(Refusal::new(Code::OrganizationKeyRequired, message).into())
            }
            None => Ok(()),
        }
    }
}
