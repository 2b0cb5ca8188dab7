//! Prenotes: the first payment or debit of an account waits in no file until the account is validated.

use bursar::bank_files::{BankEntry, EntryKind, EntryStatus};
use bursar::bankbox::{Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use bursar::ledger::verify::Finding;
use bursar::money::Cents;
use bursar::transfers::{Transfer, TransferStatus};
use serde_json::{Value, json};

use crate::bank_debits::{authorized, bank_of, by_file, collect, collecting, deposit, payer};
use crate::bank_files_sent::Bank as Connected;
use crate::bank_movements::{own_account, read, withdraw};
use crate::bank_reversals::{is_settled, mornings};
use crate::bank_statements::Bank;
use crate::harness::{Reply, Server};

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
/// The prenotes of Tuesday are dated Wednesday; three banking days later is Monday, 08:30 in New York.
pub const UNTIL: &str = "2026-03-09T12:30:00.000000Z";

/// A bank whose originator sends prenotes. It is Tuesday, 3 March 2026, 10:00 in New York.
pub async fn with_prenotes() -> Bank {
    bank_of(Server::start().await, StatementFormat::Bai2, Grain::File, json!({"prenotes": true})).await
}

/// Returns the files of a purpose, oldest first.
pub async fn files(bank: &Bank, purpose: &str) -> Vec<Value> {
    let mut files = bank.mailbox.bank.files().await;
    files.retain(|file| file["purpose"] == purpose);
    files
}

/// Lets the bank answer, and reads its answers.
pub async fn answered(bank: &Bank) {
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
}

/// Passes from Tuesday evening to Monday morning, when the prenotes of Tuesday are presumed accepted.
pub async fn until_monday(bank: &Bank) {
    for _ in 0..5 {
        bank.server().pass(DAY).await;
    }
    bank.server().pass(15 * HOUR).await;
}

pub async fn shown(bank: &Bank, transfer: &Value) -> Value {
    bank.mailbox.bank.transfer(transfer).await
}

pub async fn held_until(bank: &Bank, transfer: &Value) -> Value {
    shown(bank, transfer).await["held_until"].clone()
}

/// Returns the bank accounts of a payment customer.
pub async fn accounts(bank: &Bank, customer: &str) -> Vec<Value> {
    let path = format!("/v2/payment-customers/{customer}/bank-accounts");
    let accounts = bank.server().get(&path).app_key().send().await.expect(200).body;
    accounts["data"].as_array().or(accounts.as_array()).unwrap_or_else(|| panic!("{accounts:#}")).clone()
}

/// Returns the payout methods of a user.
pub async fn methods(bank: &Bank, user: &str) -> Vec<Value> {
    let path = format!("/v2/users/{user}/payout-methods");
    let methods = bank.server().get(&path).app_key().send().await.expect(200).body;
    methods["data"].as_array().or(methods.as_array()).unwrap_or_else(|| panic!("{methods:#}")).clone()
}

pub async fn cancel(bank: &Bank, transfer: &Value) -> Reply {
    let path = format!("/v2/transfers/{}/cancel", transfer["id"].as_str().unwrap());
    bank.server().post(&path).app_key().json(json!({})).send().await
}

#[tokio::test]
async fn the_first_payment_and_the_first_debit_of_an_account_wait_for_a_prenote_and_then_move() {
    let mut bank = with_prenotes().await;
    let before = bank.server().balance("app_wallet").await;
    let (user, paid) = bank.mailbox.pay(1234, "55501234", 1_000).await;
    let ada = payer(bank.server(), "000123450002").await;
    let collected = collect(bank.server(), &ada, 2_000, authorized("phone")).await.expect(201).body;
    own_account(bank.server(), "000123450001").await;
    let pulled = deposit(bank.server(), 700).await.expect(200).body;
    let all = [&paid, &collected, &pulled];
    for transfer in all {
        let transfer = shown(&bank, transfer).await;
        assert_eq!((&transfer["status"], &transfer["held_until"]), (&json!("pending"), &json!(UNTIL)));
    }
    assert_eq!(files(&bank, "payments").await.len(), 0, "a payment that waits is in no file");
    bank.mailbox.bank.verify();
    bank.mailbox.bank.server.restart().await;
    bank.mailbox.send().await;
    let prenotes = files(&bank, "prenotes").await;
    let expected = [("PPD", "23", "55501234"), ("TEL", "28", "000123450002"), ("CCD", "28", "000123450001")];
    for (file, (class, code, account)) in prenotes.iter().zip(expected) {
        let shown = ["status", "credit", "debit", "settles", "must_release"].map(|name| file[name].clone());
        assert_eq!(shown, [json!("sent"), json!(0), json!(0), json!(UNTIL), json!(false)]);
        let (sec, entries) = read(&bank.mailbox, file).remove(0);
        let (found, amount, to, _) = &entries[0];
        assert_eq!((sec.as_str(), found.as_str(), to.as_str(), *amount), (class, code, account, 0));
    }
    assert_eq!(prenotes.len(), expected.len());
    answered(&bank).await;
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    bank.mailbox.bank.verify();

    bank.mailbox.bank.server.restart().await;
    until_monday(&bank).await;
    for transfer in all {
        let transfer = shown(&bank, transfer).await;
        assert_eq!((&transfer["status"], &transfer["held_until"]), (&json!("pending"), &Value::Null));
    }
    let account = accounts(&bank, &ada).await.remove(0);
    assert_eq!(account["validation"], "prenote");
    assert!(account["validated_at"].as_str().unwrap() >= UNTIL);
    assert_eq!(methods(&bank, &user).await[0]["validation"], "prenote");
    // The second payment does not wait, in either direction.
    let again = bank.mailbox.order(&user, 300).await;
    let drawn = withdraw(bank.server(), 100).await.expect(200).body;
    for transfer in [&again, &drawn] {
        assert_eq!(held_until(&bank, transfer).await, Value::Null);
    }
    bank.mailbox.send().await;
    let sent = files(&bank, "payments").await;
    let mut amounts: Vec<(String, u64)> = Vec::new();
    for file in &sent {
        let entries = read(&bank.mailbox, file).remove(0).1;
        amounts.extend(entries.into_iter().map(|(code, amount, _, _)| (code, amount)));
    }
    amounts.sort();
    let expected = [("22", 100), ("22", 300), ("22", 1_000), ("27", 700), ("27", 2_000)];
    assert_eq!(amounts, expected.map(|(code, amount)| (code.to_owned(), amount)));
    assert_eq!(files(&bank, "prenotes").await.len(), 3);
    mornings(&bank, 8).await;
    for transfer in all.into_iter().chain([&again, &drawn]) {
        assert_eq!(bank.mailbox.status(transfer).await, ("completed".to_owned(), None));
    }
    // Two payouts cost 25 cents each.
    assert_eq!(bank.server().balance("app_wallet").await, before - 1_000 - 300 - 50 + 2_000 + 700 - 100);
    is_settled(&bank, 50_000 - 1_000 - 300 - 100 + 2_000 + 700);
}

/// The control: without the setting, and for an account from which money arrived before.
#[tokio::test]
async fn without_the_setting_nothing_waits_and_an_entry_that_settles_validates_its_account() {
    let bank = by_file().await;
    let (user, paid) = bank.mailbox.pay(1234, "55501234", 1_000).await;
    assert_eq!(held_until(&bank, &paid).await, Value::Null);
    let of = ["purpose", "entries"].map(|name| name.to_owned());
    let file = bank.mailbox.bank.file().await;
    assert_eq!(of.map(|name| file[name].clone()), [json!("payments"), json!(1)]);
    assert_eq!(methods(&bank, &user).await[0]["validation"], Value::Null);
    bank.mailbox.send().await;
    bank.server().pass(DAY).await;
    let method = methods(&bank, &user).await.remove(0);
    assert_eq!(method["validation"], "entry");
    assert!(method["validated_at"].is_string());
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn payments_to_one_account_wait_for_one_prenote() {
    let bank = with_prenotes().await;
    let (user, first) = bank.mailbox.pay(1234, "55501234", 1_000).await;
    let second = bank.mailbox.order(&user, 500).await;
    let (_, other) = bank.mailbox.pay(1235, "55501235", 700).await;
    let file = bank.mailbox.bank.file().await;
    assert_eq!((&file["purpose"], &file["entries"]), (&json!("prenotes"), &json!(2)));
    bank.mailbox.send().await;
    // One that comes later waits for the same prenote.
    let third = bank.mailbox.order(&user, 200).await;
    assert_eq!(held_until(&bank, &third).await, json!(UNTIL));
    assert_eq!(files(&bank, "prenotes").await.len(), 1);
    until_monday(&bank).await;
    bank.mailbox.send().await;
    bank.server().pass(DAY).await;
    for transfer in [first, second, third, other] {
        assert_eq!(bank.mailbox.status(&transfer).await, ("completed".to_owned(), None));
    }
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_payment_that_waits_can_be_canceled_and_its_money_is_back() {
    let bank = with_prenotes().await;
    let before = bank.server().balance("app_wallet").await;
    let (user, first) = bank.mailbox.pay(1234, "55501234", 1_000).await;
    let canceled = cancel(&bank, &first).await.expect(200).body;
    assert_eq!((&canceled["status"], &canceled["held_until"]), (&json!("canceled"), &Value::Null));
    assert_eq!(bank.server().balance("app_wallet").await, before);
    let second = bank.mailbox.order(&user, 500).await;
    bank.mailbox.send().await;
    assert_eq!(cancel(&bank, &second).await.expect(200).body["status"], "canceled", "its prenote is at the bank");
    bank.mailbox.bank.verify();
    until_monday(&bank).await;
    assert_eq!(files(&bank, "payments").await.len(), 0);
    assert_eq!(bank.server().balance("app_wallet").await, before);
    // The prenote has validated the account.
    let third = bank.mailbox.order(&user, 500).await;
    assert_eq!(held_until(&bank, &third).await, Value::Null);
    bank.mailbox.send().await;
    cancel(&bank, &third).await.refused(409, "invalid-state");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn verify_finds_a_payment_that_waits_in_a_file_or_for_nothing() {
    let bank = Connected::with_parts(Server::memory().await, collecting(), json!({}), json!({"prenotes": true})).await;
    let waits = bank.pay(1234, 1_000).await;
    let server = &bank.server;
    let held = |transfer: &Transfer| transfer.held_for.is_some();
    let is_prenote = |entry: &BankEntry| entry.kind == EntryKind::Prenote;
    let of = |found: Vec<Finding>| found.into_iter().map(|finding| finding.invariant).collect::<Vec<u8>>();
    let is_found = |found: Vec<Finding>, what: &str| {
        assert!(found.iter().any(|finding| finding.invariant == 64 && finding.what.contains(what)), "{found:?}");
    };
    assert_eq!(of(server.tampered::<Transfer>(held, |transfer| transfer.held_until = None)), [64]);
    is_found(server.tampered::<BankEntry>(is_prenote, |entry| entry.status = EntryStatus::Settled), "outcome is known");
    is_found(server.tampered::<BankEntry>(is_prenote, |entry| entry.kind = EntryKind::Payment), "is in a file");
    is_found(server.tampered::<BankEntry>(is_prenote, |entry| entry.payout_method = None), "another account");
    is_found(server.tampered::<BankEntry>(is_prenote, |entry| entry.amount = Cents::new(1)), "1 cents");
    is_found(server.tampered::<Transfer>(held, |transfer| transfer.status = TransferStatus::Failed), "is failed");
    assert_eq!(bank.transfer(&waits).await["status"], "pending");
    bank.verify();
}
