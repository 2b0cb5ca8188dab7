//! Answers of a bank that may be wrong, and those that do not come: nothing is presumed, and two members decide.

use bursar::bankbox;
use serde_json::{Value, json};

use crate::bank_files_sent::Bank;
use crate::bank_intake::Mailbox;
use crate::harness::{Reply, Server};
use crate::samples::new_connection;

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

async fn open() -> Mailbox {
    let mut connection = new_connection("");
    connection["acknowledgements"] = json!({"kind": "text", "within_minutes": 120});
    Mailbox::with(Server::start().await, connection, json!({})).await
}

/// Writes the text with which the bank acknowledges a file, with a status and a reason.
fn say(mailbox: &Mailbox, name: &str, file: &Value, status: &str) {
    let created = &file["name"].as_str().unwrap()["ACME_20".len()..];
    let (day, modifier) = (&created[..6], &created[7..8]);
    let credit = file["credit"].as_i64().unwrap();
    let text = format!(
        "ACKNOWLEDGEMENT OF ACH FILE\nFILE CREATION DATE: {day}\nFILE CREATION TIME: 1005\nFILE ID MODIFIER: {modifier}\n\
         ENTRIES: {}\nTOTAL DEBITS: 0.00\nTOTAL CREDITS: {}.{:02}\nSTATUS: {status}\n",
        file["entries"],
        credit / 100,
        credit % 100
    );
    std::fs::write(mailbox.answer(name), text).unwrap();
}

async fn decide(bank: &Bank, file: &Value, role: &str, outcome: &str) -> Reply {
    let path = format!("/v2/bank/files/{}/decide", file["id"].as_str().unwrap());
    bank.post(&path, role, json!({"outcome": outcome, "evidence": "J. Doe of the ACH desk, 10:15."})).await
}

async fn reasons(mailbox: &Mailbox) -> Vec<Value> {
    mailbox.items("status=unmatched").await.iter().map(|item| item["reason"].clone()).collect()
}

async fn kinds(mailbox: &Mailbox) -> Vec<String> {
    let alarms = mailbox.bank.get("/v2/bank/alarms").await;
    let mut kinds: Vec<String> =
        alarms.as_array().unwrap().iter().map(|alarm| alarm["kind"].as_str().unwrap().to_owned()).collect();
    kinds.sort();
    kinds
}

/// The bank has the file that it got first. Taking the money back would pay twice.
#[tokio::test]
async fn a_refusal_as_a_duplicate_takes_nothing_back() {
    let mailbox = open().await;
    let before = mailbox.server().balance("app_wallet").await;
    let (_, paid) = mailbox.pay(2_000, "55501234", 1_000).await;
    let sent = mailbox.send().await;
    say(&mailbox, "ACK.txt", &sent, "ACCEPTED");
    mailbox.fetch().await;
    mailbox.server().pass(DAY).await;
    assert_eq!(mailbox.status(&paid).await.0, "completed");
    say(&mailbox, "AGAIN.txt", &sent, "REJECTED\nREASON: DUPLICATE FILE");
    mailbox.fetch().await;
    mailbox.server().pass(DAY).await;
    let file = mailbox.bank.file().await;
    assert_eq!((&file["status"], &file["contested"]), (&json!("sent"), &json!("duplicate")));
    assert_eq!(mailbox.status(&paid).await.0, "completed");
    assert_eq!(mailbox.server().balance("app_wallet").await, before - 1_025);
    assert_eq!(reasons(&mailbox).await, ["duplicate"]);
    let found = kinds(&mailbox).await;
    for kind in ["contested", "stopped", "unmatched"] {
        assert!(found.contains(&kind.to_owned()), "{kind}: {found:?}");
    }
    let connection = mailbox.bank.get("/v2/bank/connections").await["data"][0].clone();
    assert_eq!((&connection["status"], &connection["paused_by"]), (&json!("paused"), &Value::Null));
    mailbox.bank.verify();
}

#[tokio::test]
async fn decide_bank_file_needs_two_members_who_decide_the_same() {
    let mailbox = open().await;
    let (_, paid) = mailbox.pay(2_000, "55501234", 1_000).await;
    decide(&mailbox.bank, &mailbox.bank.file().await, "payer", "accepted").await.refused(409, "invalid-state");
    let sent = mailbox.send().await;

    // Without the acknowledgement that the bank sends for each file, nothing is presumed.
    mailbox.server().pass(3 * DAY).await;
    assert_eq!(mailbox.status(&paid).await.0, "pending");
    assert!(kinds(&mailbox).await.contains(&"not_acknowledged".to_owned()));

    let proposed = decide(&mailbox.bank, &sent, "payer", "rejected").await.expect(200).body;
    assert_eq!((&proposed["status"], &proposed["decision"]["outcome"]), (&json!("sent"), &json!("rejected")));
    // Another outcome replaces the proposal; its author does not confirm it; not_received is for files in doubt.
    decide(&mailbox.bank, &sent, "payer", "accepted").await.expect(200);
    decide(&mailbox.bank, &sent, "payer", "accepted").await.refused(403, "self-approval");
    decide(&mailbox.bank, &sent, "ap_approver", "accepted").await.refused(403, "not-permitted");
    decide(&mailbox.bank, &sent, "admin", "not_received").await.refused(409, "invalid-state");
    decide(&mailbox.bank, &sent, "admin", "perhaps").await.refused(400, "invalid-input");
    let decided = decide(&mailbox.bank, &sent, "admin", "accepted").await.expect(200).body;
    assert_eq!((&decided["answer"], &decided["decision"]["outcome"]), (&json!("accepted"), &json!("accepted")));
    assert!(decided["decision"]["confirmed_by"].is_string());
    mailbox.server().pass(HOUR).await;
    assert_eq!(mailbox.status(&paid).await.0, "completed");
    let nothing = json!({"id": uuid::Uuid::nil().to_string()});
    decide(&mailbox.bank, &nothing, "payer", "accepted").await.refused(404, "not-found");
    mailbox.bank.verify();
}

/// By phone: the bank refuses a file, and writes nothing.
#[tokio::test]
async fn members_record_a_refusal_that_the_bank_does_not_send() {
    let mailbox = Mailbox::open(Server::start().await).await;
    let before = mailbox.server().balance("app_wallet").await;
    let (_, paid) = mailbox.pay(2_000, "55501234", 1_000).await;
    let sent = mailbox.send().await;
    for role in ["payer", "admin"] {
        decide(&mailbox.bank, &sent, role, "rejected").await.expect(200);
    }
    let file = mailbox.bank.file().await;
    assert_eq!(file["status"], "rejected");
    mailbox.server().pass(2 * DAY).await;
    assert_eq!(mailbox.status(&paid).await.0, "pending");
    mailbox.bank.act(&file, "cancel", json!({"reason": "A mistyped company id."})).await.expect(200);
    mailbox.server().work_off().await;
    assert_eq!(mailbox.status(&paid).await.0, "failed");
    assert_eq!(mailbox.server().balance("app_wallet").await, before);
    mailbox.bank.verify();
}

/// The bank's folder is away. A member takes the file to the bank, and its refusal arrives before the member records that.
#[tokio::test]
async fn a_refusal_that_comes_before_the_file_is_marked_as_sent_is_not_lost() {
    let mailbox = open().await;
    let (_, paid) = mailbox.pay(2_000, "55501234", 1_000).await;
    let outbound = mailbox.root.path().join(bankbox::OUTBOUND);
    std::fs::rename(&outbound, mailbox.root.path().join("away")).unwrap();
    mailbox.server().pass(7 * HOUR + 1_800).await;
    let sealed = mailbox.bank.file().await;
    assert_eq!(sealed["status"], "sending");
    say(&mailbox, "ACK.txt", &sealed, "REJECTED\nREASON: COMPANY ID");
    mailbox.fetch().await;
    assert_eq!(reasons(&mailbox).await, ["not_sent"]);
    mailbox.bank.act(&sealed, "mark-sent", json!({"evidence": "In the portal."})).await.expect(200);
    mailbox.server().pass(2 * DAY).await;
    let file = mailbox.bank.file().await;
    assert_eq!((&file["status"], &file["contested"]), (&json!("sent"), &json!("refused")));
    assert_eq!(mailbox.status(&paid).await.0, "pending", "a refused file completes nothing");
    for role in ["payer", "admin"] {
        decide(&mailbox.bank, &file, role, "rejected").await.expect(200);
    }
    let file = mailbox.bank.file().await;
    assert_eq!((&file["status"], &file["contested"]), (&json!("rejected"), &Value::Null));
    mailbox.bank.verify();
}

/// The bank pays a file whose payments went back.
#[tokio::test]
async fn a_bank_that_accepts_a_canceled_file_is_a_contradiction() {
    let mailbox = open().await;
    mailbox.pay(2_000, "55501234", 1_000).await;
    let sent = mailbox.send().await;
    say(&mailbox, "ACK.txt", &sent, "REJECTED");
    mailbox.fetch().await;
    let refused = mailbox.bank.file().await;
    assert_eq!(refused["status"], "rejected");
    mailbox.bank.act(&refused, "cancel", json!({"reason": "A wrong company id."})).await.expect(200);
    mailbox.server().work_off().await;
    assert!(!kinds(&mailbox).await.contains(&"unmatched".to_owned()));
    say(&mailbox, "LATE.txt", &sent, "ACCEPTED");
    mailbox.fetch().await;
    assert_eq!(reasons(&mailbox).await, ["contradiction"]);
    assert!(kinds(&mailbox).await.contains(&"unmatched".to_owned()));
    mailbox.bank.verify();
}

/// The bank has another file than ours, perhaps: its payments wait.
#[tokio::test]
async fn an_acknowledgement_with_other_totals_stops_the_payments_until_a_right_one_comes() {
    let mailbox = open().await;
    let (_, paid) = mailbox.pay(2_000, "55501234", 1_000).await;
    let sent = mailbox.send().await;
    let mut other = sent.clone();
    other["credit"] = json!(1_001);
    say(&mailbox, "ACK.txt", &other, "ACCEPTED");
    mailbox.fetch().await;
    mailbox.server().pass(2 * DAY).await;
    assert_eq!(mailbox.bank.file().await["contested"], "other_totals");
    assert_eq!(mailbox.status(&paid).await.0, "pending");
    assert!(kinds(&mailbox).await.contains(&"contested".to_owned()));
    say(&mailbox, "RIGHT.txt", &sent, "ACCEPTED");
    mailbox.fetch().await;
    mailbox.server().pass(HOUR).await;
    assert_eq!(mailbox.bank.file().await["contested"], Value::Null);
    assert_eq!(mailbox.status(&paid).await.0, "completed");
    mailbox.bank.verify();
}

/// A file in quarantine, and a report that matches nothing, are alarms until a member has dealt with them.
#[tokio::test]
async fn list_bank_alarms_names_files_in_quarantine_and_reports_that_match_nothing() {
    let mailbox = open().await;
    mailbox.pay(2_000, "40000002", 1_000).await;
    mailbox.send().await;
    bankbox::with(mailbox.root.path(), bankbox::Bank::acknowledge).unwrap();
    mailbox.bank_answers();
    std::fs::write(mailbox.answer("letter.txt"), "Dear customer, your file arrived.").unwrap();
    mailbox.fetch().await;
    let alarms = mailbox.bank.get("/v2/bank/alarms").await;
    let of = |kind: &str| alarms.as_array().unwrap().iter().find(|alarm| alarm["kind"] == kind).cloned().unwrap();
    let letter = mailbox.inbound().await.into_iter().find(|file| file["name"] == "letter.txt").unwrap();
    let quarantined = of("quarantined");
    assert_eq!(quarantined["inbound_file_id"], letter["id"]);
    assert!(quarantined["message"].as_str().unwrap().contains("letter.txt"), "{quarantined}");
    assert!(of("unmatched")["message"].as_str().unwrap().contains("changed nothing: 1."));
    let item = mailbox.items("status=unmatched").await[0]["id"].as_str().unwrap().to_owned();
    let why = json!({"reason": "Another customer's."});
    mailbox.bank.post(&format!("/v2/bank/items/{item}/ignore"), "payer", why.clone()).await.expect(200);
    let discard = format!("/v2/bank/inbound-files/{}/discard", letter["id"].as_str().unwrap());
    mailbox.bank.post(&discard, "payer", why).await.expect(200);
    let left = kinds(&mailbox).await;
    assert!(!left.contains(&"unmatched".to_owned()) && !left.contains(&"quarantined".to_owned()), "{left:?}");
}
