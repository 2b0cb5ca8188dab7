//! The outcomes of prenotes: returns, changes, and files that move, are canceled or refused. And R11, which keeps the
//! authorization.

use bursar::bank_accounts::BankAccount;
use bursar::ledger::LedgerAccountKind;
use serde_json::{Value, json};

use crate::bank_debits::{authorized, by_file, collect, collecting, payer};
use crate::bank_files_sent::Bank as Connected;
use crate::bank_movements::{pay_bill, read, transfer_of};
use crate::bank_prenotes::{
    UNTIL, accounts, answered, cancel, files, held_until, methods, shown, until_monday, with_prenotes,
};
use crate::bank_reversals::{entries, entry, is_settled, mornings};
use crate::harness::Server;

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

fn failed(code: &str) -> (String, Option<String>) {
    ("failed".to_owned(), Some(code.to_owned()))
}

#[tokio::test]
async fn a_prenote_that_is_returned_fails_the_payments_that_wait_and_no_money_moves() {
    let bank = with_prenotes().await;
    let before = bank.server().balance("app_wallet").await;
    let (user, paid) = bank.mailbox.pay(1234, "10000003", 1_000).await;
    let second = bank.mailbox.order(&user, 500).await;
    let ada = payer(bank.server(), "10000002").await;
    let collected = collect(bank.server(), &ada, 2_000, authorized("phone")).await.expect(201).body;
    let bill = pay_bill(bank.server(), "10000004").await;
    bank.mailbox.send().await;
    answered(&bank).await;
    for (transfer, code) in [
        (&paid, "no_account"),
        (&second, "no_account"),
        (&collected, "account_closed"),
        (&transfer_of(&bill), "invalid_account_number"),
    ] {
        assert_eq!(bank.mailbox.status(transfer).await, failed(code));
        assert_eq!(held_until(&bank, transfer).await, Value::Null);
    }
    assert_eq!(bank.server().balance("app_wallet").await, before, "the fees are back too");
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    assert_eq!(files(&bank, "payments").await.len(), 0);
    assert_eq!(methods(&bank, &user).await.len(), 0, "the method is out of use");
    assert_eq!(accounts(&bank, &ada).await.len(), 0);
    let rates = bank.mailbox.bank.get("/v2/bank/return-rates").await;
    assert_eq!((&rates[0]["debits"], &rates[0]["all"]["returned"]), (&json!(0), &json!(0)), "prenotes are no debits");
    until_monday(&bank).await;
    mornings(&bank, 2).await;
    assert_eq!(files(&bank, "payments").await.len(), 0);
    is_settled(&bank, 50_000);
}

#[tokio::test]
async fn a_change_on_a_prenote_moves_the_payments_that_wait_to_the_corrected_numbers() {
    let bank = with_prenotes().await;
    let (user, paid) = bank.mailbox.pay(1234, "30000001", 1_000).await;
    let ada = payer(bank.server(), "30000005").await;
    let collected = collect(bank.server(), &ada, 2_000, authorized("phone")).await.expect(201).body;
    bank.mailbox.send().await;
    let sent = files(&bank, "prenotes").await;
    answered(&bank).await;
    for transfer in [&paid, &collected] {
        let transfer = shown(&bank, transfer).await;
        assert_eq!((&transfer["status"], &transfer["held_until"]), (&json!("pending"), &Value::Null));
    }
    assert_eq!(methods(&bank, &user).await[0]["validation"], "correction");
    let in_use: Vec<Value> =
        accounts(&bank, &ada).await.into_iter().filter(|account| account["in_use"] == true).collect();
    assert_eq!((&in_use[0]["validation"], &in_use[0]["account_type"]), (&json!("correction"), &json!("savings")));
    assert_eq!(entries(&bank, &sent[0]).await[0]["status"], "settled");
    bank.mailbox.bank.verify();
    bank.mailbox.send().await;
    let mut found = Vec::new();
    for file in files(&bank, "payments").await {
        let (code, amount, account, _) = read(&bank.mailbox, &file).remove(0).1.remove(0);
        found.push((code, amount, account));
    }
    found.sort();
    let of = |code: &str, amount: u64, account: &str| (code.to_owned(), amount, account.to_owned());
    assert_eq!(found, [of("22", 1_000, "60000001"), of("37", 2_000, "30000005")]);
    mornings(&bank, 8).await;
    for transfer in [&paid, &collected] {
        assert_eq!(bank.mailbox.status(transfer).await.0, "completed");
    }
    is_settled(&bank, 50_000 - 1_000 + 2_000);
}

/// Members approved the account of a vendor, so a program does not replace it; and no payment goes to the old numbers.
#[tokio::test]
async fn a_change_on_the_prenote_of_a_vendor_fails_the_bill_that_waits() {
    let bank = with_prenotes().await;
    let bill = pay_bill(bank.server(), "30000001").await;
    bank.mailbox.send().await;
    answered(&bank).await;
    assert_eq!(bank.mailbox.status(&transfer_of(&bill)).await, failed("invalid_account_number"));
    let item = bank.mailbox.items("status=unmatched").await.remove(0);
    assert_eq!((&item["kind"], &item["reason"]), (&json!("change"), &json!("needs_review")));
    until_monday(&bank).await;
    assert_eq!(files(&bank, "payments").await.len(), 0);
    bank.mailbox.bank.verify();
}

/// A connection whose files a member takes to the bank.
async fn by_hand() -> Connected {
    Connected::with_parts(Server::start().await, collecting(), json!({}), json!({"prenotes": true})).await
}

/// Waits for the cut-off of the newest file; returns it.
async fn until_sealed(bank: &Connected) -> Value {
    for _ in 0..200 {
        let file = bank.files().await.pop().unwrap();
        if file["status"] == "sealed" {
            return file;
        }
        bank.server.pass(900).await;
    }
    panic!("the newest file is not sealed: {:?}", bank.files().await);
}

fn evidence() -> Value {
    json!({"evidence": "In the portal, 4711."})
}

#[tokio::test]
async fn a_file_of_prenotes_that_moves_moves_the_payments_that_wait() {
    let bank = by_hand().await;
    let paid = bank.pay(1234, 1_000).await;
    assert_eq!(bank.transfer(&paid).await["held_until"], UNTIL);
    bank.server.pass(7 * HOUR + 1_800).await;
    let sealed = bank.file().await;
    assert_eq!(sealed["status"], "sealed");
    let moved = bank.act(&sealed, "redate", json!({})).await.expect(200).body;
    assert!(moved["settles"].as_str().unwrap() > UNTIL, "{moved:#}");
    assert_eq!(bank.transfer(&paid).await["held_until"], moved["settles"]);
    bank.verify();
    let sealed = until_sealed(&bank).await;
    bank.server.pass(DAY).await;
    bank.act(&sealed, "mark-sent", evidence()).await.expect(200);
    let sent = bank.file().await;
    assert_eq!(bank.transfer(&paid).await["held_until"], sent["settles"], "a late file moves them too");
    bank.verify();
    for _ in 0..7 {
        bank.server.pass(DAY).await;
    }
    assert_eq!(bank.transfer(&paid).await["held_until"], Value::Null);
    assert_eq!(bank.files().await[1]["purpose"], "payments");
    bank.verify();
}

#[tokio::test]
async fn a_canceled_file_of_prenotes_is_replaced_and_the_payments_wait_for_the_next_one() {
    let mut bank = by_hand().await;
    let paid = [bank.pay(1234, 1_000).await, bank.pay(1235, 700).await];
    bank.server.pass(7 * HOUR + 1_800).await;
    let sealed = bank.file().await;
    bank.act(&sealed, "cancel", json!({"reason": "A mistyped company id."})).await.expect(200);
    bank.server.restart().await;
    bank.server.work_off().await;
    let all = bank.files().await;
    let shown: Vec<_> = all.iter().map(|file| (&file["purpose"], &file["status"], &file["entries"])).collect();
    let (prenotes, two) = (json!("prenotes"), json!(2));
    assert_eq!(shown, [(&prenotes, &json!("canceled"), &two), (&prenotes, &json!("open"), &two)]);
    for transfer in &paid {
        let transfer = bank.transfer(transfer).await;
        assert_eq!((&transfer["status"], &transfer["held_until"]), (&json!("pending"), &all[1]["settles"]));
    }
    bank.verify();
    let again = until_sealed(&bank).await;
    bank.act(&again, "mark-sent", evidence()).await.expect(200);
    for _ in 0..7 {
        bank.server.pass(DAY).await;
    }
    let last = bank.files().await.remove(2);
    assert_eq!((&last["purpose"], &last["entries"], &last["credit"]), (&json!("payments"), &json!(2), &json!(1_700)));
    bank.verify();
}

#[tokio::test]
async fn a_file_of_prenotes_that_the_bank_refuses_holds_its_payments_until_a_member_decides() {
    let bank = with_prenotes().await;
    let before = bank.server().balance("app_wallet").await;
    let (_, paid) = bank.mailbox.pay(1234, "50000000", 1_000).await;
    bank.mailbox.send().await;
    answered(&bank).await;
    let file = files(&bank, "prenotes").await.remove(0);
    assert_eq!(file["status"], "rejected");
    until_monday(&bank).await;
    assert_eq!(
        bank.mailbox.status(&paid).await,
        ("pending".to_owned(), None),
        "silence about a refused file is no answer"
    );
    assert_ne!(held_until(&bank, &paid).await, Value::Null);
    bank.mailbox.bank.act(&file, "cancel", json!({"reason": "The bank refused it."})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(files(&bank, "prenotes").await.len(), 2);
    bank.mailbox.bank.verify();
    assert_eq!(cancel(&bank, &paid).await.expect(200).body["status"], "canceled");
    assert_eq!(bank.server().balance("app_wallet").await, before);
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn nothing_is_collected_from_an_account_that_its_payer_removed_while_the_payment_waited() {
    let bank = with_prenotes().await;
    let ada = payer(bank.server(), "000123450002").await;
    let collected = collect(bank.server(), &ada, 2_000, authorized("written")).await.expect(201).body;
    let account = accounts(&bank, &ada).await.remove(0);
    let path = format!("/v2/payment-customers/{ada}/bank-accounts/{}", account["id"].as_str().unwrap());
    bank.server().delete(&path).app_key().send().await;
    bank.mailbox.send().await;
    until_monday(&bank).await;
    assert_eq!(bank.mailbox.status(&collected).await, failed("payment_stopped"));
    assert_eq!(files(&bank, "payments").await.len(), 0);
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_prenote_that_is_returned_late_takes_its_account_out_of_use() {
    let bank = with_prenotes().await;
    let ada = payer(bank.server(), "20000003").await;
    collect(bank.server(), &ada, 2_000, authorized("written")).await.expect(201);
    bank.mailbox.send().await;
    let prenote = entries(&bank, &files(&bank, "prenotes").await[0]).await.remove(0);
    answered(&bank).await;
    until_monday(&bank).await;
    let account = accounts(&bank, &ada).await.remove(0);
    assert_eq!(account["validation"], "prenote");
    bank.mailbox.send().await;
    mornings(&bank, 6).await;
    let returned = entry(&bank, &prenote["id"]).await;
    assert_eq!((&returned["status"], &returned["error"]), (&json!("returned"), &json!("no_account")));
    assert_eq!(accounts(&bank, &ada).await.len(), 0);
    let mut stored = Vec::new();
    let keep = |found: &BankAccount| {
        stored.push((json!(found.id), found.validation, found.disabled_reason.clone()));
        Ok(())
    };
    bank.server().bursar().reads.snapshot(|snapshot| snapshot.each::<BankAccount>(keep)).unwrap();
    stored.retain(|(id, _, _)| *id == account["id"]);
    assert_eq!(stored, [(account["id"].clone(), None, Some("no_account".to_owned()))]);
    bank.mailbox.bank.verify();
    mornings(&bank, 8).await;
    is_settled(&bank, 50_000);
}

/// R10 is the control: it ends the authorization, and the account goes out of use.
#[tokio::test]
async fn a_debit_that_differs_from_its_authorization_keeps_the_account_and_the_authorization() {
    for (number, code, stays) in [("10000011", "not_as_authorized", true), ("10000010", "unauthorized", false)] {
        let bank = by_file().await;
        let ada = payer(bank.server(), number).await;
        let first = collect(bank.server(), &ada, 2_000, authorized("phone")).await.expect(201).body;
        bank.mailbox.send().await;
        answered(&bank).await;
        assert_eq!(bank.mailbox.status(&first).await, failed(code));
        let in_use = accounts(&bank, &ada).await.iter().any(|account| account["in_use"] == true);
        assert_eq!(in_use, stays, "{number}");
        let rates = bank.mailbox.bank.get("/v2/bank/return-rates").await;
        assert_eq!(rates[0]["unauthorized"]["returned"], 1, "both count");
        // The corrected debit has the same authorization.
        let second = collect(bank.server(), &ada, 1_500, authorized("phone")).await;
        if stays {
            assert_eq!(second.expect(201).body["status"], "pending");
        } else {
            second.refused(409, "user-info-missing");
        }
        bank.mailbox.bank.verify();
    }
}
