//! Several apps of one organization with shared payees: each app has its own profile and payout methods of a payee, and
//! none changes another's money, methods or links (docs/decisions.md 17).

use bursar::users::AppUser;
use serde_json::{Value, json};

use crate::harness::{Asking, Reply, Server};

const LINE: u32 = 1234;
const PHONE: &str = "2127361234";
const THIEF: &str = "2127369999";

/// Another app of the demonstration's organization.
struct Other<'a> {
    server: &'a Server,
    id: String,
    client_id: String,
    api_key: String,
}

impl<'a> Other<'a> {
    async fn of(server: &'a Server) -> Self {
        let app = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201);
        let text = |name: &str| app.body["keys"][name].as_str().unwrap().to_owned();
        Self { server, id: app.id(), client_id: text("client_id"), api_key: text("api_key") }
    }

    fn ask(&self, method: &str, path: &str) -> Asking<'a> {
        self.server.ask(method, path).basic(&self.client_id, &self.api_key)
    }

    /// Creates a user by phone number, like an app that has only the number.
    async fn names(&self, phone: &str) -> Reply {
        self.ask("POST", "/v2/users").json(person(phone)).send().await
    }

    /// Connects the app to a user, as the organization.
    async fn connected(&self, user: &str) {
        let both = json!({"user_id": user, "app_id": self.id});
        self.server.post("/v2/users/connect").as_org().json(both).send().await.expect(200);
    }

    async fn sees(&self, user: &str) -> Value {
        self.ask("GET", &format!("/v2/users/{user}")).send().await.expect(200).body
    }

    async fn methods_of(&self, user: &str) -> Vec<Value> {
        let list = self.ask("GET", &format!("/v2/users/{user}/payout-methods")).send().await.expect(200);
        list.body["data"].as_array().unwrap().clone()
    }

    /// Moves money to the app, as the organization.
    async fn funded(&self) {
        for (app, amount) in [(self.server.app_id(), 100_000), (self.id.clone(), -100_000)] {
            let moved = json!({"app_id": app, "amount": amount});
            self.server.post("/v2/organization-transfers").as_org().json(moved).send().await.expect(200);
        }
    }
}

fn person(phone: &str) -> Value {
    json!({
        "first_name": "x", "last_name": "y", "email": "x@example.com", "country_code": "1", "phone_number": phone,
    })
}

fn bank(account: &str) -> Value {
    json!({"platform": "ach", "routing_number": "110000000", "account_number": account})
}

/// A payee in a claim session of a link.
struct Session<'a> {
    server: &'a Server,
    path: String,
    session: String,
}

impl<'a> Session<'a> {
    /// Opens a link with the phone.
    async fn of(server: &'a Server, link: &Value, phone: &str) -> Self {
        let path = format!("/v2/claims/{}", link["link"].as_str().unwrap().rsplit('/').next().unwrap());
        let contact = json!({"country_code": "1", "phone_number": phone});
        server.post(&format!("{path}/contact")).json(contact).send().await.expect(200);
        let code = server.newest_code(&format!("+1{phone}")).await;
        let opened = server.post(&format!("{path}/code")).json(json!({"token": code})).send().await.expect(200);
        Self { server, path, session: opened.body["session"].as_str().unwrap().to_owned() }
    }

    async fn post(&self, step: &str, body: Value) -> Reply {
        let asking = self.server.post(&format!("{}/{step}", self.path)).json(body);
        asking.header("claim-session", &self.session).send().await
    }

    /// Returns the methods that the payee is offered.
    async fn saved(&self) -> Vec<Value> {
        let claim = self.server.get(&self.path).header("claim-session", &self.session).send().await.expect(200);
        let options = claim.body["next_step"]["options"].as_array().cloned().unwrap_or_default();
        options.into_iter().filter(|option| option["payout_method_id"] != Value::Null).collect()
    }
}

/// Returns a response without its random parts: ids, times, tokens, and the phone.
fn shape(body: &Value, phone: &str) -> Value {
    match body {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let drawn = ["id", "created", "updated", "link", "transfer_id", "expires_at", "fingerprint"];
                let value = if drawn.contains(&name.as_str()) { json!(value.is_null()) } else { shape(value, phone) };
                (name.clone(), value)
            })
            .collect(),
        Value::Array(items) => items.iter().map(|item| shape(item, phone)).collect(),
        Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => json!("id"),
        Value::String(text) => json!(text.replace(phone, "…")),
        Value::Null | Value::Bool(_) | Value::Number(_) => body.clone(),
    }
}

/// Sends to a phone, as the demonstration app.
async fn sent(server: &Server, amount: u32, phone: &str) -> Value {
    let body = json!({"amount": amount, "payee": {"country_code": "1", "phone_number": phone}});
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body
}

/// Creates a payee of the demonstration app who claimed a link, chose an account and enabled automatic payouts; returns
/// the id.
async fn payee(server: &Server, account: &str) -> String {
    let link = sent(server, 1_000, PHONE).await;
    let session = Session::of(server, &link, PHONE).await;
    session.post("profile", json!({"first_name": "Jane", "last_name": "Doe"})).await.expect(200);
    let mut method = bank(account);
    method["is_default"] = json!(true);
    method["auto_payout_enabled"] = json!(true);
    session.post("method", method).await.expect(200);
    session.post("payout", json!({})).await.expect(200);
    let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
    let link = server.get(&path).app_key().send().await.expect(200).body;
    link["claimed_user_id"].as_str().expect("it is claimed").to_owned()
}

async fn user(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body
}

async fn methods(server: &Server, user: &str) -> Vec<Value> {
    let path = format!("/v2/users/{user}/payout-methods");
    server.get(&path).app_key().send().await.expect(200).body["data"].as_array().unwrap().clone()
}

/// The first way of C1, as reproduced: name the phone, set a default method, wait for the other app to pay.
#[tokio::test]
async fn create_user_by_a_phone_of_another_app_connects_nothing_and_shows_nothing() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    let before = user(&server, &id).await;

    let named = other.names(PHONE).await;
    named.refused(409, "user-in-another-app");
    for known in [id.as_str(), "Jane", "Doe", "0111", PHONE] {
        assert!(!named.text.contains(known), "{known} in {}", named.text);
    }
    assert!(
        named.text.contains("organization key") && named.text.contains("payout link"),
        "the two ways: {}",
        named.text
    );
    // For an unverified payee the response is identical: it does not even show the verification.
    server.user(5678).await;
    assert_eq!(other.names("2127365678").await.body["message"], named.body["message"]);

    let path = format!("/v2/users/{id}");
    other.ask("GET", &path).send().await.refused(404, "not-found");
    other.ask("GET", &format!("{path}/payout-methods")).send().await.refused(404, "not-found");
    let mut evil = bank("666000666");
    evil["is_default"] = json!(true);
    other.ask("PUT", &format!("{path}/payout-methods")).json(evil).send().await.refused(404, "not-found");
    let both = json!({"user_id": id, "app_id": other.id});
    other.ask("POST", "/v2/users/connect").json(both).send().await.refused(403, "organization-key-required");
    assert_eq!(user(&server, &id).await, before);

    let paid = sent(&server, 70_000, PHONE).await;
    assert_eq!((&paid["status"], &paid["claimed_user_id"]), (&json!("claimed"), &json!(id)));
    let theirs = methods(&server, &id).await;
    assert_eq!((theirs.len(), &theirs[0]["mask"]), (1, &json!("0111")));
    server.verify();
}

/// With a connection by the organization, two apps share the payee, and none of their other data.
#[tokio::test]
async fn set_payout_method_of_a_connected_app_does_not_steer_another() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    other.connected(&id).await;
    let seen = other.sees(&id).await;
    assert_eq!((&seen["first_name"], &seen["verified"]), (&json!("Jane"), &json!(true)), "identity is shared");
    assert_eq!((&seen["auto_payout_enabled"], &seen["default_payout_method"]), (&json!(false), &Value::Null));
    assert_eq!(other.methods_of(&id).await, Vec::<Value>::new());

    let own = methods(&server, &id).await[0].clone();
    let path = format!("/v2/users/{id}");
    let before = user(&server, &id).await;
    let mut evil = bank("666000666");
    (evil["is_default"], evil["auto_payout_enabled"]) = (json!(true), json!(true));
    other.ask("PUT", &format!("{path}/payout-methods")).json(evil).send().await.expect(200);
    let mine = json!({"metadata": "mine", "payout_options_exclude_list": ["ach"], "auto_payout_enabled": false});
    other.ask("PATCH", &path).json(mine).send().await.expect(200);
    assert_eq!(user(&server, &id).await, before, "no app changes another's profile");

    // Another app's method is not this app's, by any name.
    let method = own["id"].as_str().unwrap();
    other.ask("DELETE", &format!("{path}/payout-methods/{method}")).send().await.refused(404, "not-found");
    let default = json!({"default_payout_method": method});
    other.ask("PATCH", &path).json(default).send().await.refused(400, "invalid-input");
    let order = json!({"user_id": id, "amount": 100, "platform": "ach", "account_id": method, "fund": true});
    other.ask("POST", "/v2/payouts").json(order).send().await.refused(404, "not-found");
    let estimate = format!("/v2/payouts/fee-estimate?user_id={id}&platform=ach&account_id={method}");
    other.ask("GET", &estimate).send().await.refused(404, "not-found");
    let debit = json!({"user_id": id, "amount": 100, "platform": "ach", "account_id": method});
    other.ask("POST", "/v2/payments").json(debit).send().await.refused(404, "not-found");

    let paid = sent(&server, 70_000, PHONE).await;
    assert_eq!(paid["status"], "claimed");
    let payout = server.get(&format!("/v2/transfers?user_id={id}&type=payout")).app_key().send().await.expect(200);
    assert_eq!(payout.body["data"][0]["external_data"]["account_id"], own["id"], "{}", payout.text);
    assert_eq!(methods(&server, &id).await, [own]);
    server.verify();
}

/// An app that adds the same account by the API gets its own method, and learns nothing of the other.
#[tokio::test]
async fn set_payout_method_with_details_of_another_app_is_a_method_of_its_own() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let (first, other) = (methods(&server, &id).await[0].clone(), Other::of(&server).await);
    other.connected(&id).await;
    let path = format!("/v2/users/{id}/payout-methods");
    let added = other.ask("PUT", &path).json(bank("111000111")).send().await.expect(200).body;
    assert_ne!(added["id"], first["id"]);
    assert_eq!(user(&server, &id).await["compliance"]["flags"]["payout_method"], false, "one payee, one account");
    let removed = format!("{path}/{}", added["id"].as_str().unwrap());
    other.ask("DELETE", &removed).send().await.expect(200);
    assert_eq!(methods(&server, &id).await, [first]);
    assert_eq!(sent(&server, 1_000, PHONE).await["status"], "claimed", "the other app's payouts go on");
}

/// The second way of C1: change the phone of an unverified payee, and get the links.
#[tokio::test]
async fn update_user_contact_data_only_by_the_app_that_wrote_it() {
    let server = Server::start().await;
    let (id, other) = (server.user(LINE).await, Other::of(&server).await);
    let path = format!("/v2/users/{id}");
    let phone = json!({"phone_number": {"country_code": "1", "phone_number": THIEF}});
    other.names(PHONE).await.refused(409, "user-in-another-app");
    other.ask("PATCH", &path).json(phone.clone()).send().await.refused(404, "not-found");
    other.connected(&id).await;
    let refused = other.ask("PATCH", &path).json(phone.clone()).send().await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/phone_number"]);
    let email = json!({"email": "thief@example.com"});
    let refused = other.ask("PATCH", &path).json(email).send().await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/email"]);

    let link = json!({"user_id": id, "amount": 80_000});
    server.post("/v2/payouts/send-payout").app_key().json(link.clone()).send().await.expect(201);
    server.work_off().await;
    let messages = server.get("/v2/sandbox/messages").as_org().send().await.expect(200);
    assert!(!messages.text.contains(THIEF) && messages.text.contains(PHONE), "{}", messages.text);

    // The app that set the number may change it. That does not redirect the other app, which the organization connected
    // before: it has no phone of the payee until the new one is verified.
    server.patch(&path).app_key().json(phone).send().await.expect(200);
    let by_link =
        json!({"user_id": id, "amount": 1, "delivery": {"method": "sms"}, "funding_source": "service_balance"});
    let refused = other.ask("POST", "/v2/payout-links").json(by_link).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/delivery/method"]);

    // And the organization may change it for all.
    let third = json!({"phone_number": {"country_code": "1", "phone_number": "2127367777"}});
    server.patch(&path).as_org().for_app(&other.id).json(third).send().await.expect(200);
    assert_eq!(user(&server, &id).await["phone_number"]["phone_number"], "2127367777");
    server.verify();
}

/// A missing address that another app sets does not redirect the first app's links and notices.
#[tokio::test]
async fn update_user_fills_in_a_missing_address_for_itself_alone() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    other.connected(&id).await;
    let path = format!("/v2/users/{id}");
    other.ask("PATCH", &path).json(json!({"email": "thief@example.com"})).send().await.expect(200);

    let mail = json!({"user_id": id, "amount": 500, "delivery": {"method": "email"}});
    let refused = server.post("/v2/payout-links").app_key().json(mail).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/delivery/method"]);
    let all = json!({"user_id": id, "amount": 500, "delivery": {"method": "all"}});
    server.post("/v2/payout-links").app_key().json(all).send().await.expect(201);
    server.work_off().await;
    let messages = server.get("/v2/sandbox/messages").as_org().send().await.expect(200);
    assert!(!messages.text.contains("thief@example.com"), "{}", messages.text);
    // The organization's address applies to all apps.
    let email = json!({"email": "jane@example.com"});
    server.patch(&path).as_org().for_app(&server.app_id()).json(email).send().await.expect(200);
    let mail = json!({"user_id": id, "amount": 500, "delivery": {"method": "email"}});
    server.post("/v2/payout-links").app_key().json(mail).send().await.expect(201);
    let seen = server.newest_message("jane@example.com").await;
    assert_eq!(seen["channel"], "email");
}

/// Verified contact data is the payee's: no app changes it. The organization may, and then it is no longer verified.
#[tokio::test]
async fn update_user_verified_contact_data_only_by_the_organization() {
    let server = Server::start().await;
    let id = server.banked_user(LINE).await;
    let path = format!("/v2/users/{id}");
    server.patch(&path).app_key().json(json!({"auto_payout_enabled": true})).send().await.expect(200);
    let phone = json!({"phone_number": {"country_code": "1", "phone_number": THIEF}});
    server.patch(&path).app_key().json(phone.clone()).send().await.refused(409, "invalid-state");
    let changed = server.patch(&path).as_org().for_app(&server.app_id()).json(phone).send().await.expect(200).body;
    assert_eq!((&changed["verified"], &changed["status"]), (&json!(false), &json!("unverified")));
    // No automatic payout goes to the payee before the new number is verified.
    let order = json!({"user_id": id, "amount": 500});
    let link = server.post("/v2/payouts/send-payout").app_key().json(order).send().await.expect(201).body;
    assert_eq!((&link["status"], &link["claimed_user_id"]), (&json!("delivery_pending"), &Value::Null));
}

/// The third way of C1: debit the account that the payee gave to another app. A name, a tax form or the amounts of a
/// tax year would stop the payouts of every app of the organization.
#[tokio::test]
async fn update_user_and_set_compliance_of_a_shared_payee_only_by_the_organization() {
    let server = Server::memory().await;
    let user = payee(&server, "5550001").await;
    let form = json!({"w9": {"entity_type": "individual", "tax_id_type": "ssn", "name": "Jane Doe", "tax_id": "123-45-6789",
        "line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "certified": true}});
    let path = format!("/v2/users/{user}");
    let changes = [
        ("/first_name", json!({"first_name": "Test"})),
        ("/last_name", json!({"last_name": "Sanctioned"})),
        ("/date_of_birth", json!({"date_of_birth": "1980-01-31"})),
        ("/1099_adjustment", json!({"1099_adjustment": {"year": 2026, "form": "1099-NEC", "amount": 1_000}})),
    ];
    // The control: the only app of a payee may set them.
    server.patch(&path).app_key().json(changes[3].1.clone()).send().await.expect(200);
    server.put(&format!("{path}/compliance")).app_key().json(form.clone()).send().await.expect(200);
    let other = Other::of(&server).await;
    other.connected(&user).await;
    let before = server.get(&path).app_key().send().await.expect(200).body;
    for (field, change) in &changes {
        let refused = other.ask("PATCH", &path).json(change.clone()).send().await;
        assert_eq!(refused.refused(409, "invalid-state").fields(), [*field]);
    }
    let refused = other.ask("PUT", &format!("{path}/compliance")).json(form.clone()).send().await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/w9"]);
    other.ask("PATCH", &path).json(json!({"first_name": "Jane"})).send().await.expect(200);
    assert_eq!(server.get(&path).app_key().send().await.expect(200).body["compliance"], before["compliance"]);
    let by_organization = server.patch(&path).as_org().for_app(&server.app_id());
    by_organization.json(json!({"last_name": "Roe"})).send().await.expect(200);
}

#[tokio::test]
async fn create_payment_does_not_pull_an_account_of_another_app() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    let debit = json!({"amount": 9_000_000, "user_id": id, "platform": "ach"});
    other.ask("POST", "/v2/payments").json(debit.clone()).send().await.refused(404, "not-found");
    other.connected(&id).await;
    let refused = other.ask("POST", "/v2/payments").json(debit).send().await;
    refused.refused(409, "user-info-missing");
    server.verify();
}

/// The fourth way of C1: delete the payee of another app.
#[tokio::test]
async fn delete_user_by_an_app_disconnects_it_and_erases_no_user_of_another_app() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    let path = format!("/v2/users/{id}");
    other.ask("DELETE", &path).send().await.refused(404, "not-found");
    other.connected(&id).await;
    let mut own = bank("222000222");
    own["metadata"] = json!("theirs");
    other.ask("PUT", &format!("{path}/payout-methods")).json(own).send().await.expect(200);
    let before = (user(&server, &id).await, methods(&server, &id).await);

    let gone = other.ask("DELETE", &path).send().await.expect(200).body;
    assert_eq!(
        (&gone["status"], &gone["first_name"], &gone["phone_number"]),
        (&json!("disabled"), &Value::Null, &Value::Null)
    );
    assert_eq!(other.ask("DELETE", &path).send().await.expect(200).body, gone, "a repeated call has no further effect");
    assert_eq!(other.sees(&id).await, gone, "it looks as if the payee were erased");
    assert_eq!(other.methods_of(&id).await, Vec::<Value>::new());
    let mut refused = Vec::new();
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({"metadata": "again"})),
        ("PUT", format!("{path}/payout-methods"), bank("222000222")),
        ("POST", "/v2/payouts/send-payout".to_owned(), json!({"user_id": id, "amount": 1})),
        ("POST", "/v2/payments".to_owned(), json!({"user_id": id, "amount": 100, "platform": "ach"})),
        ("POST", format!("{path}/send-verification-token"), json!({})),
    ] {
        refused.push(other.ask(method, &path).json(body).send().await.body["error_code"].clone());
    }
    assert_eq!(refused, vec![json!("user-inactive"); 5]);
    let listed = other.ask("GET", &format!("/v2/users?phone_number=%2B1{PHONE}")).send().await.expect(200);
    assert_eq!(listed.body["data"], json!([]));
    let listed = other.ask("GET", "/v2/users").send().await.expect(200);
    assert_eq!(listed.body["data"], json!([gone]));

    assert_eq!((user(&server, &id).await, methods(&server, &id).await), before, "nothing of the first app's is gone");
    assert_eq!(sent(&server, 1_000, PHONE).await["status"], "claimed");
    // The deleted app's key alone does not restore the payee; the organization connects it again, with an empty
    // profile.
    other.names(PHONE).await.refused(409, "user-in-another-app");
    let back = server.post("/v2/users").as_org().for_app(&other.id).json(person(PHONE)).send().await.expect(201).body;
    assert_eq!((&back["id"], &back["first_name"], &back["metadata"]), (&json!(id), &json!("Jane"), &Value::Null));
    assert_eq!(other.methods_of(&id).await, Vec::<Value>::new());

    // The last app's deletion erases, and so does the organization's.
    server.work_off().await;
    server.pass(5 * 86_400).await;
    server.delete(&path).as_org().for_app(&other.id).send().await.expect(200);
    assert_eq!(user(&server, &id).await["status"], "disabled");
    assert_eq!(user(&server, &id).await["phone_number"], Value::Null);
    other.names(PHONE).await.expect(201);
    server.verify();
}

/// The organization erases a payee that the app it acts for has deleted before.
#[tokio::test]
async fn delete_user_by_the_organization_after_an_app_disconnected() {
    let server = Server::start().await;
    let id = server.user(LINE).await;
    let other = Other::of(&server).await;
    other.connected(&id).await;
    let path = format!("/v2/users/{id}");
    other.ask("DELETE", &path).send().await.expect(200);
    assert_eq!(user(&server, &id).await["status"], "unverified");
    server.delete(&path).as_org().for_app(&other.id).send().await.expect(200);
    assert_eq!(user(&server, &id).await["status"], "disabled");
}

/// The fifth way of C1: no response shows whether the organization knows a phone number, except the refusal with that
/// meaning.
#[tokio::test]
async fn send_payout_to_a_phone_of_another_app_is_as_to_a_stranger() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    other.funded().await;
    let seen = async |phone: &str| {
        let named = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": phone}});
        let mut replies = Vec::new();
        for path in ["/v2/payout-requests", "/v2/payout-links", "/v2/payouts/send-payout"] {
            replies.push(other.ask("POST", path).json(named.clone()).send().await.expect(201));
        }
        let row = json!({
            "country_code": "1", "phone_number": phone, "amount_cents": 500, "delivery_method": "sms",
            "idempotency_key": "019a0000-0000-7000-8000-000000000009",
        });
        let plan = other.ask("POST", "/v2/payout-link-batches?dry_run=true").json(json!({"links": [row]})).send().await;
        let planned = plan.expect(200).text.len();
        replies.push(other.ask("GET", &format!("/v2/users?phone_number=%2B1{phone}")).send().await.expect(200));
        (planned, replies.iter().map(|reply| (reply.status, shape(&reply.body, phone))).collect::<Vec<_>>())
    };
    assert_eq!(seen(PHONE).await, seen("2127364444").await);
    other.ask("GET", &format!("/v2/users/{id}")).send().await.refused(404, "not-found");
}

/// In a claim of another app the payee chooses an earlier saved method: that grants it to this app.
#[tokio::test]
async fn choose_claim_method_saved_in_a_claim_of_another_app() {
    let server = Server::start().await;
    let other = Other::of(&server).await;
    // The payee's own method, and one that the other app has added.
    let link = |amount: u32| json!({"amount": amount, "payee": {"country_code": "1", "phone_number": PHONE}});
    let id = payee(&server, "111000111").await;
    other.connected(&id).await;
    other.ask("PUT", &format!("/v2/users/{id}/payout-methods")).json(bank("666000666")).send().await.expect(200);

    let third = Other::of(&server).await;
    third.funded().await;
    let sent = third.ask("POST", "/v2/payouts/send-payout").json(link(500)).send().await.expect(201).body;
    let session = Session::of(&server, &sent, PHONE).await;
    let saved = session.saved().await;
    assert_eq!(saved.len(), 1, "what another app added is not offered: {saved:?}");
    let first = methods(&server, &id).await[0]["id"].clone();
    assert_eq!(saved[0]["payout_method_id"], first);
    let evil = other.methods_of(&id).await[0]["id"].clone();
    session.post("method", json!({"payout_method_id": evil})).await.refused(404, "not-found");
    let choice = json!({"payout_method_id": first, "is_default": true, "auto_payout_enabled": true});
    session.post("method", choice).await.expect(200);
    session.post("payout", json!({})).await.expect(200);

    // The third app has its own row, and pays by it from now on.
    let granted = third.methods_of(&id).await;
    assert_eq!((granted.len(), &granted[0]["mask"]), (1, &json!("0111")));
    assert_ne!(granted[0]["id"], first);
    let paid = third.ask("POST", "/v2/payouts/send-payout").json(link(600)).send().await.expect(201).body;
    assert_eq!(paid["status"], "claimed");
    server.work_off().await;
    server.pass(5 * 86_400).await;
    let payouts = third.ask("GET", &format!("/v2/transfers?user_id={id}&type=payout")).send().await.expect(200);
    let arrived: Vec<_> = payouts.body["data"].as_array().unwrap().iter().map(|it| it["status"].clone()).collect();
    assert_eq!(arrived, ["completed", "completed"]);
    // Its removal there takes nothing from the first app.
    let path = format!("/v2/users/{id}/payout-methods/{}", granted[0]["id"].as_str().unwrap());
    third.ask("DELETE", &path).send().await.expect(200);
    assert_eq!(methods(&server, &id).await.len(), 1);
    server.verify();
}

/// Each app gets events about its own profile only, with its own sequence.
#[tokio::test]
async fn list_events_shows_an_app_nothing_of_another_apps_profile() {
    let server = Server::start().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    other.connected(&id).await;
    let heard = async || {
        let events = other.ask("GET", "/v2/events?limit=100").send().await.expect(200).body;
        let versions = events["data"].as_array().unwrap().iter().map(|event| event["object"]["id"].clone());
        versions.filter(|object| *object == id).count()
    };
    assert_eq!(heard().await, 1, "it hears that it is connected");
    let path = format!("/v2/users/{id}");
    server.put(&format!("{path}/payout-methods")).app_key().json(bank("222000222")).send().await.expect(200);
    server
        .patch(&path)
        .app_key()
        .json(json!({"metadata": "gold", "auto_payout_enabled": false}))
        .send()
        .await
        .expect(200);
    assert_eq!(heard().await, 1);
    let renamed = server.patch(&path).as_org().for_app(&server.app_id()).json(json!({"last_name": "Doe-Smith"}));
    renamed.send().await.expect(200);
    assert_eq!(heard().await, 2, "the name belongs to the payee");
}

/// `bursar verify` finds a profile whose default is not the app's method of this user.
#[tokio::test]
async fn verify_finds_a_default_method_of_another_app() {
    let server = Server::memory().await;
    let id = payee(&server, "111000111").await;
    let other = Other::of(&server).await;
    other.connected(&id).await;
    other.ask("PUT", &format!("/v2/users/{id}/payout-methods")).json(bank("666000666")).send().await.expect(200);
    server.verify();
    let theirs = other.sees(&id).await["default_payout_method_details"]["id"].as_str().unwrap().to_owned();
    let theirs = bursar::ids::PayoutMethodId(theirs.parse().unwrap());
    let findings = server.tampered::<AppUser>(
        |profile| profile.auto_payout_enabled,
        |profile| profile.default_payout_method = Some(theirs),
    );
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].what.contains("default payout method"), "{findings:?}");
}

/// A payee with only an e-mail address gets a link.
#[tokio::test]
async fn send_payout_to_an_address_without_a_phone() {
    let server = Server::start().await;
    let body = json!({"amount": 700, "payee": {"first_name": "Jane", "email": "Jane@example.com"}});
    let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
    assert_eq!(link["status"], "delivery_pending", "{link}");
    server.work_off().await;
    assert_eq!(server.newest_message("Jane@example.com").await["channel"], "email");
    let named = json!({"amount": 700, "payee": {"first_name": "Jane"}});
    let refused = server.post("/v2/payouts/send-payout").app_key().json(named).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/payee"]);
}
