//! What an app owes: money that a bank took back when the app's wallet could not cover it.
//!
//! A bank does not ask whether it may. What the wallet lacks stays open on the rail's clearing account, and later
//! money covers it, the oldest debt first, by a job. Until that has run, [`ledger::post`] lets nothing else take that
//! money out of the wallet.

use super::organization::move_between;
use crate::apps;
use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::ledger::wallet_funding;
use crate::ledger::{self, Account, Posting, postings};
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{Transfer, TransferKind};
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// Money that was taken back and not covered at once.
    pub struct Debt in "debts" {
        key (org, id)
        many OPEN (org, app, open);
        /// The organization.
        pub org: OrgId,
        /// The transfer whose money was taken back.
        pub id: TransferId,
        /// The app that owes it.
        pub app: AppId,
        /// What the transfer was: a payment or a refill.
        pub kind: TransferKind,
        /// The rail whose clearing account is short of it.
        pub platform: Platform,
        /// Cents that were taken back.
        pub amount: Cents,
        /// Cents of it that are not covered.
        pub left_open: Cents,
        /// Whether any are.
        pub open: bool,
        /// Since when.
        pub created_at: Time,
        /// When the last cent was covered.
        pub covered_at: Option<Time>,
    }
}

/// The note on a movement that nobody asked for but a bank.
const RETURNED: &str = "returned to a bank from an app that was deleted";

/// Brings what the wallet of a deleted app lacks. An app is empty when it is deleted, and earns nothing any more: what it
/// had was given to its organization, or spent by it.
fn bring_from_organization(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    let scope = transfer.scope();
    let held = ledger::balance(world, scope.org, Account::AppWallet(scope.app))?;
    // What is owed already comes first, so it is brought along: nothing else is let out of the wallet before.
    let due = transfer.arrives.plus(wallet_funding::find(world, scope)?.owed).map_err(too_much)?;
    let lacks = due.plus(held.negated()).map_err(too_much)?;
    if lacks.is_positive() {
        move_between(world, scope, lacks.negated(), Some(RETURNED.to_owned()))?;
    }
    Ok(())
}

/// A bank took back what had been pulled: the app's wallet makes up for it, that of the organization where the app was
/// deleted, now or, where they cannot, from what comes in later. `covered` and `uncovered` are the postings of the two.
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
    let owed = wallet_funding::find(world, transfer.scope())?.owed.plus(amount).map_err(too_much)?;
    wallet_funding::change(world, transfer.scope(), |watch| watch.owed = owed)
}

/// Covers what the app owes with what its wallet holds, as far as that goes.
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
        TransferKind::Payment => Ok(postings::cover_returned_payment(scope, debt.id, debt.platform, amount)),
        TransferKind::Refill => Ok(postings::cover_returned_deposit(scope, debt.id, debt.platform, amount)),
        TransferKind::Balance | TransferKind::Payout | TransferKind::Payable | TransferKind::Settlement => {
            Err(Refusal::new(Code::InternalError, "Only a debit can cause a debt."))
        }
    }
}

fn too_much(reason: crate::money::MoneyOverflow) -> Refusal {
    Refusal::new(Code::LimitExceeded, reason.to_string())
}
