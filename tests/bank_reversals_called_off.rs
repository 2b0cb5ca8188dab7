//! Reversals that must not reach the bank: their originals came back, were refused, or were never proven to be there.

use serde_json::{Value, json};

use crate::bank_debits::{authorized, by_file, collect, collecting, payer};
use crate::bank_files_sent::Bank as Connected;
use crate::bank_movements::own_account;
use crate::bank_reversals::{approve, decide, entry, is_settled, mornings, outcomes, paid, propose, reverse};
use crate::bank_statements::Bank;
use crate::harness::{Desk, Server};
use crate::story_payout::Payee;

const HOUR: i64 = 3_600;
const PHONE: &str = "+12127361234";

/// Returns the newest file of reversals.
async fn reversals(bank: &Bank) -> Value {
    let mut files = bank.mailbox.bank.files().await;
    files.retain(|file| file["purpose"] == "reversals");
    files.pop().unwrap()
}

/// Waits until the newest file of reversals is written and waits for its release.
async fn until_written(bank: &Bank) -> Value {
    for _ in 0..400 {
        let file = reversals(bank).await;
        if file["sha256"] != Value::Null {
            return file;
        }
        bank.server().pass(300).await;
    }
    panic!("no file of reversals is written: {}", reversals(bank).await);
}

/// The bank refuses the file of the debits: the payers never paid, and get nothing back.
#[tokio::test]
async fn the_reversal_of_a_refused_file_is_not_sent() {
    for moves_it in [false, true] {
        let bank = by_file().await;
        let server = bank.server();
        let before = server.balance("app_wallet").await;
        let (refused, other) = (payer(server, "50000000").await, payer(server, "000123450002").await);
        let made = collect(server, &refused, 2_000, authorized("written")).await.expect(201).body;
        let kept = collect(server, &other, 3_000, authorized("written")).await.expect(201).body;
        let file = bank.mailbox.send().await;
        let reversal = reverse(&bank, &file, None).await;
        server.work_off().await;
        assert_eq!(reversals(&bank).await["entries"], 2);
        bank.mailbox.bank_answers();
        bank.mailbox.fetch().await;
        assert_eq!(bank.mailbox.bank.files().await[0]["status"], "rejected");
        assert_eq!(outcomes(&bank, &reversal).await, [0, 0, 2]);
        assert_eq!(entry(&bank, &kept["id"]).await["followed_by"], Value::Null);
        let deed = if moves_it { ("redate", json!({})) } else { ("cancel", json!({"reason": "Refused."})) };
        bank.mailbox.bank.act(&file, deed.0, deed.1).await.expect(200);
        mornings(&bank, 3).await;
        assert_eq!(reversals(&bank).await["status"], "dropped", "no reversal is left");
        assert_eq!(server.balance("app_wallet").await, before);
        let status = bank.mailbox.status(&made).await.0;
        assert_eq!(status, if moves_it { "pending" } else { "failed" });
        bank.mailbox.bank.verify();
    }
}

/// The payout comes back while the file with its reversal waits to be released: the file gets another identity without it.
#[tokio::test]
async fn a_written_reversal_is_not_sent_after_its_original_came_back() {
    for also_keeps in [false, true] {
        let bank = Bank::bai2(50_000).await;
        let before = bank.server().balance("app_wallet").await;
        let (_, kept) = bank.mailbox.pay(1235, "55501234", 700).await;
        let (payout, file) = paid(&bank, "20000002").await;
        bank.morning().await;
        let second = match also_keeps {
            true => Some(reverse(&bank, &file, Some(&kept)).await),
            false => None,
        };
        let reversal = reverse(&bank, &file, Some(&payout)).await;
        let held = until_written(&bank).await;
        assert_eq!((&held["status"], &held["must_release"]), (&json!("sealed"), &json!(true)));
        for _ in 0..4 {
            if bank.mailbox.status(&payout).await.0 == "completed" {
                bank.morning().await;
            }
        }
        assert_eq!(bank.mailbox.status(&payout).await, ("reversed".to_owned(), Some("account_closed".to_owned())));
        assert_eq!(outcomes(&bank, &reversal).await, [0, 0, 1]);
        bank.mailbox.bank.act(&held, "release", json!({})).await.refused(409, "invalid-state");
        let Some(second) = second else {
            mornings(&bank, 4).await;
            assert_eq!(reversals(&bank).await["status"], "dropped");
            assert_eq!(bank.server().balance("app_wallet").await, before - 700 - 2 * 25);
            is_settled(&bank, 49_300);
            continue;
        };
        let held = until_written(&bank).await;
        assert_eq!((&held["entries"], &held["debit"]), (&json!(1), &json!(700)));
        bank.mailbox.bank.act(&held, "release", json!({})).await.expect(200);
        bank.server().work_off().await;
        mornings(&bank, 7).await;
        assert_eq!(outcomes(&bank, &second).await, [1, 0, 0]);
        assert_eq!(bank.server().balance("app_wallet").await, before - 2 * 25);
        is_settled(&bank, 50_000);
    }
}

/// What the bank collected for a link goes back to the payer at once: the link is never delivered, and its payee gets nothing.
#[tokio::test]
async fn a_pull_that_is_reversed_before_it_settled_opens_no_link() {
    let bank = by_file().await;
    let server = bank.server();
    own_account(server, "000123450001").await;
    let before = server.balance("app_wallet").await;
    let link = json!({
        "amount": 1_500, "funding_source": "ach", "delivery": {"method": "link"},
        "payee": {"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com"},
    });
    let link = server.post("/v2/payout-links").app_key().json(link).send().await.expect(202).id();
    let file = bank.mailbox.send().await;
    reverse(&bank, &file, None).await;
    server.work_off().await;
    bank.mailbox.send().await;
    mornings(&bank, 9).await;
    let path = format!("/v2/payout-links/{link}");
    let link = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!(link["status"], "failed", "{link}");
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (before, 0));
    is_settled(&bank, 50_000);
}

/// A member's word that the bank has a file is no proof: a payer would get back what was never collected.
#[tokio::test]
async fn a_file_that_a_member_marked_as_sent_is_not_reversed() {
    let bank = Connected::with(Server::start().await, collecting()).await;
    let ada = payer(&bank.server, "000123450002").await;
    collect(&bank.server, &ada, 2_000, authorized("written")).await.expect(201);
    bank.pay(1234, 1_000).await;
    bank.server.pass(7 * HOUR + 45 * 60).await;
    let files = bank.files().await;
    assert_eq!(files.len(), 2);
    for file in files {
        bank.act(&file, "mark-sent", json!({"evidence": "By hand."})).await.expect(200);
        let found_at = bank.server.now().to_string();
        let body = json!({"reason": "duplicate", "found_at": found_at, "evidence": "Twice."});
        let refused = bank.act(&file, "reverse", body).await;
        assert!(refused.refused(409, "invalid-state").text.contains("statement"), "{}", refused.text);
    }
}

/// The statement is the proof.
#[tokio::test]
async fn a_file_that_a_member_moved_is_reversed_after_its_statement() {
    let bank = by_file().await;
    let ada = payer(bank.server(), "000123450002").await;
    for _ in 0..3 {
        collect(bank.server(), &ada, 100_000, authorized("written")).await.expect(201);
    }
    let until_sealed = async || {
        for _ in 0..400 {
            let file = bank.mailbox.bank.file().await;
            if file["sha256"] != Value::Null {
                return file;
            }
            bank.server().pass(300).await;
        }
        panic!("the file is not written");
    };
    let file = until_sealed().await;
    bank.mailbox.bank.act(&file, "redate", json!({})).await.expect(200);
    let file = until_sealed().await;
    bank.mailbox.bank.act(&file, "release", json!({})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.mailbox.bank.file().await["status"], "sent");
    propose(&bank, &file, None).await.refused(409, "invalid-state");
    mornings(&bank, 3).await;
    propose(&bank, &file, None).await.expect(201);
}

/// Until the cut-off a member calls reversals off, and they may be ordered again.
#[tokio::test]
async fn an_open_file_of_reversals_is_canceled() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    bank.morning().await;
    let first = reverse(&bank, &file, Some(&payout)).await;
    let (_, later) = bank.mailbox.pay(1235, "55501234", 700).await;
    let of_later = entry(&bank, &later["id"]).await["bank_file_id"].clone();
    let cancel = async |file: &Value| bank.mailbox.bank.act(file, "cancel", json!({"reason": "It was right."})).await;
    cancel(&json!({"id": of_later})).await.refused(409, "invalid-state");
    cancel(&reversals(&bank).await).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(reversals(&bank).await["status"], "canceled");
    assert_eq!(outcomes(&bank, &first).await, [0, 0, 1]);
    assert_eq!(entry(&bank, &payout["id"]).await["followed_by"], Value::Null);
    bank.mailbox.bank.verify();
    let second = reverse(&bank, &file, Some(&payout)).await;
    bank.mailbox.send().await;
    mornings(&bank, 8).await;
    assert_eq!(outcomes(&bank, &second).await, [1, 0, 0]);
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_second_proposal_does_not_find_the_error_later() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    let proposed = propose(&bank, &file, Some(&payout)).await.expect(201).body;
    decide(&bank, &proposed, "dismiss", "payer", json!({"reason": "Not sure."})).await.expect(200);
    bank.server().pass(20 * HOUR).await;
    let again = propose(&bank, &file, Some(&payout)).await.expect(201).body;
    assert_eq!(again["found_at"], proposed["found_at"]);
    decide(&bank, &again, "dismiss", "payer", json!({"reason": "Still not sure."})).await.expect(200);
    bank.server().pass(5 * HOUR).await;
    let refused = propose(&bank, &file, Some(&payout)).await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/found_at"]);
}

/// An admin who changes the zone or the calendar would move the last moment of a reversal.
#[tokio::test]
async fn a_connection_without_an_approval_gives_no_reversal_a_deadline() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    let path = format!("/v2/bank/connections/{}", bank.mailbox.bank.connection);
    let body = json!({"acting_user_id": Desk::of(bank.server()).member("admin"), "time_zone": "Pacific/Honolulu"});
    bank.server().patch(&path).as_org().json(body).send().await.expect(200);
    let refused = propose(&bank, &file, Some(&payout)).await;
    assert!(refused.refused(409, "invalid-state").text.contains("approve"), "{}", refused.text);
}

/// What members wrote about a payee is not repeated where an erasure does not reach it.
#[tokio::test]
async fn administrative_acts_repeat_no_words_about_a_reversal() {
    let bank = by_file().await;
    let (payout, file) = paid(&bank, "55501234").await;
    let proposed = propose(&bank, &file, Some(&payout)).await.expect(201).body;
    approve(&bank, &proposed, "admin").await.expect(200);
    let acts = bank.mailbox.bank.get("/v2/administrative-acts?limit=100").await.to_string();
    assert!(acts.contains(proposed["id"].as_str().unwrap()) && !acts.contains("Order 4711"), "{acts}");
}

/// The payer removes the account before the debit is presented again.
#[tokio::test]
async fn a_retry_is_not_sent_from_an_account_that_went_out_of_use() {
    let bank = by_file().await;
    let server = bank.server();
    server.set(json!({"debit_retries": 2})).await;
    let ada = payer(server, "90000002").await;
    let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.mailbox.fetch().await;
    assert_eq!(bank.mailbox.status(&made).await.0, "pending");
    let path = format!("/v2/payment-customers/{ada}/bank-accounts");
    let accounts = server.get(&path).app_key().send().await.expect(200).body;
    let account = accounts["data"].as_array().or(accounts.as_array()).unwrap()[0]["id"].as_str().unwrap().to_owned();
    assert!(server.delete(&format!("{path}/{account}")).app_key().send().await.status < 300);
    for _ in 0..800 {
        if bank.mailbox.status(&made).await.0 != "pending" {
            break;
        }
        server.pass(900).await;
    }
    let expected = ("failed".to_owned(), Some("insufficient_funds".to_owned()));
    assert_eq!(bank.mailbox.status(&made).await, expected);
    let sent = bank.mailbox.bank.files().await;
    assert!(sent.iter().all(|file| file["purpose"] != "retries" || file["status"] == "dropped"), "{sent:?}");
    mornings(&bank, 2).await;
    is_settled(&bank, 50_000);
}

/// A claim by ach names the day on which the bank pays it, and what the sender recalls afterwards is the sender's again.
#[tokio::test]
async fn a_claim_arrives_by_the_window_of_the_bank_and_a_recalled_one_is_not_paid_again() {
    let bank = by_file().await;
    let server = bank.server();
    let before = server.balance("app_wallet").await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201);
    let jane = Payee::arrive(server, PHONE).await;
    jane.name().await;
    jane.bank("55501234").await;
    let paid = jane.step("payout", json!({})).await;
    let entries = bank.mailbox.bank.get("/v2/bank/entries?limit=1").await;
    let transfer = json!({"id": entries["data"][0]["transfer_id"]});
    // It is Tuesday, 3 March: the file of 17:30 settles on Wednesday morning.
    assert_eq!(paid["transfer"]["arrives_at"], "2026-03-04T13:30:00.000000Z", "{paid}");
    let file = bank.mailbox.send().await;
    assert_eq!(file["settles"], paid["transfer"]["arrives_at"]);
    bank.morning().await;
    assert_eq!(bank.mailbox.status(&transfer).await.0, "completed");
    reverse(&bank, &file, Some(&transfer)).await;
    bank.mailbox.send().await;
    mornings(&bank, 8).await;
    let expected = ("reversed".to_owned(), Some("returned_on_request".to_owned()));
    assert_eq!(bank.mailbox.status(&transfer).await, expected);
    assert_eq!(server.balance("app_wallet").await, before - 25, "the fee stays earned");
    let jane = jane.comes_back(PHONE).await;
    let claim = jane.fetch().await;
    assert_eq!((&claim["remaining_amount"], &claim["transfer"]["status"]), (&json!(0), &json!("reversed")), "{claim}");
    jane.try_step("payout", json!({})).await.refused(409, "already-claimed");
    is_settled(&bank, 50_000);
}
