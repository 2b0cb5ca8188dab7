//! Real delivery: a mail server and a gateway to phones, which accept, refuse, fail, and stop responding.

use std::path::Path;

use bursar::providers::Providers;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{
    FakeGateway, FakeMail, GatewayMode, MailMode, PUBLIC_URL, Process, Reply, Reported, Server, TOKEN, bursar,
};
use crate::process::as_app;

const PHONE: &str = "2127361234";
const ADDRESS: &str = "ada@example.org";

pub async fn by_phone(gateway: &FakeGateway) -> Server {
    let gateway = gateway.clone();
    Server::with_providers(move || Providers { mail: None, phone: Some(gateway.provider()) }).await
}

async fn by_mail(mail: &FakeMail) -> Server {
    let url = mail.url();
    Server::with_providers(move || Providers { mail: Some(FakeMail::provider(&url)), phone: None }).await
}

async fn link(server: &Server, payee: Value, method: &str) -> Value {
    let body = json!({"amount": 1_000, "payee": payee, "delivery": {"method": method, "message": "Für Juli, 5 €"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body
}

/// Creates a link of ten dollars by text message.
async fn text_link(server: &Server) -> Value {
    link(server, json!({"country_code": "1", "phone_number": PHONE}), "sms").await
}

/// Creates a link of ten dollars by e-mail.
async fn mail_link(server: &Server) -> Value {
    link(server, json!({"email": ADDRESS}), "email").await
}

async fn status(server: &Server, link: &Value) -> Value {
    read(server, link).await["status"].clone()
}

async fn read(server: &Server, link: &Value) -> Value {
    server.get(&format!("/v2/payout-links/{}", link["id"].as_str().unwrap())).app_key().send().await.expect(200).body
}

async fn redeliver(server: &Server, link: &Value) -> Reply {
    let path = format!("/v2/payout-links/{}/redeliver", link["id"].as_str().unwrap());
    server.post(&path).app_key().send().await
}

/// Returns the path of a link's claim.
fn claim(link: &Value) -> String {
    format!("/v2/claims/{}", link["link"].as_str().unwrap().rsplit('/').next().unwrap())
}

/// Returns the six digits at the start of a text, or alone in it.
fn code_in(text: &str) -> String {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.into_iter().find(|run| run.len() == 6).unwrap_or_else(|| panic!("no code in {text}")).to_owned()
}

#[tokio::test]
async fn a_link_by_mail_arrives_whole_and_is_claimed_by_a_code_that_came_by_mail() {
    let mut mail = FakeMail::start();
    let server = by_mail(&mail).await;
    let app = format!("/v2/apps/{}", server.app_id());
    server.patch(&app).as_org().json(json!({"name": "Zoë & Söhne"})).send().await.expect(200);
    let made = mail_link(&server).await;
    server.work_off().await;
    assert_eq!(status(&server, &made).await, "sent");

    let took = mail.mails().to_vec();
    assert_eq!(took.len(), 1);
    let (first, address) = (&took[0], made["link"].as_str().unwrap());
    assert_eq!(first["to"], json!([ADDRESS]));
    assert_eq!(first["from"], "pay@example.com");
    assert_eq!(first["sender"], "Zoë & Söhne via Bürsar Pay <pay@example.com>");
    assert_eq!(first["subject"], "Zoë & Söhne is sending you $10.00");
    let text = first["text"].as_str().unwrap();
    assert!(text.contains(address) && text.contains("Für Juli, 5 €"), "{text}");
    assert!(first["html"].as_str().unwrap().contains(&format!("<a href=\"{address}\" ")), "{first}");
    assert!(first["headers"].as_array().unwrap().contains(&json!("auto-submitted")), "{first}");

    let claim = claim(&made);
    server.post(&format!("{claim}/contact")).json(json!({"email": ADDRESS})).send().await.expect(200);
    server.work_off().await;
    let code = code_in(mail.mails()[1]["text"].as_str().unwrap());
    let opened = server.post(&format!("{claim}/code")).json(json!({"token": code})).send().await.expect(200);
    assert!(opened.body["session"].is_string());
    let inbox = server.get("/v2/sandbox/messages").app_key().send().await.expect(200).body;
    assert_eq!(inbox["data"], json!([]), "what a carrier took is not in the inbox");
}

#[tokio::test]
async fn a_mailbox_that_is_not_there_fails_the_delivery_at_once() {
    let mut mail = FakeMail::start();
    let server = by_mail(&mail).await;
    mail.set(MailMode::Refuse);
    let made = mail_link(&server).await;
    server.work_off().await;
    let failed = read(&server, &made).await;
    assert_eq!(failed["status"], "delivery_failed");
    let error = failed["delivery"]["error"].as_str().unwrap();
    assert!(error.contains("no such mailbox") && !error.contains(ADDRESS), "{error}");
    mail.set(MailMode::Accept);
    server.pass(4_000).await;
    assert!(mail.mails().is_empty(), "it is not tried again");
    redeliver(&server, &made).await.expect(200);
    server.work_off().await;
    assert_eq!((mail.mails().len(), status(&server, &made).await), (1, json!("sent")));
}

#[tokio::test]
async fn a_busy_mail_server_is_retried_a_limited_number_of_times() {
    let mut mail = FakeMail::start();
    let server = by_mail(&mail).await;
    mail.set(MailMode::Busy);
    let (made, given_up) = (mail_link(&server).await, mail_link(&server).await);
    server.pass(1).await;
    assert_eq!(status(&server, &made).await, "delivery_pending");
    let error = read(&server, &made).await["delivery"]["error"].clone();
    assert!(error.as_str().is_some_and(|error| error.contains("451") && !error.contains(ADDRESS)), "{error}");
    mail.set(MailMode::Accept);
    server.pass(2).await;
    assert_eq!((mail.mails().len(), status(&server, &made).await), (2, json!("sent")));
    assert_eq!(read(&server, &made).await["delivery"]["error"], json!(null));

    mail.set(MailMode::Busy);
    redeliver(&server, &given_up).await.expect(200);
    for _ in 0..10 {
        assert_eq!(status(&server, &given_up).await, "delivery_pending");
        server.pass(600).await;
    }
    assert_eq!(status(&server, &given_up).await, "delivery_failed");
}

#[tokio::test]
async fn mail_in_doubt_is_sent_again_recognizably_and_five_times_at_most() {
    let mut mail = FakeMail::start();
    let server = by_mail(&mail).await;
    mail.set(MailMode::Drop);
    let made = mail_link(&server).await;
    server.work_off().await;
    mail.set(MailMode::Hang);
    for _ in 0..12 {
        server.pass(600).await;
    }
    let took = mail.mails();
    assert_eq!(took.len(), 5, "as the mail server counts");
    assert!(took.iter().all(|mail| mail["message_id"] == took[0]["message_id"]), "a copy can be recognized");
    assert_eq!(status(&server, &made).await, "delivery_failed");
    redeliver(&server, &made).await.refused(409, "delivery-limit-reached");
}

#[tokio::test]
async fn a_mail_server_that_wants_a_login_gets_it_and_a_wrong_one_waits_to_be_mended() {
    let mut mail = FakeMail::start_with_login();
    for (password, took, becomes) in [("wrong", 0, "delivery_pending"), ("s3cret pässword", 1, "sent")] {
        let url = mail.url();
        let providers = move || Providers { mail: Some(FakeMail::carrier_of(&url, password)), phone: None };
        let server = Server::with_providers(providers).await;
        let made = mail_link(&server).await;
        server.work_off().await;
        assert_eq!((mail.mails().len(), status(&server, &made).await), (took, json!(becomes)), "{password}");
    }
}

#[tokio::test]
async fn a_password_is_never_sent_without_tls() {
    let mut mail = FakeMail::start_with_open_login();
    let url = mail.url();
    let providers = move || Providers { mail: Some(FakeMail::carrier_of(&url, "s3cret pässword")), phone: None };
    let server = Server::with_providers(providers).await;
    let made = mail_link(&server).await;
    server.work_off().await;
    assert_eq!((mail.mails().len(), status(&server, &made).await), (0, json!("delivery_pending")));
}

#[tokio::test]
async fn no_mail_server_at_all_is_no_doubt() {
    let mut mail = FakeMail::start();
    let url = mail.url();
    let unknown_id = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let wrong = format!("smtp://{}", unknown_id.local_addr().unwrap());
    drop(unknown_id);
    let here = std::sync::atomic::AtomicBool::new(false);
    let pick = move || {
        let first = !here.swap(true, std::sync::atomic::Ordering::Relaxed);
        Providers { mail: Some(FakeMail::provider(if first { &wrong } else { &url })), phone: None }
    };
    let mut server = Server::with_providers(pick).await;
    let made = mail_link(&server).await;
    for _ in 0..3 {
        server.pass(60).await;
    }
    assert_eq!(status(&server, &made).await, "delivery_pending");
    server.restart().await;
    server.pass(60).await;
    assert_eq!((mail.mails().len(), status(&server, &made).await), (1, json!("sent")));
    for _ in 0..4 {
        redeliver(&server, &made).await.expect(200);
    }
    redeliver(&server, &made).await.refused(409, "delivery-limit-reached");
}

#[tokio::test]
async fn a_payout_by_text_is_claimed_by_the_code_that_came_to_the_phone() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    let made = text_link(&server).await;
    server.work_off().await;
    let first = gateway.texts()[0].clone();
    assert_eq!((&first["to"], &first["from"]), (&json!(format!("+1{PHONE}")), &json!("+12125550100")));
    let text = first["body"].as_str().unwrap();
    assert!(text.contains(made["link"].as_str().unwrap()) && text.contains("Für Juli, 5 €"), "{text}");
    assert_eq!(status(&server, &made).await, "sent");

    let claim = claim(&made);
    let contact = json!({"country_code": "1", "phone_number": PHONE});
    server.post(&format!("{claim}/contact")).json(contact).send().await.expect(200);
    server.work_off().await;
    let code = code_in(gateway.texts()[1]["body"].as_str().unwrap());
    let opened = server.post(&format!("{claim}/code")).json(json!({"token": code})).send().await.expect(200);
    let session = opened.body["session"].as_str().unwrap().to_owned();
    let step = async |name: &str, body: Value| {
        let asking = server.post(&format!("{claim}/{name}")).header("claim-session", &session).json(body);
        asking.send().await.expect(200).body
    };
    step("profile", json!({"first_name": "Zoë", "last_name": "Müller"})).await;
    let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": "000123456789"});
    step("method", bank).await;
    step("payout", json!({})).await;
    assert_eq!(status(&server, &made).await, "claimed");
}

#[tokio::test]
async fn a_code_by_voice_is_read_out_digit_by_digit() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    let user = json!({
        "first_name": "Ada", "last_name": "Lovelace", "email": ADDRESS, "country_code": "1", "phone_number": PHONE,
    });
    let user = server.post("/v2/users").app_key().json(user).send().await.expect(201).body;
    let path = format!("/v2/users/{}", user["id"].as_str().unwrap());
    let voice = json!({"use_voice": true});
    server.post(&format!("{path}/send-verification-token")).app_key().json(voice).send().await.expect(202);
    server.work_off().await;
    assert!(gateway.texts().is_empty());
    let call = gateway.calls()[0].clone();
    let script = call["twiml"].as_str().unwrap();
    let code: String = script.chars().filter(char::is_ascii_digit).take(6).collect();
    let spelled = code.chars().map(String::from).collect::<Vec<_>>().join(", ");
    assert!(script.starts_with(&format!("<Response><Say>{spelled} is your code")), "{script}");
    server.post(&format!("{path}/verify")).app_key().json(json!({"token": code})).send().await.expect(200);
}

#[tokio::test]
async fn a_number_that_is_none_fails_the_delivery_at_once() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    gateway.set(GatewayMode::Invalid);
    let made = text_link(&server).await;
    server.work_off().await;
    assert_eq!(status(&server, &made).await, "delivery_failed");
    server.pass(4_000).await;
    assert_eq!(gateway.asked(), 1, "it is not tried again");
}

#[tokio::test]
async fn a_gateway_that_is_busy_or_points_elsewhere_is_asked_again_later() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    gateway.set(GatewayMode::Busy);
    let made = text_link(&server).await;
    server.work_off().await;
    gateway.set(GatewayMode::Redirect);
    server.pass(1).await;
    assert_eq!((gateway.asked(), status(&server, &made).await), (2, json!("delivery_pending")));
    gateway.set(GatewayMode::Accept);
    server.pass(2).await;
    assert_eq!((gateway.texts().len(), status(&server, &made).await), (1, json!("sent")));
}

/// A payout that is canceled before its text was sent is not announced.
#[tokio::test]
async fn a_text_is_not_sent_any_more_when_its_link_was_canceled_or_its_time_is_over() {
    for is_canceled in [true, false] {
        let gateway = FakeGateway::start().await;
        let server = by_phone(&gateway).await;
        gateway.set(GatewayMode::Busy);
        let made = text_link(&server).await;
        server.work_off().await;
        gateway.set(GatewayMode::Accept);
        if is_canceled {
            let path = format!("/v2/payout-links/{}", made["id"].as_str().unwrap());
            server.delete(&path).app_key().send().await.expect(200);
        } else {
            server.advance(40 * 86_400);
        }
        server.pass(10).await;
        let ended = if is_canceled { "canceled" } else { "expired" };
        assert_eq!((gateway.texts().len(), status(&server, &made).await), (0, json!(ended)));
    }
}

#[tokio::test]
async fn what_the_gateway_took_without_an_answer_is_found_there_and_not_sent_again() {
    for silence in [GatewayMode::Drop, GatewayMode::Hang] {
        let gateway = FakeGateway::start().await;
        let server = by_phone(&gateway).await;
        // Older texts to the same phone are in the list too, and are known to be others.
        let older = text_link(&server).await;
        server.work_off().await;
        redeliver(&server, &older).await.expect(200);
        server.work_off().await;
        gateway.set(silence);
        redeliver(&server, &older).await.expect(200);
        server.work_off().await;
        assert_eq!(status(&server, &older).await, "delivery_pending", "{silence:?}");
        gateway.set(GatewayMode::Accept);
        server.pass(1).await;
        assert_eq!(status(&server, &older).await, "sent", "{silence:?}");
        server.pass(4_000).await;
        assert_eq!((gateway.texts().len(), gateway.asked()), (3, 3), "{silence:?}");
    }
}

#[tokio::test]
async fn what_the_gateway_does_not_know_of_after_a_minute_is_sent_again() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    gateway.set(GatewayMode::Broken);
    let made = text_link(&server).await;
    server.work_off().await;
    gateway.set(GatewayMode::Accept);
    server.pass(5).await;
    assert_eq!(gateway.asked(), 1, "it may still be under way");
    server.pass(60).await;
    assert_eq!((gateway.texts().len(), status(&server, &made).await), (1, json!("sent")));
    for _ in 0..4 {
        redeliver(&server, &made).await.expect(200);
    }
}

/// Sends fifty concurrent redeliveries of a link whose texts are all accepted without a response, then runs all
/// retries. Returns the number of texts that the gateway accepted.
async fn storm(gateway: &FakeGateway) -> (usize, Value) {
    let server = by_phone(gateway).await;
    gateway.set(GatewayMode::Drop);
    let made = text_link(&server).await;
    let replies = join_all((0..50).map(|_| redeliver(&server, &made))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 4);
    for _ in 0..15 {
        server.pass(600).await;
    }
    redeliver(&server, &made).await.refused(409, "delivery-limit-reached");
    (gateway.texts().len(), status(&server, &made).await)
}

#[tokio::test]
async fn redeliver_payout_link_fifty_times_at_once_makes_five_texts_as_the_gateway_counts() {
    let telling = FakeGateway::start().await;
    assert_eq!(storm(&telling).await, (5, json!("sent")), "each is found in the gateway's list");
    let silent = FakeGateway::start().await;
    silent.hide_list();
    assert_eq!(storm(&silent).await, (5, json!("delivery_failed")), "none can be found, and none is sent again");
}

#[tokio::test]
async fn a_text_in_doubt_that_cannot_be_found_counts_as_a_delivery_when_it_is_sent_again() {
    let gateway = FakeGateway::start().await;
    gateway.hide_list();
    let server = by_phone(&gateway).await;
    gateway.set(GatewayMode::Drop);
    let made = text_link(&server).await;
    server.work_off().await;
    gateway.set(GatewayMode::Accept);
    server.pass(1).await;
    assert_eq!((gateway.texts().len(), status(&server, &made).await), (2, json!("sent")));
    for left in [3, 4, 5] {
        redeliver(&server, &made).await.expect(200);
        server.work_off().await;
        assert_eq!(gateway.texts().len(), left);
    }
    redeliver(&server, &made).await.refused(409, "delivery-limit-reached");
}

#[tokio::test]
async fn the_gateways_word_on_a_text_becomes_the_state_of_the_link() {
    for (word, becomes) in [("delivered", "delivered"), ("undelivered", "delivery_failed"), ("sending", "sent")] {
        let gateway = FakeGateway::start().await;
        let server = by_phone(&gateway).await;
        let made = text_link(&server).await;
        server.pass(10).await;
        assert_eq!(status(&server, &made).await, "sent", "it says queued");
        gateway.say_of_all(word);
        server.pass(60).await;
        assert_eq!(status(&server, &made).await, becomes, "{word}");
    }
}

pub async fn post(server: &Server, report: &Reported) -> Reply {
    let fields: Vec<(&str, &str)> = report.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    server.post(report.path()).header("x-twilio-signature", &report.signature).form(&fields).send().await
}

#[tokio::test]
async fn report_message_status_moves_the_link_once_and_never_back() {
    for (words, becomes) in [
        (["sent", "delivered", "sent"], "delivered"),
        (["delivered", "undelivered", "queued"], "delivered"),
        (["queued", "sending", "sent"], "sent"),
        (["sent", "undelivered", "delivered"], "delivery_failed"),
    ] {
        let gateway = FakeGateway::start().await;
        let server = by_phone(&gateway).await;
        let made = text_link(&server).await;
        server.work_off().await;
        for word in words {
            for _ in 0..2 {
                let answered = post(&server, &gateway.report(word)).await;
                assert_eq!((answered.status, answered.text.as_str()), (204, ""), "{word}");
            }
        }
        assert_eq!(status(&server, &made).await, becomes, "{words:?}");
        // A later query returns the known outcome and changes nothing.
        let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).text;
        gateway.say_of_all("delivered");
        if becomes != "sent" {
            server.pass(100).await;
            assert_eq!(server.get("/v2/events?limit=100").app_key().send().await.expect(200).text, events);
        }
    }
}

#[tokio::test]
async fn report_message_status_is_refused_without_the_gateways_signature_or_for_a_message_that_is_not_there() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    let made = text_link(&server).await;
    server.work_off().await;
    let good = gateway.report("delivered");
    let another = Reported::signed(format!("{}?", good.url), good.fields.clone());
    let forged = [
        Reported { signature: String::new(), ..good.clone() },
        Reported { signature: another.signature.clone(), ..good.clone() },
        Reported { fields: gateway.report("undelivered").fields, ..good.clone() },
        Reported { signature: "%%%".to_owned(), ..good.clone() },
    ];
    for forged in forged {
        post(&server, &forged).await.refused(403, "not-permitted");
    }
    assert_eq!(status(&server, &made).await, "sent");

    let unknown_id = "0195cf3a-0000-7000-8000-000000000000";
    let (path, message) = good.url.rsplit_once('/').unwrap();
    let unknown = Reported::signed(format!("{path}/{unknown_id}"), good.fields.clone());
    post(&server, &unknown).await.refused(404, "not-found");
    // A message of another organization is not found either.
    let foreign = Reported::signed(format!("{}/carriers/sms/{unknown_id}/{message}", PUBLIC_URL), good.fields.clone());
    post(&server, &foreign).await.refused(404, "not-found");
    let nameless = Reported::signed(good.url.clone(), vec![("MessageSid", "SM1".to_owned())]);
    post(&server, &nameless).await.refused(400, "invalid-input");
    assert_eq!(status(&server, &made).await, "sent");

    // Without a gateway in the configuration no report is accepted.
    let server = Server::memory().await;
    post(&server, &good).await.refused(404, "not-found");
}

#[tokio::test]
async fn a_report_that_comes_before_the_gateways_answer_counts_and_the_text_is_not_sent_again() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    gateway.set(GatewayMode::Drop);
    let made = text_link(&server).await;
    server.work_off().await;
    assert_eq!(status(&server, &made).await, "delivery_pending", "the gateway took it and said nothing");
    post(&server, &gateway.report("sent")).await.expect(204);
    assert_eq!(status(&server, &made).await, "sent");
    gateway.set(GatewayMode::Accept);
    server.pass(4_000).await;
    assert_eq!((gateway.texts().len(), gateway.asked()), (1, 1));
    post(&server, &gateway.report("delivered")).await.expect(204);
    assert_eq!(status(&server, &made).await, "delivered");
}

#[tokio::test]
async fn of_two_copies_in_doubt_the_one_that_arrives_counts() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    gateway.set(GatewayMode::Drop);
    gateway.hide_list();
    let made = text_link(&server).await;
    server.work_off().await;
    gateway.set(GatewayMode::Accept);
    server.pass(100).await;
    let texts = gateway.texts();
    assert_eq!((texts.len(), status(&server, &made).await), (2, json!("sent")), "it was sent again");
    post(&server, &gateway.report_on(&texts[0], "undelivered")).await.expect(204);
    assert_eq!(status(&server, &made).await, "sent", "the copy that is followed may arrive yet");
    post(&server, &gateway.report_on(&texts[0], "delivered")).await.expect(204);
    assert_eq!(status(&server, &made).await, "delivered");
}

#[tokio::test]
async fn codes_are_sent_without_asking_for_reports() {
    let gateway = FakeGateway::start().await;
    let server = by_phone(&gateway).await;
    let made = text_link(&server).await;
    let contact = json!({"country_code": "1", "phone_number": PHONE});
    server.post(&format!("{}/contact", claim(&made))).json(contact).send().await.expect(200);
    server.work_off().await;
    let asked: Vec<bool> = gateway.texts().iter().map(|text| text["report_to"].is_string()).collect();
    assert_eq!(asked, [true, false], "nobody waits to hear of a code");
}

/// Returns the settings of a gateway, with a file for its token.
pub fn gateway_flags(folder: &Path, url: &str) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let token = folder.join("token");
    std::fs::write(&token, format!("{TOKEN}\n")).unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let token = token.to_str().unwrap();
    let flags = ["--sms-url", url, "--sms-account", "ACtest", "--sms-token-file", token, "--sms-from", "+12125550100"];
    flags.map(str::to_owned).to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_between_the_gateways_yes_and_our_commit_sends_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let gateway = FakeGateway::start().await;
    let flags = gateway_flags(folder.path(), &gateway.url());
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    gateway.set(GatewayMode::Hang);
    let process = Process::start_with(&data_dir, &flags);
    let body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": PHONE}}).to_string();
    let made = as_app(&process, &data_dir, "POST /v2/payout-links", &body);
    gateway.has_taken(1).await;
    process.kill();

    gateway.set(GatewayMode::Accept);
    let process = Process::start_with(&data_dir, &flags);
    // The response comes when all due work is done.
    as_app(&process, &data_dir, "POST /v2/sandbox/clock/advance", &json!({"seconds": 1}).to_string());
    let link = as_app(&process, &data_dir, &format!("GET /v2/payout-links/{}", made["id"].as_str().unwrap()), "");
    assert_eq!((gateway.texts().len(), &link["status"]), (1, &json!("sent")));
    assert_eq!(gateway.asked(), 1, "it was asked what it took, not handed the text again");
    process.signal("TERM");
    assert!(process.wait(std::time::Duration::from_secs(30)).0.success());
    let verified = bursar(&["verify", "--data-dir", data_dir.to_str().unwrap()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn wrong_settings_of_providers_end_with_78_and_name_the_setting() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (token, open, empty) = (file("t", "hunter2", 0o600), file("o", "hunter2", 0o644), file("e", "\n", 0o600));
    let sms = |token: &str| {
        let sms = "--sms-url https://sms.example.com --sms-account AC1 --sms-from +12125550100 --sms-token-file";
        format!("{sms} {token}")
    };
    let mail = "--smtp-url smtps://mail.example.com --smtp-from pay@example.com";
    for (flags, reported) in [
        ("--smtp-url smtps://mail.example.com".to_owned(), "e-mail needs both smtp-url and smtp-from"),
        ("--smtp-url mail --smtp-from pay@example.com".to_owned(), "smtp-url must be"),
        ("--smtp-url smtps://me:hunter2@m.example --smtp-from pay@example.com".to_owned(), "smtp-password-file"),
        (mail.replace("pay@example.com", "pay"), "smtp-from must be"),
        (format!("{mail} --smtp-user me"), "must be given together"),
        (format!("{mail} --smtp-user me --smtp-password-file {open}"), "smtp-password-file"),
        ("--sms-url https://sms.example.com".to_owned(), "need all of"),
        (sms(&token).replace("https", "http"), "sms-url must begin with https://"),
        (sms(&token).replace("AC1", "../AC1"), "sms-account must be"),
        (sms(&token).replace("+1212", "1212"), "sms-from must be"),
        (sms("/no/such/file"), "sms-token-file /no/such/file"),
        (sms(&open), "is readable by other users (mode 644); set its mode to 600"),
        (sms(&empty), "is empty"),
    ] {
        let data_dir = folder.path().join("data");
        let start = ["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir.to_str().unwrap()];
        let arguments: Vec<&str> = start.into_iter().chain(flags.split(' ')).collect();
        let ended = bursar(&arguments).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(78), "{flags}: {said}");
        assert!(said.contains(reported) && !said.contains("hunter2"), "{flags}: {said}");
    }
}
