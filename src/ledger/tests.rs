//! The postings of business events, and the refusals of the ledger. The checker of stored data tests that no event
//! breaks an invariant.

use uuid::Uuid;

use super::postings::{self, PayoutAmounts};
use super::*;
use crate::clock::{Clock, Time};
use crate::engine::{Command, Executor};
use crate::fees::Party;
use crate::ids::{AppId, OrgId, Seeds, SettlementAccountId, TransferId, UserId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::store::{Memory, Store};
use crate::world::{Halt, Record, World};

pub(crate) const ORG: OrgId = OrgId(Uuid::from_u128(1));
pub(crate) const SCOPE: Scope = Scope { org: ORG, app: AppId(Uuid::from_u128(2)) };
pub(crate) const JANE: UserId = UserId(Uuid::from_u128(3));
pub(crate) const T: TransferId = TransferId(Uuid::from_u128(4));
pub(crate) const ACH: Platform = Platform::Ach;

struct Does<F>(F);

impl<T: Send + 'static, F> Command for Does<F>
where
    F: Fn(&mut World) -> Result<T, Halt> + Send + 'static,
{
    type Reply = T;
    fn decide(&self, world: &mut World) -> Result<T, Halt> {
        (self.0)(world)
    }
}

pub(crate) struct Book {
    pub(crate) memory: Memory,
    executor: Executor,
}

impl Book {
    pub(crate) fn new() -> Self {
        let memory = Memory::new();
        let clock = Clock::manual(Time::from_micros(1_790_000_000_000_000));
        let executor = Executor::new(Store::Memory(memory.clone()), clock, Seeds::counted(1));
        Self { memory, executor }
    }

    pub(crate) fn run<T: Send + 'static>(
        &mut self,
        act: impl Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.executor.run_one(ORG, Does(act))
    }

    pub(crate) fn post(&mut self, posting: Posting) -> Result<(), Refusal> {
        self.run(move |world| post(world, &posting))
    }

    pub(crate) fn balance(&mut self, account: Account) -> i64 {
        self.run(move |world| balance(world, ORG, account)).unwrap().get()
    }

    pub(crate) fn records<R: Record>(&self) -> Vec<std::sync::Arc<R>> {
        let rows = self.memory.rows(R::TABLE);
        rows.iter().map(|row| (R::TABLE.decode)(row).unwrap().downcast::<R>().unwrap()).collect()
    }
}

pub(crate) fn cents(cents: i64) -> Cents {
    Cents::new(cents)
}

pub(crate) fn amounts(party: Party) -> PayoutAmounts {
    PayoutAmounts { payout: cents(900), fee: cents(25), platform_fee: cents(10), fx: cents(5), party }
}

fn reported(posting: &Posting) -> String {
    let movements = posting.movements().iter().map(|movement| {
        let Movement { kind, from, to, amount } = movement;
        format!("  {kind}: {} -> {} {amount}", from.name(), to.name())
    });
    movements.collect::<Vec<_>>().join("\n")
}

/// The events that fill and empty an app's wallet.
fn events_of_wallets() -> Vec<(&'static str, Posting)> {
    vec![
        ("deposit", postings::deposit(SCOPE, T, cents(5))),
        ("deposit_returned", postings::deposit_returned(SCOPE, T, cents(5))),
        ("deposit_returned_uncovered", postings::deposit_returned_uncovered(SCOPE, T, ACH, cents(5))),
        ("cover_returned_deposit", postings::cover_returned_deposit(SCOPE, T, ACH, cents(5))),
        ("withdraw", postings::withdraw(SCOPE, T, ACH, cents(5))),
        ("settle_withdrawal", postings::settle_withdrawal(SCOPE, T, ACH, cents(5))),
        ("fail_withdrawal", postings::fail_withdrawal(SCOPE, T, ACH, cents(5))),
        ("return_withdrawal", postings::return_withdrawal(SCOPE, T, ACH, cents(5))),
        ("organization_to_app", postings::organization_to_app(SCOPE, T, cents(5))),
        ("app_to_organization", postings::app_to_organization(SCOPE, T, cents(5))),
    ]
}

fn lines_of_a_bank() -> Vec<(&'static str, Posting)> {
    let account = SettlementAccountId(Uuid::from_u128(8));
    vec![
        ("line_of_payments, debit", postings::line_of_payments(SCOPE, account, cents(5))),
        ("line_of_payments, credit of returns", postings::line_of_payments(SCOPE, account, cents(-5))),
        ("line_of_deposit", postings::line_of_deposit(SCOPE, T, account, cents(5))),
        ("line_of_costs, fee", postings::line_of_costs(ORG, account, cents(5))),
        ("line_of_costs, interest", postings::line_of_costs(ORG, account, cents(-5))),
        ("line_to_explain, credit", postings::line_to_explain(ORG, account, cents(5))),
        ("line_to_explain, debit", postings::line_to_explain(ORG, account, cents(-5))),
        ("line_of_apps, debit", postings::line_of_apps(ORG, account, cents(-5))),
        ("assign_to_app", postings::assign_to_app(SCOPE, T, account, cents(5))),
        ("assign_to_organization, credit", postings::assign_to_organization(ORG, account, cents(5))),
        ("assign_to_organization, debit", postings::assign_to_organization(ORG, account, cents(-5))),
        ("write_off, credit", postings::write_off(ORG, account, cents(5))),
        ("write_off, debit", postings::write_off(ORG, account, cents(-5))),
    ]
}

#[test]
fn the_lines_of_a_bank_move_money_as_an_accountant_would_say() {
    insta::assert_snapshot!(all_told(&lines_of_a_bank()), @r"
    line_of_payments, debit
      payout: Through the bank, not booked -> At the bank 5
    line_of_payments, credit of returns
      payout: At the bank -> Through the bank, not booked 5
    line_of_deposit
      refill: At the bank -> App wallet 5
    line_of_costs, fee
      fee: Bank costs -> At the bank 5
    line_of_costs, interest
      fee: At the bank -> Bank costs 5
    line_to_explain, credit
      balance: At the bank -> Bank lines to explain 5
    line_to_explain, debit
      balance: Bank lines to explain -> At the bank 5
    line_of_apps, debit
      balance: At the bank -> Bank lines to explain 5
    assign_to_app
      surrogate: Bank lines to explain -> Funding of apps 5
      refill: Funding by the organization -> App wallet 5
    assign_to_organization, credit
      balance: Bank lines to explain -> Organization wallet 5
    assign_to_organization, debit
      balance: Organization wallet -> Bank lines to explain 5
    write_off, credit
      fee: Bank lines to explain -> Bank costs 5
    write_off, debit
      fee: Bank costs -> Bank lines to explain 5
    ");
}

fn business_events() -> Vec<(&'static str, Posting)> {
    let (user, app) = (amounts(Party::User), amounts(Party::Platform));
    vec![
        ("open_hold", postings::open_hold(SCOPE, T, cents(5))),
        ("release_hold", postings::release_hold(SCOPE, T, cents(5))),
        ("capture_hold", postings::capture_hold(SCOPE, T, JANE, cents(5))),
        ("pay_payable", postings::pay_payable(SCOPE, T, ACH, cents(5))),
        ("return_payable", postings::return_payable(SCOPE, T, ACH, cents(5))),
        ("app_to_user", postings::app_to_user(SCOPE, T, JANE, cents(5))),
        ("user_to_app", postings::user_to_app(SCOPE, T, JANE, cents(5))),
        ("pay_out, user pays", postings::pay_out(SCOPE, T, JANE, ACH, &user)),
        ("pay_out, platform pays", postings::pay_out(SCOPE, T, JANE, ACH, &app)),
        ("settle_payout", postings::settle_payout(SCOPE, T, ACH, &user, Account::External(SCOPE.app))),
        ("fail_payout, user paid", postings::fail_payout(SCOPE, T, JANE, ACH, &user)),
        ("fail_payout, platform paid", postings::fail_payout(SCOPE, T, JANE, ACH, &app)),
        ("return_payout", postings::return_payout(SCOPE, T, JANE, ACH, cents(5), Account::External(SCOPE.app))),
        ("payment_settled", postings::payment_settled(SCOPE, T, ACH, cents(5))),
        ("payment_returned", postings::payment_returned(SCOPE, T, ACH, cents(5))),
        ("payment_returned_uncovered", postings::payment_returned_uncovered(SCOPE, T, ACH, cents(5))),
        ("cover_returned_payment", postings::cover_returned_payment(SCOPE, T, ACH, cents(5))),
    ]
}

fn all_told(events: &[(&'static str, Posting)]) -> String {
    let text: Vec<String> = events.iter().map(|(name, posting)| format!("{name}\n{}", reported(posting))).collect();
    text.join("\n")
}

#[test]
fn what_fills_and_empties_a_wallet_moves_money_as_an_accountant_would_say() {
    insta::assert_snapshot!(all_told(&events_of_wallets()), @r"
    deposit
      refill: Outside world -> App wallet 5
    deposit_returned
      refill: App wallet -> Outside world 5
    deposit_returned_uncovered
      refill: Clearing: Bank account (ACH) -> Outside world 5
    cover_returned_deposit
      refill: App wallet -> Clearing: Bank account (ACH) 5
    withdraw
      refill: App wallet -> Clearing: Bank account (ACH) 5
    settle_withdrawal
      refill: Clearing: Bank account (ACH) -> Outside world 5
    fail_withdrawal
      refill: Clearing: Bank account (ACH) -> App wallet 5
    return_withdrawal
      refill: Outside world -> Clearing: Bank account (ACH) 5
      refill: Clearing: Bank account (ACH) -> App wallet 5
    organization_to_app
      surrogate: Organization wallet -> Funding of apps 5
      refill: Funding by the organization -> App wallet 5
    app_to_organization
      refill: App wallet -> Funding by the organization 5
      surrogate: Funding of apps -> Organization wallet 5
    ");
}

#[test]
fn each_event_moves_money_as_an_accountant_would_say() {
    insta::assert_snapshot!(all_told(&business_events()), @r"
    open_hold
      balance: App wallet -> App held 5
    release_hold
      balance: App held -> App wallet 5
    capture_hold
      balance: App held -> User wallet 5
    pay_payable
      payout: App held -> Clearing: Bank account (ACH) 5
      payout: Clearing: Bank account (ACH) -> Outside world 5
    return_payable
      payout: Outside world -> Clearing: Bank account (ACH) 5
      payout: Clearing: Bank account (ACH) -> App wallet 5
    app_to_user
      balance: App wallet -> User wallet 5
    user_to_app
      balance: User wallet -> App wallet 5
    pay_out, user pays
      payout: User wallet -> Clearing: Bank account (ACH) 900
      fee: User wallet -> Clearing: Bank account (ACH) 25
      fee: User wallet -> Clearing: Bank account (ACH) 10
      fee: User wallet -> Clearing: Bank account (ACH) 5
    pay_out, platform pays
      payout: User wallet -> Clearing: Bank account (ACH) 900
      fee: App wallet -> Clearing: Bank account (ACH) 25
      fee: App wallet -> Clearing: Bank account (ACH) 10
      fee: App wallet -> Clearing: Bank account (ACH) 5
    settle_payout
      payout: Clearing: Bank account (ACH) -> Outside world 900
      fee: Clearing: Bank account (ACH) -> Service fees 25
      fee: Clearing: Bank account (ACH) -> App wallet 10
      fee: Clearing: Bank account (ACH) -> Currency exchange 5
    fail_payout, user paid
      payout: Clearing: Bank account (ACH) -> User wallet 900
      fee: Clearing: Bank account (ACH) -> User wallet 25
      fee: Clearing: Bank account (ACH) -> User wallet 10
      fee: Clearing: Bank account (ACH) -> User wallet 5
    fail_payout, platform paid
      payout: Clearing: Bank account (ACH) -> User wallet 900
      fee: Clearing: Bank account (ACH) -> App wallet 25
      fee: Clearing: Bank account (ACH) -> App wallet 10
      fee: Clearing: Bank account (ACH) -> App wallet 5
    return_payout
      payout: Outside world -> Clearing: Bank account (ACH) 5
      payout: Clearing: Bank account (ACH) -> User wallet 5
    payment_settled
      payment: Outside world -> Clearing: Bank account (ACH) 5
      payment: Clearing: Bank account (ACH) -> App wallet 5
    payment_returned
      payment: App wallet -> Clearing: Bank account (ACH) 5
      payment: Clearing: Bank account (ACH) -> Outside world 5
    payment_returned_uncovered
      payment: Clearing: Bank account (ACH) -> Outside world 5
    cover_returned_payment
      payment: App wallet -> Clearing: Bank account (ACH) 5
    ");
}

#[test]
fn a_wallet_never_goes_below_zero_and_the_refusal_says_what_is_missing() {
    let mut book = Book::new();
    book.post(postings::deposit(SCOPE, T, cents(300))).unwrap();
    let refusal = book.post(postings::app_to_user(SCOPE, T, JANE, cents(425))).unwrap_err();
    assert_eq!(refusal.code, Code::InsufficientFunds);
    assert_eq!(refusal.message, "App wallet holds $3.00; $1.25 more is needed.");
    assert_eq!(book.balance(Account::AppWallet(SCOPE.app)), 300);
    assert_eq!(book.records::<Transaction>().len(), 1);
}

#[test]
fn money_may_pass_through_an_empty_wallet_within_a_posting() {
    let mut book = Book::new();
    let (wallet, outside) = (Account::AppWallet(SCOPE.app), Account::External(SCOPE.app));
    let out = Movement { kind: TransactionKind::Refill, from: wallet, to: outside, amount: cents(7) };
    let back = Movement { from: outside, to: wallet, ..out };
    book.post(Posting::balanced(ORG, None, vec![out, back])).unwrap();
    assert_eq!(book.balance(wallet), 0);
}

#[test]
fn nothing_is_written_for_movements_of_nothing() {
    let mut book = Book::new();
    book.post(postings::deposit(SCOPE, T, Cents::ZERO)).unwrap();
    assert_eq!(book.records::<LedgerBook>().len() + book.records::<LedgerAccount>().len(), 0);
}

#[test]
fn what_no_event_makes_is_a_bug_and_not_in_the_book() {
    let (wallet, outside) = (Account::AppWallet(SCOPE.app), Account::External(SCOPE.app));
    let sound = Movement { kind: TransactionKind::Refill, from: outside, to: wallet, amount: cents(7) };
    let elsewhere = Account::AppWallet(AppId(Uuid::from_u128(9)));
    for broken in [
        Movement { amount: cents(-7), ..sound },
        Movement { to: outside, ..sound },
        Movement { to: elsewhere, ..sound },
        Movement { to: Account::OrganizationWallet, ..sound },
    ] {
        let mut book = Book::new();
        let refusal = book.post(Posting::balanced(ORG, None, vec![sound, broken])).unwrap_err();
        assert_eq!(refusal.code, Code::InternalError, "{broken:?}");
        assert!(book.records::<Transaction>().is_empty(), "{broken:?}");
    }
}

#[test]
fn a_balance_that_does_not_fit_is_refused_and_never_wraps() {
    let mut book = Book::new();
    book.post(postings::deposit(SCOPE, T, cents(i64::MAX))).unwrap();
    let refusal = book.post(postings::deposit(SCOPE, T, cents(1))).unwrap_err();
    assert_eq!(refusal.code, Code::LimitExceeded);
    assert_eq!(book.balance(Account::AppWallet(SCOPE.app)), i64::MAX);
}

#[test]
fn a_hold_is_opened_once_and_captured_or_released_once() {
    let mut book = Book::new();
    book.post(postings::deposit(SCOPE, T, cents(100))).unwrap();
    book.run(|world| holds::open_pulled(world, SCOPE, T, cents(60))).unwrap();
    let twice = book.run(|world| holds::open_pulled(world, SCOPE, T, cents(40))).unwrap_err();
    assert_eq!(twice.code, Code::InvalidState);
    assert_eq!(book.balance(Account::AppHeld(SCOPE.app)), 60);

    let by = holds::CapturedBy::User(JANE);
    assert_eq!(book.run(move |world| holds::capture(world, SCOPE, T, by)).unwrap(), holds::Closed::Now);
    assert_eq!(book.run(move |world| holds::capture(world, SCOPE, T, by)).unwrap(), holds::Closed::Before);
    let late = book.run(|world| holds::release(world, SCOPE, T)).unwrap_err();
    assert_eq!((late.code, late.message.as_str()), (Code::InvalidState, "The held money was already captured."));
    assert_eq!(book.balance(Account::UserWallet(SCOPE.app, JANE)), 60);
    assert_eq!(book.balance(Account::AppHeld(SCOPE.app)), 0);
}

#[test]
fn another_apps_hold_does_not_exist() {
    let mut book = Book::new();
    book.post(postings::deposit(SCOPE, T, cents(100))).unwrap();
    book.run(|world| holds::open_new(world, SCOPE, T, cents(60))).unwrap();
    let other = Scope { app: AppId(Uuid::from_u128(9)), ..SCOPE };
    let refusal = book.run(move |world| holds::release(world, other, T)).unwrap_err();
    assert_eq!(refusal.code, Code::NotFound);
}
