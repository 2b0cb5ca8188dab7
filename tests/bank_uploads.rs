//! Files of banks that members upload.

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
