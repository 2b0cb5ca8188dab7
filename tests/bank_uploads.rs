//! Files of banks that members upload, and statements that they restore.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::bank_statements::{Bank, DAY, NUMBER, applied, bai2};

#[tokio::test]
async fn upload_inbound_file_applies_a_statement_from_a_portal_once() {
    let bank = Bank::bai2(10_000).await;
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let content = STANDARD.encode(bank.take("STATEMENT_20260303.bai"));
    let connection = bank.mailbox.bank.connection.clone();
    let file = json!({"bank_connection_id": connection, "name": "PORTAL.bai", "content": content});
    let path = "/v2/bank/inbound-files";
    bank.mailbox.bank.post(path, "ap_approver", file.clone()).await.refused(403, "not-permitted");
    let mut empty = file.clone();
    empty["content"] = json!("");
    let refused = bank.mailbox.bank.post(path, "payer", empty).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/content"]);
    let mut elsewhere = file.clone();
    elsewhere["bank_connection_id"] = json!(uuid::Uuid::nil());
    bank.mailbox.bank.post(path, "payer", elsewhere).await.refused(404, "not-found");
    let uploaded = bank.mailbox.bank.post(path, "payer", file.clone()).await.expect(201).body;
    assert_eq!((&uploaded["status"], uploaded["uploaded_by"].is_string()), (&json!("uploaded"), true));
    bank.server().work_off().await;
    assert_eq!(bank.statements().await, [] as [Value; 0], "a forged file would give an app money");
    let read = format!("{path}/{}/replay", uploaded["id"].as_str().unwrap());
    let same = json!({"sha256": uploaded["sha256"]});
    bank.mailbox.bank.post(&read, "payer", same.clone()).await.refused(403, "self-approval");
    let blind = bank.mailbox.bank.post(&read, "admin", json!({})).await;
    assert_eq!(blind.refused(400, "invalid-input").fields(), ["/sha256"]);
    bank.mailbox.bank.post(&read, "admin", same).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    // The same bytes are the same file, and under another name a duplicate.
    assert_eq!(bank.mailbox.bank.post(path, "payer", file.clone()).await.expect(201).body["id"], uploaded["id"]);
    let mut again = file;
    again["name"] = json!("AGAIN.bai");
    let again = bank.mailbox.bank.post(path, "payer", again).await.expect(201).body;
    assert_eq!((&again["status"], &again["duplicate_of"]), (&json!("duplicate"), &uploaded["id"]));
    bank.server().work_off().await;
    assert_eq!(bank.statements().await.len(), 1);
    bank.mailbox.bank.verify();
}

/// A statement of 20,000 lines, which is larger than the body of any other request.
#[tokio::test]
async fn a_file_of_a_bank_may_have_eight_mebibytes() {
    let bank = Bank::bai2(0).await;
    let lines = vec![(165, 1, "A LINE WITH THE LONG TEXT THAT A PAYER SENDS WITH A WIRE OF ONE CENT"); 20_000];
    let bytes = bai2("260303", &[(NUMBER, 10_000, &lines)]);
    assert!(bytes.len() > 1 << 20);
    let path = "/v2/bank/inbound-files";
    let upload = |bytes: &[u8]| json!({"bank_connection_id": bank.mailbox.bank.connection, "name": "LARGE.bai", "content": STANDARD.encode(bytes)});
    bank.server().pass(DAY).await;
    let uploaded = bank.mailbox.bank.post(path, "payer", upload(&bytes)).await.expect(201).body;
    assert_eq!(uploaded["size"], bytes.len());
    let read = format!("{path}/{}/replay", uploaded["id"].as_str().unwrap());
    bank.mailbox.bank.post(&read, "admin", json!({"sha256": uploaded["sha256"]})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    assert_eq!(bank.statements().await[0]["line_count"], 20_000);
    let refused = bank.mailbox.bank.post(path, "payer", upload(&vec![b' '; (8 << 20) + 1])).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/content"]);
    bank.mailbox.bank.post(path, "payer", upload(&vec![b' '; 9 << 20])).await.refused(413, "payload-too-large");
    // Without a secret, and on every other route, the limits are as before.
    let large = json!({"description": "x".repeat(2 << 20)});
    bank.server().post("/v2/payouts").app_key().json(large.clone()).send().await.refused(413, "payload-too-large");
    bank.server().post(path).json(large).send().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_file_that_was_discarded_by_mistake_is_uploaded_again() {
    let bank = Bank::bai2(0).await;
    let content = STANDARD.encode(bai2("260304", &[(NUMBER, 10_000, &[])]));
    let path = "/v2/bank/inbound-files";
    let file = json!({"bank_connection_id": bank.mailbox.bank.connection, "name": "PORTAL.bai", "content": content});
    let first = bank.mailbox.bank.post(path, "payer", file.clone()).await.expect(201).id();
    bank.mailbox.bank.post(&format!("{path}/{first}/discard"), "payer", json!({"reason": "Wrong."})).await.expect(200);
    bank.server().pass(DAY).await;
    let again = bank.mailbox.bank.post(path, "payer", file).await.expect(201).body;
    assert_eq!((&again["status"], again["id"] == json!(first)), (&json!("uploaded"), false));
    let read = format!("{path}/{}/replay", again["id"].as_str().unwrap());
    bank.mailbox.bank.post(&read, "admin", json!({"sha256": again["sha256"]})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.days().await, applied(&["2026-03-04"]));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn an_upload_that_is_not_read_does_not_hide_the_banks_own_file() {
    let bank = Bank::bai2(0).await;
    let bytes = bai2("260303", &[(NUMBER, 10_000, &[])]);
    let path = "/v2/bank/inbound-files";
    let connection = bank.mailbox.bank.connection.clone();
    let file = json!({"bank_connection_id": connection, "name": "FIRST.bai", "content": STANDARD.encode(&bytes)});
    let uploaded = bank.mailbox.bank.post(path, "payer", file).await.expect(201).body;
    bank.give("FIRST.bai", &bytes).await;
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    // The upload is not read a second time.
    let read = format!("{path}/{}/replay", uploaded["id"].as_str().unwrap());
    let same = json!({"sha256": uploaded["sha256"]});
    bank.mailbox.bank.post(&read, "admin", same).await.refused(409, "invalid-state");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn restore_bank_statement_undoes_a_discard_until_the_day_is_closed() {
    let bank = Bank::bai2(10_000).await;
    bank.morning().await;
    bank.wire(700, "NO REFERENCE");
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let wednesday = bank.take("STATEMENT_20260304.bai");
    bank.wire(300, "ALSO UNKNOWN");
    bank.morning().await;
    let thursday = bank.statements().await.pop().unwrap();
    assert_eq!((&thursday["date"], &thursday["status"]), (&json!("2026-03-05"), &json!("waiting")));
    let path = |statement: &Value, verb| format!("/v2/bank/statements/{}/{verb}", statement["id"].as_str().unwrap());
    let why = json!({"reason": "The wrong line of the list."});
    let members = &bank.mailbox.bank;
    members.post(&path(&thursday, "restore"), "payer", why.clone()).await.refused(409, "invalid-state");
    members.post(&path(&thursday, "discard"), "payer", why.clone()).await.expect(200);
    let line = async || {
        let shown = members.get(path(&thursday, "").trim_end_matches('/')).await;
        shown["lines"].as_array().unwrap().iter().map(|line| line["status"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(line().await, ["ignored"]);
    members.post(&path(&thursday, "restore"), "ap_approver", why.clone()).await.refused(403, "not-permitted");
    let restored = members.post(&path(&thursday, "restore"), "payer", why.clone()).await.expect(200).body;
    assert_eq!((&restored["status"], &restored["evidence"]), (&json!("waiting"), &why["reason"]));
    assert_eq!(line().await, ["waiting"]);
    bank.give("LATE.bai", &wednesday).await;
    assert_eq!(bank.days().await, applied(&["2026-03-03", "2026-03-04", "2026-03-05"]));
    assert_eq!(line().await, ["unmatched"], "the line is in suspense like that of any applied statement");
    bank.mailbox.bank.verify();

    // Another statement of the day took its place, waiting or applied.
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let friday = String::from_utf8(bank.take("STATEMENT_20260306.bai")).unwrap();
    let other = friday.replace("010,11000", "010,11001").replace("015,11000", "015,11001").replace("22000", "22002");
    assert_ne!(friday, other);
    bank.give("OTHER.bai", other.as_bytes()).await;
    let wrong = bank.statements().await.pop().unwrap();
    assert_eq!(wrong["status"], "quarantined");
    members.post(&path(&wrong, "discard"), "payer", why.clone()).await.expect(200);
    bank.give("FRIDAY.bai", friday.as_bytes()).await;
    let refused = members.post(&path(&wrong, "restore"), "payer", why.clone()).await;
    refused.refused(409, "invalid-state");
    assert!(refused.text.contains("of the same day is applied"), "{}", refused.text);
    bank.mailbox.bank.verify();
}
