//! What a person must look at at a bank, before it is too late, and until its cause has ended.

use bursar::bankbox::{self, Account, Grain, StatementFormat};
use serde_json::{Value, json};

use crate::bank_debits::{authorized, by_file, collect, payer};
use crate::bank_files_sent::Bank as Connected;
use crate::bank_intake::Mailbox;
use crate::bank_reversals::mornings;
use crate::bank_statements::Bank as Kept;
use crate::harness::Server;
use crate::samples::new_connection;

const HOUR: i64 = 3_600;

/// Returns the kinds of the alarms, in order.
fn kinds(alarms: &Value) -> Vec<String> {
    alarms.as_array().unwrap().iter().map(|alarm| alarm["kind"].as_str().unwrap().to_owned()).collect()
}

async fn alarms(bank: &Connected) -> Value {
    bank.get("/v2/bank/alarms").await
}

/// A file that a member must take to the bank: no alarm eleven minutes before the deadline, one ten minutes before it.
#[tokio::test]
async fn list_bank_alarms_names_a_file_ten_minutes_before_its_deadline_until_it_is_sent() {
    let bank = Connected::in_force(Server::start().await).await;
    bank.pay(1234, 1_000).await;
    // From 10:00 to 17:49; the deadline is 18:00.
    bank.server.pass(7 * HOUR + 49 * 60).await;
    let file = bank.file().await;
    assert_eq!(file["status"], "sealed");
    assert_eq!(kinds(&alarms(&bank).await), [] as [&str; 0]);
    bank.server.pass(60).await;
    let found = alarms(&bank).await;
    assert_eq!(kinds(&found), ["unsent"]);
    assert_eq!(
        (&found[0]["bank_file_id"], &found[0]["deadline"], &found[0]["amount"]),
        (&file["id"], &file["submit_by"], &json!(-1_000))
    );
    assert!(found[0]["message"].as_str().unwrap().contains("mark it as sent"), "{found}");
    bank.act(&file, "mark-sent", json!({"evidence": "In the portal."})).await.expect(200);
    assert_eq!(kinds(&alarms(&bank).await), [] as [&str; 0], "it ends with its cause");
}

#[tokio::test]
async fn list_bank_alarms_names_statements_that_do_not_arrive_and_lines_that_nothing_explains() {
    let bank = by_file().await;
    let alarms = async || alarms(&bank.mailbox.bank).await;
    bank.mailbox.pay(1234, "55501234", 1_000).await;
    mornings(&bank, 1).await;
    // It is Wednesday, and the bank has reported Tuesday. Its opening balance is a line that nothing explains.
    assert_eq!(kinds(&alarms().await), [] as [&str; 0]);
    mornings(&bank, 2).await;
    assert_eq!(kinds(&alarms().await), ["suspense"], "for more than one banking day");
    // On the next banking day, Monday, no statement arrives; before noon it is not late.
    bank.server().pass(4 * 86_400).await;
    let found = alarms().await;
    let missing = found.as_array().unwrap().iter().find(|alarm| alarm["kind"] == "statement_missing");
    assert_eq!(missing.unwrap()["days"], json!(["2026-03-06"]), "{found}");
    bank.server().pass(3 * HOUR).await;
    let found = alarms().await;
    let missing = found.as_array().unwrap().iter().find(|alarm| alarm["kind"] == "statement_missing");
    assert_eq!(missing.unwrap()["days"], json!(["2026-03-06", "2026-03-09"]), "{found}");
    mornings(&bank, 1).await;
    assert!(!kinds(&alarms().await).contains(&"statement_missing".to_owned()));
}

/// The balance of the statement, less what is on its way, must cover the next file. Debits count when they have settled.
#[tokio::test]
async fn list_bank_alarms_names_an_account_that_does_not_cover_the_next_files() {
    let bank = by_file().await;
    let short = async || {
        let found = alarms(&bank.mailbox.bank).await;
        let found = found.as_array().unwrap().iter().find(|alarm| alarm["kind"] == "not_covered").cloned();
        found.map(|alarm| alarm["amount"].as_i64().unwrap())
    };
    mornings(&bank, 1).await;
    bank.mailbox.pay(1234, "55501234", 50_000).await;
    assert_eq!(short().await, None, "the account has 500 dollars");
    bank.mailbox.pay(1235, "55501234", 100).await;
    assert_eq!(short().await, Some(100));
    let ada = payer(bank.server(), "000123450002").await;
    collect(bank.server(), &ada, 2_000, authorized("written")).await.expect(201);
    assert_eq!(short().await, Some(100), "nothing is collected yet");
}

/// The setting `uncovered_files`: the bank does not get a file that the account does not cover, until a member releases it.
#[tokio::test]
async fn release_bank_file_is_needed_for_a_file_that_the_account_does_not_cover() {
    let mut connection = new_connection("");
    connection["uncovered_files"] = json!("hold");
    let fields = json!({"statement_kind": "bai2", "booking_grain": "file"});
    let bank = Kept { mailbox: Mailbox::with(Server::start().await, connection, fields).await };
    let now = bank.now();
    bank.act(|bank| bank.keep(Account::open("000123456789", StatementFormat::Bai2, Grain::File, 50_000, now)));
    mornings(&bank, 1).await;
    bank.mailbox.pay(1234, "55501234", 40_000).await;
    let covered = bank.mailbox.send().await;
    assert_eq!((&covered["must_release"], &covered["uncovered"]), (&json!(false), &Value::Null));

    // The bank has not booked that file: 100.00 of 500.00 are left.
    bank.mailbox.pay(1235, "55501234", 10_001).await;
    while bank.mailbox.bank.files().await[1]["status"] == "open" {
        bank.server().pass(900).await;
    }
    let file = bank.mailbox.bank.files().await[1].clone();
    let shown = ["status", "must_release", "uncovered"].map(|name| file[name].clone());
    assert_eq!(shown, [json!("sealed"), json!(true), json!(1)]);
    bank.mailbox.bank.act(&file, "mark-sent", json!({"evidence": "Early."})).await.refused(409, "invalid-state");
    let unsent = async || {
        let found = alarms(&bank.mailbox.bank).await;
        found.as_array().unwrap().iter().find(|alarm| alarm["kind"] == "unsent").cloned()
    };
    while unsent().await.is_none() {
        bank.server().pass(300).await;
    }
    let message = unsent().await.unwrap()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("The account does not cover the file. Transfer the money to it"), "{message}");

    bank.mailbox.bank.act(&file, "release", json!({})).await.expect(200);
    bank.server().pass(60).await;
    assert_eq!(bank.mailbox.bank.files().await[1]["status"], "sent", "in time");
    bank.mailbox.bank.verify();
}

/// At 80 % of a day's limit, and not below it.
#[tokio::test]
async fn list_bank_alarms_names_a_limit_that_is_nearly_used() {
    for (amount, expected) in [(7_999, &[][..]), (8_000, &["near_limit"][..])] {
        let mut connection = new_connection("");
        connection["limits"]["credit"] = json!({"per_entry": 9_000, "per_file": 10_000, "per_day": 10_000});
        let bank = Connected::with(Server::start().await, connection).await;
        bank.pay(1234, amount).await;
        bank.server.pass(7 * HOUR + 40 * 60).await;
        assert_eq!(bank.file().await["status"], "sealed");
        assert_eq!(kinds(&alarms(&bank).await), expected, "{amount}");
    }
}

/// Until a member has moved or canceled it.
#[tokio::test]
async fn list_bank_alarms_names_a_refused_file() {
    let bank = by_file().await;
    let (_, payout) = bank.mailbox.pay(1234, "50000000", 1_000).await;
    bank.mailbox.send().await;
    assert_eq!(bank.mailbox.bank_answers(), ["REJECTED_00001.ach"]);
    bank.mailbox.fetch().await;
    assert_eq!(bank.mailbox.bank.file().await["status"], "rejected");
    assert_eq!(kinds(&alarms(&bank.mailbox.bank).await), ["rejected"]);
    assert_eq!(bank.mailbox.status(&payout).await.0, "pending");
    let file = bank.mailbox.bank.file().await;
    bank.mailbox.bank.act(&file, "cancel", json!({"reason": "A wrong company id."})).await.expect(200);
    assert_eq!(kinds(&alarms(&bank.mailbox.bank).await), [] as [&str; 0]);
}

/// More connections than rounds of reads.
#[tokio::test]
async fn list_bank_alarms_answers_for_many_connections() {
    let bank = Connected::in_force(Server::start().await).await;
    for _ in 0..80 {
        bank.post("/v2/bank/connections", "admin", new_connection("")).await.expect(201);
    }
    assert_eq!(kinds(&alarms(&bank).await), [] as [&str; 0]);
}

/// After the third poll that could not read the folder with the bank's files, and until one can.
#[tokio::test]
async fn list_bank_alarms_names_a_folder_that_cannot_be_read() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    mailbox.server().pass(900).await;
    let (folder, away) = (mailbox.root.path().join(bankbox::INBOUND), mailbox.root.path().join("away"));
    std::fs::rename(&folder, &away).unwrap();
    mailbox.server().pass(900).await;
    let begun = mailbox.server().now().to_string();
    for expected in [&[][..], &[], &["unreachable"], &["unreachable"]] {
        let found = alarms(&mailbox.bank).await;
        assert_eq!(kinds(&found), expected, "{found}");
        mailbox.server().pass(60).await;
    }
    let alarm = alarms(&mailbox.bank).await[0].clone();
    let message = "The folder with the bank's files cannot be read: there is no such file or folder. Check the name of \
                   the folder. A file may have been collected: check the bank's log.";
    assert_eq!((&alarm["message"], &alarm["deadline"]), (&json!(message), &json!(begun)));
    std::fs::rename(&away, &folder).unwrap();
    mailbox.server().pass(60).await;
    assert_eq!(alarms(&mailbox.bank).await, json!([]));
}
