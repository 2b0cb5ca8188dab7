//! A payee changes a verified phone number or e-mail address, with a code on both sides (docs/decisions.md 17).

use bursar::claims::ClaimSession;
use bursar::world::{Record, Value as Cell};
use serde_json::{Value, json};

use crate::harness::{PUBLIC_URL, Reply, Server};

const OLD: &str = "2127361234";
const NEW: &str = "2127365678";
const EMAIL: &str = "ada@example.com";

fn phone(number: &str) -> Value {
    json!({"country_code": "1", "phone_number": number})
}

/// A verified payee with an account and automatic payouts, in a claim session of a link to their phone.
struct Payee<'a> {
    server: &'a Server,
    user: String,
    path: String,
    session: String,
}

impl<'a> Payee<'a> {
    async fn of(server: &'a Server) -> Self {
        let user = server.banked_user(1234).await;
        let automatic = json!({"auto_payout_enabled": true});
        server.patch(&format!("/v2/users/{user}")).app_key().json(automatic).send().await.expect(200);
        let (path, session) = open(server, json!({"payee": phone(OLD)}), OLD).await;
        Self { server, user, path, session }
    }

    async fn post(&self, step: &str, body: Value) -> Reply {
        let path = format!("{}/{step}", self.path);
        self.server.post(&path).header("claim-session", &self.session).json(body).send().await
    }

    async fn fetch(&self) -> Value {
        self.server.get(&self.path).header("claim-session", &self.session).send().await.expect(200).body
    }

    async fn begins(&self, new: Value) -> Reply {
        self.post("contact-change", new).await
    }

    async fn confirms(&self, present: &str, new: &str) -> Reply {
        self.post("contact-change/confirm", json!({"present_token": present, "new_token": new})).await
    }

    async fn user(&self) -> Value {
        self.server.get(&format!("/v2/users/{}", self.user)).app_key().send().await.expect(200).body
    }

    /// Returns the number of events about the payee.
    async fn events(&self) -> usize {
        let path = format!("/v2/events?object_id={}", self.user);
        self.server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().len()
    }
}

/// Opens a link with a phone; returns the claim's path and the session.
async fn open(server: &Server, further: Value, number: &str) -> (String, String) {
    let mut body = json!({"amount": 1_000, "delivery": {"method": "link"}});
    body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let path = format!("/v2/claims/{}", made["link"].as_str().unwrap().rsplit('/').next().unwrap());
    server.post(&format!("{path}/contact")).json(phone(number)).send().await.expect(200);
    let code = server.newest_code(&format!("+1{number}")).await;
    let opened = server.post(&format!("{path}/code")).json(json!({"token": code})).send().await.expect(200);
    (path, opened.body["session"].as_str().unwrap().to_owned())
}

async fn code(server: &Server, to: &str) -> String {
    server.newest_code(to).await.as_str().expect("a code").to_owned()
}

fn another(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

async fn messages(server: &Server, to: &str) -> Vec<Value> {
    server.work_off().await;
    let path = format!("/v2/sandbox/messages?limit=100&to={}", to.replace('+', "%2B").replace('@', "%40"));
    server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().clone()
}

/// Returns the paths of the notices that a contact has received, newest first.
async fn notices(server: &Server, to: &str) -> Vec<String> {
    let all = messages(server, to).await;
    let paths = all.iter().filter_map(|message| message["link"].as_str()?.strip_prefix(PUBLIC_URL));
    paths.filter(|path| path.starts_with("/notice/")).map(str::to_owned).collect()
}

/// Sends ten dollars; returns the link's status.
async fn pay(server: &Server, user: &str) -> String {
    let body = json!({"amount": 1_000, "user_id": user});
    let sent = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
    sent["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn change_claim_contact_and_confirm_claim_contact_change_a_phone_number() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    assert_eq!(payee.fetch().await["may_change_contact"], true);
    let (before, events, sent) =
        (payee.user().await, payee.events().await, notices(&server, "+12127361234").await.len());

    let begun = payee.begins(phone(NEW)).await.expect(200).body;
    assert_eq!(begun["contact_change"], json!({"present_sent_to": "***1234", "new_sent_to": "***5678"}));
    assert_eq!(payee.user().await, before, "nothing changes before both codes");
    let codes = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    let done = payee.confirms(&codes.0, &codes.1).await.expect(200).body;
    assert_eq!((&done["contact_change"], &done["may_change_contact"]), (&Value::Null, &json!(true)));
    let after = payee.user().await;
    assert_eq!((&after["phone_number"], &after["status"]), (&phone(NEW), &json!("verified")));
    assert_eq!(payee.events().await, events + 1);

    // The earlier contact gets a notice, and can freeze automatic payouts.
    let old = notices(&server, "+12127361234").await;
    assert_eq!(old.len(), sent + 1);
    assert!(notices(&server, "+12127365678").await.is_empty());
    assert_eq!(pay(&server, &payee.user).await, "claimed", "the control: the payee is paid unasked");
    let notice = old[0].replace("/notice/", "/v2/notices/");
    let shown = server.get(&notice).send().await.expect(200).body;
    assert_eq!((&shown["changes"], &shown["sent_to"]), (&json!(["phone"]), &json!("***1234")));
    server.post(&format!("{notice}/freeze")).json(json!({})).send().await.expect(200);
    assert_ne!(pay(&server, &payee.user).await, "claimed");

    // At the next link the new number is the payee's, and the old one belongs to no user.
    let user = json!({"user_id": payee.user});
    let (path, session) = open(&server, user.clone(), NEW).await;
    assert_eq!(
        server.get(&path).header("claim-session", &session).send().await.expect(200).body["may_change_contact"],
        true
    );
    let mut body = json!({"amount": 100, "delivery": {"method": "link"}});
    body["user_id"] = user["user_id"].clone();
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let path = format!("/v2/claims/{}", made["link"].as_str().unwrap().rsplit('/').next().unwrap());
    server.post(&format!("{path}/contact")).json(phone(OLD)).send().await.refused(403, "not-permitted");
    server.verify();
}

/// The phone confirms the first change of an unverified address, the address the second.
#[tokio::test]
async fn change_claim_contact_changes_an_email_address() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    let begun = payee.begins(json!({"email": "Ada@Example.com"})).await.expect(200).body;
    assert_eq!(begun["contact_change"]["present_sent_to"], "***1234");
    let codes = (code(&server, "+12127361234").await, code(&server, EMAIL).await);
    payee.confirms(&codes.0, &codes.1).await.expect(200);
    assert_eq!(payee.user().await["email"], EMAIL);
    assert_eq!(notices(&server, "jane1234@example.com").await.len(), 1, "the address that was replaced");

    let begun = payee.begins(json!({"email": "ada@new.example"})).await.expect(200).body;
    assert!(begun["contact_change"]["present_sent_to"].as_str().unwrap().ends_with("@example.com"), "{begun}");
    let codes = (code(&server, EMAIL).await, code(&server, "ada@new.example").await);
    payee.confirms(&codes.0, &codes.1).await.expect(200);
    assert_eq!(payee.user().await["email"], "ada@new.example");
    assert_eq!(notices(&server, EMAIL).await.len(), 1);
    let same = payee.begins(json!({"email": "ADA@new.example"})).await;
    assert_eq!(same.refused(400, "invalid-input").fields(), ["/email"]);
}

#[tokio::test]
async fn confirm_claim_contact_with_one_wrong_code_changes_nothing_and_is_counted() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    let before = payee.user().await;
    payee.confirms("000000", "000000").await.refused(409, "invalid-state");
    payee.begins(phone(NEW)).await.expect(200);
    let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    for (tried, fields) in [
        ((another(&present), new.clone()), vec!["/present_token"]),
        ((present.clone(), another(&new)), vec!["/new_token"]),
        ((another(&present), another(&new)), vec!["/present_token", "/new_token"]),
    ] {
        let refused = payee.confirms(&tried.0, &tried.1).await;
        refused.refused(400, "wrong-token");
        assert_eq!(refused.fields(), fields);
        assert_eq!(payee.user().await, before);
    }
    let wrong = payee.confirms(&present, &another(&new)).await;
    assert!(wrong.text.contains("You have 2 attempts left."), "{}", wrong.text);
    let malformed = payee.confirms("12", &new).await;
    assert_eq!(malformed.refused(400, "wrong-token").fields(), ["/present_token"]);
    // The correct code of the other contact remains valid.
    payee.confirms(&present, &new).await.expect(200);
    payee.confirms(&present, &new).await.refused(409, "invalid-state");
    // A code of a change is valid for nothing else.
    assert_eq!(payee.user().await["phone_number"], phone(NEW));
}

/// A thief has the link, the payee's session and another phone, but not the payee's.
#[tokio::test]
async fn a_thief_with_the_session_and_without_the_phone_changes_nothing() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    let before = payee.user().await;
    let mut compared = 0;
    for _ in 0..4 {
        let begun = payee.begins(phone(NEW)).await;
        if begun.status == 429 {
            break;
        }
        begun.expect(200);
        let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
        for _ in 0..6 {
            let tried = payee.confirms(&another(&present), &new).await;
            assert!(tried.status == 400 || tried.status == 429, "{}", tried.text);
            compared += i64::from(tried.text.contains("The code is wrong."));
        }
    }
    assert!((4..=10).contains(&compared), "after ten wrong codes the phone waits: {compared}");
    assert_eq!(payee.user().await, before);
    // The code of a claim does not confirm a change.
    server.advance(3_600);
    let payee = Payee { session: String::new(), ..payee };
    payee.begins(phone(NEW)).await.refused(401, "unauthorized");
    payee.confirms("000000", "000000").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_session_of_a_link_that_names_no_payee_changes_no_contact() {
    let server = Server::memory().await;
    let named = Payee::of(&server).await;
    let before = named.user().await;
    for number in [OLD, "2127369999"] {
        let (path, session) = open(&server, json!({}), number).await;
        let unnamed = Payee { server: &server, user: named.user.clone(), path, session };
        assert_eq!(unnamed.fetch().await["may_change_contact"], false);
        let refused = unnamed.begins(phone(NEW)).await;
        assert_eq!(refused.refused(403, "not-permitted").fields(), ["/phone_number"]);
        unnamed.begins(json!({"email": EMAIL})).await.refused(403, "not-permitted");
        let link = unnamed.path.replace("/v2/claims/", "/claim/");
        let cookie = format!("bursar_claim={}", unnamed.session);
        let page = server.get(&link).header("cookie", &cookie).send().await;
        assert!(!page.text.contains("change-contact"), "{}", page.text);
        let form = server.get(&format!("{link}/change-contact")).header("cookie", &cookie).send().await;
        assert_eq!(form.status, 303);
    }
    assert_eq!(named.user().await, before);
}

/// Only the holder of a number can learn that it is another user's, and the response does not say so.
#[tokio::test]
async fn a_phone_number_of_another_user_is_refused_after_both_codes() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    server.verified_user(5678).await;
    let before = payee.user().await;
    let begun = payee.begins(phone(NEW)).await.expect(200);
    let free = payee.begins(phone("2127365679")).await.expect(200);
    let masked = |reply: &Reply| reply.text.replace("***5678", "").replace("***5679", "");
    assert_eq!(masked(&begun), masked(&free), "as for a number that is free");
    payee.begins(phone(NEW)).await.expect(200);
    let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    let refused = payee.confirms(&present, &new).await;
    refused.refused(409, "invalid-state");
    assert!(!refused.text.contains("user"), "{}", refused.text);
    assert_eq!(payee.user().await, before);
}

#[tokio::test]
async fn a_change_of_contact_expires_with_its_codes_and_with_its_session() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    payee.begins(phone(NEW)).await.expect(200);
    let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    server.advance(600);
    assert_eq!(payee.fetch().await["contact_change"], Value::Null);
    payee.confirms(&present, &new).await.refused(400, "wrong-token");
    payee.begins(phone(NEW)).await.expect(200);
    let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    payee.post("end", json!({})).await.expect(200);
    payee.confirms(&present, &new).await.refused(401, "unauthorized");
    assert_eq!(payee.user().await["phone_number"], phone(OLD));
}

#[tokio::test]
async fn a_change_of_contact_is_made_once_for_its_idempotency_key() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    let keyed = async |step: &str, key: &str, body: &Value| {
        let path = format!("{}/{step}", payee.path);
        let asking = server.post(&path).header("claim-session", &payee.session).idempotency_key(key);
        asking.json(body.clone()).send().await
    };
    let before = messages(&server, "+12127361234").await.len();
    for _ in 0..2 {
        keyed("contact-change", "begin", &phone(NEW)).await.expect(200);
    }
    assert_eq!(messages(&server, "+12127361234").await.len(), before + 1, "one code");
    let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    let codes = json!({"present_token": present, "new_token": new});
    keyed("contact-change/confirm", "confirm", &codes).await.expect(200);
    let events = payee.events().await;
    keyed("contact-change/confirm", "confirm", &codes).await.expect(200);
    keyed("contact-change", "begin", &json!({"email": EMAIL})).await.refused(409, "idempotency-key-reused");
    assert_eq!(payee.events().await, events);
}

#[tokio::test]
async fn a_new_phone_number_is_one_that_may_be_written_to_and_sends_are_limited() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    // Another country, Cuba, a premium number.
    for (country_code, number) in [("44", "2079460958"), ("53", "51234567"), ("1", "9002345678")] {
        let new = json!({"country_code": country_code, "phone_number": number});
        payee.begins(new).await.refused(400, "invalid-phone-number");
    }
    payee.begins(json!({"country_code": "1", "phone_number": NEW, "email": EMAIL})).await.refused(400, "invalid-input");
    payee.begins(phone(OLD)).await.refused(400, "invalid-input");
    let mut begun = 0;
    for line in 0..10 {
        let reply = payee.begins(phone(&format!("212736{}", 6_000 + line))).await;
        if reply.status == 429 {
            assert!(reply.header("retry-after").is_some());
            break;
        }
        reply.expect(200);
        begun += 1;
    }
    assert_eq!(begun, 4, "ten codes an hour for one link: one opened the session, each change takes two");
}

/// The data of a change in the session is erased with the payee.
#[tokio::test]
async fn an_erased_payee_leaves_no_pending_contact() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    payee.begins(phone(NEW)).await.expect(200);
    let holds = || {
        let text = |cell: Cell| matches!(cell, Cell::Text(text) if text.contains(NEW) || text.contains(OLD));
        server.rows(<ClaimSession as Record>::TABLE).into_iter().flatten().any(text)
    };
    assert!(holds(), "the negative control");
    let links = server.get("/v2/payout-links?limit=100").app_key().send().await.expect(200).body;
    let link = links["data"][0]["id"].as_str().unwrap();
    server.delete(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200);
    server.delete(&format!("/v2/users/{}", payee.user)).as_org().for_app(&server.app_id()).send().await.expect(200);
    server.work_off().await;
    assert!(!holds());
}

#[tokio::test]
async fn a_payee_changes_the_phone_number_on_the_pages() {
    let server = Server::memory().await;
    let payee = Payee::of(&server).await;
    let link = payee.path.replace("/v2/claims/", "/claim/");
    let cookie = format!("bursar_claim={}", payee.session);
    let get = async |page: &str| server.get(&format!("{link}{page}")).header("cookie", &cookie).send().await;
    let post = async |page: &str, fields: &[(&str, &str)]| {
        server.post(&format!("{link}/{page}")).header("cookie", &cookie).form(fields).browse().await
    };
    let step = get("/method").await.expect(200).text;
    assert!(step.contains("Change my email address or phone number"), "{step}");
    assert_eq!(get("/confirm-contact").await.status, 303, "no change waits");
    let form = get("/change-contact").await.expect(200).text;
    assert!(form.contains("name=\"email\"") && form.contains("name=\"phone_number\""), "{form}");
    let wrong = post("change-contact", &[("email", "ada@")]).await;
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.text.contains("Enter a complete email address") && wrong.text.contains("value=\"ada@\""),
        "{}",
        wrong.text
    );
    for (fields, id) in
        [(&[("email", "")][..], "email-error"), (&[("country_code", "1"), ("phone_number", "")], "phone_number-error")]
    {
        let empty = post("change-contact", fields).await;
        assert!(empty.status == 400 && empty.text.contains(&format!("id=\"{id}\"")), "{}", empty.text);
    }
    let begun = post("change-contact", &[("country_code", "1"), ("phone_number", NEW)]).await.expect(303);
    assert_eq!(begun.header("location"), Some(format!("{link}/confirm-contact").as_str()));
    let codes = get("/confirm-contact").await.expect(200).text;
    assert!(codes.contains("••• 1234") && codes.contains("••• 5678"), "{codes}");

    let (present, new) = (code(&server, "+12127361234").await, code(&server, "+12127365678").await);
    let wrong = post("confirm-contact", &[("present_token", &present), ("new_token", &another(&new))]).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.contains("id=\"new_token-error\"") && !wrong.text.contains("id=\"present_token-error\""));
    assert!(!wrong.text.contains(&present), "a code is not written into a page");
    let empty = post("confirm-contact", &[("present_token", &present)]).await;
    assert!(empty.text.contains("Enter the six digits we sent to the new email or phone number."), "{}", empty.text);
    let done = post("confirm-contact", &[("present_token", &present), ("new_token", &new)]).await.expect(303);
    assert_eq!(done.header("location"), Some(format!("{link}/change-contact?changed=1").as_str()));
    assert!(get("/change-contact?changed=1").await.expect(200).text.contains("Your change is saved."));
    assert_eq!(payee.user().await["phone_number"], phone(NEW));
    // A form of another site is refused.
    let foreign = server.post(&format!("{link}/change-contact")).header("cookie", &cookie);
    let foreign = foreign.header("sec-fetch-site", "cross-site").form(&[("email", EMAIL)]).send().await;
    assert_eq!(foreign.status, 403);
}
