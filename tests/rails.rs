//! Payouts over providers behind HTTP: real sockets, against the reference adapter in a process of its own.

use bursar::ids::{JobId, OrgId, TransferId};
use bursar::jobs::{Lease, Leased};
use bursar::rail_payments::{self, BeginAttempt, Begun, RailPayment};
use bursar::vault::Unsealed;
use bursar::webhooks::signature::{self, Secret};
use bursar::worker::Session;
use bursar::world::Record as _;
use serde_json::{Value, json};

use crate::harness::{ADAPTER_TOKEN, Adapter, Desk, Reply, Server};

const DAY: i64 = 86_400;
const NUDGE_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

/// A server, and what members do with its rails.
pub struct Rails<'a> {
    pub server: &'a Server,
    desk: Desk<'a>,
}

impl<'a> Rails<'a> {
    pub fn of(server: &'a Server) -> Self {
        Self { server, desk: Desk::of(server) }
    }

    pub async fn post(&self, path: &str, role: &str, mut body: Value) -> Reply {
        body["acting_user_id"] = json!(self.desk.member(role));
        self.server.post(path).as_org().json(body).send().await
    }

    pub async fn get(&self, path: &str) -> Value {
        self.server.get(path).as_org().send().await.expect(200).body
    }

    /// Adds and approves a provider; returns it.
    pub async fn provider(&self, new: Value) -> Value {
        let added = self.post("/v2/bank/providers", "admin", new).await.expect(201);
        let path = format!("/v2/bank/providers/{}/approve", added.id());
        self.post(&path, "payer", json!({})).await.expect(200).body
    }

    /// Routes a rail to a provider, and waits for the first day of the route.
    pub async fn route(&self, platform: &str, provider: &str) -> String {
        let tomorrow = self.server.now().plus_seconds(DAY).date().to_string();
        let body = json!({"platform": platform, "currency": "USD", "from_on": tomorrow, "rail_provider_id": provider});
        let route = self.post("/v2/bank/routes", "admin", body).await.expect(201).id();
        self.post(&format!("/v2/bank/routes/{route}/approve"), "payer", json!({})).await.expect(200);
        self.server.pass(DAY).await;
        route
    }

    /// Connects wallet_a to an adapter; returns the provider.
    pub async fn connected(&self, adapter: &Adapter) -> Value {
        let new = json!({"name": "Adapter", "kind": "adapter", "url": adapter.url(), "secret": ADAPTER_TOKEN,
            "nudge_secret": NUDGE_SECRET});
        let provider = self.provider(new).await;
        self.route("wallet_a", provider["id"].as_str().unwrap()).await;
        provider
    }

    /// Creates a payee with a wallet; returns the user.
    pub async fn payee(&self, line: u32, email: &str) -> String {
        let user = self.server.verified_user(line).await;
        self.server.payout_method(&user, json!({"platform": "wallet_a", "email": email})).await;
        user
    }

    /// Pays $10.00 by a rail; returns the reply.
    pub async fn paying(&self, user: &str, platform: &str) -> Reply {
        let body = json!({"user_id": user, "amount": 1_000, "platform": platform, "fund": true});
        self.server.post("/v2/payouts").app_key().json(body).send().await
    }

    pub async fn pay(&self, user: &str) -> String {
        self.paying(user, "wallet_a").await.expect(201).id()
    }

    pub async fn status(&self, transfer: &str) -> (String, Option<String>) {
        let path = format!("/v2/transfers/{transfer}");
        let body = self.server.get(&path).app_key().send().await.expect(200).body;
        (body["status"].as_str().unwrap().to_owned(), body["error"].as_str().map(str::to_owned))
    }

    async fn expect(&self, transfer: &str, status: &str, error: Option<&str>) {
        assert_eq!(self.status(transfer).await, (status.to_owned(), error.map(str::to_owned)));
    }

    /// Returns the payment of a transfer, as operators see it.
    pub async fn payment(&self, transfer: &str) -> Value {
        let list = self.get("/v2/bank/provider-payments?limit=100").await;
        let found = list["data"].as_array().unwrap().iter().find(|payment| payment["transfer_id"] == transfer);
        found.cloned().unwrap_or(Value::Null)
    }

    /// Posts a nudge, signed with a secret.
    async fn nudge(&self, provider: &Value, body: &str, secret: &str, timestamp: i64) -> Reply {
        let secret = Secret::parse(secret).unwrap();
        let path = provider["nudge_path"].as_str().unwrap();
        let asking = self.server.post(path).header("webhook-id", "msg_1");
        let asking = asking.header("webhook-timestamp", timestamp.to_string());
        let signature = signature::signature(&secret, "msg_1", timestamp, body);
        asking.header("webhook-signature", signature).raw("application/json", body).send().await
    }
}

fn org(server: &Server) -> OrgId {
    OrgId(server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap())
}

#[tokio::test]
async fn add_rail_provider_list_rail_providers_approve_rail_provider_end_rail_provider() {
    let server = Server::memory().await;
    let rails = Rails::of(&server);
    let new =
        json!({"name": "Adapter", "kind": "adapter", "url": "http://127.0.0.1:9/v1/", "secret": "a-secret-token"});
    let added = rails.post("/v2/bank/providers", "admin", new.clone()).await.expect(201);
    let path = |verb: &str| format!("/v2/bank/providers/{}/{verb}", added.id());
    assert_eq!((&added.body["status"], &added.body["url"]), (&json!("draft"), &json!("http://127.0.0.1:9/v1")));
    assert!(!added.text.contains("a-secret-token"), "{}", added.text);
    let stored = format!("{:?}", server.rows(bursar::banking::providers::RailProvider::TABLE));
    assert!(!stored.contains("a-secret-token"), "the secret is sealed");
    rails.post("/v2/bank/providers", "payer", new.clone()).await.refused(403, "not-permitted");
    let tomorrow = server.now().plus_seconds(DAY).date().to_string();
    let route = json!({"platform": "wallet_a", "currency": "USD", "from_on": tomorrow, "rail_provider_id": added.id()});
    let route = rails.post("/v2/bank/routes", "admin", route).await.expect(201).id();
    let approve = format!("/v2/bank/routes/{route}/approve");
    rails.post(&approve, "payer", json!({})).await.refused(409, "invalid-state");
    rails.post(&path("approve"), "admin", json!({})).await.refused(403, "self-approval");
    assert_eq!(rails.post(&path("approve"), "payer", json!({})).await.expect(200).body["status"], "approved");
    rails.post(&approve, "payer", json!({})).await.expect(200);
    rails.post(&path("end"), "admin", json!({})).await.refused(409, "invalid-state");
    rails.post(&format!("/v2/bank/routes/{route}/end"), "admin", json!({})).await.expect(200);
    assert_eq!(rails.post(&path("end"), "admin", json!({})).await.expect(200).body["status"], "ended");
    rails.post(&path("end"), "admin", json!({})).await.expect(200);
    let listed = rails.get("/v2/bank/providers?kind=adapter&status=ended").await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    for (field, value) in [
        ("url", json!("adapter")),
        ("url", json!("http://x.example/?a=b")),
        ("kind", json!("stripe")),
        ("secret", json!("with blanks")),
        ("nudge_secret", json!("whsec_short")),
        ("client_id", json!("only-of-paypal")),
    ] {
        let mut wrong = new.clone();
        wrong[field] = value;
        let refused = rails.post("/v2/bank/providers", "admin", wrong).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), [format!("/{field}")]);
    }
    server.verify();
}

#[tokio::test]
async fn a_route_has_a_bank_or_a_provider_that_can_carry_the_rail() {
    let server = Server::memory().await;
    let rails = Rails::of(&server);
    let new =
        json!({"name": "PayPal", "kind": "paypal", "url": "http://127.0.0.1:9", "client_id": "id", "secret": "s"});
    let provider = rails.provider(new).await["id"].clone();
    let tomorrow = server.now().plus_seconds(DAY).date().to_string();
    let route =
        json!({"platform": "push_to_card", "currency": "USD", "from_on": tomorrow, "rail_provider_id": provider});
    let refused = rails.post("/v2/bank/routes", "admin", route.clone()).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/platform"]);
    let mut both = route.clone();
    (both["platform"], both["originator_id"]) = (json!("wallet_a"), provider.clone());
    let refused = rails.post("/v2/bank/routes", "admin", both).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/rail_provider_id"]);
    let mut none = route;
    none.as_object_mut().unwrap().shift_remove("rail_provider_id");
    let refused = rails.post("/v2/bank/routes", "admin", none).await;
    let fields = ["/bank_connection_id", "/originator_id", "/settlement_account_id"];
    assert_eq!(refused.refused(400, "invalid-input").fields(), fields);
}

#[tokio::test]
async fn a_payout_goes_to_its_provider_once_and_settles_there() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    rails.connected(&adapter).await;
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    rails.expect(&transfer, "created", None).await;
    server.work_off().await;
    rails.expect(&transfer, "pending", None).await;
    let received = adapter.received().await;
    let order: Value = serde_json::from_str(received["transfers"][0]["content"].as_str().unwrap()).unwrap();
    let shown = server.get(&format!("/v2/transfers/{transfer}")).app_key().send().await.expect(200).body;
    assert_eq!(order["amount"].to_string(), shown["payout_amount"].as_str().unwrap());
    assert_eq!(order["far_end"], json!({"email": "jane@example.com", "type": "email"}));
    assert_eq!((&order["platform"], &order["payee"]["name"]), (&json!("wallet_a"), &json!("Jane Doe")));
    let payment = rails.payment(&transfer).await;
    assert_eq!((&payment["status"], &payment["attempts"]), (&json!("accepted"), &json!(1)));
    assert!(payment["reference"].as_str().unwrap().starts_with("ref-"));
    adapter.settle(&transfer, "complete").await;
    server.pass(20 * DAY).await;
    rails.expect(&transfer, "completed", None).await;
    assert_eq!((adapter.puts(&transfer).await, adapter.payouts(&transfer).await), (1, 1));
    // It comes back later; a look-up finds it even without a nudge.
    adapter.settle(&transfer, "return account_closed").await;
    server.pass(31 * DAY).await;
    rails.expect(&transfer, "reversed", Some("account_closed")).await;
    let rows = format!("{:?}", server.rows(RailPayment::TABLE));
    assert!(!rows.contains("jane"), "no order stays in the store");
    server.verify();
}

#[tokio::test]
async fn a_definite_refusal_fails_the_payout_and_gives_the_money_back() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    rails.connected(&adapter).await;
    let before = server.balance("app_wallet").await;
    let user = rails.payee(1001, "refuse-account-closed@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    rails.expect(&transfer, "failed", Some("account_closed")).await;
    assert_eq!(rails.payment(&transfer).await["status"], "failed");
    assert_eq!((adapter.payouts(&transfer).await, server.balance("app_wallet").await), (0, before));
    // One that the provider accepts first, and that fails later.
    let user = rails.payee(1002, "joe@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    adapter.settle(&transfer, "fail R03").await;
    server.pass(20 * DAY).await;
    rails.expect(&transfer, "failed", Some("no_account")).await;
    assert_eq!(server.balance("app_wallet").await, before);
    server.verify();
}

#[tokio::test]
async fn an_answer_that_is_lost_or_no_answer_pays_once_and_fails_nothing() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    rails.connected(&adapter).await;
    let faults: [&[&str]; 9] = [
        &["PUT:lose-request"],
        &["PUT:lose-answer"],
        &["PUT:status-500"],
        &["PUT:after-503"],
        &["PUT:status-409"],
        &["PUT:status-404"],
        &["PUT:after-400", "GET:status-500", "GET:lose-answer"],
        &["PUT:garbage"],
        &["PUT:new-state", "GET:new-state"],
    ];
    for (line, faults) in (1001..).zip(faults) {
        let user = rails.payee(line, &format!("jane{line}@example.com")).await;
        adapter.fail(faults).await;
        let transfer = rails.pay(&user).await;
        server.work_off().await;
        for _ in faults {
            server.pass(3_600).await;
        }
        rails.expect(&transfer, "pending", None).await;
        adapter.settle(&transfer, "complete").await;
        server.pass(20 * DAY).await;
        rails.expect(&transfer, "completed", None).await;
        assert_eq!(adapter.payouts(&transfer).await, 1, "{faults:?}");
        assert_eq!(adapter.received().await["faults"], json!([]), "{faults:?}");
    }
    server.verify();
}

#[tokio::test]
async fn a_provider_with_another_payment_under_our_id_fails_nothing() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    rails.connected(&adapter).await;
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    let other = json!({"platform": "wallet_a", "direction": "credit", "amount": 1, "currency": "USD",
        "far_end": {"type": "email", "email": "eve@example.com"}, "payee": {"name": "Eve"}});
    let put = reqwest::Client::new().put(format!("{}/transfers/{transfer}", adapter.url()));
    let put = put.bearer_auth(ADAPTER_TOKEN).body(other.to_string()).send().await.unwrap();
    assert_eq!(put.status().as_u16(), 201);
    server.work_off().await;
    rails.expect(&transfer, "created", None).await;
    let payment = rails.payment(&transfer).await;
    assert_eq!(payment["doubt"], "the provider has another payment under this id");
    server.verify();
}

#[tokio::test]
async fn a_balance_that_is_too_low_fails_nothing_and_raises_one_alarm() {
    let adapter = Adapter::with(&["--settle-seconds", "1000000", "--balance", "10"]);
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let provider = rails.connected(&adapter).await["id"].clone();
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    server.pass(3_600).await;
    rails.expect(&transfer, "created", None).await;
    let shown = rails.get("/v2/bank/providers").await["data"][0].clone();
    assert!(shown["short_of_funds_since"].is_string(), "{shown}");
    let acts = rails.get("/v2/administrative-acts").await;
    let alarms = acts["data"].as_array().unwrap().iter();
    let alarms = alarms.filter(|act| act["act"] == "rail_provider.short_of_funds" && act["subject"] == provider);
    assert_eq!(alarms.count(), 1, "one alarm, although the payment was tried more than once");
    assert!(adapter.puts(&transfer).await > 1);
    adapter.control(json!({"fund": 100_000})).await;
    server.pass(3_600).await;
    rails.expect(&transfer, "pending", None).await;
    assert_eq!(adapter.payouts(&transfer).await, 1);
    assert_eq!(rails.get("/v2/bank/providers").await["data"][0]["short_of_funds_since"], Value::Null);
    server.verify();
}

/// Leases the job of a payout, like a worker, and returns what it would send.
async fn leased(server: &Server, transfer: &str) -> (Leased, rail_payments::Plan) {
    let (org, id) = (org(server), TransferId(transfer.parse().unwrap()));
    let bursar = server.bursar();
    let leased = bursar.engine.run(org, Lease { org, id: JobId(id.0) }).await.unwrap().unwrap();
    let vault = bursar.vault.clone();
    let plan = bursar.read(move |world| rail_payments::plan(world, &vault, org, id)).await.unwrap().unwrap();
    (leased, plan)
}

async fn begin(server: &Server, leased: &Leased, plan: &rail_payments::Plan) -> Begun {
    let bursar = server.bursar();
    let order = plan.order.as_ref().unwrap().to_bytes();
    let order = Unsealed::new(&bursar.vault, order, bursar.entropy().bytes());
    let begin = BeginAttempt { leased: leased.clone(), transfer: plan.payment.transfer, order };
    bursar.engine.run(leased.org, begin).await.unwrap()
}

#[tokio::test]
async fn a_crash_between_the_attempt_and_the_answer_pays_once() {
    for reaches_the_provider in [true, false] {
        let adapter = Adapter::start();
        let mut server = Server::beside_programs().await;
        let transfer = {
            let rails = Rails::of(&server);
            rails.connected(&adapter).await;
            let user = rails.payee(1001, "jane@example.com").await;
            let transfer = rails.pay(&user).await;
            let (leased, plan) = leased(&server, &transfer).await;
            assert_eq!(begin(&server, &leased, &plan).await, Begun::Call);
            if reaches_the_provider {
                let bursar = server.bursar();
                let session = Session {
                    outbound: &bursar.outbound,
                    tokens: &bursar.rail_tokens,
                    access: plan.access.as_ref().unwrap(),
                    transfer: plan.payment.transfer,
                    reference: None,
                };
                session.submit(plan.order.as_ref().unwrap()).await;
            }
            assert_eq!(rails.payment(&transfer).await["status"], "attempted", "committed before the call");
            transfer
        };
        server.restart().await;
        let rails = Rails::of(&server);
        // A payout that may be at the provider cannot be canceled.
        let cancel = server.post(&format!("/v2/transfers/{transfer}/cancel")).app_key().send().await;
        cancel.refused(409, "invalid-state");
        server.pass(120).await;
        rails.expect(&transfer, "pending", None).await;
        assert_eq!((adapter.puts(&transfer).await, adapter.payouts(&transfer).await), (1, 1));
        server.verify();
    }
}

#[tokio::test]
async fn a_payout_is_canceled_before_its_provider_is_called_and_not_after() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    rails.connected(&adapter).await;
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    let cancel = |transfer: String| server.post(&format!("/v2/transfers/{transfer}/cancel")).app_key().send();
    assert_eq!(cancel(transfer.clone()).await.expect(200).body["status"], "canceled");
    server.work_off().await;
    assert_eq!(
        (rails.payment(&transfer).await["status"].clone(), adapter.puts(&transfer).await),
        (json!("withdrawn"), 0)
    );
    let second = rails.pay(&user).await;
    server.work_off().await;
    cancel(second).await.refused(409, "invalid-state");
    server.verify();
}

#[tokio::test]
async fn nudge_rail_looks_up_at_once_and_is_no_proof() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let provider = rails.connected(&adapter).await;
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    server.work_off().await;
    let now = bursar::clock::Clock::wall().now().seconds();
    let body = json!({"transfer_id": transfer, "state": "completed"}).to_string();
    // The provider says the contrary when it is asked.
    rails.nudge(&provider, &body, NUDGE_SECRET, now).await.expect(204);
    server.work_off().await;
    rails.expect(&transfer, "pending", None).await;
    adapter.settle(&transfer, "complete").await;
    server.work_off().await;
    rails.expect(&transfer, "pending", None).await;
    rails.nudge(&provider, &body, NUDGE_SECRET, now).await.expect(204);
    server.work_off().await;
    rails.expect(&transfer, "completed", None).await;
    // Wrong signatures, old ones, other secrets.
    let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    rails.nudge(&provider, &body, other, now).await.refused(403, "not-permitted");
    rails.nudge(&provider, &body, NUDGE_SECRET, now - 3_600).await.refused(403, "not-permitted");
    let path = provider["nudge_path"].as_str().unwrap();
    server.post(path).raw("application/json", body.clone()).send().await.refused(403, "not-permitted");
    server.post("/v2/rails/abc/nudge").raw("application/json", body).send().await.refused(404, "not-found");
    rails.nudge(&provider, "{}", NUDGE_SECRET, now).await.refused(400, "invalid-input");
    // A payment that the provider does not carry.
    let foreign = json!({"transfer_id": "019a0000-0000-7000-8000-000000000000"}).to_string();
    rails.nudge(&provider, &foreign, NUDGE_SECRET, now).await.expect(204);
    server.verify();
}

#[tokio::test]
async fn rotate_rail_provider_secret_stops_calls_until_another_member_approves() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let provider = rails.connected(&adapter).await["id"].as_str().unwrap().to_owned();
    let path = |verb: &str| format!("/v2/bank/providers/{provider}/{verb}");
    let new = json!({"secret": ADAPTER_TOKEN});
    let rotated = rails.post(&path("rotate-secret"), "admin", new.clone()).await.expect(200).body;
    assert_eq!((&rotated["status"], &rotated["approved_by"]), (&json!("draft"), &Value::Null));
    let user = rails.payee(1001, "jane@example.com").await;
    let transfer = rails.pay(&user).await;
    server.pass(600).await;
    rails.expect(&transfer, "created", None).await;
    assert_eq!(adapter.puts(&transfer).await, 0);
    rails.post(&path("approve"), "payer", json!({})).await.expect(200);
    server.pass(600).await;
    rails.expect(&transfer, "pending", None).await;
    // A wrong secret: the provider refuses the caller, not the payment.
    rails.post(&path("rotate-secret"), "admin", json!({"secret": "wrong"})).await.expect(200);
    rails.post(&path("approve"), "payer", json!({})).await.expect(200);
    let second = rails.pay(&user).await;
    server.pass(600).await;
    rails.expect(&second, "created", None).await;
    rails.post(&path("rotate-secret"), "admin", new).await.expect(200);
    rails.post(&path("approve"), "payer", json!({})).await.expect(200);
    server.pass(3_600).await;
    rails.expect(&second, "pending", None).await;
    server.verify();
}

/// One member must not put a credential to use by ending the provider, whose payments are still looked up.
#[tokio::test]
async fn an_ended_provider_receives_no_payment_and_its_secret_was_approved() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let new = json!({"name": "Adapter", "kind": "adapter", "url": adapter.url(), "secret": ADAPTER_TOKEN});
    let provider = rails.provider(new).await["id"].as_str().unwrap().to_owned();
    let route = rails.route("wallet_a", &provider).await;
    let user = rails.payee(1001, "jane@example.com").await;
    let accepted = rails.pay(&user).await;
    server.work_off().await;
    rails.expect(&accepted, "pending", None).await;
    let path = |verb: &str| format!("/v2/bank/providers/{provider}/{verb}");
    rails.post(&path("rotate-secret"), "admin", json!({"secret": "another-secret"})).await.expect(200);
    let queued = rails.pay(&user).await;
    server.pass(600).await;
    rails.post(&format!("/v2/bank/routes/{route}/end"), "admin", json!({})).await.expect(200);
    let refused = rails.post(&path("end"), "admin", json!({})).await;
    refused.refused(409, "invalid-state");
    assert!(refused.text.contains("Let another member approve it first"), "{}", refused.text);
    rails.post(&path("rotate-secret"), "admin", json!({"secret": ADAPTER_TOKEN})).await.expect(200);
    rails.post(&path("approve"), "payer", json!({})).await.expect(200);
    rails.post(&path("end"), "admin", json!({})).await.expect(200);
    server.pass(3_600).await;
    rails.expect(&queued, "failed", Some("rejected_by_rail")).await;
    assert_eq!((adapter.puts(&queued).await, adapter.puts(&accepted).await), (0, 1));
    adapter.settle(&accepted, "complete").await;
    server.pass(DAY).await;
    rails.expect(&accepted, "completed", None).await;
    server.verify();
}

/// The member who approves must see both the address and the secret, neither of them their own.
#[tokio::test]
async fn a_draft_is_changed_by_its_author_only() {
    let server = Server::memory().await;
    let rails = Rails::of(&server);
    let new = json!({"name": "Adapter", "kind": "adapter", "url": "http://127.0.0.1:9", "secret": "a-secret-token"});
    let provider = rails.post("/v2/bank/providers", "admin", new).await.expect(201).id();
    let jane = json!({"name": "Jane Doe", "email": "jane@example.com", "role": "admin", "password": "correct horse"});
    let other = server.post("/v2/members").as_org().json(jane).send().await.expect(201).id();
    let path = format!("/v2/bank/providers/{provider}/rotate-secret");
    let rotate = async || {
        let body = json!({"secret": "another-secret", "acting_user_id": other});
        server.post(&path).as_org().json(body).send().await
    };
    rotate().await.refused(409, "invalid-state");
    let rotated = rails.post(&path, "admin", json!({"secret": "another-secret"})).await.expect(200);
    assert_eq!(rotated.body["status"], "draft");
    rails.post(&format!("/v2/bank/providers/{provider}/approve"), "payer", json!({})).await.expect(200);
    rotate().await.expect(200);
    server.verify();
}

/// A provider that does not answer holds 32 calls, and the other hands of the worker pay by other rails.
#[tokio::test]
async fn a_payment_waits_for_its_turn_at_a_provider_and_holds_no_other_payout() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let provider = rails.connected(&adapter).await;
    let id: uuid::Uuid = provider["id"].as_str().unwrap().parse().unwrap();
    let in_flight: Vec<_> = std::iter::from_fn(|| server.bursar().rail_turns.take(id.as_u128())).collect();
    let user = rails.payee(1001, "jane@example.com").await;
    let waiting = rails.pay(&user).await;
    server.payout_method(&user, json!({"platform": "wallet_b", "handle": "jane-doe"})).await;
    let simulated = rails.paying(&user, "wallet_b").await.expect(201).id();
    server.pass(60).await;
    rails.expect(&waiting, "created", None).await;
    rails.expect(&simulated, "pending", None).await;
    assert_eq!((in_flight.len(), adapter.puts(&waiting).await), (32, 0));
    drop(in_flight);
    server.pass(60).await;
    rails.expect(&waiting, "pending", None).await;
    server.verify();
}

#[tokio::test]
async fn list_rail_payments_filters_by_state_and_provider() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    let provider = rails.connected(&adapter).await["id"].as_str().unwrap().to_owned();
    let user = rails.payee(1001, "jane@example.com").await;
    let (first, second) = (rails.pay(&user).await, rails.pay(&user).await);
    let listed = async |query: &str| -> Vec<Value> {
        let page = rails.get(&format!("/v2/bank/provider-payments?{query}")).await;
        page["data"].as_array().unwrap().iter().map(|payment| payment["transfer_id"].clone()).collect()
    };
    assert_eq!(listed("status=queued").await, [json!(second), json!(first)]);
    assert_eq!(listed(&format!("rail_provider_id={provider}&limit=1")).await, [json!(second)]);
    server.work_off().await;
    assert!(listed("status=queued").await.is_empty());
    assert_eq!(listed("status=accepted").await.len(), 2);
}

/// The control of the tests above: the finding names a payment that claims more than its attempts prove.
#[tokio::test]
async fn verify_finds_a_payment_that_was_accepted_without_an_attempt() {
    let adapter = Adapter::start();
    let server = Server::beside_programs().await;
    let rails = Rails::of(&server);
    rails.connected(&adapter).await;
    let user = rails.payee(1001, "jane@example.com").await;
    rails.pay(&user).await;
    server.work_off().await;
    let found = server.tampered::<RailPayment>(|_| true, |payment| payment.attempts = 0);
    assert!(found.iter().any(|finding| finding.invariant == 58), "{found:?}");
    let found = server.tampered::<RailPayment>(|_| true, |payment| payment.amount = bursar::money::Cents::new(1));
    assert!(found.iter().any(|finding| finding.invariant == 58), "{found:?}");
}
