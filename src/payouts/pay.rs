//! Pays a user from their wallet by one of their payout methods.

use std::sync::Arc;

use super::quote::{Quote, quote};
use crate::apps;
use crate::fees::Party;
use crate::http::Scope;
use crate::ids::{PayoutLinkId, TransferId};
use crate::jobs::{self, Work};
use crate::ledger;
use crate::ledger::postings::{self, PayoutAmounts};
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::refusal::{Code, Refusal};
use crate::transfers::{self, Transfer, TransferKind};
use crate::users::{self, User, UserStatus};
use crate::world::{Halt, World};

/// What is to be paid.
#[derive(Clone, Debug)]
pub struct Order {
    /// The app.
    pub scope: Scope,
    /// The payee.
    pub user: Arc<User>,
    /// To where.
    pub method: Arc<PayoutMethod>,
    /// Cents that leave the wallet, fees of the payee included.
    pub amount: Cents,
    /// Who pays the fees; the app's default when empty.
    pub party: Option<Party>,
    /// The link that it is paid for.
    pub link: Option<PayoutLinkId>,
    /// Kept out of tax reports.
    pub tax_exempt: bool,
    /// The caller's note.
    pub metadata: Option<String>,
}

/// Takes the money and asks for the rail. The wallet must hold the amount.
pub fn pay(world: &mut World, order: &Order) -> Result<Arc<Transfer>, Halt> {
    may_be_paid(&order.user)?;
    may_use(&order.method)?;
    let scope = order.scope;
    let Quote { platform, party, charged, .. } =
        quote(world, scope, order.method.platform, order.method.rtp_enabled, order.amount, order.party)?;
    let id: TransferId = world.id();
    let amounts = PayoutAmounts {
        payout: charged.payout_amount,
        fee: charged.fee,
        platform_fee: charged.platform_fee,
        fx: charged.fx_upcharge,
        party,
    };
    ledger::post(world, &postings::pay_out(scope, id, order.user.id, platform, &amounts))?;

    // From here it must succeed.
    let transfer = Transfer::new(scope.org, scope.app, id, TransferKind::Payout, order.amount, world.now());
    let transfer = Transfer {
        user_id: Some(order.user.id),
        platform: Some(platform),
        payout_method: Some(order.method.id),
        payout_link: order.link,
        tax_exempt: order.tax_exempt,
        metadata: order.metadata.clone(),
        ..transfer.with_fees(&charged, party)
    };
    let transfer = transfers::open(world, transfer)?;
    apps::count_money_out(world, scope, order.amount)?;
    jobs::enqueue(world, scope.org, Work::SubmitTransfer { transfer: id.0 });
    Ok(transfer)
}

/// Nobody is paid before they proved who they are, nor while somebody must look at them first.
fn may_be_paid(user: &User) -> Result<(), Refusal> {
    users::must_be_verified(user)?;
    match user.status {
        UserStatus::Verified | UserStatus::Unverified | UserStatus::Disabled => Ok(()),
        UserStatus::InReview => {
            let message =
                "This person is being reviewed. The money is kept safe; nothing can be paid out until the review ends.";
            Err(Refusal::new(Code::InvalidState, message))
        }
    }
}

fn may_use(method: &PayoutMethod) -> Result<(), Refusal> {
    if method.in_use {
        return Ok(());
    }
    Err(Refusal::new(Code::UserInfoMissing, "This payout method is not in use any more. Choose another."))
}
