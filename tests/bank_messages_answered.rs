//! What a bank answers to messages: statuses of files and of payments, returns in notifications and in statements, answers
//! twice, out of order, and against each other.

use bursar::bankbox::{Account, Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use bursar_formats::Profile;
use bursar_formats::iso20022::pain002::{self, PaymentStatus, Reason, StatusReport, TransactionStatus};
use bursar_formats::iso20022::{self, Message};
use serde_json::{Value, json};

use crate::bank_intake::Mailbox;
use crate::bank_messages::{pay, us};
use crate::bank_statements::Bank;
use crate::harness::Server;
use crate::samples::new_message_connection;

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
const TO_EVENING: i64 = 7 * HOUR + 45 * 60;

async fn open() -> Mailbox {
    Mailbox::with(Server::memory().await, new_message_connection(""), json!({})).await
}

/// Pays by bank_transfer to accounts, sends the file, and lets the bank answer.
async fn paid(mailbox: &Mailbox, accounts: &[&str]) -> Vec<Value> {
    let mut paid = Vec::new();
    for (line, account) in (2_000..).zip(accounts) {
        paid.push(pay(mailbox.server(), line, us("bank_transfer", account), 1_000 + i64::from(line)).await);
    }
    mailbox.server().pass(TO_EVENING).await;
    paid
}

async fn answered(mailbox: &Mailbox) {
    mailbox.bank_answers();
    mailbox.fetch().await;
}

/// A status report of our newest file: of the file, and of payments.
async fn report(mailbox: &Mailbox, group: Option<&str>, payments: &[(&Value, &str, Option<&str>)]) -> Vec<u8> {
    let message = mailbox.bank.files().await.pop().unwrap()["message_id"].as_str().unwrap().to_owned();
    let reason = |code: &str| Reason { code: Some(code.to_owned()), ..Reason::default() };
    let transaction = |(transfer, status, code): &(&Value, &str, Option<&str>)| TransactionStatus {
        instruction_id: None,
        end_to_end_id: Some(transfer["id"].as_str().unwrap().replace('-', "")),
        uetr: None,
        status: Some((*status).to_owned()),
        reasons: code.map(reason).into_iter().collect(),
    };
    let transactions: Vec<TransactionStatus> = payments.iter().map(transaction).collect();
    let block = PaymentStatus { original_id: message.clone(), status: None, reasons: Vec::new(), transactions };
    let report = StatusReport {
        message_id: "S-1".to_owned(),
        created_at: "2026-03-04T10:00:00".to_owned(),
        original_message_id: message,
        original_name: "pain.001.001.09".to_owned(),
        group_status: group.map(str::to_owned),
        reasons: Vec::new(),
        payments: if payments.is_empty() { Vec::new() } else { vec![block] },
    };
    pain002::write(&report).unwrap()
}

async fn give(mailbox: &Mailbox, name: &str, bytes: &[u8]) {
    std::fs::write(mailbox.answer(name), bytes).unwrap();
    mailbox.fetch().await;
}

/// Returns the reasons of the reports that wait for a member.
async fn waiting(mailbox: &Mailbox) -> Vec<String> {
    let items = mailbox.items("status=unmatched").await;
    items.iter().map(|item| item["reason"].as_str().unwrap().to_owned()).collect()
}

fn failed(code: &str) -> (String, Option<String>) {
    ("failed".to_owned(), Some(code.to_owned()))
}

fn is(status: &str) -> (String, Option<String>) {
    (status.to_owned(), None)
}

#[tokio::test]
async fn a_refused_message_waits_for_a_member_and_goes_again_under_another_id() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "50000000"]).await;
    let first = mailbox.bank.file().await;
    answered(&mailbox).await;
    let refused = mailbox.bank.file().await;
    assert_eq!(refused["status"], "rejected");
    let item = &mailbox.items("kind=status").await[0];
    assert_eq!(
        (&item["code"], &item["bank_reason"], &item["status"]),
        (&json!("RJCT"), &json!("FF01"), &json!("applied"))
    );
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, is("pending"), "a refused file does not fail its payments");
    }
    mailbox.server().pass(2 * DAY).await;
    assert_eq!(mailbox.status(&paid[0]).await, is("pending"), "nor does it settle them");
    mailbox.bank.act(&refused, "redate", json!({})).await.expect(200);
    let second = mailbox.send().await;
    assert_eq!(second["message_id"], json!(format!("{}R1", first["message_id"].as_str().unwrap())));
    assert_ne!(first["name"], second["name"]);
    // An answer to the earlier identity changes nothing.
    let old = String::from_utf8(report(&mailbox, Some("ACSC"), &[]).await).unwrap();
    let old = old.replace(second["message_id"].as_str().unwrap(), first["message_id"].as_str().unwrap());
    give(&mailbox, "OLD.xml", old.as_bytes()).await;
    assert_eq!(waiting(&mailbox).await, ["unknown_reference"]);
    answered(&mailbox).await;
    let refused = mailbox.bank.file().await;
    assert_eq!(refused["status"], "rejected");
    let why = json!({"reason": "The bank refuses one account."});
    mailbox.bank.act(&refused, "cancel", why).await.expect(200);
    mailbox.server().work_off().await;
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, failed("rejected_by_rail"));
    }
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_bank_that_says_duplicate_fails_nothing_and_calls_a_member() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "60000000"]).await;
    answered(&mailbox).await;
    assert_eq!(waiting(&mailbox).await, ["duplicate"]);
    assert_eq!(mailbox.bank.file().await["status"], "sent");
    assert_eq!(mailbox.status(&paid[0]).await, is("pending"));
    mailbox.server().pass(DAY).await;
    let file = mailbox.bank.file().await;
    assert_eq!(file["contested"], "duplicate");
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, is("pending"), "nothing is presumed about a contested file");
    }
    for role in ["payer", "admin"] {
        let known = json!({"outcome": "accepted", "evidence": "J. Doe has the first one."});
        mailbox
            .bank
            .post(&format!("/v2/bank/files/{}/decide", file["id"].as_str().unwrap()), role, known)
            .await
            .expect(200);
    }
    mailbox.server().pass(HOUR).await;
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, is("completed"));
    }
    mailbox.bank.verify();
}

/// The payments that a refused block does not name are refused too.
#[tokio::test]
async fn a_block_that_is_refused_takes_the_payments_along_that_it_does_not_name() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "55502001", "55502002"]).await;
    let refusal = report(&mailbox, Some("RJCT"), &[(&paid[1], "RJCT", Some("AC04"))]).await;
    give(&mailbox, "REFUSED.xml", &refusal).await;
    mailbox.server().work_off().await;
    assert_eq!(mailbox.status(&paid[1]).await, failed("account_closed"));
    for transfer in [&paid[0], &paid[2]] {
        assert_eq!(mailbox.status(transfer).await, failed("rejected_by_rail"));
    }
    assert_eq!(mailbox.bank.file().await["status"], "canceled");
    mailbox.bank.verify();
}

/// What a block says contradicts one of its payments: members decide, and nothing completes before that.
#[tokio::test]
async fn a_block_that_is_refused_with_a_payment_that_is_not_waits_for_members() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "55502001", "55502002"]).await;
    let report = report(&mailbox, Some("RJCT"), &[(&paid[1], "ACSP", None)]).await;
    give(&mailbox, "ODD.xml", &report).await;
    mailbox.server().pass(2 * DAY).await;
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, is("pending"));
    }
    assert_eq!(mailbox.bank.file().await["contested"], "refused");
    assert_eq!(waiting(&mailbox).await, ["contradiction"]);
    mailbox.bank.verify();
}

/// The status of a payment is stronger than that of its block.
#[tokio::test]
async fn a_payment_that_is_refused_in_a_settled_block_fails() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "55502001"]).await;
    let report = report(&mailbox, Some("ACSC"), &[(&paid[0], "RJCT", Some("AC04"))]).await;
    give(&mailbox, "SETTLED.xml", &report).await;
    mailbox.server().work_off().await;
    assert_eq!(mailbox.status(&paid[0]).await, failed("account_closed"));
    assert_eq!(mailbox.status(&paid[1]).await, is("completed"));
    assert_eq!(waiting(&mailbox).await, Vec::<String>::new());
    mailbox.bank.verify();
}

/// A file that a member uploads a second time in the bank's portal is refused there, and was paid once.
#[tokio::test]
async fn a_payment_refused_as_a_repetition_is_not_failed() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502001", "55502002"]).await;
    let refusals = [(&paid[0], "RJCT", Some("DU04")), (&paid[1], "RJCT", Some("AC04"))];
    give(&mailbox, "STATUS-1.xml", &report(&mailbox, None, &refusals).await).await;
    assert_eq!(mailbox.status(&paid[0]).await, is("pending"));
    assert_eq!(mailbox.status(&paid[1]).await, failed("account_closed"), "any other reason is a refusal");
    assert_eq!(waiting(&mailbox).await, ["duplicate"]);
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_settled_payment_that_the_bank_refuses_later_is_a_contradiction_for_a_member() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "70000000"]).await;
    answered(&mailbox).await;
    mailbox.server().pass(HOUR).await;
    answered(&mailbox).await;
    assert_eq!(mailbox.status(&paid[1]).await, is("completed"), "before the presumed settlement");
    assert_eq!(mailbox.status(&paid[0]).await, is("pending"));
    mailbox.server().pass(HOUR).await;
    answered(&mailbox).await;
    assert_eq!(waiting(&mailbox).await, ["contradiction"]);
    assert_eq!(mailbox.status(&paid[1]).await, is("completed"));
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_weaker_status_that_comes_later_changes_nothing() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "55502001"]).await;
    let refusal = report(&mailbox, Some("PART"), &[(&paid[0], "RJCT", Some("AC04")), (&paid[1], "ACSC", None)]).await;
    give(&mailbox, "FIRST.xml", &refusal).await;
    assert_eq!(mailbox.status(&paid[0]).await, failed("account_closed"));
    assert_eq!(mailbox.status(&paid[1]).await, is("completed"));
    let weaker = report(&mailbox, Some("ACTC"), &[(&paid[0], "ACSP", None), (&paid[1], "ACSP", None)]).await;
    give(&mailbox, "SECOND.xml", &weaker).await;
    // The same words in other bytes.
    give(&mailbox, "THIRD.xml", &[refusal.as_slice(), b"<!-- again -->"].concat()).await;
    assert_eq!(waiting(&mailbox).await, Vec::<String>::new());
    assert_eq!(mailbox.status(&paid[0]).await, failed("account_closed"));
    let contradiction = report(&mailbox, None, &[(&paid[0], "ACSC", None)]).await;
    give(&mailbox, "FOURTH.xml", &contradiction).await;
    assert_eq!(waiting(&mailbox).await, ["contradiction"]);
    let file = mailbox.bank.file().await;
    assert_eq!((&file["answer"], &file["refused"], &file["returned"]), (&json!("accepted"), &json!(1), &json!(0)));
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_file_that_the_bank_settles_as_a_whole_settles_its_payments() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000", "55502001"]).await;
    let settled = report(&mailbox, Some("ACSC"), &[]).await;
    give(&mailbox, "SETTLED.xml", &settled).await;
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, is("completed"), "a day before the presumed settlement");
    }
    let refused = report(&mailbox, Some("RJCT"), &[]).await;
    give(&mailbox, "REFUSED.xml", &refused).await;
    assert_eq!(waiting(&mailbox).await, ["contradiction"]);
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_refusal_after_the_presumed_settlement_takes_the_money_back() {
    let mailbox = open().await;
    let before = mailbox.server().balance("app_wallet").await;
    let paid = paid(&mailbox, &["55502000", "55502001"]).await;
    mailbox.server().pass(DAY).await;
    assert_eq!(mailbox.status(&paid[0]).await, is("completed"));
    let late = report(&mailbox, Some("PART"), &[(&paid[0], "RJCT", Some("AC06"))]).await;
    give(&mailbox, "LATE.xml", &late).await;
    assert_eq!(mailbox.status(&paid[0]).await, ("reversed".to_owned(), Some("account_frozen".to_owned())));
    assert!(mailbox.server().balance("app_wallet").await > before - 2 * 3_500, "the first payment is back");
    mailbox.bank.verify();
}

#[tokio::test]
async fn answers_about_unknown_payments_and_files_wait_for_a_member() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["55502000"]).await;
    let unknown = json!({"id": uuid::Uuid::now_v7().to_string()});
    let bytes = report(&mailbox, None, &[(&unknown, "RJCT", Some("AC04"))]).await;
    give(&mailbox, "UNKNOWN.xml", &bytes).await;
    let text = String::from_utf8(report(&mailbox, Some("RJCT"), &[]).await).unwrap();
    let id = mailbox.bank.file().await["message_id"].as_str().unwrap().to_owned();
    give(&mailbox, "OTHER.xml", text.replace(&id, "NOT-OURS").as_bytes()).await;
    // A status without a known meaning never fails a payment.
    let odd = report(&mailbox, Some("WAIT"), &[(&paid[0], "WAIT", None)]).await;
    give(&mailbox, "ODD.xml", &odd).await;
    let mut reasons = waiting(&mailbox).await;
    reasons.sort();
    assert_eq!(reasons, ["needs_review", "needs_review", "unknown_reference", "unknown_reference"]);
    assert_eq!(mailbox.status(&paid[0]).await, is("pending"));
    mailbox.bank.verify();
}

/// A bank that books our files one by one, in camt.053.
async fn with_statements() -> Bank {
    let fields = json!({"statement_kind": "camt053", "booking_grain": "file"});
    let bank = Bank { mailbox: Mailbox::with(Server::memory().await, new_message_connection(""), fields).await };
    let now = bank.now();
    bank.act(|bank| bank.keep(Account::open("000123456789", StatementFormat::Camt053, Grain::File, 100_000, now)));
    bank
}

/// The line of a statement is the only report of a return: it has no reason, and does not name the payment.
#[tokio::test]
async fn a_payment_that_comes_back_by_a_line_alone_is_returned_by_two_members() {
    let fields = json!({"statement_kind": "bai2", "booking_grain": "file"});
    let bank = Bank { mailbox: Mailbox::with(Server::memory().await, new_message_connection(""), fields).await };
    let now = bank.now();
    bank.act(|bank| bank.keep(Account::open("000123456789", StatementFormat::Bai2, Grain::File, 100_000, now)));
    let paid = paid(&bank.mailbox, &["55502000", "55502001"]).await;
    answered(&bank.mailbox).await;
    for _ in 0..3 {
        bank.morning().await;
    }
    assert_eq!(bank.mailbox.status(&paid[0]).await, is("completed"));
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    bank.wire(3_000, "RETURN OF PAYMENT");
    bank.morning().await;
    let credit = bank.suspense().await.into_iter().find(|line| line["amount"] == 3_000).unwrap();
    let of =
        |transfer: &Value| json!({"booked_as": "returns", "transfer_ids": [transfer["id"]], "evidence": "J. Doe."});
    let other = bank.item(&credit, "assign", "payer", of(&paid[1])).await;
    assert_eq!(other.refused(400, "invalid-input").fields(), ["/transfer_ids"], "another amount");
    let booked = bank.settle(&credit, of(&paid[0])).await;
    assert_eq!(booked["booked_as"], "returns");
    assert_eq!(bank.mailbox.status(&paid[0]).await, ("reversed".to_owned(), Some("rejected_by_rail".to_owned())));
    assert_eq!(bank.mailbox.status(&paid[1]).await, is("completed"));
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    bank.mailbox.bank.verify();
}

/// The statement reports a return before its notification, which then changes nothing.
#[tokio::test]
async fn a_return_in_a_statement_is_applied_and_its_notification_is_known_then() {
    let bank = with_statements().await;
    let paid = paid(&bank.mailbox, &["20000002", "55502001"]).await;
    answered(&bank.mailbox).await;
    let mut notice = None;
    for _ in 0..8 {
        bank.server().pass(DAY).await;
        for name in bank.mailbox.bank_answers() {
            if name.starts_with("NOTICE") {
                notice = Some(bank.take(&name));
            }
        }
        bank.fetch().await;
    }
    assert_eq!(bank.mailbox.status(&paid[0]).await, ("reversed".to_owned(), Some("account_closed".to_owned())));
    let returns = bank.mailbox.items("kind=line&status=applied").await;
    let returned = returns.iter().find(|line| line["booked_as"] == "returns").unwrap();
    assert_eq!((&returned["bank_reason"], &returned["transfer_id"]), (&json!("AC04"), &paid[0]["id"]));
    bank.give("NOTICE.xml", &notice.unwrap()).await;
    let known = &bank.mailbox.items("kind=return").await[0];
    assert_eq!((&known["status"], &known["reason"]), (&json!("applied"), &json!(null)));
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], bank.ledger(LedgerAccountKind::Unbooked)), (&json!(0), 0), "{found}");
    bank.mailbox.bank.verify();
}

/// Returns a statement whose first return is booked twice, and the amount.
fn doubled(statement: &[u8]) -> Option<(Vec<u8>, i64)> {
    let (message, _) = iso20022::read(statement, Profile::Strict).ok()?;
    let Message::Report(mut report) = message else { return None };
    let account = &mut report.accounts[0];
    let closing = account.balances.iter_mut().find(|balance| balance.code == "CLBD")?;
    let returned = account.entries.iter().find(|entry| entry.details.iter().any(|one| one.return_reason.is_some()))?;
    let (again, minor) = (returned.clone(), returned.amount.minor);
    account.entries.push(again);
    closing.amount.minor += minor;
    Some((iso20022::camt::write(&report).unwrap(), minor))
}

#[tokio::test]
async fn a_return_that_a_statement_credits_twice_is_booked_once_and_the_other_credit_waits_for_a_member() {
    let bank = with_statements().await;
    let paid = paid(&bank.mailbox, &["20000002", "55502001"]).await;
    answered(&bank.mailbox).await;
    let mut credited = None;
    for _ in 0..8 {
        if credited.is_some() {
            break;
        }
        bank.server().pass(DAY).await;
        for name in bank.mailbox.bank_answers() {
            // Without its notification the return is known from the statement alone.
            let bytes = bank.take(&name);
            if let Some((bytes, amount)) = doubled(&bytes) {
                std::fs::write(bank.mailbox.answer(&name), bytes).unwrap();
                credited = Some(amount);
            } else if !name.starts_with("NOTICE") {
                std::fs::write(bank.mailbox.answer(&name), bytes).unwrap();
            }
        }
        bank.fetch().await;
    }
    assert_eq!(bank.statements().await.last().unwrap()["status"], "applied");
    let suspense = bank.suspense().await;
    assert_eq!(suspense.len(), 1, "{suspense:?}");
    assert_eq!((&suspense[0]["reason"], &suspense[0]["amount"]), (&json!("already_returned"), &json!(credited)));
    assert_eq!(bank.mailbox.status(&paid[0]).await.0, "reversed");
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], bank.ledger(LedgerAccountKind::Unbooked)), (&json!(0), 0), "{found}");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn returns_twice_with_another_amount_and_of_an_unknown_payment_wait_for_a_member() {
    let mailbox = open().await;
    let paid = paid(&mailbox, &["40000001", "40000002", "40000003"]).await;
    answered(&mailbox).await;
    mailbox.server().pass(4 * DAY).await;
    answered(&mailbox).await;
    assert_eq!(mailbox.status(&paid[0]).await.0, "reversed");
    let mut reasons = waiting(&mailbox).await;
    reasons.sort();
    assert_eq!(reasons, ["already_returned", "other_amount", "unknown_reference"]);
    for transfer in &paid[1..] {
        assert_eq!(mailbox.status(transfer).await, is("completed"));
    }
    mailbox.bank.verify();
}

/// An instant payment that its bank never answers is not presumed settled; the line of the statement shows it.
#[tokio::test]
async fn an_instant_payment_settles_by_the_banks_word_or_by_its_line_only() {
    let fields = json!({"statement_kind": "camt053", "booking_grain": "entry"});
    let bank = Bank { mailbox: Mailbox::with(Server::memory().await, new_message_connection(""), fields).await };
    let now = bank.now();
    bank.act(|bank| bank.keep(Account::open("000123456789", StatementFormat::Camt053, Grain::Entry, 100_000, now)));
    let method = json!({"platform": "ach", "routing_number": "011000015", "account_number": "55502000"});
    let instant = pay(bank.server(), 2_000, method, 5_000).await;
    bank.server().pass(60).await;
    for name in bank.mailbox.bank_answers() {
        bank.take(&name);
    }
    bank.server().pass(HOUR).await;
    assert_eq!(bank.mailbox.status(&instant).await, is("pending"));
    bank.morning().await;
    assert_eq!(bank.mailbox.status(&instant).await, is("completed"), "the statement of the day has its debit");
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    bank.mailbox.bank.verify();
}
