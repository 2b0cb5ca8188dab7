//! Replies to text messages: STOP, HELP and START, through the sandbox, the inbox page and the gateway's signed call.

use serde_json::{Value, json};

use crate::delivery::{by_phone, post};
use crate::harness::{FakeGateway, PUBLIC_URL, Reply, Reported, Server};

const PHONE: &str = "+12127364001";
const LINKS: &str = "/v2/payout-links";
const REPLIES: &str = "/carriers/sms/replies";
const REASON: &str =
    "The recipient replied STOP to a text message. No text is sent to this number until it replies START.";

async fn link(server: &Server, payee: Value) -> Reply {
    let made = server.post(LINKS).app_key().json(json!({"amount": 100, "payee": payee})).send().await.expect(201);
    server.work_off().await;
    server.get(&format!("{LINKS}/{}", made.id())).app_key().send().await.expect(200)
}

async fn reply(server: &Server, text: &str) -> Value {
    let sent = json!({"from": PHONE, "text": text});
    let read = server.post("/v2/sandbox/replies").app_key().json(sent).send().await.expect(200).body;
    server.work_off().await;
    read
}

/// Returns the texts in the inbox of the phone, newest first.
async fn texts(server: &Server) -> Vec<String> {
    let path = format!("/v2/sandbox/messages?limit=100&to={}", PHONE.replace('+', "%2B"));
    let inbox = server.get(&path).app_key().send().await.expect(200).body;
    inbox["data"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap().to_owned()).collect()
}

fn phone() -> Value {
    json!({"phone_number": PHONE})
}

#[tokio::test]
async fn send_sandbox_reply_stops_all_texts_but_its_answer_until_start() {
    let server = Server::memory().await;
    assert_eq!(link(&server, phone()).await.body["status"], "delivered");
    let stopped = reply(&server, "Stop.").await;
    assert_eq!(stopped, json!({"from": PHONE, "keyword": "stop", "texts_stopped": true}));
    let before = texts(&server).await;
    assert!(before[0].starts_with("Demonstration: You get no more text messages from us."), "{before:?}");

    let refused = link(&server, phone()).await.body;
    assert_eq!(
        (&refused["status"], &refused["delivery"]["error"]),
        (&json!("delivery_failed"), &json!(REASON)),
        "{refused}"
    );
    assert_eq!(texts(&server).await, before, "no text was sent");

    // The control: the same link reaches the phone after START.
    assert_eq!(reply(&server, "START").await["texts_stopped"], false);
    let resumed = texts(&server).await;
    assert!(resumed[0].contains("text messages from us again"), "{resumed:?}");
    assert_eq!(link(&server, phone()).await.body["status"], "delivered");
    assert_eq!(texts(&server).await.len(), resumed.len() + 1);
}

#[tokio::test]
async fn every_word_stops_and_a_sentence_with_the_word_does_not() {
    for word in ["STOP", "stopall", "Unsubscribe", "CANCEL", "end", "QUIT", "alto", "PARAR"] {
        let server = Server::memory().await;
        link(&server, phone()).await;
        assert_eq!(reply(&server, word).await["keyword"], "stop", "{word}");
        assert_eq!(link(&server, phone()).await.body["status"], "delivery_failed", "{word}");
    }
    let server = Server::memory().await;
    link(&server, phone()).await;
    let read = reply(&server, "please stop by tomorrow").await;
    assert_eq!((&read["keyword"], &read["texts_stopped"]), (&Value::Null, &json!(false)));
    assert_eq!(link(&server, phone()).await.body["status"], "delivered");
}

#[tokio::test]
async fn a_stopped_numbers_link_goes_to_the_e_mail_address_if_it_is_known() {
    let server = Server::memory().await;
    link(&server, phone()).await;
    reply(&server, "STOP").await;
    let before = texts(&server).await.len();
    let payee = json!({"phone_number": PHONE, "email": "ada@example.com"});
    assert_eq!(link(&server, payee).await.body["status"], "delivered");
    assert_eq!(server.newest_message("ada@example.com").await["channel"], "email");
    assert_eq!(texts(&server).await.len(), before);
}

#[tokio::test]
async fn a_text_that_was_queued_before_the_stop_is_not_sent() {
    let gateway = FakeGateway::start().await;
    let by_gateway = by_phone(&gateway).await;
    let made = by_gateway.post(LINKS).app_key().json(json!({"amount": 100, "payee": phone()})).send().await.expect(201);
    assert_eq!(gateway.texts().len(), 0, "it is queued");
    by_gateway
        .post("/v2/sandbox/replies")
        .app_key()
        .json(json!({"from": PHONE, "text": "STOP"}))
        .send()
        .await
        .expect(200);
    by_gateway.work_off().await;
    let sent: Vec<String> =
        gateway.texts().iter().map(|text| text["body"].as_str().unwrap_or_default().to_owned()).collect();
    assert!(sent.iter().all(|text| !text.contains("/claim/")), "{sent:?}");
    let link = by_gateway.get(&format!("{LINKS}/{}", made.id())).app_key().send().await.expect(200).body;
    assert_eq!((&link["status"], &link["delivery"]["error"]), (&json!("delivery_failed"), &json!(REASON)), "{link}");
}

#[tokio::test]
async fn help_is_answered_with_the_support_contact_even_to_a_stopped_number_and_at_most_five_times_a_day() {
    let server = Server::memory().await;
    let app = server.app_id();
    let brand = json!({"support_email": "help@acme.example"});
    server.put(&format!("/v2/apps/{app}/brand")).as_org().json(brand).send().await.expect(200);
    link(&server, phone()).await;
    reply(&server, "STOP").await;
    assert_eq!(reply(&server, "help").await, json!({"from": PHONE, "keyword": "help", "texts_stopped": true}));
    let newest = texts(&server).await[0].clone();
    assert!(newest.contains("Reply STOP") && newest.ends_with("Questions? help@acme.example"), "{newest}");
    reply(&server, "ayuda").await;
    assert!(texts(&server).await[0].contains("¿Dudas? help@acme.example"));
    for _ in 0..5 {
        reply(&server, "HELP").await;
    }
    let answers = texts(&server).await.len();
    assert_eq!(answers, 1 + 5, "the link and five answers");
    server.pass(86_401).await;
    reply(&server, "HELP").await;
    assert_eq!(texts(&server).await.len(), answers + 1);
}

#[tokio::test]
async fn a_code_for_a_stopped_number_is_refused_with_the_way_back() {
    let server = Server::memory().await;
    let made = link(&server, phone()).await;
    reply(&server, "STOP").await;
    let token_of = |made: &Reply| made.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let (before, token) = (texts(&server).await.len(), token_of(&made));
    let contact = || server.post(&format!("/v2/claims/{token}/contact")).json(phone()).send();
    let refused = contact().await;
    let body = &refused.refused(409, "invalid-state").body;
    assert_eq!(body["reason"], "texts-stopped");
    assert!(body["message"].as_str().unwrap().contains("Reply START"), "{body}");
    assert_eq!(texts(&server).await.len(), before);
    // The page says the same in its own words.
    let page = server.post(&format!("/claim/{token}/contact")).form(&[("send", "phone")]).send().await;
    assert!(page.text.contains("Reply START") || page.status == 303, "{}: {}", page.status, page.text);
    reply(&server, "START").await;
    contact().await.expect(200);
}

/// A stranger with a link to anyone must not learn who replied STOP.
#[tokio::test]
async fn a_link_without_a_payee_answers_for_a_stopped_number_as_for_every_other() {
    let server = Server::memory().await;
    link(&server, phone()).await;
    reply(&server, "STOP").await;
    let before = texts(&server).await.len();
    let made = link(&server, json!({})).await;
    let token = made.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let asked = async |number: &str| {
        let contact = json!({"country_code": "1", "phone_number": number});
        server.post(&format!("/v2/claims/{token}/contact")).json(contact).send().await.expect(200).body
    };
    let (stopped, other) = (asked(&PHONE[2..]).await, asked("2127365678").await);
    let fields = |body: &Value| body.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&stopped), fields(&other));
    assert_eq!(texts(&server).await.len(), before, "and it gets no text");
}

#[tokio::test]
async fn send_sandbox_reply_needs_a_text_to_reply_to() {
    let server = Server::memory().await;
    let sent = json!({"from": PHONE, "text": "STOP"});
    server.post("/v2/sandbox/replies").app_key().json(sent).send().await.refused(404, "not-found");
    let unreadable = json!({"from": "not a phone", "text": "STOP"});
    let refused = server.post("/v2/sandbox/replies").app_key().json(unreadable).send().await;
    refused.refused(400, "invalid-phone-number");
}

#[tokio::test]
async fn send_inbox_reply_replies_from_the_page_on_the_developers_machine_only() {
    let server = Server::memory().await;
    link(&server, phone()).await;
    let fields = [("from", PHONE), ("text", "STOP")];
    server.post("/inbox/replies").form(&fields).send().await.expect(404);
    assert!(!server.get("/inbox").send().await.text.contains("/inbox/replies"));
    server.serve_own_machine();
    assert!(server.get("/inbox").send().await.text.contains("action=\"/inbox/replies\""));
    let foreign = server.post("/inbox/replies").header("sec-fetch-site", "cross-site").form(&fields).send().await;
    assert_eq!(foreign.status, 403);
    let sent = server.post("/inbox/replies").form(&fields).send().await.expect(303);
    assert_eq!(sent.header("location"), Some("/inbox?to=12127364001"));
    server.work_off().await;
    assert!(texts(&server).await[0].contains("no more text messages"));
}

/// A reply as the gateway posts it.
fn incoming(reference: &str, text: &str) -> Reported {
    let fields = [("MessageSid", reference), ("From", PHONE), ("To", "+12125550100"), ("Body", text)];
    let fields = fields.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
    Reported::signed(format!("{PUBLIC_URL}{REPLIES}"), fields)
}

#[tokio::test]
async fn receive_text_reply_stops_once_and_a_repeated_call_has_no_second_effect() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    link(&server, phone()).await;
    assert_eq!(gateway.texts().len(), 1);
    for _ in 0..2 {
        let answered = post(&server, &incoming("SM100", "Stop")).await.expect(200);
        assert!(answered.text.ends_with("<Response/>"), "{}", answered.text);
        server.work_off().await;
    }
    assert_eq!(gateway.texts().len(), 2, "one answer");
    assert_eq!(link(&server, phone()).await.body["status"], "delivery_failed");
    post(&server, &incoming("SM101", "start")).await.expect(200);
    // The gateway reports the first reply again, late.
    post(&server, &incoming("SM100", "Stop")).await.expect(200);
    server.work_off().await;
    assert_eq!(link(&server, phone()).await.body["status"], "sent");
}

#[tokio::test]
async fn receive_text_reply_is_refused_without_the_gateways_signature() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    link(&server, phone()).await;
    let good = incoming("SM100", "Stop");
    let another = Reported::signed(format!("{}?", good.url), good.fields.clone());
    for forged in [
        Reported { signature: String::new(), ..good.clone() },
        Reported { signature: another.signature.clone(), ..good.clone() },
        Reported { fields: incoming("SM100", "Start").fields, ..good.clone() },
    ] {
        post(&server, &forged).await.refused(403, "not-permitted");
    }
    assert_eq!(link(&server, phone()).await.body["status"], "sent", "nothing was stopped");
    // A number that never received a text, and a short code, are no error.
    for from in ["+12127364999", "32665"] {
        let mut stranger = good.fields.clone();
        stranger[1].1 = from.to_owned();
        post(&server, &Reported::signed(good.url.clone(), stranger)).await.expect(200);
    }
    post(&Server::memory().await, &good).await.refused(404, "not-found");
}
