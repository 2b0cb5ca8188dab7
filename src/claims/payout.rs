//! The last step: the money is claimed, once, and paid out, in parts if the payee likes.

use std::sync::Arc;

use super::progress::{chosen, progress};
use super::session::{self, ActiveSession};
use super::steps::{self, StepName};
use crate::engine::Command;
use crate::language::Text;
use crate::ledger::{self, Account};
use crate::money::Cents;
use crate::payout_links::{self, ClaimToken, LinkStatus, PayoutLink};
use crate::payouts::{FeeRequest, Order, pay};
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};
use crate::transfers::Transfer;
use crate::world::{Halt, World};

/// POST /v2/claims/{token}/payout
#[derive(Clone, Debug)]
pub struct ClaimPayout {
    pub token: ClaimToken,
    pub session_hash: Option<Vec<u8>>,
    /// Cents to pay out now; `None` for the whole remaining amount.
    pub amount: Option<Cents>,
    /// The remaining amount when the payee decided, if known: a form that is sent twice pays once.
    pub seen_left: Option<Cents>,
}

impl Command for ClaimPayout {
    /// The payout, or the reason why there is none although the money is claimed. The reason is no refusal here: a
    /// refusal would roll back the claim, and the money would return to the sender when the link expires.
    type Reply = Result<Arc<Transfer>, Refusal>;

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let active = session::find(world, &self.token, self.session_hash.as_deref())?;
        must_be_ready(world, &active)?;
        let left = active.link.remaining();
        if left.is_zero() {
            return Err(Refusal::new(Code::AlreadyClaimed, "This payout is already paid out or on its way.")
                .because(Reason::PaidOut)
                .into());
        }
        if self.seen_left.is_some_and(|seen| seen != left) {
            let message = "Part of this payout was paid out after you opened this page. Reload it.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::VersionDiffers).into());
        }
        let amount = within(self.amount, left)?;
        must_have_payouts_left(&active.link, amount)?;
        let method = chosen(world, &active)?;

        // From here only the fee, the wallet and the rules of payouts can refuse.
        let ActiveSession { link, user, .. } = &active;
        let link = match link.status {
            LinkStatus::Claimed | LinkStatus::Reversed => link.clone(),
            LinkStatus::Created
            | LinkStatus::FundsPending
            | LinkStatus::DeliveryPending
            | LinkStatus::DeliveryFailed
            | LinkStatus::Sent
            | LinkStatus::Delivered
            | LinkStatus::Canceled
            | LinkStatus::Expired
            | LinkStatus::Failed => payout_links::claim(world, link, user)?,
        };
        let (scope, link) = (link.scope(), link);
        let order = Order {
            scope,
            user: user.clone(),
            method,
            amount,
            fees: FeeRequest { party: link.fee_party, override_: None },
            fund: false,
            link: Some(link.id),
            tax_exempt: link.tax_exempt,
            metadata: link.metadata.clone(),
        };
        match world.attempt(|world| pay(world, &order))? {
            Ok(transfer) => {
                let (link, now) = (payout_links::find(world, scope, link.id)?, world.now());
                let is_paid = link.remaining().is_zero();
                active.touch(world, |session| session.paid_at = session.paid_at.or(is_paid.then_some(now)));
                Ok(Ok(transfer))
            }
            Err(refusal) => match kept_for_payee(world, &order, &refusal)? {
                Some(reported) => Ok(Err(reported)),
                None => Err(refusal.into()),
            },
        }
    }
}

/// Returns the refusal for a payee whose money is claimed and cannot be paid out now; `None` for other refusals. It
/// reveals nothing of the app's limits and balance, only whether the money is still there and how to continue.
fn kept_for_payee(world: &World, order: &Order, refusal: &Refusal) -> Result<Option<Refusal>, Halt> {
    let wallet = Account::UserWallet(order.scope.app, order.user.id);
    let (said, message) = if refusal.code == Code::LimitExceeded {
        let message = "is more than the sender can pay out today. The money stays yours. Withdraw a smaller amount, or \
                       come back tomorrow";
        (Text::AmountOverToday, message)
    } else if refusal.code != Code::InsufficientFunds {
        return Ok(None);
    } else if ledger::balance(world, order.scope.org, wallet)? < order.amount {
        let message = "is more than is left for you with this sender: part of this payment was paid out in another \
                       way, or the sender took it back. Withdraw a smaller amount, or ask the sender";
        (Text::AmountOverLeft, message)
    } else {
        (Text::AmountNotNow, "cannot be paid out now. The money stays yours. Come back later, or ask the sender")
    };
    Ok(Some(Refusal::field(refusal.code, "/amount", message).saying(said)))
}

/// Payouts of one link, returned ones included. Each may cost the sender a fee, and rounds its own fee and exchange:
/// very small parts would cost the sender many times the link's amount.
const PAYOUTS_OF_LINK_MAX: u32 = 10;

fn must_have_payouts_left(link: &PayoutLink, amount: Cents) -> Result<(), Refusal> {
    if link.payouts + 1 < PAYOUTS_OF_LINK_MAX {
        return Ok(());
    }
    if link.payouts < PAYOUTS_OF_LINK_MAX {
        // The last payout must empty the link.
        if amount == link.remaining() {
            return Ok(());
        }
        let message = "must be the full remaining amount, because this is the last withdrawal from this link";
        return Err(Refusal::field(Code::LimitExceeded, "/amount", message)
            .because(Reason::CountLimit)
            .with(Details::limit("payouts_of_link", i64::from(PAYOUTS_OF_LINK_MAX)))
            .saying(Text::AmountLast));
    }
    let message = format!(
        "You have made {PAYOUTS_OF_LINK_MAX} withdrawals from this link, which is the limit. The remaining money \
         stays yours. Ask the sender to pay it out."
    );
    Err(Refusal::over_limit("payouts_of_link", PAYOUTS_OF_LINK_MAX as usize, message).saying(Text::RefusedParts))
}

/// Returns the requested amount, or the whole remaining amount.
pub(super) fn within(amount: Option<Cents>, left: Cents) -> Result<Cents, Refusal> {
    let amount = amount.unwrap_or(left);
    if amount > left {
        let message = format!("must be at most {} cents, the remaining amount of this payout", left.get());
        return Err(Refusal::field(Code::InvalidInput, "/amount", message));
    }
    Ok(amount)
}

/// Checks that every earlier step is done.
pub(super) fn must_be_ready(world: &mut World, active: &ActiveSession) -> Result<(), Halt> {
    let progress = progress(world, &active.link, Some(active), false)?;
    match steps::next(progress) {
        None | Some(StepName::Payout | StepName::Method) => Ok(()),
        Some(step) => {
            let message = format!("The step {step} must be completed first.");
            Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::StepMissing).into())
        }
    }
}
