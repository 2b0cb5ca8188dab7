//! Claims as JSON: each step, the sessions that may take it, and the result for the money (docs/decisions.md 9, 16).

use bursar::idempotency::StoredAnswer;
use bursar::world::Record as _;
use futures::future::{join, join_all};
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";
const DAY: i64 = 86_400;

struct Payee<'a> {
    server: &'a Server,
    link: Value,
    session: Option<String>,
}

impl<'a> Payee<'a> {
    /// Sends a payout of ten dollars to a phone; its link is not opened yet.
    async fn of_payout(server: &'a Server, phone: &str) -> Self {
        let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": phone}});
        let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
        Self { server, link, session: None }
    }

    /// Opens a session with a phone: contact and code.
    async fn opens_session(mut self, phone: &str) -> Self {
        self.post("contact", json!({"country_code": "1", "phone_number": phone})).await.expect(200);
        let code = self.newest_code(phone).await;
        let opened = self.post("code", json!({"token": code})).await.expect(200);
        self.session = Some(opened.body["session"].as_str().expect("the code opens a sitting").to_owned());
        self
    }

    /// Returns a payee of ten dollars who has proved the phone, given a name, and chosen a bank account.
    async fn ready(server: &'a Server, phone: &str, account_number: &str) -> Self {
        let payee = Self::of_payout(server, phone).await.opens_session(phone).await;
        payee.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
        payee.post("method", bank(account_number)).await.expect(200);
        payee
    }

    fn path(&self) -> String {
        let link = self.link["link"].as_str().expect("a link has a link");
        format!("/v2/claims/{}", link.rsplit('/').next().unwrap_or_default())
    }

    async fn post(&self, step: &str, body: Value) -> Reply {
        let asking = self.server.post(&format!("{}/{step}", self.path())).json(body);
        match &self.session {
            Some(session) => asking.header("claim-session", session).send().await,
            None => asking.send().await,
        }
    }

    async fn fetch(&self) -> Reply {
        let asking = self.server.get(&self.path());
        match &self.session {
            Some(session) => asking.header("claim-session", session).send().await,
            None => asking.send().await,
        }
    }

    async fn newest_code(&self, phone: &str) -> String {
        let message = self.server.newest_message(&format!("+1{phone}")).await;
        message["code"].as_str().unwrap_or_else(|| panic!("no code in {message}")).to_owned()
    }

    /// Returns the link as the app sees it.
    async fn maker_sees(&self) -> Value {
        let path = format!("/v2/payout-links/{}", self.link["id"].as_str().expect("a link has an id"));
        self.server.get(&path).app_key().send().await.expect(200).body
    }
}

fn bank(account_number: &str) -> Value {
    json!({"platform": "ach", "routing_number": "110000000", "account_number": account_number})
}

fn wrong_code(code: &str) -> String {
    let number: u32 = code.parse().expect("a code is a number");
    format!("{:06}", (number + 1) % 1_000_000)
}

#[tokio::test]
async fn get_claim_shows_what_the_link_alone_may_show_and_moves_nothing() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await;
    let before = payee.maker_sees().await;
    let claim = payee.fetch().await.expect(200);
    assert_eq!(claim.body["steps"], json!(["contact", "code", "profile", "method", "payout"]));
    assert_eq!(claim.body["completed_steps"], json!([]));
    assert_eq!(claim.body["next_step"]["path"], format!("{}/contact", payee.path()));
    assert_eq!((&claim.body["amount"], &claim.body["remaining_amount"]), (&json!(1_000), &json!(1_000)));
    assert_eq!(claim.body["app"], json!({"name": "Demonstration"}));
    assert!(!claim.text.contains(PHONE), "the number is masked: {}", claim.text);
    assert_eq!(payee.maker_sees().await, before);
    for token in ["x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        server.get(&format!("/v2/claims/{token}")).send().await.refused(404, "not-found");
    }
}

#[tokio::test]
async fn give_claim_contact_only_of_the_payee() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await;
    payee
        .post("contact", json!({"country_code": "1", "phone_number": "2127369999"}))
        .await
        .refused(403, "not-permitted");
    payee.post("contact", json!({"email": "jane@example.com"})).await.refused(403, "not-permitted");
    for body in [json!({}), json!({"phone_number": PHONE}), json!({"country_code": "1", "phone_number": "1"})] {
        assert_eq!(payee.post("contact", body.clone()).await.status, 400, "{body}");
    }
    let contact = json!({"country_code": "1", "phone_number": PHONE});
    let given = payee.post("contact", contact.clone()).await.expect(200);
    assert_eq!(given.body["completed_steps"], json!(["contact"]));
    for _ in 0..4 {
        payee.post("contact", contact.clone()).await.expect(200);
    }
    let sixth = payee.post("contact", contact.clone()).await;
    assert!(sixth.refused(429, "rate-limited").header("retry-after").is_some());
    server.advance(3_600);
    payee.post("contact", contact).await.expect(200);
}

#[tokio::test]
async fn prove_claim_contact_within_five_tries_and_ten_minutes() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await;
    let contact = json!({"country_code": "1", "phone_number": PHONE});
    payee.post("code", json!({"token": "123456"})).await.refused(409, "invalid-state");
    payee.post("contact", contact.clone()).await.expect(200);
    let code = payee.newest_code(PHONE).await;
    for malformed in [json!("12345"), json!("1234567"), json!("abcdef"), json!(123_456), Value::Null] {
        assert_eq!(payee.post("code", json!({"token": malformed})).await.status, 400);
    }
    for _ in 0..5 {
        payee.post("code", json!({"token": wrong_code(&code)})).await.refused(400, "wrong-token");
    }
    payee.post("code", json!({"token": code})).await.refused(400, "wrong-token");

    payee.post("contact", contact.clone()).await.expect(200);
    let late = payee.newest_code(PHONE).await;
    server.advance(601);
    payee.post("code", json!({"token": late})).await.refused(400, "wrong-token");

    payee.post("contact", contact).await.expect(200);
    let code = payee.newest_code(PHONE).await;
    let opened = payee.post("code", json!({"token": code})).await.expect(200);
    assert!(opened.body["session"].is_string());
    payee.post("code", json!({"token": code})).await.refused(400, "wrong-token");
}

#[tokio::test]
async fn who_has_only_the_link_cannot_continue_for_another() {
    let server = Server::memory().await;
    let mut payee = Payee::of_payout(&server, PHONE).await.opens_session(PHONE).await;
    let session = payee.session.take();
    let steps = [
        ("profile", json!({"first_name": "Eve", "last_name": "Evil"})),
        ("method", bank("123456789")),
        ("payout", json!({})),
    ];
    for (step, body) in &steps {
        payee.post(step, body.clone()).await.refused(401, "unauthorized");
    }
    // The code is used up: a visit without the session starts again.
    assert_eq!(payee.fetch().await.expect(200).body["next_step"]["name"], "contact");
    // A session belongs to one link, and ends after two weeks.
    let mut other = Payee::of_payout(&server, PHONE).await;
    other.session = session.clone();
    other.post("profile", steps[0].1.clone()).await.refused(401, "unauthorized");
    payee.session = session;
    server.advance(14 * DAY + 1);
    payee.post("profile", steps[0].1.clone()).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn fill_claim_profile_before_the_money() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await.opens_session(PHONE).await;
    payee.post("payout", json!({})).await.refused(409, "user-info-missing");
    for body in
        [json!({}), json!({"first_name": " ", "last_name": "D"}), json!({"first_name": "J\n", "last_name": "D"})]
    {
        payee.post("profile", body).await.refused(400, "invalid-input");
    }
    let filled = payee.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
    assert_eq!(filled.body["next_step"]["name"], "method");
}

#[tokio::test]
async fn choose_claim_method_checks_the_details_and_shows_no_number() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await.opens_session(PHONE).await;
    payee.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
    for body in [
        json!({}),
        json!({"platform": "rtp"}),
        json!({"platform": "ach", "account_number": "123456789"}),
        json!({"platform": "ach", "account_number": "123456789", "routing_number": "110000001"}),
        json!({"platform": "push_to_card", "card_number": "4111111111111111"}),
        json!({"platform": "wallet_a", "email": "jane@example.com", "metadata": "gold"}),
    ] {
        assert_eq!(payee.post("method", body.clone()).await.status, 400, "{body}");
    }
    let unknown = json!({"payout_method_id": "0195cf3a-0000-7000-8000-000000000000"});
    payee.post("method", unknown).await.refused(404, "not-found");
    let chosen = payee.post("method", bank("123456789")).await.expect(200);
    assert_eq!(chosen.body["next_step"]["name"], "payout");
    assert!(!chosen.text.contains("123456789"));
}

#[tokio::test]
async fn pay_claim_out_in_parts_and_once_per_key() {
    let server = Server::memory().await;
    let payee = Payee::ready(&server, PHONE, "123456789").await;
    for amount in [json!(0), json!(-1), json!(1_001), json!(1.5), json!("1")] {
        let reply = payee.post("payout", json!({"amount": amount})).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/amount"], "{amount}");
    }
    let part = json!({"amount": 400, "idempotency_key": "0195cf3a-0000-7000-8000-000000000000"});
    let paid = payee.post("payout", part.clone()).await.expect(200);
    assert_eq!((&paid.body["amount"], &paid.body["remaining_amount"]), (&json!(1_000), &json!(600)));
    let again = payee.post("payout", part).await.expect(200);
    assert_eq!((again.header("idempotent-replayed"), &again.body["remaining_amount"]), (Some("true"), &json!(600)));
    assert_eq!(payee.maker_sees().await["status"], "claimed");
    let rest = payee.post("payout", json!({})).await.expect(200);
    assert_eq!((&rest.body["remaining_amount"], &rest.body["next_step"]), (&json!(0), &Value::Null));
    payee.post("payout", json!({})).await.refused(409, "already-claimed");
}

#[tokio::test]
async fn each_claim_step_is_taken_once_per_key() {
    let server = Server::memory().await;
    let body = json!({
        "amount": 1_000, "payee": {"country_code": "1", "phone_number": PHONE},
        "force_collect_compliance_information": true,
    });
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let mut payee = Payee { server: &server, link, session: None };
    server.work_off().await;
    let messages = async || {
        let list = server.get("/v2/sandbox/messages?to=%2B12127361234&limit=100").app_key().send().await.expect(200);
        list.body["data"].as_array().unwrap().len()
    };
    let repeated = |reply: &Reply| reply.header("idempotent-replayed") == Some("true");

    let contact = json!({"country_code": "1", "phone_number": PHONE, "idempotency_key": key(1)});
    assert!(!repeated(&payee.post("contact", contact.clone()).await.expect(200)));
    server.work_off().await;
    let sent = messages().await;
    let again = payee.post("contact", contact.clone()).await.expect(200);
    assert_eq!((repeated(&again), &again.body["next_step"]["name"]), (true, &json!("code")));
    server.work_off().await;
    assert_eq!(messages().await, sent, "the second sends no code");
    let other = json!({"email": "jane@example.com", "idempotency_key": key(1)});
    payee.post("contact", other).await.refused(409, "idempotency-key-reused");

    let code = payee.newest_code(PHONE).await;
    let guess = json!({"token": wrong_code(&code), "idempotency_key": key(2)});
    payee.post("code", guess.clone()).await.refused(400, "wrong-token");
    let counted = payee.post("code", guess).await;
    assert!(counted.text.contains("You have 3 attempts left"), "a wrong code is no answer to keep: {}", counted.text);
    let right = json!({"token": code, "idempotency_key": key(2)});
    let opened = payee.post("code", right.clone()).await.expect(200);
    payee.session = opened.body["session"].as_str().map(str::to_owned);
    assert!(payee.session.is_some() && !repeated(&opened));
    let again = payee.post("code", right).await.expect(200);
    assert_eq!((repeated(&again), &again.body["session"]), (true, &Value::Null), "six digits are soon guessed");
    let stranger = Payee { server: &server, link: payee.link.clone(), session: None };
    let guessed = json!({"token": wrong_code(&code), "idempotency_key": key(2)});
    stranger.post("code", guessed).await.refused(409, "idempotency-key-reused");

    let w9 = json!({
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    });
    let steps = [
        ("profile", json!({"first_name": "Jane", "last_name": "Doe"})),
        ("compliance", json!({ "w9": w9 })),
        ("method", bank("123456789")),
    ];
    for (number, (step, mut body)) in (3..).zip(steps) {
        body["idempotency_key"] = json!(key(number));
        let copies = join_all((0..10).map(|_| payee.post(step, body.clone()))).await;
        let first = copies.iter().filter(|copy| !repeated(&(*copy).clone().expect(200))).count();
        assert_eq!(first, 1, "{step}");
    }
    let user = payee.fetch().await.expect(200);
    assert_eq!(user.body["next_step"]["name"], "payout");
    let users = server.get("/v2/users").app_key().send().await.expect(200);
    let methods = format!("/v2/users/{}/payout-methods", users.body["data"][0]["id"].as_str().unwrap());
    let methods = server.get(&methods).app_key().send().await.expect(200);
    assert_eq!(methods.body["data"].as_array().unwrap().len(), 1, "ten copies set up one method");
    server.verify();
}

fn key(number: u32) -> String {
    format!("0195cf3a-0000-7000-8000-{number:012}")
}

/// The holder of a link without a payee may enter any phone, but only a limited number of texts is sent.
#[tokio::test]
async fn ten_codes_an_hour_are_sent_for_one_link_wherever_they_go() {
    let server = Server::memory().await;
    let body = json!({"amount": 500, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let payee = Payee { server: &server, link, session: None };
    let contact = |line: u32| json!({"country_code": "1", "phone_number": format!("21273600{line:02}")});
    for line in 0..9 {
        payee.post("contact", contact(line)).await.expect(200);
        server.advance(60);
    }
    // The page's button resends to the last contact; it counts as well.
    let link = payee.link["link"].as_str().expect("a link has a link").rsplit_once("/claim/").expect("a page").1;
    server.post(&format!("/claim/{link}/code")).form(&[("resend", "1")]).send().await.expect(303);
    let eleventh = payee.post("contact", contact(10)).await;
    eleventh.refused(429, "rate-limited");
    // The first of them is an hour old in as many seconds.
    assert_eq!(eleventh.header("retry-after"), Some((3_600 - 9 * 60).to_string().as_str()));
    server.work_off().await;
    let texts = server.get("/v2/sandbox/messages?limit=100").app_key().send().await.expect(200).body;
    let texted: Vec<&Value> = texts["data"].as_array().expect("a list").iter().map(|text| &text["to"]).collect();
    assert!(texted.len() == 10 && !texted.contains(&&json!("+12127360010")), "{texted:?}");
    server.advance(3_600 - 9 * 60);
    payee.post("contact", contact(10)).await.expect(200);
    payee.post("contact", contact(11)).await.refused(429, "rate-limited");
}

/// One mailbox is one person with five codes an hour, in any spelling of its address.
#[tokio::test]
async fn the_case_of_an_address_makes_no_second_person() {
    let server = Server::memory().await;
    let spellings = ["jane@example.com", "Jane@Example.com", "JANE@example.com"];
    let mut users = Vec::new();
    for payee in [Some("JaNe@example.com"), None] {
        let mut body = json!({"amount": 500, "delivery": {"method": "link"}});
        if let Some(email) = payee {
            body["payee"] = json!({ "email": email });
        }
        let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
        let payee = Payee { server: &server, link, session: None };
        for spelling in &spellings[..2] {
            payee.post("contact", json!({ "email": spelling })).await.expect(200);
        }
        let code = server.newest_code("jane@example.com").await;
        payee.post("code", json!({ "token": code })).await.expect(200);
        let listed = server.get("/v2/users").app_key().send().await.expect(200).body;
        users.push(listed["data"].as_array().unwrap().len());
    }
    assert_eq!(users, [1, 1]);
    let body = json!({"amount": 500, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let payee = Payee { server: &server, link, session: None };
    payee.post("contact", json!({ "email": spellings[2] })).await.expect(200);
    payee.post("contact", json!({ "email": "jAnE@example.com" })).await.refused(429, "rate-limited");
}

/// Guessed tokens must not fill the store with responses.
#[tokio::test]
async fn a_token_that_opens_nothing_keeps_no_answers() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await;
    let path = payee.path();
    let unknown = format!("{}{}", &path[..path.len() - 1], if path.ends_with('A') { 'B' } else { 'A' });
    let before = server.rows(StoredAnswer::TABLE).len();
    for step in ["contact", "code", "profile", "compliance", "method", "payout"] {
        let asking = server.post(&format!("{unknown}/{step}")).idempotency_key("k");
        asking.json(json!({})).send().await.refused(404, "not-found");
    }
    assert_eq!(server.rows(StoredAnswer::TABLE).len(), before);
    payee.post("payout", json!({"idempotency_key": key(1)})).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn of_many_claims_at_once_one_is_paid() {
    let server = Server::memory().await;
    let payee = Payee::ready(&server, PHONE, "123456789").await;
    let replies = join_all((0..20).map(|_| payee.post("payout", json!({})))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.refused(409, "already-claimed");
    }
    let payouts = server.get("/v2/transfers?type=payout").app_key().send().await.expect(200);
    assert_eq!(payouts.body["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_claim_and_a_cancel_exclude_each_other() {
    let server = Server::memory().await;
    for number in 0..8 {
        let payee = Payee::ready(&server, &format!("212736123{number}"), "123456789").await;
        let path = format!("/v2/payout-links/{}", payee.link["id"].as_str().unwrap());
        let (claim, cancel) = join(payee.post("payout", json!({})), server.delete(&path).app_key().send()).await;
        match claim.status {
            200 => drop(cancel.refused(409, "invalid-state")),
            _ => drop((claim.refused(410, "link-canceled"), cancel.expect(200))),
        }
    }
}

#[tokio::test]
async fn what_ended_cannot_be_claimed() {
    let server = Server::memory().await;
    let canceled = Payee::ready(&server, PHONE, "123456789").await;
    let path = format!("/v2/payout-links/{}", canceled.link["id"].as_str().unwrap());
    server.delete(&path).app_key().send().await.expect(200);
    canceled.fetch().await.refused(410, "link-canceled");
    canceled.post("payout", json!({})).await.refused(410, "link-canceled");
    let expired = Payee::of_payout(&server, PHONE).await;
    // The expiry job has not run yet, but the link has expired.
    server.advance(30 * DAY);
    expired.fetch().await.refused(410, "link-expired");
    expired.post("contact", json!({"country_code": "1", "phone_number": PHONE})).await.refused(410, "link-expired");
}

#[tokio::test]
async fn a_second_person_sees_that_it_was_claimed() {
    let server = Server::memory().await;
    let body = json!({"amount": 1_000, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let first = Payee { server: &server, link: link.clone(), session: None }.opens_session(PHONE).await;
    first.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
    first.post("method", bank("123456789")).await.expect(200);
    first.post("payout", json!({})).await.expect(200);
    let second = Payee { server: &server, link, session: None };
    second.post("contact", json!({"country_code": "1", "phone_number": "2127369999"})).await.expect(200);
    let code = second.newest_code("2127369999").await;
    second.post("code", json!({"token": code})).await.refused(409, "already-claimed");
}

/// Returns the state of a payout to this account a week later, and the payee's balance.
async fn fate(account_number: &str) -> (String, String, i64) {
    let server = Server::memory().await;
    let mut payee = Payee::ready(&server, PHONE, account_number).await;
    payee.post("payout", json!({})).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    server.pass(6 * DAY).await;
    payee.session = None;
    let payee = payee.opens_session(PHONE).await;
    let claim = payee.fetch().await.expect(200).body;
    let again = json!({"platform": "wallet_a", "email": "jane@example.com"});
    payee.post("method", again).await.expect(200);
    let paid = payee.post("payout", json!({})).await.expect(200);
    assert_eq!(paid.body["remaining_amount"], 0, "all that is left can be taken");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(payee.fetch().await.expect(200).body["transfer"]["status"], "completed");
    let word = |name: &str| claim["transfer"][name].as_str().unwrap_or_default().to_owned();
    (word("status"), word("error"), claim["remaining_amount"].as_i64().unwrap())
}

#[tokio::test]
async fn a_failed_rail_gives_the_money_back_and_another_may_be_chosen() {
    let fates = [
        ("10000001", "failed", "insufficient_funds"),
        ("10000002", "failed", "account_closed"),
        ("10000004", "failed", "invalid_account_number"),
        ("10000008", "failed", "payment_stopped"),
        ("10000016", "failed", "account_frozen"),
        ("10000029", "failed", "unauthorized"),
    ];
    for (account_number, status, error) in fates {
        assert_eq!(fate(account_number).await, (status.into(), error.into(), 1_000), "{account_number}");
    }
}

#[tokio::test]
async fn a_late_return_gives_back_what_had_arrived() {
    // The fee of 25 cents was earned when it arrived.
    assert_eq!(fate("20000002").await, ("reversed".into(), "account_closed".into(), 975));
}

/// No link becomes `reversed`: money that comes back after the claim is the payee's, unless its sender recalled it
/// (docs/internals/spec-gaps.md).
#[tokio::test]
async fn a_link_stays_claimed_however_its_payouts_end() {
    let server = Server::memory().await;
    let payee = Payee::ready(&server, PHONE, "20000002").await;
    payee.post("payout", json!({})).await.expect(200);
    server.work_off().await;
    server.pass(4 * DAY).await;
    assert_eq!(payee.fetch().await.expect(200).body["transfer"]["status"], "reversed");
    assert_eq!(payee.maker_sees().await["status"], "claimed");
    let reversed = server.get("/v2/payout-links?status=reversed").app_key().send().await.expect(200);
    assert_eq!(reversed.body["data"], json!([]));
}

#[tokio::test]
async fn send_payout_pays_at_once_who_wants_it_so() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await.opens_session(PHONE).await;
    payee.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
    let mut method = bank("123456789");
    method["is_default"] = json!(true);
    method["auto_payout_enabled"] = json!(true);
    payee.post("method", method).await.expect(200);
    payee.post("payout", json!({})).await.expect(200);
    let user = payee.maker_sees().await["claimed_user_id"].clone();
    for to in [json!({"user_id": user}), json!({"payee": {"country_code": "1", "phone_number": PHONE}})] {
        let mut body = json!({"amount": 500});
        body.as_object_mut().unwrap().extend(to.as_object().unwrap().clone());
        let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
        assert_eq!((&link["status"], &link["claimed_user_id"]), (&json!("claimed"), &user));
        let newest = server.get("/v2/transfers?type=payout&limit=1").app_key().send().await.expect(200).body;
        assert_eq!((&newest["data"][0]["payout_link_id"], &newest["data"][0]["amount"]), (&link["id"], &json!("500")));
        let reported = server.newest_message("+12127361234").await;
        assert!(reported["text"].as_str().unwrap().contains("$4.75"), "{reported}");
    }
    let claimed = server.get(&format!("/v2/payout-links?user_id={}", user.as_str().unwrap())).app_key();
    assert_eq!(claimed.send().await.expect(200).body["data"].as_array().unwrap().len(), 3);

    // A link can require information that the payer needs first.
    for asks in [json!({"force_collect_compliance_information": true}), json!({"additional_steps": ["compliance"]})] {
        let mut body = json!({"amount": 500, "user_id": user});
        body.as_object_mut().unwrap().extend(asks.as_object().unwrap().clone());
        let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
        assert_eq!((&link["status"], &link["claimed_user_id"]), (&json!("delivery_pending"), &Value::Null), "{asks}");
    }
}

#[tokio::test]
async fn send_payout_asks_who_is_known_only_for_what_is_missing() {
    let server = Server::memory().await;
    let payee = Payee::ready(&server, PHONE, "123456789").await;
    payee.post("payout", json!({})).await.expect(200);
    let next = Payee::of_payout(&server, PHONE).await;
    assert_eq!((&next.link["status"], &next.link["claimed_user_id"]), (&json!("delivery_pending"), &Value::Null));
    let next = next.opens_session(PHONE).await;
    let claim = next.fetch().await.expect(200).body;
    assert_eq!(claim["steps"], json!(["contact", "code", "method", "payout"]));
    assert_eq!(claim["next_step"]["name"], "payout", "the first method became the default");
    next.post("payout", json!({})).await.expect(200);
}

#[tokio::test]
async fn a_person_on_a_sanctions_list_is_not_paid() {
    let server = Server::memory().await;
    let payee = Payee::of_payout(&server, PHONE).await.opens_session(PHONE).await;
    payee.post("profile", json!({"first_name": "Test", "last_name": "Sanctioned"})).await.expect(200);
    payee.post("method", bank("123456789")).await.expect(200);
    payee.post("payout", json!({})).await.refused(409, "invalid-state");
    assert_eq!(payee.maker_sees().await["status"], "delivered", "the money stays set aside");
}
