//! Claims of links that were made for a user: they belong to that user, however the payee proves it (ADR 10).

use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::screening::decide;

const PHONE: &str = "2127361234";
const EMAIL: &str = "Ada@Example.com";

fn phone(number: &str) -> Value {
    json!({"country_code": "1", "phone_number": number})
}

fn email(address: &str) -> Value {
    json!({ "email": address })
}

/// Creates a user of the app; returns the id.
async fn ada(server: &Server) -> String {
    let body = json!({
        "first_name": "Ada", "last_name": "Byron", "email": EMAIL, "country_code": "1", "phone_number": PHONE
    });
    server.post("/v2/users").app_key().json(body).send().await.expect(201).id()
}

async fn user(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body
}

/// A link of five hundred dollars for a user.
struct Link<'a> {
    server: &'a Server,
    id: String,
    path: String,
}

impl<'a> Link<'a> {
    async fn of(server: &'a Server, user: &str) -> Self {
        let body = json!({"amount": 50_000, "user_id": user});
        let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
        let token = link.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        Self { server, id: link.id(), path: format!("/v2/claims/{token}") }
    }

    async fn contact(&self, contact: &Value) -> Reply {
        self.server.post(&format!("{}/contact", self.path)).json(contact.clone()).send().await
    }

    /// Enters the code that was sent to this phone or address.
    async fn code(&self, to: &str) -> Reply {
        let code = self.server.newest_code(to).await;
        self.server.post(&format!("{}/code", self.path)).json(json!({ "token": code })).send().await
    }

    async fn opens_session(&self, contact: &Value, to: &str) -> Reply {
        self.contact(contact).await.expect(200);
        self.code(to).await
    }

    async fn step(&self, session: &Reply, step: &str, body: Value) -> Reply {
        let session = session.body["session"].as_str().unwrap();
        self.server.post(&format!("{}/{step}", self.path)).header("claim-session", session).json(body).send().await
    }

    async fn seen(&self) -> Value {
        self.server.get(&self.path).send().await.expect(200).body["payee"].clone()
    }

    async fn maker_sees(&self) -> Value {
        self.server.get(&format!("/v2/payout-links/{}", self.id)).app_key().send().await.expect(200).body
    }
}

#[tokio::test]
async fn proving_the_address_of_an_unverified_user_identifies_that_user() {
    let server = Server::start().await;
    let id = ada(&server).await;
    // The user's earlier payouts reach the threshold of the tax form, for every way to open the claim.
    let loan = json!({"user_id": id, "amount": -200_000});
    server.post("/v2/transfers").app_key().json(loan).send().await.expect(200);
    let link = Link::of(&server, &id).await;
    let session = link.opens_session(&email("ada@EXAMPLE.com"), "ada@example.com").await.expect(200);
    assert_eq!(session.body["steps"], json!(["contact", "code", "compliance", "method", "payout"]));
    let shown = user(&server, &id).await;
    assert_eq!((&shown["status"], &shown["email"]), (&json!("verified"), &json!("ada@example.com")));

    let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": "123456789"});
    link.step(&session, "method", bank).await.expect(200);
    link.step(&session, "payout", json!({})).await.refused(409, "user-info-missing");
    let form = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Ada Byron", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true
    }});
    link.step(&session, "compliance", form).await.expect(200);
    link.step(&session, "payout", json!({})).await.expect(200);
    assert_eq!(link.maker_sees().await["claimed_user_id"], json!(id));
    let users = server.get("/v2/users").app_key().send().await.expect(200).body;
    assert_eq!(users["data"].as_array().unwrap().len(), 1, "nobody else was made");

    // The address is proven, and opens the next one too.
    let next = Link::of(&server, &id).await;
    next.opens_session(&email(EMAIL), "ada@example.com").await.expect(200);
}

#[tokio::test]
async fn a_disabled_user_is_not_paid_by_another_door() {
    let server = Server::start().await;
    let body = json!({
        "first_name": "Test", "last_name": "Sanctioned", "email": EMAIL, "country_code": "1", "phone_number": PHONE
    });
    let id = server.post("/v2/users").app_key().json(body).send().await.expect(201).id();
    assert_eq!(user(&server, &id).await["status"], "in_review");
    let link = Link::of(&server, &id).await;
    decide(&server, &id, "confirm").await.expect(200);
    assert_eq!(user(&server, &id).await["status"], "disabled");
    for (contact, to) in [(phone(PHONE), "+12127361234"), (email(EMAIL), "ada@example.com")] {
        link.opens_session(&contact, to).await.refused(409, "user-inactive");
    }
}

#[tokio::test]
async fn an_address_opens_nothing_that_a_phone_was_proven_for() {
    let server = Server::start().await;
    let id = ada(&server).await;
    let link = Link::of(&server, &id).await;
    assert_eq!(link.seen().await["email"], json!("A***@example.com"));
    link.opens_session(&phone(PHONE), "+12127361234").await.expect(200);
    let next = Link::of(&server, &id).await;
    assert_eq!(next.seen().await["email"], Value::Null, "it is of no use");
    next.contact(&email(EMAIL)).await.refused(403, "not-permitted");
    next.opens_session(&phone(PHONE), "+12127361234").await.expect(200);
}

#[tokio::test]
async fn an_address_that_is_another_persons_opens_nothing() {
    let server = Server::start().await;
    // A payee proves the address at a link that names only it.
    let body = json!({"amount": 100, "payee": {"email": EMAIL}});
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    let token = made.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let first = Link { server: &server, id: made.id(), path: format!("/v2/claims/{token}") };
    first.opens_session(&email(EMAIL), "ada@example.com").await.expect(200);

    let id = ada(&server).await;
    let link = Link::of(&server, &id).await;
    link.contact(&email(EMAIL)).await.refused(403, "not-permitted");
    link.opens_session(&phone(PHONE), "+12127361234").await.expect(200);
}

#[tokio::test]
async fn a_users_link_follows_their_phone_and_address() {
    const CORRECTED: &str = "2127369999";
    let server = Server::start().await;
    let id = ada(&server).await;
    let link = Link::of(&server, &id).await;
    // A code was sent to the number that turns out to be wrong.
    link.contact(&phone(PHONE)).await.expect(200);
    let corrected = json!({"phone_number": phone(CORRECTED), "email": "ada@new.example"});
    server.patch(&format!("/v2/users/{id}")).app_key().json(corrected).send().await.expect(200);
    link.code("+12127361234").await.refused(403, "not-permitted");
    for old in [phone(PHONE), email(EMAIL)] {
        link.contact(&old).await.refused(403, "not-permitted");
    }
    assert_eq!(
        link.seen().await,
        json!({"first_name": "Ada", "country_code": "1", "phone_number": "***9999", "email": "a***@new.example"})
    );

    server.post(&format!("/v2/payout-links/{}/redeliver", link.id)).app_key().send().await.expect(200);
    server.work_off().await;
    assert!(server.newest_message("+12127369999").await["text"].as_str().unwrap().contains("$500.00"));
    let shown = link.maker_sees().await;
    assert_eq!(shown["delivery"]["phone_number"], CORRECTED);
    assert_eq!(shown["payee"]["email"], "ada@new.example");
    link.opens_session(&phone(CORRECTED), "+12127369999").await.expect(200);
}
