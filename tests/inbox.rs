//! The sandbox's inbox: a text about a payout link is composed when it is read.

use bursar::messages::InboxMessage;
use bursar::payout_links::PayoutLink;
use bursar::world::{Record as _, Table};
use serde_json::{Value, json};

use crate::harness::{PUBLIC_URL, Server};

const PHONE: &str = "2127369876";

/// Sends a payout with a message; returns the claim address.
async fn pay(server: &Server) -> (String, String) {
    let payee = json!({"country_code": "1", "phone_number": PHONE});
    let body = json!({"amount": 123_405, "payee": payee, "delivery": {"message": "Thanks for July!"}});
    let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    (link.id(), link.body["link"].as_str().unwrap().to_owned())
}

async fn inbox(server: &Server) -> Vec<Value> {
    let listed = server.get("/v2/sandbox/messages?limit=100").app_key().send().await.expect(200).body;
    listed["data"].as_array().unwrap().clone()
}

fn rows(server: &Server) -> Vec<InboxMessage> {
    let mut rows = Vec::new();
    let keep = |message: &InboxMessage| {
        rows.push(message.clone());
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<InboxMessage>(keep)).unwrap();
    rows
}

#[tokio::test]
async fn a_text_about_a_link_is_composed_when_it_is_read() {
    let server = Server::start().await;
    let (id, address) = pay(&server).await;
    server.post(&format!("/v2/payout-links/{id}/redeliver")).app_key().send().await.expect(200);
    server.work_off().await;
    // The texts keep the name of their time.
    let renamed = json!({"name": "Another"});
    server.patch(&format!("/v2/apps/{}", server.app_id())).as_org().json(renamed).send().await.expect(200);

    let received = inbox(&server).await;
    let texts: Vec<&Value> = received.iter().map(|message| &message["text"]).collect();
    let said = "Demonstration says: \"Thanks for July!\"";
    let text = |until: &str| {
        format!("Demonstration is sending you $1,234.05.\nChoose how to get paid{until}: {address}\n{said}")
    };
    let first = format!("{}\nReply STOP to end text messages.", text(""));
    assert_eq!(texts, [&json!(format!("Reminder: {}", text(" by April 1"))), &json!(first)]);
    assert_eq!(received[1]["subject"], "Demonstration is sending you $1,234.05");
    assert_eq!((&received[1]["link"], &received[1]["code"]), (&json!(address), &Value::Null));
    let page = server.get(&format!("/inbox?to=%2B1{PHONE}")).send().await.expect(200).text;
    assert!(page.contains(&address) && page.contains("Thanks for July!"), "{page}");

    let token = address.rsplit('/').next().unwrap();
    let stored = format!("{:?}", server.rows(InboxMessage::TABLE));
    for text in [token, "Thanks for July!", "Choose how to get paid"] {
        assert!(!stored.contains(text), "{text} is stored a second time: {stored}");
    }
    assert!(stored.contains(PUBLIC_URL), "negative control: the start of the address is stored: {stored}");
}

/// Versions before V57 stored every text.
#[tokio::test]
async fn a_text_of_an_older_version_and_other_texts_are_shown_as_they_are() {
    let server = Server::failing().await;
    pay(&server).await;
    let composed = inbox(&server).await.remove(0);
    let mut old = rows(&server).remove(0);
    let text = |name: &str| composed[name].as_str().unwrap().to_owned();
    assert!(old.of_link.take().is_some());
    (old.subject, old.text, old.link) = (text("subject"), text("text"), Some(text("link")));
    server.tamper(InboxMessage::TABLE, old.key(), Some(old.values()));
    assert_eq!(inbox(&server).await, [composed]);

    let user = server.user(2001).await;
    let path = format!("/v2/users/{user}/send-verification-token");
    server.post(&path).app_key().send().await.expect(202);
    server.work_off().await;
    let code = inbox(&server).await.remove(0);
    assert!(code["text"].as_str().unwrap().contains(code["code"].as_str().unwrap()), "{code}");
    let stored = server.rows(InboxMessage::TABLE);
    assert!(format!("{stored:?}").contains(code["code"].as_str().unwrap()), "a code is stored once, in its text");
}

#[tokio::test]
async fn an_inbox_without_the_link_of_a_text_is_a_damaged_store() {
    let server = Server::failing().await;
    pay(&server).await;
    let row = server.rows(PayoutLink::TABLE).remove(0);
    let key = Table::index_values(PayoutLink::TABLE.key(), &row);
    server.tamper(PayoutLink::TABLE, key, None);
    server.get("/v2/sandbox/messages").app_key().send().await.refused(500, "internal-error");
}

#[tokio::test]
async fn the_inbox_has_nothing_of_an_erased_payee() {
    let server = Server::start().await;
    let person = json!({
        "first_name": "Jane", "last_name": "Roe", "email": "jane@example.com", "country_code": "1", "phone_number": PHONE,
    });
    let user = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    let (link, _) = pay(&server).await;
    assert_eq!(inbox(&server).await.len(), 1, "negative control: before the erasure");
    server.delete(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200);
    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    server.work_off().await;
    assert_eq!(inbox(&server).await, Vec::<Value>::new());
    assert!(server.rows(InboxMessage::TABLE).is_empty());
}

/// The inbox showed the plain text of a mail only.
#[tokio::test]
async fn show_inbox_shows_a_mail_as_its_recipient_sees_it() {
    let server = Server::start().await;
    let hostile = "<script>alert(1)</script>";
    let body = json!({
        "amount": 123_405, "payee": {"email": "ada@example.com"}, "delivery": {"method": "email", "message": hostile},
    });
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    pay(&server).await;
    let [text, mail] = inbox(&server).await.try_into().unwrap();
    assert_eq!((&text["channel"], &mail["channel"]), (&json!("sms"), &json!("email")));
    let address = |message: &Value| format!("/inbox?mail={}", message["id"].as_str().unwrap());
    let page = server.get("/inbox").send().await.expect(200).text;
    assert!(page.contains(&address(&mail)) && !page.contains(&address(&text)), "{page}");

    let shown = server.get(&address(&mail)).send().await.expect(200);
    assert_eq!(shown.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = shown.header("content-security-policy").unwrap();
    for part in ["sandbox;", "default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part) && !policy.contains("script-src"), "{policy}");
    }
    let link = made.body["link"].as_str().unwrap();
    assert!(shown.text.contains(&format!("href=\"{link}\"")) && shown.text.contains("$1,234.05"), "{}", shown.text);
    assert!(shown.text.contains("This link works until April 1, 2026, 15:00 UTC."), "{}", shown.text);
    assert!(!shown.text.contains("<script>"), "{}", shown.text);
    for unknown in [address(&text), "/inbox?mail=x".to_owned(), format!("/inbox?mail={}", made.id())] {
        server.get(&unknown).send().await.expect(404);
    }
}
