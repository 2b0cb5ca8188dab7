//! Debts of an app: returns that its wallet could not cover.
//!
//! A bank returns money without asking. The missing amount remains on the rail's clearing account until a job covers it
//! from later money, the oldest debt first. Until then [`ledger::post`] lets no other posting take that money from the
//! wallet.

use super::organization::move_between;
use crate::apps;
use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::ledger::wallet_funding;
use crate::ledger::{self, Account, Posting, postings};
use crate::money::Cents;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{Transfer, TransferKind};
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// Returned money that was not covered at once: by a payer's bank, or a reversal.
    pub struct Debt in "debts" {
        key (org, id)
        many OPEN (org, app, open);
        pub org: OrgId,
        pub id: TransferId,
        pub app: AppId,
        pub kind: TransferKind,
        /// The rail whose clearing account lacks the money.
        pub platform: Platform,
        /// Cents that were returned.
        pub amount: Cents,
        /// Cents that are not yet covered.
        pub left_open: Cents,
        /// True while `left_open` is above zero.
        pub open: bool,
        pub created_at: Time,
        pub covered_at: Option<Time>,
    }
}

/// The note on a movement that only a bank caused.
const RETURNED: &str = "returned to a bank from an app that was deleted";

/// Moves the missing amount from the organization to the wallet of a deleted app, which was emptied at its deletion and
/// has no more income.
fn bring_from_organization(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    let scope = transfer.scope();
    let held = ledger::balance(world, scope.org, Account::AppWallet(scope.app))?;
    // Existing debts come first, so they are included: the wallet releases nothing else before.
    let due = transfer.arrives.plus(wallet_funding::find(world, scope)?.owed).map_err(too_much)?;
    let lacks = due.plus(held.negated()).map_err(too_much)?;
    if lacks.is_positive() {
        move_between(world, scope, lacks.negated(), Some(RETURNED.to_owned()))?;
    }
    Ok(())
}

/// Covers a returned pull from the app's wallet, or from the organization's if the app was deleted, and otherwise
/// records a debt. `covered` and `uncovered` are the postings of the two cases.
///
/// # Errors
/// `internal-error` for a transfer without a rail.
pub fn make_up(world: &mut World, transfer: &Transfer, covered: &Posting, uncovered: &Posting) -> Result<(), Halt> {
    let Some(platform) = transfer.platform else {
        return Err(Refusal::new(Code::InternalError, "A transfer without a rail was returned.").into());
    };
    let is_deleted = apps::find_even_deleted(world, transfer.scope())?.deleted_at.is_some();
    let paid = world.attempt(|world| {
        if is_deleted {
            bring_from_organization(world, transfer)?;
        }
        ledger::post(world, covered)
    })?;
    match paid {
        Ok(()) => return Ok(()),
        Err(short) if short.code == Code::InsufficientFunds => {}
        Err(refusal) => return Err(refusal.into()),
    }

    // From here it must succeed.
    ledger::post(world, uncovered)?;
    let (now, amount) = (world.now(), transfer.arrives);
    let owed = wallet_funding::find(world, transfer.scope())?.owed.plus(amount).map_err(too_much)?;
    // A reversal and a return of the same transfer may both find an empty wallet.
    if let Some(debt) = world.get::<Debt>(key![transfer.org, transfer.id])? {
        let sum = debt.amount.plus(amount).map_err(too_much)?;
        let left_open = debt.left_open.plus(amount).map_err(too_much)?;
        world.change(&debt, |debt| {
            (debt.amount, debt.left_open) = (sum, left_open);
            (debt.open, debt.covered_at) = (true, None);
        });
        return wallet_funding::change(world, transfer.scope(), |watch| watch.owed = owed);
    }
    world.add(Debt {
        org: transfer.org,
        id: transfer.id,
        app: transfer.app,
        kind: transfer.kind,
        platform,
        amount,
        left_open: amount,
        open: true,
        created_at: now,
        covered_at: None,
    });
    wallet_funding::change(world, transfer.scope(), |watch| watch.owed = owed)
}

/// Covers the app's debts as far as its wallet allows.
pub(super) fn cover(world: &mut World, scope: Scope) -> Result<(), Halt> {
    let debts = world.all::<Debt>(Debt::OPEN, key![scope.org, scope.app, true])?;
    for debt in debts {
        let held = ledger::balance(world, scope.org, Account::AppWallet(scope.app))?;
        let amount = held.min(debt.left_open);
        if !amount.is_positive() {
            return Ok(());
        }
        let left = debt.left_open.plus(amount.negated()).map_err(too_much)?;
        let owed = wallet_funding::find(world, scope)?.owed.plus(amount.negated()).map_err(too_much)?;
        ledger::post(world, &covering(scope, &debt, amount)?)?;
        let now = world.now();
        world.change(&debt, |debt| {
            debt.left_open = left;
            debt.open = left.is_positive();
            debt.covered_at = left.is_zero().then_some(now);
        });
        wallet_funding::change(world, scope, |watch| watch.owed = owed)?;
    }
    Ok(())
}

fn covering(scope: Scope, debt: &Debt, amount: Cents) -> Result<Posting, Refusal> {
    match debt.kind {
        // A payout or a bill was reversed, and its reversal was returned.
        TransferKind::Payment | TransferKind::Payout | TransferKind::Payable => {
            Ok(postings::cover_returned_payment(scope, debt.id, debt.platform, amount))
        }
        TransferKind::Refill => Ok(postings::cover_returned_deposit(scope, debt.id, debt.platform, amount)),
        TransferKind::Balance | TransferKind::Settlement => {
            Err(Refusal::new(Code::InternalError, "Only a transfer at a rail can cause a debt."))
        }
    }
}

fn too_much(reason: crate::money::MoneyOverflow) -> Refusal {
    Refusal::new(Code::LimitExceeded, reason.to_string()).because(Reason::BalanceLimit)
}
