//! No event breaks an invariant, and the checker finds each tampered row.

use proptest::prelude::*;
use uuid::Uuid;

use super::verify_history;
use crate::chain::UNKEYED;
use crate::fees::Party;
use crate::ids::{TransferId, UserId};
use crate::ledger::postings::{self, PayoutAmounts};
use crate::ledger::tests::{ACH, Book, JANE, ORG, SCOPE, T, amounts, cents};
use crate::ledger::*;
use crate::refusal::Refusal;
use crate::store::Reads;
use crate::world::{Record, Table};

const SOUND: [u8; 0] = [];

fn broken(book: &Book) -> Vec<u8> {
    let report = verify_history(&Reads::Memory(book.memory.clone()), &UNKEYED, &[]).unwrap();
    let mut invariants: Vec<u8> = report.findings.iter().map(|finding| finding.invariant).collect();
    invariants.dedup();
    invariants
}

/// Changes a stored row directly in the store.
fn tamper<R: Record>(book: &Book, choose: impl Fn(&R) -> bool, edit: impl Fn(&mut R)) {
    let mut record = R::clone(book.records::<R>().iter().find(|record| choose(record)).unwrap());
    edit(&mut record);
    let row = record.values();
    book.memory.tamper(R::TABLE, Table::index_values(R::TABLE.key(), &row), Some(row));
}

/// Removes a stored row directly from the store.
fn lose<R: Record>(book: &Book, choose: impl Fn(&R) -> bool) {
    let row = book.records::<R>().iter().find(|record| choose(record)).unwrap().values();
    book.memory.tamper(R::TABLE, Table::index_values(R::TABLE.key(), &row), None);
}

/// Returns a ledger with every kind of row.
fn lively() -> Book {
    let mut book = Book::new();
    book.post(postings::deposit(SCOPE, T, cents(10_000))).unwrap();
    book.post(postings::app_to_user(SCOPE, T, JANE, cents(2_000))).unwrap();
    book.run(|world| holds::open_new(world, SCOPE, T, cents(60))).unwrap();
    book.post(postings::pay_out(SCOPE, T, JANE, ACH, &amounts(Party::User))).unwrap();
    book
}

#[test]
fn a_sound_book_has_no_findings() {
    assert_eq!(broken(&lively()), SOUND);
}

/// Each of these breaks one row on purpose; the checker must return exactly the invariants that it breaks. The ledger's
/// chain (15) covers transactions and entries, and neither balances nor holds.
#[test]
fn a_book_that_was_tampered_with_is_found_out() {
    let check = |name: &str, break_it: &dyn Fn(&Book), invariants: &[u8]| {
        let book = lively();
        break_it(&book);
        assert_eq!(broken(&book), invariants, "{name}");
    };
    let wallet = Account::UserWallet(SCOPE.app, JANE).id(ORG);
    check(
        "a transaction's amount",
        &|book| tamper::<Transaction>(book, |row| row.number == 2, |row| row.amount = cents(1)),
        &[3, 15],
    );
    check(
        "a transaction within one ledger account",
        &|book| tamper::<Transaction>(book, |row| row.number == 2, |row| row.destination = row.source),
        &[1, 3, 15],
    );
    check("a lost transaction", &|book| lose::<Transaction>(book, |row| row.number == 2), &[2, 3, 15]);
    check("a lost last transaction", &|book| lose::<Transaction>(book, |row| row.number == 7), &[2, 3, 15]);
    check("the book's count", &|book| tamper::<LedgerBook>(book, |_| true, |row| row.last_number += 1), &[2]);
    check(
        "a balance",
        &|book| tamper::<LedgerAccount>(book, |row| row.id == wallet, |row| row.balance = cents(9)),
        &[3],
    );
    check("a count", &|book| tamper::<LedgerAccount>(book, |row| row.id == wallet, |row| row.entries += 1), &[3]);
    check(
        "a balance on the way",
        &|book| {
            tamper::<Transaction>(book, |row| row.number == 2, |row| row.destination_balance = cents(9));
        },
        &[3, 15],
    );
    check(
        "a wallet below zero",
        &|book| {
            let outside = Account::External(SCOPE.app).id(ORG);
            tamper::<LedgerAccount>(book, |row| row.id == outside, |row| row.kind = LedgerAccountKind::UserWallet);
        },
        &[4],
    );
    check("a hold", &|book| tamper::<Hold>(book, |_| true, |row| row.amount = cents(61)), &[7]);
    check("a hold that is closed", &|book| tamper::<Hold>(book, |_| true, |row| row.state = HoldState::Captured), &[7]);
    check(
        "an amount of zero",
        &|book| tamper::<Transaction>(book, |row| row.number == 2, |row| row.amount = cents(0)),
        &[1, 3, 15],
    );
}

#[derive(Clone, Debug)]
enum Event {
    Deposit(i64),
    Withdraw(i64),
    FromOrganization(i64),
    ToUser(u128, i64),
    FromUser(u128, i64),
    Open(u128, i64),
    Capture(u128, u128),
    Release(u128),
    PayOut(u128, PayoutAmounts, End),
    Payment(i64, bool),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Settles,
    Fails,
    Returns,
}

fn payouts() -> impl Strategy<Value = PayoutAmounts> {
    let party = prop_oneof![Just(Party::User), Just(Party::Platform)];
    (1..2_000_i64, 0..200_i64, 0..200_i64, 0..200_i64, party).prop_map(|(payout, fee, platform_fee, fx, party)| {
        let (payout, fee, platform_fee, fx) = (cents(payout), cents(fee), cents(platform_fee), cents(fx));
        PayoutAmounts { payout, fee, platform_fee, fx, party }
    })
}

fn events() -> impl Strategy<Value = Event> {
    let amount = 1..5_000_i64;
    let end = prop_oneof![Just(End::Settles), Just(End::Fails), Just(End::Returns)];
    prop_oneof![
        amount.clone().prop_map(Event::Deposit),
        amount.clone().prop_map(Event::Withdraw),
        amount.clone().prop_map(Event::FromOrganization),
        (0..3_u128, amount.clone()).prop_map(|(user, amount)| Event::ToUser(user, amount)),
        (0..3_u128, amount.clone()).prop_map(|(user, amount)| Event::FromUser(user, amount)),
        (0..4_u128, amount.clone()).prop_map(|(hold, amount)| Event::Open(hold, amount)),
        (0..4_u128, 0..3_u128).prop_map(|(hold, user)| Event::Capture(hold, user)),
        (0..4_u128).prop_map(Event::Release),
        (0..3_u128, payouts(), end).prop_map(|(user, amounts, end)| Event::PayOut(user, amounts, end)),
        (amount, any::<bool>()).prop_map(|(amount, returns)| Event::Payment(amount, returns)),
    ]
}

/// Applies an event. It may be refused; only the ledger afterwards matters.
fn apply(book: &mut Book, event: Event) -> Result<(), Refusal> {
    let hold = |number: u128| TransferId(Uuid::from_u128(100 + number));
    let user = |number: u128| UserId(Uuid::from_u128(200 + number));
    match event {
        Event::Deposit(amount) => book.post(postings::deposit(SCOPE, T, cents(amount))),
        Event::Withdraw(amount) => book.post(postings::withdraw(SCOPE, T, ACH, cents(amount))),
        Event::FromOrganization(amount) => {
            let (from, to) = (Account::OrganizationFunding, Account::OrganizationWallet);
            let earned = Movement { kind: TransactionKind::Surrogate, from, to, amount: cents(amount) };
            book.post(Posting::balanced(ORG, None, vec![earned]))?;
            book.post(postings::organization_to_app(SCOPE, T, cents(amount)))
        }
        Event::ToUser(to, amount) => book.post(postings::app_to_user(SCOPE, T, user(to), cents(amount))),
        Event::FromUser(from, amount) => book.post(postings::user_to_app(SCOPE, T, user(from), cents(amount))),
        Event::Open(number, amount) => {
            book.run(move |world| holds::open_new(world, SCOPE, hold(number), cents(amount))).map(|_| ())
        }
        Event::Capture(number, to) => {
            let by = holds::CapturedBy::User(user(to));
            book.run(move |world| holds::capture(world, SCOPE, hold(number), by)).map(|_| ())
        }
        Event::Release(number) => book.run(move |world| holds::release(world, SCOPE, hold(number))).map(|_| ()),
        Event::PayOut(to, amounts, end) => {
            book.post(postings::pay_out(SCOPE, T, user(to), ACH, &amounts))?;
            match end {
                End::Fails => book.post(postings::fail_payout(SCOPE, T, user(to), ACH, &amounts)),
                End::Settles => {
                    book.post(postings::settle_payout(SCOPE, T, ACH, &amounts, Account::External(SCOPE.app)))
                }
                End::Returns => {
                    book.post(postings::settle_payout(SCOPE, T, ACH, &amounts, Account::External(SCOPE.app)))?;
                    book.post(postings::return_payout(
                        SCOPE,
                        T,
                        user(to),
                        ACH,
                        amounts.payout,
                        Account::External(SCOPE.app),
                    ))
                }
            }
        }
        Event::Payment(amount, returns) => {
            book.post(postings::payment_settled(SCOPE, T, ACH, cents(amount)))?;
            if returns { book.post(postings::payment_returned(SCOPE, T, ACH, cents(amount))) } else { Ok(()) }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_events_break_an_invariant(events in prop::collection::vec(events(), 1..60)) {
        let mut book = Book::new();
        for event in events {
            // Most amounts that are too large are refused; the ledger must be correct after a refusal, too.
            drop(apply(&mut book, event));
        }
        prop_assert_eq!(broken(&book), Vec::<u8>::new());
    }

    #[test]
    fn clearing_is_where_it_was_when_a_payout_has_ended(amounts in payouts(), end in prop_oneof![Just(End::Settles), Just(End::Fails), Just(End::Returns)]) {
        let mut book = Book::new();
        let user = UserId(Uuid::from_u128(200));
        book.post(postings::deposit(SCOPE, T, cents(10_000))).unwrap();
        book.post(postings::app_to_user(SCOPE, T, user, cents(5_000))).unwrap();
        let wallets = [Account::AppWallet(SCOPE.app), Account::UserWallet(SCOPE.app, user)];
        let before = wallets.map(|wallet| book.balance(wallet));
        apply(&mut book, Event::PayOut(0, amounts, end)).unwrap();
        prop_assert_eq!(book.balance(Account::Clearing(SCOPE.app, ACH)), 0);
        if let End::Fails = end {
            prop_assert_eq!(wallets.map(|wallet| book.balance(wallet)), before);
        }
    }
}
