//! Debits that came back because the account did not cover them, presented again by the app's setting.

use bursar_formats::{Profile, nacha};
use serde_json::{Value, json};

use crate::bank_debits::{authorized, by_file, collect, deposit, payer};
use crate::bank_movements::own_account;
use crate::bank_reversals::{entries, is_settled, mornings};
use crate::bank_statements::Bank;
use crate::harness::Server;

async fn with_retries(bank: &Bank, retries: i64) {
    bank.server().set(json!({"debit_retries": retries})).await;
}

fn failed() -> (String, Option<String>) {
    ("failed".to_owned(), Some("insufficient_funds".to_owned()))
}

/// Returns the files of retries, oldest first.
async fn retries(bank: &Bank) -> Vec<Value> {
    let mut files = bank.mailbox.bank.files().await;
    files.retain(|file| file["purpose"] == "retries");
    files
}

/// Waits until the newest file of retries is at the bank; returns it.
async fn until_sent(bank: &Bank) -> Value {
    for _ in 0..800 {
        let newest = retries(bank).await.pop().unwrap();
        if newest["status"] == "sent" {
            return newest;
        }
        bank.server().pass(900).await;
    }
    panic!("no file of retries is sent: {:?}", retries(bank).await);
}

/// Collects 20 dollars from an account on Tuesday; returns the payment.
async fn collected(bank: &Bank, account: &str) -> Value {
    let ada = payer(bank.server(), account).await;
    let made = collect(bank.server(), &ada, 2_000, authorized("phone")).await.expect(201).body;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    made
}

#[tokio::test]
async fn a_debit_is_presented_again_and_its_payment_waits_until_the_last_one_ends() {
    let mut bank = by_file().await;
    with_retries(&bank, 2).await;
    let before = bank.server().balance("app_wallet").await;
    let made = collected(&bank, "90000002").await;
    assert_eq!(bank.mailbox.status(&made).await, ("pending".to_owned(), None));
    let first = retries(&bank).await.pop().unwrap();
    // Returned on Tuesday evening; presented on Monday, on the same day, and presumed settled three banking days later.
    let dates = ["status", "entry_class", "effective", "settles"].map(|name| first[name].clone());
    assert_eq!(dates, ["open", "TEL", "2026-03-09", "2026-03-12T17:00:00.000000Z"].map(|text| json!(text)));
    let settles = bank.mailbox.bank.transfer(&made).await["settles_at"].clone();
    assert!(settles == Value::Null || settles == first["settles"], "{settles}");
    bank.mailbox.bank.server.restart().await;
    let sent = until_sent(&bank).await;
    let path = bank.mailbox.root.path().join("outbound").join(sent["name"].as_str().unwrap());
    let (read, _) = nacha::read(&std::fs::read(path).unwrap(), Profile::Strict).unwrap();
    let (header, again) = (&read.batches[0].header, &read.batches[0].entries[0]);
    assert_eq!((header.description.trim_end(), header.company_id.as_str()), ("RETRY PYMT", "1234567890"));
    let shown = (again.code.as_str(), again.amount, again.account.as_str(), again.discretionary.trim_end());
    assert_eq!(shown, ("27", 2_000, "90000002", "S"));

    // It comes back a second time, and is presented a third time.
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    assert_eq!(retries(&bank).await.len(), 2);
    assert_eq!(bank.mailbox.status(&made).await.0, "pending");
    let entry = entries(&bank, &sent).await[0].clone();
    assert_eq!(
        (&entry["kind"], &entry["follows"], &entry["status"]),
        (&json!("retry"), &made["id"], &json!("returned"))
    );
    assert_eq!(bank.server().balance("app_wallet").await, before, "the app has nothing before the last one settled");
    bank.mailbox.bank.verify();
    until_sent(&bank).await;
    mornings(&bank, 8).await;
    assert_eq!(bank.mailbox.status(&made).await, ("completed".to_owned(), None));
    assert_eq!(bank.server().balance("app_wallet").await, before + 2_000);
    is_settled(&bank, 52_000);
}

#[tokio::test]
async fn the_third_return_fails_the_payment_and_moves_nothing() {
    for (most, expected) in [(0, 0), (1, 1), (2, 2)] {
        let bank = by_file().await;
        with_retries(&bank, most).await;
        let before = bank.server().balance("app_wallet").await;
        let made = collected(&bank, "10000001").await;
        for _ in 0..expected {
            assert_eq!(bank.mailbox.status(&made).await.0, "pending");
            until_sent(&bank).await;
            bank.mailbox.bank_answers();
            bank.mailbox.fetch().await;
        }
        assert_eq!(bank.mailbox.status(&made).await, failed(), "{most}");
        assert_eq!(retries(&bank).await.len(), expected);
        mornings(&bank, 4).await;
        assert_eq!(bank.server().balance("app_wallet").await, before);
        is_settled(&bank, 50_000);
    }
}

/// The controls: other reasons, credits, accounts out of use, and debits that were completed already.
#[tokio::test]
async fn only_a_pending_debit_of_an_account_in_use_without_money_is_presented_again() {
    let bank = by_file().await;
    with_retries(&bank, 2).await;
    let closed = collected(&bank, "10000002").await;
    assert_eq!(bank.mailbox.status(&closed).await.0, "failed");
    let (_, payout) = bank.mailbox.pay(1234, "10000001", 1_000).await;
    let ada = payer(bank.server(), "10000001").await;
    let removed = collect(bank.server(), &ada, 2_000, authorized("written")).await.expect(201).body;
    let path = format!("/v2/payment-customers/{ada}/bank-accounts");
    let accounts = bank.server().get(&path).app_key().send().await.expect(200).body;
    let account = accounts["data"].as_array().or(accounts.as_array()).unwrap()[0]["id"].as_str().unwrap().to_owned();
    bank.server().delete(&format!("{path}/{account}")).app_key().send().await;
    let late = payer(bank.server(), "20000001").await;
    let late = collect(bank.server(), &late, 3_000, authorized("phone")).await.expect(201).body;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    for transfer in [&payout, &removed] {
        assert_eq!(bank.mailbox.status(transfer).await, failed());
    }
    mornings(&bank, 16).await;
    let reversed = ("reversed".to_owned(), Some("insufficient_funds".to_owned()));
    assert_eq!(bank.mailbox.status(&late).await, reversed);
    assert_eq!(retries(&bank).await.len(), 0);
    is_settled(&bank, 50_000);
}

#[tokio::test]
async fn deposits_are_presented_again_too() {
    let bank = by_file().await;
    with_retries(&bank, 1).await;
    let server = bank.server();
    let before = server.balance("app_wallet").await;
    own_account(server, "90000001").await;
    let pulled = deposit(server, 1_000).await.expect(200).body;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    assert_eq!(bank.mailbox.status(&pulled).await.0, "pending");
    until_sent(&bank).await;
    mornings(&bank, 8).await;
    assert_eq!(bank.mailbox.status(&pulled).await.0, "completed");
    assert_eq!(server.balance("app_wallet").await, before + 1_000);
    is_settled(&bank, 51_000);
}

#[tokio::test]
async fn update_app_settings_takes_at_most_two_retries() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let settings = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!(settings["debit_retries"], 0, "off by default");
    let refused = server.put(&path).as_org().json(json!({"debit_retries": 3})).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/debit_retries"]);
    let set = server.put(&path).as_org().json(json!({"debit_retries": 2})).send().await.expect(200).body;
    assert_eq!(set["debit_retries"], 2);
}
