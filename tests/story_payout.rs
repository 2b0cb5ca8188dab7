//! The main story: money sent to an unknown phone number arrives.

use serde_json::{Value, json};

use crate::harness::{Asking, Reply, Server};

const PHONE: &str = "+12127361234";
const DAY: i64 = 86_400;

/// The payee's side of a claim: only the content of messages and responses.
pub struct Payee<'a> {
    server: &'a Server,
    path: String,
    session: String,
}

impl<'a> Payee<'a> {
    /// Opens the link of the newest message and proves the phone.
    pub async fn arrive(server: &'a Server, phone: &str) -> Self {
        let link = server.newest_message(phone).await["link"].as_str().expect("the message has a link").to_owned();
        let token = link.rsplit('/').next().unwrap().to_owned();
        Self::open_session(server, format!("/v2/claims/{token}"), phone).await
    }

    /// Comes back later and proves the phone again.
    pub async fn comes_back(self, phone: &str) -> Self {
        Self::open_session(self.server, self.path, phone).await
    }

    async fn open_session(server: &'a Server, path: String, phone: &str) -> Self {
        let national = phone.strip_prefix("+1").unwrap();
        let contact = json!({"country_code": "1", "phone_number": national});
        server.post(&format!("{path}/contact")).json(contact).send().await.expect(200);
        let code = server.newest_code(phone).await.as_str().expect("the message has a code").to_owned();
        let opened = server.post(&format!("{path}/code")).json(json!({"token": code})).send().await.expect(200);
        let session = opened.body["session"].as_str().expect("the right code opens a sitting").to_owned();
        Self { server, path, session }
    }

    pub async fn step(&self, step: &str, body: Value) -> Value {
        self.try_step(step, body).await.expect(200).body
    }

    pub async fn try_step(&self, step: &str, body: Value) -> Reply {
        self.asks(step, body).send().await
    }

    pub fn asks(&self, step: &str, body: Value) -> Asking<'a> {
        let asked = self.server.post(&format!("{}/{step}", self.path)).header("claim-session", &self.session);
        asked.json(body)
    }

    pub async fn fetch(&self) -> Value {
        self.server.get(&self.path).header("claim-session", &self.session).send().await.expect(200).body
    }

    pub async fn name(&self) {
        self.step("profile", json!({"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com"})).await;
    }

    pub async fn bank(&self, account_number: &str) {
        let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": account_number});
        self.step("method", bank).await;
    }
}

async fn send(server: &Server, amount: i64) -> Value {
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let body = json!({"amount": amount, "payee": payee, "delivery": {"message": "Thank you, Jane!"}});
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body
}

#[tokio::test]
async fn a_payout_to_an_unknown_phone_arrives() {
    let server = Server::start().await;
    let before = server.balance("app_wallet").await;

    // The sender: one request. The money is held at once.
    let link = send(&server, 10_000).await;
    assert_eq!(link["status"], "delivery_pending");
    assert_eq!(server.balance("app_wallet").await, before - 10_000);
    assert_eq!(server.balance("app_held").await, 10_000);

    // The payee's phone: a text with the sender's words and the whole link.
    let message = server.newest_message(PHONE).await;
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("Thank you, Jane!") && text.contains(link["link"].as_str().unwrap()), "{text}");
    let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
    assert_eq!(server.get(&path).app_key().send().await.expect(200).body["status"], "delivered");

    // The payee: code, name, bank account, done.
    let payee = Payee::arrive(&server, PHONE).await;
    assert_eq!(payee.fetch().await["next_step"]["name"], "profile");
    payee.name().await;
    payee.bank("000123456789").await;
    let claim = payee.step("payout", json!({})).await;
    assert_eq!(claim["status"], "claimed");
    assert_eq!(claim["remaining_amount"], 0);
    assert_eq!(server.balance("app_held").await, 0);

    // The rail: pending, then, a business day later, completed.
    server.work_off().await;
    assert_eq!(payee.fetch().await["transfer"]["status"], "pending");
    assert_eq!(server.balance("clearing").await, 10_000);
    server.pass(DAY).await;
    let done = payee.fetch().await;
    assert_eq!(done["transfer"]["status"], "completed");
    assert_eq!(done["transfer"]["payout_amount"], 9_975, "ach costs 25 cents, which the payee pays");
    assert_eq!(server.balance("clearing").await, 0);
    assert_eq!(server.balance("user_wallet").await, 0);
    assert_eq!(server.balance("service_fees").await, 25);
    server.verify();
}

#[tokio::test]
async fn a_payout_to_a_closed_account_comes_back_and_goes_elsewhere() {
    let server = Server::start().await;
    send(&server, 5_000).await;
    let payee = Payee::arrive(&server, PHONE).await;
    payee.name().await;
    payee.bank("10000002").await;
    payee.step("payout", json!({})).await;
    server.work_off().await;
    server.pass(DAY).await;

    let failed = payee.fetch().await;
    assert_eq!(failed["transfer"]["status"], "failed");
    assert_eq!(failed["transfer"]["error"], "account_closed");
    assert_eq!(failed["remaining_amount"], 5_000, "the money is back, fee and all");
    assert_eq!(failed["next_step"]["name"], "method", "the closed account is out of use");
    assert_eq!(server.balance("user_wallet").await, 5_000);
    assert_eq!(server.balance("service_fees").await, 0);
    let news = server.newest_message(PHONE).await;
    assert!(news["text"].as_str().unwrap().contains("closed"), "{news}");

    // Another account: the same session continues.
    payee.bank("000987654321").await;
    payee.step("payout", json!({})).await;
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(payee.fetch().await["transfer"]["status"], "completed");
    assert_eq!(server.balance("user_wallet").await, 0);
    assert_eq!(server.balance("service_fees").await, 25, "one payout arrived, one fee is earned");
    server.verify();
}

#[tokio::test]
async fn a_payout_that_had_arrived_comes_back() {
    let server = Server::start().await;
    send(&server, 5_000).await;
    let payee = Payee::arrive(&server, PHONE).await;
    payee.name().await;
    payee.bank("20000001").await;
    payee.step("payout", json!({})).await;
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(payee.fetch().await["transfer"]["status"], "completed");

    server.pass(2 * DAY).await;
    let returned = payee.fetch().await;
    assert_eq!(returned["transfer"]["status"], "reversed");
    assert_eq!(returned["transfer"]["error"], "insufficient_funds");
    assert_eq!(server.balance("user_wallet").await, 4_975, "the fee stays earned: the bank did its work");
    assert_eq!(server.balance("clearing").await, 0);
    server.verify();
}
