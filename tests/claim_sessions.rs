//! The end of a claim session, and the changes that it may make (docs/decisions.md 17).

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// A link, and its newest session.
struct Visit<'a> {
    server: &'a Server,
    path: String,
    session: String,
}

impl<'a> Visit<'a> {
    async fn of(server: &'a Server, further: Value) -> Self {
        let mut body = json!({"amount": 1_000, "delivery": {"method": "link"}});
        body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
        let token = made["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        Self { server, path: format!("/v2/claims/{token}"), session: String::new() }
    }

    /// Opens a link to the phone.
    async fn named(server: &'a Server) -> Self {
        let mut visit = Self::of(server, json!({"payee": phone()})).await;
        visit.open().await;
        visit
    }

    async fn open(&mut self) -> Reply {
        self.post("contact", phone()).await.expect(200);
        let code = self.server.newest_code(&format!("+1{PHONE}")).await;
        let opened = self.post("code", json!({"token": code})).await.expect(200);
        self.session = opened.body["session"].as_str().unwrap().to_owned();
        opened
    }

    async fn post(&self, step: &str, body: Value) -> Reply {
        let path = format!("{}/{step}", self.path);
        self.server.post(&path).header("claim-session", &self.session).json(body).send().await
    }

    async fn fetch(&self) -> Value {
        self.server.get(&self.path).header("claim-session", &self.session).send().await.expect(200).body
    }

    async fn names(&self) -> Reply {
        self.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await
    }
}

fn phone() -> Value {
    json!({"country_code": "1", "phone_number": PHONE})
}

fn bank(account_number: &str) -> Value {
    json!({"platform": "ach", "routing_number": "110000000", "account_number": account_number})
}

async fn user(server: &Server) -> Value {
    let users = server.get("/v2/users").app_key().send().await.expect(200).body;
    users["data"][0].clone()
}

#[tokio::test]
async fn a_step_without_a_session_says_so_before_anything_about_its_body() {
    let server = Server::memory().await;
    let visit = Visit::of(&server, json!({"payee": phone()})).await;
    let steps = ["profile", "compliance", "method", "payout", "contact-change", "contact-change/confirm"];
    for step in steps {
        for body in [json!({}), json!({"nonsense": 1}), json!({"amount": "x", "email": 5, "payout_method_id": 7})] {
            let reply = visit.post(step, body).await;
            assert_eq!(reply.refused(401, "unauthorized").body["reason"], "session-missing", "{step}");
        }
    }
    let token = visit.path.rsplit('/').next().unwrap().to_owned();
    for step in ["profile", "compliance", "method", "payout"] {
        let page = server.post(&format!("/claim/{token}/{step}")).form(&[("first_name", "")]).send().await;
        assert!(!page.text.contains("aria-invalid"), "{step}: {}", page.text);
    }
    // With a session the body is checked.
    let visit = Visit::named(&server).await;
    visit.post("profile", json!({"nonsense": 1})).await.refused(400, "invalid-input");
}

#[tokio::test]
async fn end_claim_session_signs_out() {
    let server = Server::memory().await;
    let visit = Visit::named(&server).await;
    visit.names().await.expect(200);
    let ended = visit.post("end", json!({})).await.expect(200).body;
    assert_eq!(ended["next_step"]["name"], "contact", "the claim as anybody with the link sees it");
    visit.post("method", bank("5550001")).await.refused(401, "unauthorized");
    visit.post("end", json!({})).await.expect(200);
    let mut again = visit;
    again.open().await;
    again.post("method", bank("5550001")).await.expect(200);
}

#[tokio::test]
async fn a_claim_session_ends_an_hour_after_its_last_change() {
    let server = Server::memory().await;
    let visit = Visit::named(&server).await;
    server.advance(HOUR - 1);
    visit.names().await.expect(200);
    // Reads do not extend a session.
    server.advance(HOUR / 2);
    visit.fetch().await;
    server.advance(HOUR / 2);
    visit.post("method", bank("5550001")).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_newer_claim_session_of_a_link_ends_the_older_one() {
    let server = Server::memory().await;
    let mut visit = Visit::named(&server).await;
    let older = visit.session.clone();
    visit.open().await;
    let newer = std::mem::replace(&mut visit.session, older);
    visit.names().await.refused(401, "unauthorized");
    visit.session = newer;
    visit.names().await.expect(200);
}

/// M9: a session of day 0 set a new default account on day 11, when all was paid.
#[tokio::test]
async fn a_paid_claim_session_only_replaces_a_method_that_failed() {
    let server = Server::memory().await;
    let visit = Visit::named(&server).await;
    visit.names().await.expect(200);
    visit.post("method", bank("5550001")).await.expect(200);
    visit.post("payout", json!({})).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    server.pass(10 * DAY).await;
    assert_eq!(visit.fetch().await["transfer"]["status"], "completed");
    let before = user(&server).await;
    let changed =
        json!({"platform": "wallet_a", "email": "thief@example.com", "is_default": true, "auto_payout_enabled": true});
    visit.post("method", changed).await.refused(409, "already-claimed");
    visit.names().await.refused(409, "invalid-state");
    assert_eq!(user(&server).await, before);

    // A payout that failed days later is sent elsewhere; the session can do nothing else.
    let failing = Visit::named(&server).await;
    failing.post("method", bank("10000002")).await.expect(200);
    failing.post("payout", json!({})).await.expect(200);
    server.work_off().await;
    server.pass(4 * DAY).await;
    let claim = failing.fetch().await;
    assert_eq!((&claim["transfer"]["status"], &claim["only_this_payout"]), (&json!("failed"), &json!(true)));
    let default = json!({"platform": "wallet_a", "email": "jane@example.com", "is_default": true});
    let refused = failing.post("method", default).await;
    refused.refused(403, "not-permitted");
    assert_eq!(refused.fields(), ["/is_default"]);
    failing.names().await.refused(409, "invalid-state");
    let before = user(&server).await;
    failing.post("method", json!({"platform": "wallet_a", "email": "jane@example.com"})).await.expect(200);
    failing.post("payout", json!({})).await.expect(200);
    let after = user(&server).await;
    for kept in ["default_payout_method", "auto_payout_enabled", "first_name"] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    server.pass(15 * DAY).await;
    failing.post("payout", json!({})).await.refused(401, "unauthorized");
    server.verify();
}

/// H3: with a code of the payee's phone, a link that names no payee opened the whole account.
#[tokio::test]
async fn a_link_that_names_no_payee_opens_nothing_of_a_known_payee() {
    let server = Server::memory().await;
    let known = Visit::named(&server).await;
    known.names().await.expect(200);
    known.post("method", bank("5550001")).await.expect(200);
    known.post("payout", json!({})).await.expect(200);
    let before = user(&server).await;

    let mut visit = Visit::of(&server, json!({})).await;
    let opened = visit.open().await;
    assert_eq!(opened.body["only_this_payout"], true);
    assert!(!opened.text.contains("0001"), "the saved account is not shown: {}", opened.text);
    let step = &opened.body["next_step"];
    assert_eq!(step["name"], "method", "the default is not used unasked");
    assert!(step["options"].as_array().unwrap().iter().all(|option| option["payout_method_id"].is_null()));
    visit.names().await.refused(403, "not-permitted");
    for (field, wish) in [("is_default", json!(true)), ("auto_payout_enabled", json!(true))] {
        let mut new = bank("666000666");
        new[field] = wish;
        assert_eq!(visit.post("method", new).await.fields(), [format!("/{field}")]);
    }
    let saved = server.get(&format!("/v2/users/{}/payout-methods", before["id"].as_str().unwrap()));
    let saved = saved.app_key().send().await.expect(200).body["data"][0]["id"].clone();
    visit.post("method", json!({"payout_method_id": saved})).await.refused(403, "not-permitted");
    visit.post("method", bank("666000666")).await.expect(200);
    visit.post("method", bank("666000666")).await.expect(200);
    // The method is for the money of this link only, before and after it is paid.
    let id = before["id"].as_str().unwrap();
    let only_saved = async || {
        let listed = server.get(&format!("/v2/users/{id}/payout-methods")).app_key().send().await.expect(200).body;
        assert_eq!((listed["data"].as_array().unwrap().len(), &listed["data"][0]["id"]), (1, &saved));
        let payout = json!({"user_id": id, "amount": 100, "platform": "ach", "fund": true});
        let paid = server.post("/v2/payouts").app_key().json(payout).send().await.expect(201).body;
        assert_eq!(paid["external_data"]["account_id"], saved);
        let debit = json!({"user_id": id, "amount": 100, "platform": "ach"});
        let debited = server.post("/v2/payments").app_key().json(debit).send().await.expect(201).body;
        assert_eq!(debited["external_data"]["account_id"], saved);
    };
    only_saved().await;
    let paid = visit.post("payout", json!({})).await.expect(200);
    assert!(paid.text.contains("0666"), "{}", paid.text);
    only_saved().await;
    let after = user(&server).await;
    for kept in ["default_payout_method", "auto_payout_enabled", "first_name", "last_name", "email"] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    // Nor is it offered when the payee claims a link of their own.
    let mut named = Visit::of(&server, json!({"payee": phone()})).await;
    assert!(!named.open().await.text.contains("0666"));
}

/// The negative control: a previously unknown payee may choose a method, at the same kind of link.
#[tokio::test]
async fn a_new_payee_chooses_a_default_at_a_link_that_names_no_payee() {
    let server = Server::memory().await;
    let mut visit = Visit::of(&server, json!({})).await;
    let opened = visit.open().await;
    assert_eq!(opened.body["only_this_payout"], false);
    visit.names().await.expect(200);
    let mut new = bank("5550001");
    new["auto_payout_enabled"] = json!(true);
    visit.post("method", new).await.expect(200);
    assert_eq!(user(&server).await["auto_payout_enabled"], true);
}

/// D5: the page does not ask for a contact that the link refuses.
#[tokio::test]
async fn a_claim_asks_only_for_the_contact_that_its_link_names() {
    let server = Server::memory().await;
    let both = json!({"payee": {"country_code": "1", "phone_number": PHONE, "email": "jane@example.com"}});
    for (further, fields) in [
        (json!({"payee": phone()}), vec!["country_code", "phone_number"]),
        (json!({"payee": {"email": "jane@example.com"}}), vec!["email"]),
        (both, vec!["country_code", "phone_number", "email"]),
        (json!({}), vec!["country_code", "phone_number", "email"]),
    ] {
        let visit = Visit::of(&server, further.clone()).await;
        let asked = visit.fetch().await["next_step"]["fields"].clone();
        let asked: Vec<&str> = asked.as_array().unwrap().iter().filter_map(|field| field["name"].as_str()).collect();
        assert_eq!(asked, fields, "{further}");
        let page = visit.server.get(&visit.path.replace("/v2/claims/", "/claim/")).send().await.expect(200).text;
        let offers = |text: &str| page.contains(text);
        // A contact that the link names is a button; else the payee enters one.
        let is_named = further.get("payee").is_some();
        let has = |field: &str| fields.contains(&field);
        assert_eq!(offers("name=\"send\" value=\"email\""), is_named && has("email"), "{further}");
        assert_eq!(offers("name=\"send\" value=\"phone\""), is_named && has("phone_number"), "{further}");
        assert_eq!(offers("name=\"email\"") && offers("name=\"phone_number\""), !is_named, "{further}");
        assert_eq!(offers("name=\"email\"") || offers("name=\"phone_number\""), !is_named, "{further}");
    }
}
