//! The postings of all business events, one function each. Its comment explains the posting to an accountant. All
//! amounts are cents; [`post`](super::post::post) writes the result.
//!
//! Postings that open or close a hold are used through [`holds`](super::holds) only, which changes the hold too.

use super::account::Account;
use super::model::TransactionKind;
use super::post::{Movement, Posting};
use crate::fees::Party;
use crate::ids::{OrgId, SettlementAccountId, TransferId, UserId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::scope::Scope;

// Filling an app's wallet.

/// Money from outside fills the app's wallet.
pub fn deposit(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (outside, wallet) = (Account::External(scope.app), Account::AppWallet(scope.app));
    posting(scope, transfer, vec![refill(outside, wallet, amount)])
}

/// The app of a new sandbox receives money to try with. The posting has no transfer, because no party moved it.
pub fn demonstrate(scope: Scope, amount: Cents) -> Posting {
    let (outside, wallet) = (Account::External(scope.app), Account::AppWallet(scope.app));
    Posting::balanced(scope.org, None, vec![refill(outside, wallet, amount)])
}

/// The bank took a deposit back, and the app's wallet covers it.
pub fn deposit_returned(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (wallet, outside) = (Account::AppWallet(scope.app), Account::External(scope.app));
    posting(scope, transfer, vec![refill(wallet, outside, amount)])
}

/// The bank took a deposit back, and the app's wallet does not cover it. The money is gone, and the rail's clearing
/// account is short until the app pays.
pub fn deposit_returned_uncovered(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let gone = refill(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![gone])
}

/// The app pays for all or a part of a deposit that was taken back.
pub fn cover_returned_deposit(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let made_up = refill(Account::AppWallet(scope.app), Account::Clearing(scope.app, platform), amount);
    posting(scope, transfer, vec![made_up]).taking_owed()
}

/// The app withdraws money from its wallet: it waits on the rail.
pub fn withdraw(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let leaves = refill(Account::AppWallet(scope.app), Account::Clearing(scope.app, platform), amount);
    posting(scope, transfer, vec![leaves])
}

/// A withdrawal has arrived at the app's bank.
pub fn settle_withdrawal(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let arrived = refill(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![arrived])
}

/// A withdrawal did not arrive: the money is in the wallet again.
pub fn fail_withdrawal(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let back = refill(Account::Clearing(scope.app, platform), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![back])
}

/// The app's bank returned a withdrawal that had arrived.
pub fn return_withdrawal(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let back = refill(Account::External(scope.app), clearing, amount);
    let credited = refill(clearing, Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![back, credited])
}

/// The organization gives money to the app: out of its own part of the ledger, into the app's.
pub fn organization_to_app(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let given = surrogate(Account::OrganizationWallet, Account::OrganizationFunding, amount);
    let received = refill(Account::Funding(scope.app), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![given, received])
}

/// The organization takes money back from the app.
pub fn app_to_organization(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let given = refill(Account::AppWallet(scope.app), Account::Funding(scope.app), amount);
    let received = surrogate(Account::OrganizationFunding, Account::OrganizationWallet, amount);
    posting(scope, transfer, vec![given, received])
}

// Setting money aside, for an unclaimed link or a payable that is being paid.

/// The app sets money aside.
pub fn open_hold(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (wallet, held) = (Account::AppWallet(scope.app), Account::AppHeld(scope.app));
    posting(scope, transfer, vec![balance(wallet, held, amount)])
}

/// Held money goes back: the link was canceled or expired, or the payable could not be paid.
pub(super) fn release_hold(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let (held, wallet) = (Account::AppHeld(scope.app), Account::AppWallet(scope.app));
    posting(scope, transfer, vec![balance(held, wallet, amount)])
}

/// Held money becomes the payee's: the link was claimed.
pub(super) fn capture_hold(scope: Scope, transfer: TransferId, user: UserId, amount: Cents) -> Posting {
    let (held, wallet) = (Account::AppHeld(scope.app), Account::UserWallet(scope.app, user));
    posting(scope, transfer, vec![balance(held, wallet, amount)])
}

/// Money held for a bill went over a rail to the vendor.
pub(super) fn pay_payable(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let submitted = payout(Account::AppHeld(scope.app), clearing, amount);
    let arrived = payout(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![submitted, arrived])
}

/// The vendor's bank returned the money after it had arrived.
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

/// A user is debited for the app, or gives back the money that the app paid in for a payout that came back.
pub fn user_to_app(scope: Scope, transfer: TransferId, user: UserId, amount: Cents) -> Posting {
    let (user, app) = (Account::UserWallet(scope.app, user), Account::AppWallet(scope.app));
    posting(scope, transfer, vec![balance(user, app, amount)])
}

// Paying a user out.

/// The parts of a payout, in cents, as in the fee breakdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoutAmounts {
    /// The amount that the payee's bank or wallet receives.
    pub payout: Cents,
    /// The service's fee.
    pub fee: Cents,
    /// The app's own fee.
    pub platform_fee: Cents,
    /// The cost of the currency exchange.
    pub fx: Cents,
    /// The party whose wallet pays the fees.
    pub party: Party,
}

impl PayoutAmounts {
    fn fees(&self) -> [Cents; 3] {
        [self.fee, self.platform_fee, self.fx]
    }
}

/// A payout leaves: its amount, from the user's wallet, and its fees, from the wallet of the fee party, wait together
/// on the rail.
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

/// The payout has arrived: the money is outside, and the service and the app earn their fees. `outside` is
/// [`Account::External`], or [`Account::Unbooked`] if the payout went through a bank account of the organization.
pub fn settle_payout(
    scope: Scope,
    transfer: TransferId,
    platform: Platform,
    amounts: &PayoutAmounts,
    outside: Account,
) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let movements = vec![
        payout(clearing, outside, amounts.payout),
        fee(clearing, Account::ServiceFees(scope.app), amounts.fee),
        fee(clearing, Account::AppWallet(scope.app), amounts.platform_fee),
        fee(clearing, Account::Fx(scope.app), amounts.fx),
    ];
    posting(scope, transfer, movements)
}

/// The payout did not arrive, or was canceled before it was sent: the amount and the fees go back to their wallets.
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

/// The payee's bank returned the money after it had arrived: it is the user's again. The fees stay earned, because the
/// rail did its work. `outside` is the account to which the payout settled.
pub fn return_payout(
    scope: Scope,
    transfer: TransferId,
    user: UserId,
    platform: Platform,
    amount: Cents,
    outside: Account,
) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let back = payout(outside, clearing, amount);
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

/// The payer's bank paid: the app has the money.
pub fn payment_settled(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let pulled = payment(Account::External(scope.app), clearing, amount);
    let credited = payment(clearing, Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![pulled, credited])
}

/// The payer's bank paid: the app has the money and cannot spend it yet.
pub fn payment_settled_and_held(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let pulled = payment(Account::External(scope.app), clearing, amount);
    let credited = payment(clearing, Account::AppCollected(scope.app), amount);
    posting(scope, transfer, vec![pulled, credited])
}

/// The payment hold is over: the app can spend the money.
pub fn release_payment(scope: Scope, transfer: TransferId, amount: Cents) -> Posting {
    let released = payment(Account::AppCollected(scope.app), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![released])
}

/// The payer's bank took the money back during the payment hold, which covers it.
pub fn held_payment_returned(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let given_back = payment(Account::AppCollected(scope.app), clearing, amount);
    let gone = payment(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![given_back, gone])
}

/// The payer's bank took the money back after the payment, and the app's wallet covers it.
pub fn payment_returned(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let made_up = payment(Account::AppWallet(scope.app), clearing, amount);
    let gone = payment(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![made_up, gone])
}

/// The payer's bank took the money back, and the app's wallet does not cover it. The return cannot be refused, so the
/// money is gone, and the rail's clearing account is short until the app pays.
pub fn payment_returned_uncovered(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let gone = payment(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![gone])
}

/// The app pays for all or a part of a payment that was taken back.
pub fn cover_returned_payment(scope: Scope, transfer: TransferId, platform: Platform, amount: Cents) -> Posting {
    let made_up = payment(Account::AppWallet(scope.app), Account::Clearing(scope.app, platform), amount);
    posting(scope, transfer, vec![made_up]).taking_owed()
}

// What a reversal leaves to the app.

/// The scope, the transfer, its rail and the amount of money that a bank moved a second time.
pub type MovedTwice = (Scope, TransferId, Platform, Cents);

/// The money of a payment came in twice: its reversal and its return; or a reversal that paid it back came back itself. The
/// app has the second amount.
pub fn came_twice((scope, transfer, platform, amount): MovedTwice) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let back = payment(Account::External(scope.app), clearing, amount);
    let credited = payment(clearing, Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![back, credited])
}

/// The money of a payment left twice: a reversal that took it back was returned; or what was collected was paid back and
/// returned too. The app's wallet covers the second amount.
pub fn left_twice((scope, transfer, platform, amount): MovedTwice) -> Posting {
    let clearing = Account::Clearing(scope.app, platform);
    let made_up = payment(Account::AppWallet(scope.app), clearing, amount);
    let gone = payment(clearing, Account::External(scope.app), amount);
    posting(scope, transfer, vec![made_up, gone])
}

/// The same, and the app's wallet does not cover it: the rail's clearing account is short until the app pays.
pub fn left_twice_uncovered((scope, transfer, platform, amount): MovedTwice) -> Posting {
    let gone = payment(Account::Clearing(scope.app, platform), Account::External(scope.app), amount);
    posting(scope, transfer, vec![gone])
}

// The lines of a bank's statement.

/// The bank debited payments that an app sent, or credited those that came back, if the amount is negative.
pub fn line_of_payments(scope: Scope, account: SettlementAccountId, amount: Cents) -> Posting {
    let (unbooked, at_bank) = (Account::Unbooked(scope.app, account), Account::AtBank(Some(scope.app), account));
    Posting::balanced(scope.org, None, vec![signed(payout, unbooked, at_bank, amount)])
}

/// A deposit with the app's reference arrived at the bank.
pub fn line_of_deposit(scope: Scope, transfer: TransferId, account: SettlementAccountId, amount: Cents) -> Posting {
    let at_bank = Account::AtBank(Some(scope.app), account);
    posting(scope, transfer, vec![refill(at_bank, Account::AppWallet(scope.app), amount)])
}

/// The bank took a fee, or paid interest if the amount is negative.
pub fn line_of_costs(org: OrgId, account: SettlementAccountId, amount: Cents) -> Posting {
    let (costs, at_bank) = (Account::BankCosts(account), Account::AtBank(None, account));
    Posting::balanced(org, None, vec![signed(fee, costs, at_bank, amount)])
}

/// The bank credited money of which the owner is unknown, or debited it if the amount is negative.
pub fn line_to_explain(org: OrgId, account: SettlementAccountId, amount: Cents) -> Posting {
    let (at_bank, suspense) = (Account::AtBank(None, account), Account::Suspense(account));
    Posting::balanced(org, None, vec![signed(balance, at_bank, suspense, amount)])
}

/// A line in suspense, a debit if the amount is negative, is another part of the same money at the bank: it leaves the
/// organization's part, for the postings of its apps.
pub fn line_of_apps(org: OrgId, account: SettlementAccountId, amount: Cents) -> Posting {
    line_to_explain(org, account, amount.negated())
}

/// A credit in suspense is an app's deposit.
pub fn assign_to_app(scope: Scope, transfer: TransferId, account: SettlementAccountId, amount: Cents) -> Posting {
    let given = surrogate(Account::Suspense(account), Account::OrganizationFunding, amount);
    let received = refill(Account::Funding(scope.app), Account::AppWallet(scope.app), amount);
    posting(scope, transfer, vec![given, received])
}

/// A line in suspense is money of the organization, which pays it from its wallet if the amount is negative.
pub fn assign_to_organization(org: OrgId, account: SettlementAccountId, amount: Cents) -> Posting {
    let (suspense, wallet) = (Account::Suspense(account), Account::OrganizationWallet);
    Posting::balanced(org, None, vec![signed(balance, suspense, wallet, amount)])
}

/// A line in suspense is an income of the organization, or a cost if the amount is negative.
pub fn write_off(org: OrgId, account: SettlementAccountId, amount: Cents) -> Posting {
    let (suspense, costs) = (Account::Suspense(account), Account::BankCosts(account));
    Posting::balanced(org, None, vec![signed(fee, suspense, costs, amount)])
}

/// Returns a movement; in the other direction for a negative amount.
fn signed(movement: fn(Account, Account, Cents) -> Movement, from: Account, to: Account, amount: Cents) -> Movement {
    if amount.is_negative() { movement(to, from, amount.negated()) } else { movement(from, to, amount) }
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
