//! The file of a payable.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::harness::{Desk, Server};

/// Returns a file with the mark of a PDF, of this many bytes.
fn pdf(bytes: usize) -> Vec<u8> {
    let (begin, end) = (b"%PDF-1.7\n".as_slice(), b"\n%%EOF\n".as_slice());
    [begin, &vec![b'x'; bytes - begin.len() - end.len()], end].concat()
}

fn upload(bytes: &[u8]) -> Value {
    json!({"file": BASE64_STANDARD.encode(bytes)})
}

#[tokio::test]
async fn set_payable_file_get_payable_file_delete_payable_file() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let bill = desk.bill(json!({})).await.expect(201).id();
    let path = format!("payables/{bill}/file");
    desk.get(&path).send().await.refused(404, "not-found");

    let mut body = upload(&pdf(100));
    body["acting_user_id"] = json!(desk.member("ap_creator"));
    let with = desk.post(&path, body).send().await.expect(200).body;
    let url = with["file_url"].as_str().unwrap();
    assert_eq!(url, format!("http://127.0.0.1:8080/v2/accounts-payable/{path}"));
    assert_eq!(with["action_history"][1]["action"], "update");
    assert_eq!(with["action_history"][1]["user_name"], "Clara Creator");

    // The address really serves the file, to the app, as a download.
    let path_of_url = url.strip_prefix("http://127.0.0.1:8080").unwrap();
    let served = server.get(path_of_url).app_key().send().await.expect(200);
    assert_eq!(served.text.as_bytes(), pdf(100));
    let expected = [
        ("content-type", "application/pdf".to_owned()),
        ("content-disposition", format!("attachment; filename=\"payable-{bill}.pdf\"")),
        ("content-security-policy", "default-src 'none'; sandbox".to_owned()),
        ("x-content-type-options", "nosniff".to_owned()),
        ("cache-control", "no-store".to_owned()),
    ];
    for (name, value) in expected {
        assert_eq!(served.header(name), Some(value.as_str()), "{name}");
    }
    server.get(path_of_url).send().await.refused(401, "unauthorized");
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    server.get(path_of_url).as_org().for_app(&other).send().await.refused(404, "not-found");

    // It is replaced, then removed. Without a member the app acts.
    desk.post(&path, upload(&pdf(200))).send().await.expect(200);
    assert_eq!(server.get(path_of_url).app_key().send().await.expect(200).text.len(), 200);
    let without = desk.delete(&path).send().await.expect(200).body;
    assert_eq!(without["file_url"], Value::Null);
    let action = &without["action_history"][3];
    assert_eq!((&action["user_id"], &action["user_name"]), (&Value::Null, &Value::Null));
    desk.get(&path).send().await.refused(404, "not-found");
    assert_eq!(desk.delete(&path).send().await.expect(200).body, without, "once more changes nothing");
}

#[tokio::test]
async fn what_is_no_pdf_or_too_large_is_refused() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.bill(json!({})).await.expect(201).id();
    let path = format!("payables/{bill}/file");
    let largest = 700 * 1024;
    desk.post(&path, upload(&pdf(largest))).send().await.expect(200);
    for body in [
        upload(&pdf(largest + 1)),
        upload(b"<script>alert(1)</script>"),
        upload(b"%PDF-1.7 without an end"),
        json!({"file": "not base64!"}),
        json!({"file": 7}),
        json!({}),
    ] {
        let reply = desk.post(&path, body).send().await;
        assert_eq!(reply.refused(400, "invalid-input").body["errors"][0]["field"], "/file");
    }
    desk.post(&path, upload(&pdf(1024 * 1024))).send().await.refused(413, "payload-too-large");
    let mut body = upload(&pdf(50));
    body["acting_user_id"] = json!(desk.member("viewer"));
    desk.post(&path, body).send().await.refused(403, "not-permitted");
    assert_eq!(desk.get(&path).send().await.expect(200).text.len(), largest, "what was there stays");
}

#[tokio::test]
async fn a_payable_is_made_with_its_file_and_the_file_is_fixed_when_it_is_submitted() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let (vendor, _) = desk.vendor("000123456789").await;
    let mut fields = upload(&pdf(300));
    fields["amount"] = json!(5);
    fields["ap_vendor_id"] = json!(vendor);
    let bill = desk.bill(fields).await.expect(201);
    assert!(bill.body["file_url"].is_string());
    let path = format!("payables/{}/file", bill.id());
    desk.act(&bill.id(), "submit-for-approval", "ap_creator").await.expect(200);
    desk.post(&path, upload(&pdf(50))).send().await.refused(409, "invalid-state");
    desk.delete(&path).send().await.refused(409, "invalid-state");
    assert_eq!(desk.get(&path).send().await.expect(200).text.len(), 300);

    // A rejected payable with a new file is created again.
    desk.act(&bill.id(), "reject", "ap_approver").await.expect(200);
    let again = desk.post(&path, upload(&pdf(50))).send().await.expect(200).body;
    assert_eq!(again["status"], "created");
}
