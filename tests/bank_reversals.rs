//! Reversals of entries and files at a bank: proposed by one member, approved by another, sent in files of their own, and
//! booked to the cent in each outcome.

use bursar::bank_files::{BankEntry, EntryKind, EntryStatus};
use bursar::bank_reversals::BankReversal;
use bursar::bankbox::{Grain, StatementFormat};
use bursar::ids::BankReversalId;
use bursar::ledger::LedgerAccountKind;
use bursar::ledger::verify::Finding;
use bursar_formats::nacha;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::bank_debits::{authorized, bank, by_file, collect, deposit, payer};
use crate::bank_movements::{own_account, pay_bill, transfer_of, withdraw};
use crate::bank_statements::Bank;
use crate::harness::{Desk, Reply, Server};

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
const REVERSALS: &str = "/v2/bank/reversals";
/// The fee of a payout, which the app pays and which a reversal does not give back.
const FEE: i64 = 25;

/// Proposes to reverse an entry, or all entries of a file, as the payer.
pub async fn propose(bank: &Bank, file: &Value, entry: Option<&Value>) -> Reply {
    let found_at = bank.server().now().to_string();
    let body = json!({
        "entry_id": entry.map(|entry| entry["id"].clone()), "reason": "duplicate", "found_at": found_at,
        "evidence": "Order 4711 was paid twice.",
    });
    bank.mailbox.bank.act(file, "reverse", body).await
}

pub async fn decide(bank: &Bank, reversal: &Value, verb: &str, role: &str, body: Value) -> Reply {
    let path = format!("{REVERSALS}/{}/{verb}", reversal["id"].as_str().unwrap());
    bank.mailbox.bank.post(&path, role, body).await
}

pub async fn approve(bank: &Bank, reversal: &Value, role: &str) -> Reply {
    decide(bank, reversal, "approve", role, json!({"version": reversal["version"]})).await
}

/// Proposes and approves.
pub async fn reverse(bank: &Bank, file: &Value, entry: Option<&Value>) -> Value {
    let proposed = propose(bank, file, entry).await.expect(201).body;
    approve(bank, &proposed, "admin").await.expect(200).body
}

async fn shown(bank: &Bank, reversal: &Value) -> Value {
    bank.mailbox.bank.get(&format!("{REVERSALS}/{}", reversal["id"].as_str().unwrap())).await
}

/// Returns the outcomes that an order counts: settled, returned, unsent.
pub async fn outcomes(bank: &Bank, reversal: &Value) -> [i64; 3] {
    let reversal = shown(bank, reversal).await;
    ["settled", "returned", "unsent"].map(|name| reversal[name].as_i64().unwrap())
}

pub async fn entries(bank: &Bank, file: &Value) -> Vec<Value> {
    let path = format!("/v2/bank/entries?limit=100&bank_file_id={}", file["id"].as_str().unwrap());
    bank.mailbox.bank.get(&path).await["data"].as_array().unwrap().clone()
}

pub async fn entry(bank: &Bank, id: &Value) -> Value {
    let all = bank.mailbox.bank.get("/v2/bank/entries?limit=100").await;
    all["data"].as_array().unwrap().iter().find(|entry| entry["id"] == *id).unwrap().clone()
}

/// Returns the newest file as its bank reads it: the description, the class, and code, amount and account of each entry.
fn read(bank: &Bank, file: &Value) -> (String, String, Vec<(String, u64, String)>) {
    let path = bank.mailbox.root.path().join("outbound").join(file["name"].as_str().unwrap());
    let bytes = std::fs::read(path).unwrap();
    let (read, _) = nacha::read(&bytes, bursar_formats::Profile::Strict).unwrap();
    let batch = &read.batches[0];
    let entries = batch.entries.iter().map(|one| (one.code.clone(), one.amount, one.account.clone())).collect();
    (batch.header.description.trim_end().to_owned(), batch.header.sec.clone(), entries)
}

pub async fn mornings(bank: &Bank, days: usize) {
    for _ in 0..days {
        bank.morning().await;
    }
}

fn reversed() -> (String, Option<String>) {
    ("reversed".to_owned(), Some("returned_on_request".to_owned()))
}

fn completed() -> (String, Option<String>) {
    ("completed".to_owned(), None)
}

/// Asserts that nothing is open at the bank, that its balance is the ledger's, and the invariants.
pub fn is_settled(bank: &Bank, at_bank: i64) {
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0, "unbooked");
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -at_bank, "at the bank");
    // Only the opening balance is in suspense.
    assert_eq!(bank.ledger(LedgerAccountKind::Suspense), 50_000, "suspense");
    bank.mailbox.bank.verify();
}

/// Pays ten dollars to an account on Tuesday; returns the transfer and its file, which is at the bank.
pub async fn paid(bank: &Bank, account: &str) -> (Value, Value) {
    let (_, transfer) = bank.mailbox.pay(1234, account, 1_000).await;
    let file = bank.mailbox.send().await;
    (transfer, file)
}

async fn payout_story(format: StatementFormat, grain: Grain) {
    let bank = bank(Server::start().await, format, grain).await;
    let before = bank.server().balance("app_wallet").await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    assert_eq!(bank.mailbox.status(&payout).await, completed());
    let reversal = reverse(&bank, &file, Some(&payout)).await;
    assert_eq!((&reversal["status"], &reversal["joined"]), (&json!("joined"), &json!(1)));
    assert_eq!(bank.server().balance("app_wallet").await, before - 1_000 - FEE, "an approval moves no money");

    let sent = bank.mailbox.send().await;
    assert_eq!(
        (&sent["purpose"], &sent["direction"], &sent["debit"]),
        (&json!("reversals"), &json!("debit"), &json!(1_000))
    );
    let expected = vec![("27".to_owned(), 1_000, "55501234".to_owned())];
    assert_eq!(read(&bank, &sent), ("REVERSAL".to_owned(), "PPD".to_owned(), expected));
    let taken = entries(&bank, &sent).await[0].clone();
    assert_eq!(
        (&taken["kind"], &taken["follows"], &taken["transfer_id"]),
        (&json!("reversal"), &payout["id"], &payout["id"])
    );
    assert_eq!(entry(&bank, &payout["id"]).await["followed_by"], taken["id"]);
    mornings(&bank, 2).await;
    assert_eq!(bank.mailbox.status(&payout).await, completed(), "the bank has booked it, and it may come back");
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 1_000);
    bank.server().verify();

    mornings(&bank, 5).await;
    assert_eq!(bank.mailbox.status(&payout).await, reversed());
    assert_eq!(entry(&bank, &payout["id"]).await["status"], "reversed");
    assert_eq!(outcomes(&bank, &reversal).await, [1, 0, 0]);
    assert_eq!(bank.server().balance("app_wallet").await, before - FEE);
    is_settled(&bank, 50_000);
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], &found["closing"]), (&json!(0), &json!(50_000)), "{found}");
}

#[tokio::test]
async fn propose_bank_reversal_approve_bank_reversal_take_a_payout_back_booked_by_file() {
    payout_story(StatementFormat::Bai2, Grain::File).await;
}

#[tokio::test]
async fn propose_bank_reversal_approve_bank_reversal_take_a_payout_back_booked_by_entry() {
    payout_story(StatementFormat::Camt053, Grain::Entry).await;
}

/// The payer's bank has not paid for certain yet, and gets the money back at once.
#[tokio::test]
async fn a_debit_that_is_pending_is_paid_back_and_its_app_never_has_the_money() {
    let bank = by_file().await;
    let before = bank.server().balance("app_wallet").await;
    let ada = payer(bank.server(), "000123450002").await;
    let made = collect(bank.server(), &ada, 2_000, authorized("phone")).await.expect(201).body;
    let file = bank.mailbox.send().await;
    bank.morning().await;
    let reversal = reverse(&bank, &file, Some(&made)).await;
    let sent = bank.mailbox.send().await;
    let expected = vec![("22".to_owned(), 2_000, "000123450002".to_owned())];
    assert_eq!(read(&bank, &sent), ("REVERSAL".to_owned(), "TEL".to_owned(), expected));
    assert_eq!(bank.mailbox.status(&made).await.0, "pending");
    mornings(&bank, 2).await;
    let expected = ("failed".to_owned(), Some("returned_on_request".to_owned()));
    assert_eq!(bank.mailbox.status(&made).await, expected, "its app never had the money");
    assert_eq!(bank.server().balance("app_wallet").await, before);
    assert_eq!(outcomes(&bank, &reversal).await, [1, 0, 0]);
    mornings(&bank, 7).await;
    assert_eq!(bank.server().balance("app_wallet").await, before, "the presumed settlement of the debit gives nothing");
    is_settled(&bank, 50_000);
}

#[tokio::test]
async fn a_completed_debit_is_paid_back_from_the_hold_from_the_wallet_or_by_a_debt() {
    for (hold_days, is_spent) in [(20, false), (0, false), (0, true)] {
        let bank = by_file().await;
        let server = bank.server();
        server.set(json!({"payment_hold_days": hold_days})).await;
        let before = server.balance("app_wallet").await;
        let ada = payer(server, "000123450002").await;
        let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
        let file = bank.mailbox.send().await;
        // Monday, 9 March.
        mornings(&bank, 6).await;
        assert_eq!(bank.mailbox.status(&made).await, completed());
        let user = server.verified_user(1234).await;
        if is_spent {
            let all = json!({"user_id": user, "amount": -(before + 2_000)});
            server.post("/v2/transfers").app_key().json(all).send().await.expect(200);
        }
        reverse(&bank, &file, Some(&made)).await;
        bank.mailbox.send().await;
        mornings(&bank, 3).await;
        assert_eq!(bank.mailbox.status(&made).await, reversed());
        let expected = if is_spent { (0, 0, 2_000) } else { (before, 0, 0) };
        let found = (server.balance("app_wallet").await, server.balance("app_collected").await);
        assert_eq!((found.0, found.1, -server.balance("clearing").await), expected, "{hold_days} {is_spent}");
        is_settled(&bank, 50_000);
        if is_spent {
            // Later money of the app pays the debt first.
            let back = json!({"user_id": user, "amount": 2_500});
            server.post("/v2/transfers").app_key().json(back).send().await.expect(200);
            server.work_off().await;
            assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (500, 0));
            bank.mailbox.bank.verify();
        }
    }
}

/// The receiver keeps the money: the payout stays completed, which is the app's loss.
#[tokio::test]
async fn a_reversal_that_is_returned_before_it_settled_changes_nothing_and_is_not_repeated() {
    let bank = by_file().await;
    let before = bank.server().balance("app_wallet").await;
    let (payout, file) = paid(&bank, "80000002").await;
    bank.morning().await;
    let reversal = reverse(&bank, &file, Some(&payout)).await;
    bank.mailbox.send().await;
    mornings(&bank, 8).await;
    assert_eq!(bank.mailbox.status(&payout).await, completed());
    let taken = entry(&bank, &entry(&bank, &payout["id"]).await["followed_by"]).await;
    assert_eq!((&taken["status"], &taken["error"]), (&json!("returned"), &json!("account_closed")));
    assert_eq!(outcomes(&bank, &reversal).await, [0, 1, 0]);
    assert_eq!(bank.server().balance("app_wallet").await, before - 1_000 - FEE);
    is_settled(&bank, 49_000);
    propose(&bank, &file, Some(&payout)).await.refused(409, "invalid-state");
}

#[tokio::test]
async fn a_reversal_that_is_returned_after_it_settled_is_a_loss_of_the_app_or_its_debt() {
    for is_spent in [false, true] {
        let bank = by_file().await;
        let server = bank.server();
        let before = server.balance("app_wallet").await;
        let (payout, file) = paid(&bank, "81000010").await;
        bank.morning().await;
        let reversal = reverse(&bank, &file, Some(&payout)).await;
        bank.mailbox.send().await;
        mornings(&bank, 8).await;
        assert_eq!(bank.mailbox.status(&payout).await, reversed());
        assert_eq!(server.balance("app_wallet").await, before - FEE);
        if is_spent {
            let user = server.verified_user(1299).await;
            let all = json!({"user_id": user, "amount": -(before - FEE)});
            server.post("/v2/transfers").app_key().json(all).send().await.expect(200);
        }
        mornings(&bank, 8).await;
        assert_eq!(bank.mailbox.status(&payout).await, reversed(), "a transfer has one end");
        assert_eq!(outcomes(&bank, &reversal).await, [1, 1, 0]);
        let expected = if is_spent { (0, -1_000) } else { (before - FEE - 1_000, 0) };
        assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), expected);
        is_settled(&bank, 49_000);
    }
}

/// The account of the payer is closed: what was to be paid back returns to the app.
#[tokio::test]
async fn a_reversal_of_a_debit_that_is_returned_gives_the_money_back_to_the_app() {
    for (account, after_settlement) in [("80000002", 0), ("81000002", 2_000)] {
        let bank = by_file().await;
        let server = bank.server();
        let before = server.balance("app_wallet").await;
        let ada = payer(server, account).await;
        let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
        let file = bank.mailbox.send().await;
        mornings(&bank, 6).await;
        assert_eq!(server.balance("app_wallet").await, before + 2_000);
        let reversal = reverse(&bank, &file, Some(&made)).await;
        bank.mailbox.send().await;
        bank.mailbox.bank_answers();
        bank.mailbox.fetch().await;
        mornings(&bank, 2).await;
        let expected = before + 2_000 - after_settlement;
        assert_eq!(server.balance("app_wallet").await, expected, "{account}");
        mornings(&bank, 8).await;
        assert_eq!(server.balance("app_wallet").await, before + 2_000, "{account}");
        let expected = if after_settlement == 0 { completed() } else { reversed() };
        assert_eq!(bank.mailbox.status(&made).await, expected);
        assert_eq!(outcomes(&bank, &reversal).await[1], 1);
        is_settled(&bank, 52_000);
    }
}

/// The receiver's bank sends the payout back while our reversal is on its way. Then both come back, one after the other.
#[tokio::test]
async fn an_original_that_is_returned_after_its_reversal_was_sent_moves_each_amount_once() {
    let bank = by_file().await;
    let server = bank.server();
    let before = server.balance("app_wallet").await;
    let (payout, file) = paid(&bank, "20000002").await;
    bank.morning().await;
    let reversal = reverse(&bank, &file, Some(&payout)).await;
    bank.mailbox.send().await;
    mornings(&bank, 4).await;
    assert_eq!(bank.mailbox.status(&payout).await, ("reversed".to_owned(), Some("account_closed".to_owned())));
    assert_eq!(server.balance("app_wallet").await, before - FEE);
    // The reversal settles too: what came twice is the app's, which owes it to the receiver.
    mornings(&bank, 3).await;
    assert_eq!(server.balance("app_wallet").await, before - FEE + 1_000);
    assert_eq!(outcomes(&bank, &reversal).await, [1, 0, 0]);
    mornings(&bank, 8).await;
    assert_eq!(server.balance("app_wallet").await, before - FEE);
    assert_eq!(outcomes(&bank, &reversal).await, [1, 1, 0]);
    is_settled(&bank, 50_000);
}

#[tokio::test]
async fn an_entry_that_was_returned_is_not_reversed() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "10000002").await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    assert_eq!(bank.mailbox.status(&payout).await.0, "failed");
    let refused = propose(&bank, &file, Some(&payout)).await;
    assert!(refused.refused(409, "invalid-state").text.contains("returned"), "{}", refused.text);
}

#[tokio::test]
async fn approve_bank_reversal_refuses_its_author_another_version_and_a_late_error() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    let proposed = propose(&bank, &file, Some(&payout)).await.expect(201).body;
    approve(&bank, &proposed, "payer").await.refused(403, "self-approval");
    decide(&bank, &proposed, "approve", "admin", json!({"version": 2})).await.refused(409, "invalid-state");
    propose(&bank, &file, Some(&payout)).await.refused(409, "invalid-state");
    // Within 24 hours after the error was found, and not later.
    bank.server().pass(DAY + 60).await;
    let late = approve(&bank, &proposed, "admin").await;
    assert_eq!(late.refused(409, "invalid-state").fields(), ["/found_at"]);
    assert!(bank.mailbox.bank.files().await.len() == 1, "nothing joined a file");
    assert_eq!(entry(&bank, &payout["id"]).await["followed_by"], Value::Null);
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn propose_bank_reversal_refuses_late_and_unknown_errors() {
    let bank = by_file().await;
    let (_, payout) = bank.mailbox.pay(1234, "55501234", 1_000).await;
    let open = bank.mailbox.bank.files().await.pop().unwrap();
    propose(&bank, &open, Some(&payout)).await.refused(409, "invalid-state");
    let file = bank.mailbox.send().await;
    let body = |found_at: String, entry: &Value| json!({"entry_id": entry, "reason": "duplicate", "found_at": found_at, "evidence": "Twice."});
    let at = |seconds: i64| bank.server().now().plus_seconds(seconds).to_string();
    let act = |body: Value| bank.mailbox.bank.act(&file, "reverse", body);
    let refused = act(body(at(60), &payout["id"])).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/found_at"]);
    let refused = act(body(at(-DAY - 60), &payout["id"])).await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/found_at"]);
    let refused = act(body(at(0), &file["id"])).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/entry_id"]);
    let mut other = body(at(0), &payout["id"]);
    other["reason"] = json!("regret");
    act(other).await.refused(400, "invalid-input");
    // It settles on Wednesday, 4 March: the last window is that of Wednesday, 11 March, until 17:30.
    let until = "2026-03-12T04:00:00.000000Z";
    mornings(&bank, 7).await;
    let in_time = propose(&bank, &file, Some(&payout)).await.expect(201).body;
    assert_eq!(in_time["send_by"], until);
    decide(&bank, &in_time, "dismiss", "payer", json!({"reason": "It was right."})).await.expect(200);
    bank.server().pass(DAY).await;
    propose(&bank, &file, Some(&payout)).await.refused(409, "invalid-state");
    propose(&bank, &file, None).await.refused(409, "invalid-state");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn dismiss_bank_reversal_ends_a_proposal_and_list_bank_reversals_get_bank_reversal_show_it() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    let proposed = propose(&bank, &file, Some(&payout)).await.expect(201).body;
    assert_eq!(shown(&bank, &proposed).await, proposed);
    let dismissed = decide(&bank, &proposed, "dismiss", "payer", json!({"reason": "It was right."})).await;
    let dismissed = dismissed.expect(200).body;
    assert_eq!((&dismissed["status"], &dismissed["dismissal"]), (&json!("dismissed"), &json!("It was right.")));
    approve(&bank, &dismissed, "admin").await.refused(409, "invalid-state");
    propose(&bank, &file, Some(&payout)).await.expect(201);
    let count = async |query: &str| {
        let list = bank.mailbox.bank.get(&format!("{REVERSALS}?{query}")).await;
        list["data"].as_array().unwrap().len()
    };
    let of_file = format!("bank_file_id={}", file["id"].as_str().unwrap());
    assert_eq!((count(&of_file).await, count("status=dismissed").await, count("status=joined").await), (2, 1, 0));
}

/// All entries of a file but the returned one; the process ends between the approval and the job, and between its parts.
#[tokio::test]
async fn a_whole_file_is_reversed_also_after_a_restart() {
    let mut bank = bank(Server::start().await, StatementFormat::Bai2, Grain::File).await;
    let before = bank.server().balance("app_wallet").await;
    let mut payouts = Vec::new();
    for (line, account) in (0..).zip(["55501234", "10000002", "55501235", "55501236"]) {
        payouts.push(bank.mailbox.pay(2_000 + line, account, 1_000 + i64::from(line)).await.1);
    }
    let file = bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    bank.morning().await;
    let reversal = reverse(&bank, &file, None).await;
    assert_eq!((&reversal["status"], &reversal["joined"]), (&json!("approved"), &json!(0)));
    bank.mailbox.bank.server.restart().await;
    bank.server().work_off().await;
    let done = shown(&bank, &reversal).await;
    let counts = ["status", "joined", "skipped"].map(|name| done[name].clone());
    assert_eq!(counts, [json!("joined"), json!(3), json!(1)]);
    let sent = bank.mailbox.send().await;
    assert_eq!((&sent["entries"], &sent["debit"]), (&json!(3), &json!(1_000 + 1_002 + 1_003)));
    bank.mailbox.bank.server.restart().await;
    mornings(&bank, 7).await;
    for (place, payout) in payouts.iter().enumerate() {
        let expected = if place == 1 { ("failed".to_owned(), Some("account_closed".to_owned())) } else { reversed() };
        assert_eq!(bank.mailbox.status(payout).await, expected);
    }
    assert_eq!(outcomes(&bank, &reversal).await, [3, 0, 0]);
    assert_eq!(bank.server().balance("app_wallet").await, before - 3 * FEE);
    is_settled(&bank, 50_000);
    propose(&bank, &sent, None).await.refused(409, "invalid-state");
}

/// A paused connection sends nothing: after the fifth banking day the reversals are not sent any more.
#[tokio::test]
async fn reversals_that_miss_the_last_window_are_canceled_and_move_no_money() {
    let bank = by_file().await;
    let before = bank.server().balance("app_wallet").await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    let reversal = reverse(&bank, &file, Some(&payout)).await;
    let path = format!("/v2/bank/connections/{}/pause", bank.mailbox.bank.connection);
    bank.mailbox.bank.post(&path, "payer", json!({"reason": "The bank called."})).await.expect(200);
    bank.server().pass(20 * DAY).await;
    let canceled = bank.mailbox.bank.files().await.pop().unwrap();
    assert_eq!((&canceled["purpose"], &canceled["status"]), (&json!("reversals"), &json!("canceled")));
    assert_eq!(outcomes(&bank, &reversal).await, [0, 0, 1]);
    assert_eq!(bank.mailbox.status(&payout).await, completed());
    assert_eq!(entry(&bank, &payout["id"]).await["followed_by"], Value::Null);
    assert_eq!(bank.server().balance("app_wallet").await, before - 1_000 - FEE);
    bank.mailbox.bank.verify();
}

/// The bank refuses the file of reversals: a member cancels it, and the entry may be reversed again.
#[tokio::test]
async fn a_canceled_reversal_may_be_made_again_and_a_settled_one_may_not() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    let first = reverse(&bank, &file, Some(&payout)).await;
    let path = format!("/v2/bank/connections/{}", bank.mailbox.bank.connection);
    bank.mailbox.bank.post(&format!("{path}/pause"), "payer", json!({"reason": "Wait."})).await.expect(200);
    bank.server().pass(7 * HOUR + 2_700).await;
    let open = bank.mailbox.bank.files().await.pop().unwrap();
    assert_eq!(open["status"], "open", "a paused connection cuts no file");
    bank.mailbox.bank.post(&format!("{path}/resume"), "admin", json!({})).await.expect(200);
    let sent = bank.mailbox.send().await;
    assert_eq!(outcomes(&bank, &first).await, [0, 0, 0]);
    propose(&bank, &file, Some(&payout)).await.refused(409, "invalid-state");
    propose(&bank, &sent, Some(&json!({"id": entry(&bank, &payout["id"]).await["followed_by"]})))
        .await
        .refused(409, "invalid-state");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn verify_finds_reversals_without_an_order_or_a_second_member_and_second_reversals() {
    let bank = bank(Server::memory().await, StatementFormat::Bai2, Grain::File).await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    reverse(&bank, &file, Some(&payout)).await;
    bank.mailbox.bank.verify();
    let server = bank.server();
    let is_reversal = |entry: &BankEntry| entry.kind == EntryKind::Reversal;
    let found = |findings: Vec<Finding>| findings.iter().map(|finding| finding.invariant).collect::<Vec<u8>>();
    let entry = |edit: fn(&mut BankEntry)| found(server.tampered::<BankEntry>(is_reversal, edit));
    let order = |edit: fn(&mut BankReversal)| found(server.tampered::<BankReversal>(|_| true, edit));
    for invariants in [
        entry(|entry| entry.reversal = None),
        entry(|entry| entry.reversal = Some(BankReversalId(Uuid::nil()))),
        order(|order| order.approved_by = None),
        order(|order| order.approved_by = Some(order.made_by)),
        order(|order| order.joined = 2),
        order(|order| order.unsent = 1),
        order(|order| order.settled = 1),
    ] {
        assert!(invariants.contains(&63), "{invariants:?}");
    }
    // The original is reversed without its reversal.
    let is_original = |entry: &BankEntry| entry.kind == EntryKind::Payment && entry.followed_by.is_some();
    let reversed = found(server.tampered::<BankEntry>(is_original, |entry| entry.status = EntryStatus::Reversed));
    assert!(reversed.contains(&38), "{reversed:?}");
}

/// A bill, a withdrawal and a deposit are reversed like a payout and a payment.
#[tokio::test]
async fn bills_withdrawals_and_deposits_are_reversed_too() {
    let bank = by_file().await;
    let server = bank.server();
    let before = server.balance("app_wallet").await;
    own_account(server, "000123450001").await;
    let withdrawal = withdraw(server, 1_000).await.expect(200).body;
    let deposited = deposit(server, 3_000).await.expect(200).body;
    let bill = pay_bill(server, "000123450002").await;
    let payment = transfer_of(&bill);
    let files = bank.mailbox.bank.files().await;
    bank.mailbox.send().await;
    mornings(&bank, 6).await;
    for transfer in [&withdrawal, &payment, &deposited] {
        assert_eq!(bank.mailbox.status(transfer).await, completed());
    }
    assert_eq!(server.balance("app_wallet").await, before - 1_000 - 500 + 3_000);
    for transfer in [&withdrawal, &payment, &deposited] {
        let of = entry(&bank, &transfer["id"]).await["bank_file_id"].clone();
        let file = files.iter().find(|file| file["id"] == of).unwrap();
        reverse(&bank, file, Some(transfer)).await;
    }
    bank.mailbox.send().await;
    mornings(&bank, 8).await;
    for transfer in [&withdrawal, &payment, &deposited] {
        assert_eq!(bank.mailbox.status(transfer).await, reversed());
    }
    // The bill may be paid again.
    let desk = Desk::of(server);
    assert_eq!(desk.payable(bill["id"].as_str().unwrap()).await["status"], "payment_failed");
    assert_eq!(server.balance("app_wallet").await, before);
    is_settled(&bank, 50_000);
}

/// Without limits for debits, a file of reversals waits for another member than the one who set the limits.
#[tokio::test]
async fn a_connection_that_only_pays_sends_reversals_after_a_release() {
    let bank = Bank::bai2(50_000).await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    reverse(&bank, &file, Some(&payout)).await;
    let mut held = bank.mailbox.bank.files().await.pop().unwrap();
    for _ in 0..200 {
        if held["sha256"] != Value::Null {
            break;
        }
        bank.server().pass(300).await;
        held = bank.mailbox.bank.files().await.pop().unwrap();
    }
    assert_eq!((&held["status"], &held["must_release"]), (&json!("sealed"), &json!(true)));
    bank.mailbox.bank.act(&held, "release", json!({})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.mailbox.bank.files().await.pop().unwrap()["status"], "sent");
    mornings(&bank, 7).await;
    assert_eq!(bank.mailbox.status(&payout).await, reversed());
    is_settled(&bank, 50_000);
}

/// R01 of a debit whose reversal is not sent yet: it is not paid back, and not presented again.
#[tokio::test]
async fn a_debit_that_is_returned_before_its_reversal_is_sent_is_not_paid_back() {
    let bank = by_file().await;
    let server = bank.server();
    server.set(json!({"debit_retries": 2})).await;
    let before = server.balance("app_wallet").await;
    let ada = payer(server, "10000001").await;
    let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
    let file = bank.mailbox.send().await;
    let reversal = reverse(&bank, &file, Some(&made)).await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    assert_eq!(bank.mailbox.status(&made).await.0, "failed");
    assert_eq!(outcomes(&bank, &reversal).await, [0, 0, 1]);
    mornings(&bank, 6).await;
    assert_eq!(bank.mailbox.bank.files().await.pop().unwrap()["status"], "dropped");
    assert_eq!(server.balance("app_wallet").await, before);
    is_settled(&bank, 50_000);
}

#[tokio::test]
async fn an_erased_payee_leaves_no_name_and_no_words_in_a_reversal() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    let reversal = reverse(&bank, &file, Some(&payout)).await;
    let path = format!("/v2/users/{}", bank.mailbox.bank.transfer(&payout).await["user_id"].as_str().unwrap());
    bank.mailbox.send().await;
    mornings(&bank, 8).await;
    assert_eq!(bank.mailbox.status(&payout).await, reversed());
    bank.server().delete(&path).as_org().for_app(&bank.server().app_id()).send().await.expect(200);
    bank.server().work_off().await;
    let own = entry(&bank, &payout["id"]).await;
    assert_eq!((&own["name"], &entry(&bank, &own["followed_by"]).await["name"]), (&Value::Null, &Value::Null));
    assert_eq!(shown(&bank, &reversal).await["evidence"], Value::Null);
    bank.mailbox.bank.verify();
}
