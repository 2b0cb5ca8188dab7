//! What each business event does to the book: a function for each, in the order of life. Its comment is the
//! sentence an accountant would say. All amounts are cents; [`post`](super::post::post) writes the result.
//!
//! What sets money aside and sends it on is reached through [`holds`](super::holds) alone, which keeps the
//! fact beside the money.

use super::account::Account;
use super::model::TransactionKind;
use super::post::{Movement, Posting};
use crate::fees::Party;
use crate::ids::{TransferId, UserId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::scope::Scope;

// Filling an app's wallet.

/// Money from outside fills the app's wallet.
pub fn deposit(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (outside, wallet) = (Account::External(scope.app), Account::AppWallet(scope.app));
    posting(scope, transfer, vec![refill(outside, wallet, amount)])
}

/// A fresh sandbox's app is given money to try with. No transfer tells of it: nobody moved it.
pub fn demonstrate(scope: Scope, amount: Cents) -> Posting {
    let (outside, wallet) = (Account::External(scope.app), Account::AppWallet(scope.app));
    Posting::balanced(scope.org, None, vec![refill(outside, wallet, amount)])
}

/// The bank took back what had filled the app's wallet, and the wallet makes up for it.
pub fn deposit_returned(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (wallet, outside) = (Account::AppWallet(scope.app), Account::External(scope.app));
    posting(scope, transfer, vec![refill(wallet, outside, amount)])
}

/// The bank took back what had filled the app's wallet, and the wallet does not cover it any more. The money is
/// gone, and the rail's clearing account stays short until the app makes up for it.
pub fn deposit_returned_uncovered(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let gone = refill(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![gone])
}

/// The app makes up for a deposit that was taken back before, or for a part of it.
pub fn cover_returned_deposit(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let made_up = refill(Account::AppWallet(scope.app), Account::Clearing(scope.app, platform), amount);
    posting(scope, transfer, vec![made_up]).taking_owed()
}

/// The app takes money out of its wallet: it waits on the rail.
pub fn withdraw(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let leaves = refill(Account::AppWallet(scope.app), Account::Clearing(scope.app, platform), amount);
    posting(scope, transfer, vec![leaves])
}

/// What the app took out has arrived at its bank.
pub fn settle_withdrawal(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let arrived = refill(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![arrived])
}

/// What the app took out did not arrive: it is in the wallet again.
pub fn fail_withdrawal(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let back = refill(Account::Clearing(scope.app, platform), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![back])
}

/// The app's bank sent back what had arrived there.
pub fn return_withdrawal(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let back = refill(Account::External(scope.app), clearing, amount);
    let credited = refill(clearing, Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![back, credited])
}

/// The organization gives money of its own to the app: out of the one book, into the other.
pub fn organization_to_app(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let given = surrogate(Account::OrganizationWallet, Account::OrganizationFunding, amount);
    let received = refill(Account::Funding(scope.app), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![given, received])
}

/// The organization takes money of the app back.
pub fn app_to_organization(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let given = refill(Account::AppWallet(scope.app), Account::Funding(scope.app), amount);
    let received = surrogate(Account::OrganizationFunding, Account::OrganizationWallet, amount);
    posting(scope, transfer, vec![given, received])
}

// Setting money aside, for a link that nobody has claimed or a payable that is being paid.

/// The app sets money aside.
pub fn open_hold(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (wallet, held) = (Account::AppWallet(scope.app), Account::AppHeld(scope.app));
    posting(scope, transfer, vec![balance(wallet, held, amount)])
}

/// What was set aside goes back: the link was canceled or expired, the payable could not be paid.
pub(super) fn release_hold(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (held, wallet) = (Account::AppHeld(scope.app), Account::AppWallet(scope.app));
    posting(scope, transfer, vec![balance(held, wallet, amount)])
}

/// What was set aside is the payee's from now on: the link was claimed.
pub(super) fn capture_hold(scope: Scope, transfer: TransferId, user: UserId, amount: Cents) -> Posting {
    let (held, wallet) = (Account::AppHeld(scope.app), Account::UserWallet(scope.app, user));
    posting(scope, transfer, vec![balance(held, wallet, amount)])
}

/// What was set aside for a bill went over a rail to the vendor.
pub(super) fn pay_payable(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let submitted = payout(Account::AppHeld(scope.app), clearing, amount);
    let arrived = payout(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![submitted, arrived])
}

/// The vendor's bank sent the money back after it had arrived.
pub fn return_payable(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let back = payout(Account::External(scope.app), clearing, amount);
    let credited = payout(clearing, Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![back, credited])
}

// Between an app and its users.

/// The app gives money to a user, or fills the user's wallet for a payout that follows at once.
pub fn app_to_user(scope: Scope, transfer: TransferId, user: UserId, amount: Cents) -> Posting {
    let (app, user) = (Account::AppWallet(scope.app), Account::UserWallet(scope.app, user));
    posting(scope, transfer, vec![balance(app, user, amount)])
}

/// A user is debited for the app, or gives back what the app had put there for a payout that came back.
pub fn user_to_app(scope: Scope, transfer: TransferId, user: UserId, amount: Cents) -> Posting {
    let (user, app) = (Account::UserWallet(scope.app, user), Account::AppWallet(scope.app));
    posting(scope, transfer, vec![balance(user, app, amount)])
}

// Paying a user out.

/// The parts of a payout, in cents, as the fee breakdown has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoutAmounts {
    /// What the payee's bank or wallet receives.
    pub payout: Cents,
    /// What the service takes.
    pub fee: Cents,
    /// What the app adds for itself.
    pub platform_fee: Cents,
    /// What changing the currency costs.
    pub fx: Cents,
    /// Whose wallet pays the fees.
    pub party: Party,
}

impl PayoutAmounts {
    fn fees(&self) -> [Cents; 3] {
        [self.fee, self.platform_fee, self.fx]
    }
}

/// A payout leaves: what is to arrive, from the user's wallet, and its fees, from the wallet of whoever pays
/// them, wait together on the rail.
pub fn pay_out(
    scope: Scope,
    transfer: TransferId,
    user: UserId,
    platform: Platform,
    amounts: &PayoutAmounts,
) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let mut movements = vec![payout(Account::UserWallet(scope.app, user), clearing, amounts.payout)];
    movements.extend(amounts.fees().map(|part| fee(payer(scope, user, amounts.party), clearing, part)));
    posting(scope, transfer, movements)
}

/// The payout has arrived: the money is outside, and each fee is earned by whom it belongs to.
pub fn settle_payout(scope: Scope, transfer: TransferId, platform: Platform, amounts: &PayoutAmounts) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let movements = vec![
        payout(clearing, Account::External(scope.app), amounts.payout),
        fee(clearing, Account::ServiceFees(scope.app), amounts.fee),
        fee(clearing, Account::AppWallet(scope.app), amounts.platform_fee),
        fee(clearing, Account::Fx(scope.app), amounts.fx),
    ];
    posting(scope, transfer, movements)
}

/// The payout did not arrive, or was taken back before it was sent: everything goes back to where it came from, the fees too.
pub fn fail_payout(
    scope: Scope,
    transfer: TransferId,
    user: UserId,
    platform: Platform,
    amounts: &PayoutAmounts,
) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let mut movements = vec![payout(clearing, Account::UserWallet(scope.app, user), amounts.payout)];
    movements.extend(amounts.fees().map(|part| fee(clearing, payer(scope, user, amounts.party), part)));
    posting(scope, transfer, movements)
}

/// The payee's bank sent the money back after it had arrived: it is the user's again. The fees stay earned,
/// because the rail did its work.
pub fn return_payout(scope: Scope, transfer: TransferId, user: UserId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let back = payout(Account::External(scope.app), clearing, amount);
    let credited = payout(clearing, Account::UserWallet(scope.app, user), amount);
    posting(scope, transfer, vec![back, credited])
}

fn payer(scope: Scope, user: UserId, party: Party) -> Account {
    match party {
        Party::User => Account::UserWallet(scope.app, user),
        Party::Platform => Account::AppWallet(scope.app),
    }
}

// Collecting a payment.

/// A payer's bank paid what was pulled from it: the app has the money.
pub fn payment_settled(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let pulled = payment(Account::External(scope.app), clearing, amount);
    let credited = payment(clearing, Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![pulled, credited])
}

/// A payer's bank paid, and the app has the money and holds it for a while.
pub fn payment_settled_and_held(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let pulled = payment(Account::External(scope.app), clearing, amount);
    let credited = payment(clearing, Account::AppCollected(scope.app), amount);
    posting(scope, transfer, vec![pulled, credited])
}

/// The hold of a payment is over: the app can spend it.
pub fn release_payment(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let released = payment(Account::AppCollected(scope.app), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![released])
}

/// A payer's bank took its money back while the app held it: it is there.
pub fn held_payment_returned(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let given_back = payment(Account::AppCollected(scope.app), clearing, amount);
    let gone = payment(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![given_back, gone])
}

/// A payer's bank took its money back after it had been paid, and the app makes up for it.
pub fn payment_returned(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let made_up = payment(Account::AppWallet(scope.app), clearing, amount);
    let gone = payment(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![made_up, gone])
}

/// A payer's bank took its money back and the app's wallet does not cover it. A bank does not ask whether it
/// may, so the money is gone, and the rail's clearing account stays short until the app makes up for it.
pub fn payment_returned_uncovered(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let gone = payment(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![gone])
}

/// The app makes up for a payment that was taken back before, or for a part of it.
pub fn cover_returned_payment(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let made_up = payment(Account::AppWallet(scope.app), Account::Clearing(scope.app, platform), amount);
    posting(scope, transfer, vec![made_up]).taking_owed()
}

fn posting(scope: Scope, transfer: TransferId, movements: Vec<Movement>) -> Posting {
    Posting::balanced(scope.org, Some(transfer), movements)
}

fn balance(from: Account, to: Account, amount: Cents) -> Movement {
    Movement { kind: TransactionKind::Balance, from, to, amount }
}

fn refill(from: Account, to: Account, amount: Cents) -> Movement {
    Movement { kind: TransactionKind::Refill, from, to, amount }
}

fn payout(from: Account, to: Account, amount: Cents) -> Movement {
    Movement { kind: TransactionKind::Payout, from, to, amount }
}

fn payment(from: Account, to: Account, amount: Cents) -> Movement {
    Movement { kind: TransactionKind::Payment, from, to, amount }
}

fn fee(from: Account, to: Account, amount: Cents) -> Movement {
    Movement { kind: TransactionKind::Fee, from, to, amount }
}

fn surrogate(from: Account, to: Account, amount: Cents) -> Movement {
    Movement { kind: TransactionKind::Surrogate, from, to, amount }
}
