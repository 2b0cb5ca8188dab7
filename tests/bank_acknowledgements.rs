//! The texts with which a bank acknowledges NACHA files, and those that do not come.

use std::fs;
use std::path::PathBuf;

use bursar::bankbox;
use serde_json::{Value, json};

use crate::bank_files_sent::Bank;
use crate::bank_intake::Mailbox;
use crate::harness::{Desk, Server};
use crate::samples::{new_connection, new_message_connection};

const MINUTE: i64 = 60;

fn expecting(acknowledgements: Value) -> Value {
    let mut connection = new_connection("");
    connection["acknowledgements"] = acknowledgements;
    connection
}

fn usual() -> Value {
    json!({"kind": "text", "within_minutes": 120})
}

/// Opens a mailbox at a bank that acknowledges files.
async fn open(acknowledgements: Value) -> Mailbox {
    let mailbox = Mailbox::with(Server::start().await, expecting(acknowledgements), json!({})).await;
    bankbox::with(mailbox.root.path(), bankbox::Bank::acknowledge).unwrap();
    mailbox
}

async fn file(mailbox: &Mailbox, file: &Value) -> Value {
    mailbox.bank.get(&format!("/v2/bank/files/{}", file["id"].as_str().unwrap())).await
}

async fn late(mailbox: &Mailbox) -> Vec<Value> {
    let alarms = mailbox.bank.get("/v2/bank/alarms").await;
    alarms.as_array().unwrap().iter().filter(|alarm| alarm["kind"] == "not_acknowledged").cloned().collect()
}

/// Writes a text of the bank into our folder.
fn say(mailbox: &Mailbox, name: &str, text: &str) {
    let path: PathBuf = mailbox.answer(name);
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_file_that_the_bank_acknowledges_is_accepted_and_nothing_is_late() {
    let mailbox = open(usual()).await;
    let (_, payout) = mailbox.pay(1234, "55501234", 123_456).await;
    let sent = mailbox.send().await;
    assert_eq!((&sent["status"], &sent["answer"]), (&json!("sent"), &Value::Null));
    assert_eq!(mailbox.bank_answers(), ["ACKNOWLEDGEMENT_00001.txt"]);
    let text = fs::read_to_string(mailbox.answer("ACKNOWLEDGEMENT_00001.txt")).unwrap();
    assert!(text.contains("ENTRIES: 1\nTOTAL DEBITS: 0.00\nTOTAL CREDITS: 1,234.56\nSTATUS: ACCEPTED\n"), "{text}");
    mailbox.fetch().await;
    assert_eq!(file(&mailbox, &sent).await["answer"], "accepted");
    let items = mailbox.items("kind=acknowledgement").await;
    assert_eq!((items.len(), &items[0]["status"], &items[0]["bank_file_id"]), (1, &json!("applied"), &sent["id"]));
    mailbox.server().pass(180 * MINUTE).await;
    assert_eq!(late(&mailbox).await, [] as [Value; 0]);
    assert_eq!(mailbox.status(&payout).await.0, "pending", "the money has not moved yet");

    // The same text again, in other bytes.
    say(&mailbox, "AGAIN.txt", &text.replace('\n', "\r\n"));
    mailbox.fetch().await;
    assert_eq!(file(&mailbox, &sent).await["answer"], "accepted");
    assert_eq!(mailbox.items("status=unmatched").await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_balanced_file_is_acknowledged_with_both_sums() {
    let mut connection = expecting(usual());
    connection["nacha"]["balanced"] = json!(true);
    let mailbox = Mailbox::with(Server::start().await, connection, json!({})).await;
    bankbox::with(mailbox.root.path(), bankbox::Bank::acknowledge).unwrap();
    mailbox.pay(1234, "55501234", 1_000).await;
    let sent = mailbox.send().await;
    mailbox.bank_answers();
    let text = fs::read_to_string(mailbox.answer("ACKNOWLEDGEMENT_00001.txt")).unwrap();
    assert!(text.contains("ENTRIES: 2\nTOTAL DEBITS: 10.00\nTOTAL CREDITS: 10.00\n"), "{text}");
    mailbox.fetch().await;
    assert_eq!(file(&mailbox, &sent).await["answer"], "accepted");
}

#[tokio::test]
async fn a_file_that_the_bank_refuses_in_a_text_waits_for_a_member() {
    let mailbox = open(usual()).await;
    let (_, payout) = mailbox.pay(1234, "50000000", 1_000).await;
    let sent = mailbox.send().await;
    assert_eq!(mailbox.bank_answers(), ["ACKNOWLEDGEMENT_00001.txt"]);
    mailbox.fetch().await;
    let refused = file(&mailbox, &sent).await;
    assert_eq!(refused["status"], "rejected");
    let items = mailbox.items("kind=acknowledgement").await;
    assert_eq!((&items[0]["code"], &items[0]["text"]), (&json!("REJECTED"), &json!("COMPANY ID NOT SET UP")));
    assert_eq!(mailbox.status(&payout).await.0, "pending");
    mailbox.bank.act(&refused, "redate", json!({})).await.expect(200);
    let again = mailbox.send().await;
    assert_eq!(again["id"], sent["id"]);
    // The text about the earlier identity does not touch the new one.
    let text = fs::read_to_string(mailbox.answer("ACKNOWLEDGEMENT_00001.txt")).unwrap();
    say(&mailbox, "AGAIN.txt", &format!("{text}\n"));
    mailbox.fetch().await;
    assert_eq!(file(&mailbox, &sent).await["status"], "sent");
    assert_eq!(mailbox.items("status=unmatched").await[0]["reason"], "unknown_reference");
}

#[tokio::test]
async fn a_file_that_the_bank_does_not_acknowledge_in_time_is_an_alarm_until_it_does() {
    let mailbox = open(usual()).await;
    mailbox.pay(1234, "55501234", 1_000).await;
    let sent = mailbox.send().await;
    mailbox.server().pass(119 * MINUTE).await;
    assert_eq!(late(&mailbox).await, [] as [Value; 0]);
    mailbox.server().pass(MINUTE).await;
    let found = late(&mailbox).await;
    assert_eq!((found.len(), &found[0]["bank_file_id"], &found[0]["amount"]), (1, &sent["id"], &json!(-1_000)));
    assert_eq!(found[0]["message"], "The bank has not acknowledged the file in time. Ask the bank whether it has it.");
    mailbox.bank_answers();
    mailbox.fetch().await;
    assert_eq!(late(&mailbox).await, [] as [Value; 0]);

    // A bank of which no acknowledgement is expected is never late.
    let silent = Mailbox::open(Server::start().await).await;
    silent.pay(1234, "55501234", 1_000).await;
    silent.send().await;
    silent.server().pass(600 * MINUTE).await;
    assert_eq!(late(&silent).await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_text_with_other_totals_another_file_or_an_unknown_status_changes_nothing() {
    let mailbox = open(usual()).await;
    mailbox.pay(1234, "55501234", 123_456).await;
    let sent = mailbox.send().await;
    mailbox.bank_answers();
    let name = "ACKNOWLEDGEMENT_00001.txt";
    let text = fs::read_to_string(mailbox.answer(name)).unwrap();
    fs::remove_file(mailbox.answer(name)).unwrap();
    let texts = [
        (text.replace("1,234.56", "1,234.57"), "other_totals"),
        (text.replace("DEBITS: 0.00", "DEBITS: 0.01"), "other_totals"),
        (text.replace("ENTRIES: 1", "ENTRIES: 2"), "other_totals"),
        (text.replace("1,234.56", "1.234,56"), "needs_review"),
        (text.replace("MODIFIER: A", "MODIFIER: Z"), "unknown_reference"),
        (text.replace("DATE: 26", "DATE: 27"), "unknown_reference"),
        (text.replace("ACCEPTED", "PENDING"), "needs_review"),
    ];
    for (number, (other, _)) in texts.iter().enumerate() {
        assert_ne!(*other, text, "the text is changed");
        say(&mailbox, &format!("{number}.txt"), other);
    }
    mailbox.fetch().await;
    let found = file(&mailbox, &sent).await;
    assert_eq!((&found["status"], &found["answer"]), (&json!("sent"), &Value::Null));
    let mut reasons: Vec<Value> =
        mailbox.items("status=unmatched").await.iter().map(|item| item["reason"].clone()).collect();
    let mut expected: Vec<Value> = texts.iter().map(|(_, reason)| json!(reason)).collect();
    reasons.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    assert_eq!(reasons, expected);
    // The unchanged text is accepted.
    say(&mailbox, name, &text);
    mailbox.fetch().await;
    assert_eq!(file(&mailbox, &sent).await["answer"], "accepted");
}

#[tokio::test]
async fn a_bank_with_a_text_of_its_own_is_read_by_its_pattern() {
    let rows = r"^(?P<file>\S+\.ach);(?P<status>[A-Z]+);(?P<entries>\d+);(?P<credit>\d+)$";
    let mailbox = open(json!({
        "kind": "text", "within_minutes": 30, "pattern": rows, "accepted": ["OK"], "rejected": ["NOK"], "amounts": "cents",
    }))
    .await;
    mailbox.pay(1234, "55501234", 123_456).await;
    let sent = mailbox.send().await;
    let name = sent["name"].as_str().unwrap();
    say(&mailbox, "report.csv", &format!("file;status;entries;total\n{name};OK;1;123456\nOTHER.ach;OK;9;900\n"));
    mailbox.fetch().await;
    assert_eq!(file(&mailbox, &sent).await["answer"], "accepted");
    let unmatched = mailbox.items("status=unmatched").await;
    assert_eq!((unmatched.len(), &unmatched[0]["individual_id"]), (1, &json!("OTHER.ach")));
    // A text in which the pattern finds nothing is in quarantine, as any file that cannot be read.
    say(&mailbox, "letter.txt", "Dear customer, your file arrived.");
    mailbox.fetch().await;
    let letter = mailbox.inbound().await.into_iter().find(|file| file["name"] == "letter.txt").unwrap();
    assert_eq!((&letter["status"], &letter["findings"][0]["rule"]), (&json!("quarantined"), &json!("intake.format")));
}

#[tokio::test]
async fn settings_of_acknowledgements_that_contradict_each_other_are_refused_by_field() {
    let bank = Bank::in_force(Server::start().await).await;
    let message = new_message_connection("");
    let of = |mut connection: Value, acknowledgements: Value| {
        connection["acknowledgements"] = acknowledgements;
        connection
    };
    for (connection, field) in [
        (expecting(json!({"kind": "text"})), "/acknowledgements/within_minutes"),
        (expecting(json!({"kind": "none", "within_minutes": 5})), "/acknowledgements/within_minutes"),
        (expecting(json!({"kind": "status_report", "within_minutes": 5})), "/acknowledgements/kind"),
        (of(message.clone(), usual()), "/acknowledgements/kind"),
        (
            of(message.clone(), json!({"kind": "status_report", "within_minutes": 5, "amounts": "cents"})),
            "/acknowledgements/amounts",
        ),
        (expecting(json!({"kind": "text", "within_minutes": 5, "pattern": "("})), "/acknowledgements/pattern"),
        (expecting(json!({"kind": "text", "within_minutes": 5, "pattern": "OK"})), "/acknowledgements/pattern"),
        (expecting(json!({"kind": "text", "within_minutes": 5, "accepted": []})), "/acknowledgements/accepted"),
        (
            expecting(json!({"kind": "text", "within_minutes": 5, "rejected": ["accepted"]})),
            "/acknowledgements/rejected",
        ),
    ] {
        let refused = bank.post("/v2/bank/connections", "admin", connection.clone()).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), [field], "{connection}");
    }
    let made =
        bank.post("/v2/bank/connections", "admin", of(message, json!({"kind": "status_report", "within_minutes": 5})));
    let made = made.await.expect(201).body;
    assert_eq!(made["acknowledgements"]["kind"], "status_report");
    // A change is a change of the settings, and takes another test and approval.
    let path = format!("/v2/bank/connections/{}", bank.connection);
    let before = bank.get(&path).await;
    assert_eq!((&before["status"], &before["acknowledgements"]["kind"]), (&json!("approved"), &json!("none")));
    let change = json!({"acknowledgements": usual(), "acting_user_id": Desk::of(&bank.server).member("admin")});
    let after = bank.server.patch(&path).as_org().json(change).send().await.expect(200).body;
    assert_eq!((&after["status"], &after["acknowledgements"]["amounts"]), (&json!("draft"), &json!("dollars")));
}
