//! The stage: a server with three tenants, and the objects that samples name.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use bursar::apps::{CreateDemonstration, Credentials, DEPOSIT};
use bursar::engine::Command;
use bursar::ids::{AppId, OrgId};
use bursar::ledger::{self, postings};
use bursar::program::Environment;
use bursar::providers::Providers;
use bursar::scope::Scope;
use bursar::world::{Halt, World};
use serde_json::{Value, json};

use crate::harness::{Asking, FakeGateway, PUBLIC_URL, Reply, Server};

/// Both halves of a key, and its owner.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The app, or the organization.
    pub id: String,
    pub client_id: String,
    pub api_key: String,
}

impl Keys {
    fn of(shown: &Value, id: &str) -> Self {
        let text = |name: &str| shown[name].as_str().expect("a key has both halves").to_owned();
        Self { id: id.to_owned(), client_id: text("client_id"), api_key: text("api_key") }
    }
}

pub struct Stage {
    pub server: Server,
    pub app: Keys,
    pub organization: Keys,
    /// The key of another app of our organization, with as much money.
    pub sister: Keys,
    /// The key of a deleted app.
    pub deleted: Keys,
    /// A revoked key of our app.
    pub revoked: Keys,
    pub foreign_app: Keys,
    pub foreign_organization: Keys,
    /// The gateway that takes texts, on a stage that has one.
    pub gateway: Option<FakeGateway>,
    drawn: AtomicU32,
    of_app: Mutex<Vec<String>>,
    of_organization: Mutex<Vec<String>>,
}

/// Gives an app the balance of the demonstration app.
struct Fund(Scope);

impl Command for Fund {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        ledger::post(world, &postings::demonstrate(self.0, DEPOSIT))
    }
}

impl Stage {
    /// Creates a server with all tenants.
    pub async fn set() -> Self {
        Self::on(Server::failing().await).await
    }

    /// Creates a stage with a gateway that takes texts in place of the inbox.
    pub async fn with_gateway() -> Self {
        let gateway = FakeGateway::start().await;
        let provider = gateway.clone();
        let providers = move || Providers { mail: None, phone: Some(provider.provider()) };
        let stage = Self::on(Server::failing_with_carriers(providers).await).await;
        Self { gateway: Some(gateway), ..stage }
    }

    /// Creates the tenants on a server of the test.
    pub async fn on(server: Server) -> Self {
        let ours = server.credentials();
        let keys = |of: &str| Keys::of(&ours[of], ours[of]["id"].as_str().expect("a credential has an id"));
        let (app, organization) = (keys("app"), keys("organization"));
        let create = |name: &str| server.post("/v2/apps").as_org().json(json!({"name": name})).send();
        let key_of = |made: &Reply| Keys::of(&made.body["keys"], &made.id());
        let sister = key_of(&create("Sister").await.expect(201));
        let deleted = key_of(&create("Deleted").await.expect(201));
        server.delete(&format!("/v2/apps/{}", deleted.id)).as_org().send().await.expect(200);
        let path = format!("/v2/apps/{}/keys", app.id);
        let revoked = Keys::of(&server.post(&path).as_org().send().await.expect(201).body, &app.id);
        server.delete(&format!("{path}/{}", revoked.client_id)).as_org().send().await.expect(200);

        let bursar = server.bursar();
        let drawn = Credentials::draw(&mut bursar.entropy(), bursar.clock.now(), Environment::Sandbox, PUBLIC_URL);
        let command = CreateDemonstration::of(&drawn, &bursar.vault, &mut bursar.entropy());
        bursar.engine.run(command.org, command).await.expect("a second organization can be made");
        let foreign = serde_json::to_value(&drawn).unwrap();
        let foreign = |of: &str| Keys::of(&foreign[of], foreign[of]["id"].as_str().expect("it has an id"));
        let (foreign_app, foreign_organization) = (foreign("app"), foreign("organization"));
        let uuid = |text: &str| text.parse().expect("an id is a UUID");
        let scope = Scope { org: OrgId(uuid(&organization.id)), app: AppId(uuid(&sister.id)) };
        bursar.engine.run(scope.org, Fund(scope)).await.expect("an app can be funded");

        let of_app = Mutex::new(vec![app.id.clone()]);
        let of_organization = Mutex::new(vec![organization.id.clone(), sister.id.clone()]);
        let drawn = AtomicU32::new(2000);
        Self {
            server,
            app,
            organization,
            sister,
            deleted,
            revoked,
            foreign_app,
            foreign_organization,
            gateway: None,
            drawn,
            of_app,
            of_organization,
        }
    }

    /// Returns an unused number.
    pub fn draw(&self) -> u32 {
        self.drawn.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns an unused phone number in New York, without the country code.
    pub fn phone(&self) -> String {
        let drawn = self.draw();
        // Lines that end in 0199 take no messages.
        format!("212736{drawn:04}")
    }

    /// Remembers an object that belongs to our app: no other app may see it.
    pub fn own(&self, id: &str) -> String {
        self.of_app.lock().unwrap().push(id.to_owned());
        id.to_owned()
    }

    /// Remembers an object that our organization's apps share.
    pub fn share(&self, id: &str) -> String {
        self.of_organization.lock().unwrap().push(id.to_owned());
        id.to_owned()
    }

    /// Returns the ids of our app's objects, and of our organization's.
    pub fn owned(&self) -> (Vec<String>, Vec<String>) {
        (self.of_app.lock().unwrap().clone(), self.of_organization.lock().unwrap().clone())
    }

    /// Returns a request with our app's key.
    pub fn ask(&self, method: &str, path: &str) -> Asking<'_> {
        self.server.ask(method, path).app_key()
    }

    /// Sends a body with our app's key; the response must have this status.
    pub async fn made(&self, method: &str, path: &str, body: Value, status: u16) -> Value {
        self.ask(method, path).json(body).send().await.expect(status).body
    }

    /// Creates an object of our app; returns its id.
    pub async fn make(&self, path: &str, body: Value, status: u16) -> String {
        let made = self.made("POST", path, body, status).await;
        self.own(made["id"].as_str().unwrap_or_else(|| panic!("no id in {made}")))
    }

    /// Reads with our app's key.
    pub async fn read(&self, path: &str) -> Value {
        self.ask("GET", path).send().await.expect(200).body
    }

    /// Creates an empty app of our organization; returns its id.
    pub async fn spare_app(&self) -> String {
        let made = self.server.post("/v2/apps").as_org().json(json!({"name": "Spare"})).send().await.expect(201);
        self.share(&made.id())
    }

    /// Creates a member; returns their id.
    pub async fn member(&self, role: &str) -> String {
        let member = self.member_input(role);
        let made = self.server.post("/v2/members").as_org().json(member).send().await.expect(201);
        self.share(&made.id())
    }

    /// Returns the input of a member.
    pub fn member_input(&self, role: &str) -> Value {
        json!({"name": "Mary Member", "email": format!("mary{}@example.com", self.draw()), "role": role})
    }

    /// Returns the input of a user.
    pub fn person(&self) -> Value {
        let drawn = self.phone();
        json!({
            "first_name": "Jane", "last_name": "Doe", "email": format!("jane{drawn}@example.com"),
            "country_code": "1", "phone_number": drawn,
        })
    }

    /// Creates a user with an unverified phone; returns the id.
    pub async fn user(&self) -> String {
        self.make("/v2/users", self.person(), 201).await
    }

    /// Creates a user under a sanctions review; returns the id.
    pub async fn listed(&self) -> String {
        let mut person = self.person();
        person["first_name"] = json!("Test");
        person["last_name"] = json!("Sanctioned");
        self.make("/v2/users", person, 201).await
    }

    /// Creates a user and sends them a code; returns the id and the code.
    pub async fn user_with_code(&self) -> (String, String) {
        let person = self.person();
        let id = self.make("/v2/users", person.clone(), 201).await;
        self.made("POST", &format!("/v2/users/{id}/send-verification-token"), json!({}), 202).await;
        let phone = person["phone_number"].as_str().expect("they have a phone");
        let message = self.server.newest_message(&format!("+1{phone}")).await;
        (id, message["code"].as_str().unwrap_or_else(|| panic!("no code in {message}")).to_owned())
    }

    /// Returns a phone number to which a code was sent.
    pub async fn phone_with_code(&self) -> String {
        let person = self.person();
        let id = self.make("/v2/users", person.clone(), 201).await;
        self.made("POST", &format!("/v2/users/{id}/send-verification-token"), json!({}), 202).await;
        person["phone_number"].as_str().expect("they have a phone").to_owned()
    }

    /// Creates a verified user; returns the id.
    pub async fn verified(&self) -> String {
        let (id, code) = self.user_with_code().await;
        self.made("POST", &format!("/v2/users/{id}/verify"), json!({"token": code}), 200).await;
        id
    }

    /// Returns the input of a bank account.
    pub fn bank_account(&self) -> Value {
        let account = format!("55501{}", self.draw());
        json!({"platform": "ach", "routing_number": "110000000", "account_number": account, "is_default": true})
    }

    /// Creates a verified user with a bank account; returns the ids of both.
    pub async fn banked(&self) -> (String, String) {
        let user = self.verified().await;
        let method = self.made("PUT", &format!("/v2/users/{user}/payout-methods"), self.bank_account(), 200).await;
        let method = self.own(method["id"].as_str().expect("a method has an id"));
        (user, method)
    }

    /// Returns the token of a notice of a changed account, and its phone.
    async fn notice_to(&self) -> (String, String) {
        let person = self.person();
        let id = self.make("/v2/users", person.clone(), 201).await;
        self.made("POST", &format!("/v2/users/{id}/send-verification-token"), json!({}), 202).await;
        let phone = format!("+1{}", person["phone_number"].as_str().expect("they have a phone"));
        let code = self.server.newest_code(&phone).await;
        self.made("POST", &format!("/v2/users/{id}/verify"), json!({"token": code}), 200).await;
        for _ in 0..2 {
            self.made("PUT", &format!("/v2/users/{id}/payout-methods"), self.bank_account(), 200).await;
        }
        let message = self.server.newest_message(&phone).await;
        let link = message["link"].as_str().unwrap_or_else(|| panic!("no link in {message}"));
        (link.rsplit('/').next().unwrap_or_default().to_owned(), phone)
    }

    /// Returns the token of a notice.
    pub async fn notice(&self) -> String {
        self.notice_to().await.0
    }

    /// Returns the token of a notice whose payee froze automatic payouts.
    pub async fn frozen(&self) -> String {
        self.frozen_with_code().await.0
    }

    /// Returns the token of such a notice, and the code that unfreezes them.
    pub async fn frozen_with_code(&self) -> (String, String) {
        let (token, phone) = self.notice_to().await;
        for step in ["freeze", "code"] {
            self.server.post(&format!("/v2/notices/{token}/{step}")).send().await.expect(200);
        }
        let message = self.server.newest_message(&phone).await;
        (token, message["code"].as_str().unwrap_or_else(|| panic!("no code in {message}")).to_owned())
    }

    /// Returns an unknown payee.
    pub fn payee(&self) -> Value {
        json!({"country_code": "1", "phone_number": self.phone()})
    }

    /// Creates a link of a dollar by text message; returns its id.
    pub async fn link(&self) -> String {
        self.make("/v2/payout-links", json!({"amount": 100, "payee": self.payee()}), 201).await
    }

    /// Creates a transfer of a dollar to a user; returns its id and the user's.
    pub async fn transfer(&self) -> (String, String) {
        let user = self.user().await;
        let id = self.make("/v2/transfers", json!({"user_id": user, "amount": -100}), 200).await;
        (id, user)
    }

    /// Creates a payout of a thousand dollars, above the app's approval limit; returns its id.
    pub async fn flagged(&self) -> String {
        let (user, _) = self.banked().await;
        let path = format!("/v2/apps/{}/settings", self.app.id);
        let limit = json!({"payout_approval_limit": 100_000});
        self.server.put(&path).as_org().json(limit).send().await.expect(200);
        let payout = json!({"user_id": user, "amount": 100_001, "platform": "ach", "fund": true});
        self.make("/v2/payouts", payout, 201).await
    }

    /// Returns the id of the ledger account of our app's wallet.
    pub async fn ledger_account(&self) -> String {
        let accounts = self.read("/v2/ledger/accounts?limit=100").await;
        let accounts = accounts["data"].as_array().expect("a list");
        let wallet = accounts.iter().find(|account| account["type"] == "app_wallet").expect("an app has a wallet");
        self.own(wallet["id"].as_str().expect("an account has an id"))
    }
}
