//! Bills and withdrawals in files for a bank: they join, settle, are booked, and come back like payouts.

use bursar::bankbox::{Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use bursar_formats::{Profile, nacha};
use serde_json::{Value, json};

use crate::bank_files_sent::Bank as Connected;
use crate::bank_intake::Mailbox;
use crate::bank_statements::Bank;
use crate::harness::{Desk, Reply, Server};
use crate::samples::new_connection;

const DAY: i64 = 86_400;

/// Sets the bank account of the app.
pub async fn own_account(server: &Server, account_number: &str) {
    let account = json!({"account_number": account_number, "routing_number": "110000000"});
    let path = format!("/v2/apps/{}/ach-account", server.app_id());
    server.put(&path).as_org().json(account).send().await.expect(200);
}

pub async fn withdraw(server: &Server, amount: i64) -> Reply {
    let path = format!("/v2/apps/{}/withdraw", server.app_id());
    server.post(&path).as_org().json(json!({"amount": amount})).send().await
}

/// Pays an approved bill of five dollars to a vendor with this account; returns the bill.
pub async fn pay_bill(server: &Server, account_number: &str) -> Value {
    let desk = Desk::of(server);
    let (vendor, _) = desk.vendor(account_number).await;
    let bill = desk.bill(json!({"amount": 500, "ap_vendor_id": vendor})).await.expect(201).id();
    desk.approve(&bill).await;
    desk.act(&bill, "pay", "payer").await.expect(200).body
}

pub fn transfer_of(bill: &Value) -> Value {
    json!({"id": bill["transfer_id"]})
}

/// Code, amount, account and name.
type Entry = (String, u64, String, String);

/// Returns class and entries of each batch of a file at the bank.
pub fn read(mailbox: &Mailbox, file: &Value) -> Vec<(String, Vec<Entry>)> {
    let path = mailbox.root.path().join("outbound").join(file["name"].as_str().unwrap());
    let bytes = std::fs::read(path).unwrap();
    assert!(nacha::check(&bytes, Profile::Strict).findings.first_error().is_none());
    let (file, _) = nacha::read(&bytes, Profile::Strict).unwrap();
    let entry = |entry: &nacha::Entry| (entry.code.clone(), entry.amount, entry.account.clone(), entry.name.clone());
    let batch = |batch: &nacha::Batch| (batch.header.sec.clone(), batch.entries.iter().map(entry).collect());
    file.batches.iter().map(batch).collect()
}

async fn story(format: StatementFormat, grain: Grain) {
    let fields = json!({
        "statement_kind": if format == StatementFormat::Bai2 { "bai2" } else { "camt053" },
        "booking_grain": if grain == Grain::File { "file" } else { "entry" },
    });
    let bank = Bank::open(Server::start().await, fields, format, grain, 50_000).await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let before = server.balance("app_wallet").await;
    own_account(server, "000123450001").await;
    let withdrawal = withdraw(server, 1_000).await.expect(200).body;
    assert_eq!(withdrawal["status"], "pending", "the entry joins in the commit of the withdrawal");
    let bill = pay_bill(server, "000123450002").await;
    assert_eq!(mailbox.status(&transfer_of(&bill)).await.0, "pending");
    let (_, payout) = mailbox.pay(1234, "55501234", 300).await;
    let files = mailbox.bank.files().await;
    let shown: Vec<_> = files.iter().map(|file| (&file["entry_class"], &file["entries"], &file["credit"])).collect();
    let companies = (&json!("CCD"), &json!(2), &json!(1_500));
    assert_eq!(shown, [companies, (&json!("PPD"), &json!(1), &json!(300))], "one batch and one class in a file");

    mailbox.send().await;
    let files = mailbox.bank.files().await;
    assert!(files.iter().all(|file| file["status"] == "sent"), "{files:?}");
    let batches = read(mailbox, &files[0]);
    let (class, entries) = &batches[0];
    assert_eq!((batches.len(), class.as_str()), (1, "CCD"));
    let own = ("22".to_owned(), 1_000, "000123450001".to_owned(), "DEMONSTRATION".to_owned());
    assert_eq!(entries[0], own);
    assert_eq!((entries[1].1, entries[1].2.as_str()), (500, "000123450002"));
    assert!(mailbox.bank_answers().is_empty());
    bank.morning().await;
    for transfer in [&withdrawal, &transfer_of(&bill), &payout] {
        assert_eq!(mailbox.status(transfer).await, ("completed".to_owned(), None));
    }
    assert_eq!(Desk::of(server).payable(bill["id"].as_str().unwrap()).await["status"], "payment_completed");
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 1_800, "the bank has not booked it");
    server.verify();
    bank.morning().await;
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -(50_000 - 1_800));
    assert_eq!(bank.ledger(LedgerAccountKind::Clearing), 0);
    assert_eq!(server.balance("app_wallet").await, before - 1_800 - 25);
    mailbox.bank.verify();
}

#[tokio::test]
async fn bills_and_withdrawals_travel_in_files_and_are_booked_by_file() {
    story(StatementFormat::Bai2, Grain::File).await;
}

#[tokio::test]
async fn bills_and_withdrawals_travel_in_files_and_are_booked_entry_by_entry() {
    story(StatementFormat::Camt053, Grain::Entry).await;
}

#[tokio::test]
async fn returned_bills_and_withdrawals_give_the_money_back_before_and_after_they_settled() {
    let bank = Bank::bai2(50_000).await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let before = server.balance("app_wallet").await;
    own_account(server, "10000002").await;
    let withdrawal = withdraw(server, 1_000).await.expect(200).body;
    let early = pay_bill(server, "10000003").await;
    let late = pay_bill(server, "20000020").await;
    let good = pay_bill(server, "000123450002").await;
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&withdrawal).await, ("failed".to_owned(), Some("account_closed".to_owned())));
    assert_eq!(mailbox.status(&transfer_of(&early)).await, ("failed".to_owned(), Some("no_account".to_owned())));
    let desk = Desk::of(server);
    assert_eq!(desk.payable(early["id"].as_str().unwrap()).await["status"], "payment_failed");
    assert_eq!(mailbox.status(&transfer_of(&good)).await.0, "pending");
    // The account that is closed cannot be used again.
    withdraw(server, 1_000).await.refused(409, "user-info-missing");

    for _ in 0..4 {
        bank.morning().await;
    }
    assert_eq!(mailbox.status(&transfer_of(&good)).await.0, "completed");
    let returned = ("reversed".to_owned(), Some("account_not_eligible".to_owned()));
    assert_eq!(mailbox.status(&transfer_of(&late)).await, returned);
    assert_eq!(desk.payable(late["id"].as_str().unwrap()).await["status"], "payment_failed");
    assert_eq!(server.balance("app_wallet").await, before - 500);
    for _ in 0..3 {
        bank.morning().await;
    }
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -(50_000 - 500));
    // The bill whose payment came back is paid again, in another file.
    let again = desk.act(late["id"].as_str().unwrap(), "pay", "payer").await.expect(200).body;
    assert_eq!(again["status"], "payment_initiated");
    assert_eq!(mailbox.bank.files().await.len(), 2);
    mailbox.bank.verify();
}

#[tokio::test]
async fn corrected_numbers_replace_the_account_of_an_app_and_wait_for_a_member_for_a_vendor() {
    let mailbox = Mailbox::open(Server::start().await).await;
    let server = mailbox.server();
    own_account(server, "30000001").await;
    withdraw(server, 1_000).await.expect(200);
    let bill = pay_bill(server, "30000001").await;
    mailbox.send().await;
    let open = withdraw(server, 2_000).await.expect(200).body;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let items = mailbox.items("kind=change").await;
    let shown = |transfer: &Value| {
        let found = items.iter().find(|item| item["transfer_id"] == transfer["id"]).unwrap();
        (found["status"].clone(), found["reason"].clone())
    };
    assert_eq!(shown(&transfer_of(&bill)), (json!("unmatched"), json!("needs_review")));
    assert_eq!(items.iter().filter(|item| item["status"] == "applied").count(), 1);
    let path = format!("/v2/apps/{}/ach-account", server.app_id());
    let account = server.get(&path).as_org().send().await.expect(200).body;
    assert_eq!((&account["mask"], &account["in_use"]), (&json!("0001"), &json!(true)));
    mailbox.send().await;
    let file = mailbox.bank.files().await.pop().unwrap();
    let batches = read(&mailbox, &file);
    assert_eq!(batches[0].1[0].2, "60000001", "the open withdrawal moves to the corrected account");
    assert_eq!(mailbox.status(&open).await.0, "pending");
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_limit_of_the_connection_refuses_a_withdrawal_and_nothing_moves() {
    let bank = Connected::in_force(Server::start().await).await;
    let server = &bank.server;
    let before = server.balance("app_wallet").await;
    own_account(server, "000123450001").await;
    withdraw(server, 1_000_001).await.refused(409, "limit-exceeded");
    assert_eq!((server.balance("app_wallet").await, bank.files().await.len()), (before, 0));
    withdraw(server, 1_000_000).await.expect(200);
    assert_eq!(bank.file().await["entries"], 1);
    bank.verify();
}

#[tokio::test]
async fn an_individual_is_paid_by_an_entry_to_a_person() {
    let bank = Connected::in_force(Server::start().await).await;
    let server = &bank.server;
    let account = json!({"account_number": "000123450001", "routing_number": "110000000", "holder_type": "individual"});
    let path = format!("/v2/apps/{}/ach-account", server.app_id());
    let set = server.put(&path).as_org().json(account).send().await.expect(200).body;
    assert_eq!(set["holder_type"], "individual");
    withdraw(server, 1_000).await.expect(200);
    assert_eq!(bank.file().await["entry_class"], "PPD");
}

/// The control is `movements_that_no_route_carries_are_refused_by_name`: without a route nothing leaves.
#[tokio::test]
async fn in_production_a_route_to_a_bank_carries_withdrawals_and_bills() {
    let bank = Connected { server: Server::live().await, connection: String::new(), settlement_account: String::new() };
    own_account(&bank.server, "000123450001").await;
    withdraw(&bank.server, 1_000).await.refused(409, "rail-not-connected");
    let tomorrow = bank.server.now().plus_seconds(DAY).date().to_string();
    bank.connect(new_connection(""), json!({}), &tomorrow).await;
    withdraw(&bank.server, 1_000).await.refused(409, "rail-not-connected");
    bank.server.pass(DAY).await;
    assert_eq!(withdraw(&bank.server, 1_000).await.expect(200).body["status"], "pending");
    assert_eq!(bank.file().await["entries"], 1);
}
