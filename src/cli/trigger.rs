//! `bursar trigger`

use clap::{Args, ValueEnum};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::api::{Api, ApiError, As, Server};
use super::terminal::{Failed, counted, say, until_interrupted};
use crate::clock::{DAY_SECONDS, Time};

/// Cents of each payout and payment.
const AMOUNT: i64 = 1_000;
/// Days within which every rail of the sandbox settles and returns.
const DAYS_MAX: u64 = 14;
/// Each payee has a number of its own: a phone receives a limited number of messages a day.
const PHONE_START: &str = "212736";
const ROUTING_NUMBER: &str = "110000000";

/// What happens, and where.
#[derive(Args)]
pub(super) struct Options {
    /// The scenario
    #[arg(value_name = "SCENARIO")]
    scenario: Scenario,
    #[command(flatten)]
    server: Server,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scenario {
    /// A payee claims a link, and the money arrives
    #[value(name = "payout.settled")]
    PayoutSettled,
    /// The money arrives, and the payee's bank returns it two days later
    #[value(name = "payout.returned")]
    PayoutReturned,
    /// A payee claims a link, and the bank refuses the money
    #[value(name = "payout.failed")]
    PayoutFailed,
    /// A payee claims a link; the money is on its way
    #[value(name = "link.claimed")]
    LinkClaimed,
    /// A link expires, and its money returns to the wallet
    #[value(name = "link.expired")]
    LinkExpired,
    /// The message with the link cannot be delivered
    #[value(name = "link.delivery_failed")]
    LinkDeliveryFailed,
    /// A customer's payment arrives in the wallet
    #[value(name = "payment.received")]
    PaymentReceived,
}

/// Brings a scenario about, and prints the objects and events that it made.
pub(super) fn run(asked: &Options) -> Result<(), Failed> {
    let api = asked.server.open(As::App)?;
    until_interrupted(async {
        let mut stage = Stage::open(api, !asked.json).await?;
        match asked.scenario {
            Scenario::PayoutSettled => stage.paid("000123456789", "completed").await?,
            Scenario::PayoutReturned => stage.paid("20000001", "reversed").await?,
            Scenario::PayoutFailed => stage.paid("10000002", "failed").await?,
            Scenario::LinkClaimed => {
                stage.claimed("000123456789").await?;
            }
            Scenario::LinkExpired => stage.expired().await?,
            Scenario::LinkDeliveryFailed => stage.undelivered().await?,
            Scenario::PaymentReceived => stage.collected().await?,
        }
        stage.report().await
    })
}

/// A running sandbox.
struct Stage {
    api: Api,
    speaks: bool,
    /// The last event before the scenario.
    after: i64,
    /// The ids of what was made.
    made: Map<String, Value>,
}

impl Stage {
    async fn open(api: Api, speaks: bool) -> Result<Self, Failed> {
        match api.ask(Method::GET, "/v2/sandbox/clock").await {
            Ok(_) => {}
            Err(ApiError::Refused { status: 404, .. }) => {
                let message = "this server is not a sandbox. A scenario moves the clock and uses simulated rails, so it \
                               runs in a sandbox only";
                return Err(Failed::Work(message.to_owned()));
            }
            Err(error) => return Err(error.into()),
        }
        let log = api.ask(Method::GET, "/v2/events?limit=1").await?;
        let after = log["head"]["sequence"].as_i64().unwrap_or_default();
        Ok(Self { api, speaks, after, made: Map::new() })
    }

    async fn get(&self, path: &str) -> Result<Value, Failed> {
        Ok(self.api.ask(Method::GET, path).await?)
    }

    async fn post(&self, path: &str, body: &Value, session: Option<&str>) -> Result<Value, Failed> {
        let headers: Vec<(&str, &str)> = session.map(|session| ("claim-session", session)).into_iter().collect();
        let bytes = self.api.send_with(Method::POST, path, Some(body), &headers).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn print(&self, line: &str) -> Result<(), Failed> {
        if self.speaks { say(line) } else { Ok(()) }
    }

    fn keep(&mut self, name: &str, object: &Value) -> String {
        let id = text(object, "id");
        self.made.insert(name.to_owned(), json!(id));
        id
    }

    async fn pass(&self, seconds: i64) -> Result<(), Failed> {
        self.post("/v2/sandbox/clock/advance", &json!({"seconds": seconds}), None).await.map(|_| ())
    }

    /// Creates a link to a new payee; returns the link and the payee's phone.
    async fn link(&mut self) -> Result<(Value, String), Failed> {
        // Numbers that end in 0199 receive no message.
        let phone = format!("{PHONE_START}{}", rand::random_range(1_000..10_000));
        self.link_to(phone).await
    }

    async fn link_to(&mut self, phone: String) -> Result<(Value, String), Failed> {
        let payee = json!({"country_code": "1", "phone_number": phone});
        let body = json!({"amount": AMOUNT, "payee": payee, "memo": "bursar trigger"});
        let link = self.post("/v2/payout-links", &body, None).await?;
        let id = self.keep("payout_link_id", &link);
        self.print(&format!("payout link {id} of $10.00 to +1{phone}"))?;
        Ok((link, phone))
    }

    /// Takes every step of a claim; returns the transfer's id.
    async fn claimed(&mut self, account_number: &str) -> Result<String, Failed> {
        let (link, phone) = self.link().await?;
        let address = text(&link, "link");
        let claim = format!("/v2/claims/{}", address.rsplit('/').next().unwrap_or_default());
        let contact = json!({"country_code": "1", "phone_number": phone});
        self.post(&format!("{claim}/contact"), &contact, None).await?;
        // A move of the clock ends when all due messages are in the inbox.
        self.pass(1).await?;
        let inbox = self.get(&format!("/v2/sandbox/messages?limit=10&to=%2B1{phone}")).await?;
        let messages = inbox["data"].as_array().cloned().unwrap_or_default();
        let code = messages.iter().find_map(|message| message["code"].as_str());
        let code = code.ok_or_else(|| Failed::Work("the code of the claim is not in the inbox".to_owned()))?;
        let opened = self.post(&format!("{claim}/code"), &json!({"token": code}), None).await?;
        let session = text(&opened, "session");
        let method = json!({"platform": "ach", "routing_number": ROUTING_NUMBER, "account_number": account_number});
        let name = json!({"first_name": "Ada", "last_name": "Lovelace"});
        self.post(&format!("{claim}/profile"), &name, Some(&session)).await?;
        self.post(&format!("{claim}/method"), &method, Some(&session)).await?;
        let paid = self.post(&format!("{claim}/payout"), &json!({}), Some(&session)).await?;
        let id = self.keep("transfer_id", &paid["transfer"]);
        self.print(&format!("claimed: transfer {id} to a bank account"))?;
        Ok(id)
    }

    async fn paid(&mut self, account_number: &str, status: &str) -> Result<(), Failed> {
        let transfer = self.claimed(account_number).await?;
        self.until(&transfer, status).await
    }

    /// Passes days until a transfer has a status.
    async fn until(&mut self, transfer: &str, status: &str) -> Result<(), Failed> {
        let path = format!("/v2/transfers/{transfer}");
        for days in 1..=DAYS_MAX {
            self.pass(DAY_SECONDS).await?;
            if self.get(&path).await?["status"] == status {
                self.made.insert("days".to_owned(), json!(days));
                return self.print(&format!("transfer {transfer} is {status} after {}", counted(days, "day")));
            }
        }
        let reached = text(&self.get(&path).await?, "status");
        Err(Failed::Work(format!("transfer {transfer} is {reached} after {DAYS_MAX} days, not {status}")))
    }

    async fn undelivered(&mut self) -> Result<(), Failed> {
        let (link, _) = self.link_to(format!("{PHONE_START}0199")).await?;
        let path = format!("/v2/payout-links/{}", text(&link, "id"));
        self.pass(1).await?;
        self.print(&format!("the link is {}", text(&self.get(&path).await?, "status")))
    }

    async fn expired(&mut self) -> Result<(), Failed> {
        let (link, _) = self.link().await?;
        let clock = self.get("/v2/sandbox/clock").await?;
        let at = |object: &Value, field: &str| Time::parse(&text(object, field));
        let (Some(now), Some(end)) = (at(&clock, "now"), at(&link, "expires_at")) else {
            return Err(Failed::Work("the server does not say when the link expires".to_owned()));
        };
        self.pass(end.seconds_since(now) + 1).await?;
        let path = format!("/v2/payout-links/{}", text(&link, "id"));
        self.print(&format!("the link is {}", text(&self.get(&path).await?, "status")))
    }

    async fn collected(&mut self) -> Result<(), Failed> {
        let customer = json!({"name": "Acme Ltd", "email": "billing@acme.example"});
        let customer = self.post("/v2/payment-customers", &customer, None).await?;
        let id = self.keep("customer_id", &customer);
        let account = json!({"account_number": "000123456789", "routing_number": ROUTING_NUMBER});
        self.post(&format!("/v2/payment-customers/{id}/bank-accounts"), &account, None).await?;
        let authorization = json!({"text": "Acme Ltd agreed to this test payment.", "accepted_at": self.now().await?});
        let body = json!({"amount": AMOUNT, "platform": "ach", "customer_id": id, "authorization": authorization});
        let payment = self.post("/v2/payments", &body, None).await?;
        let transfer = self.keep("transfer_id", &payment);
        self.print(&format!("payment {transfer} of $10.00 from Acme Ltd"))?;
        self.until(&transfer, "completed").await
    }

    async fn now(&self) -> Result<String, Failed> {
        Ok(text(&self.get("/v2/sandbox/clock").await?, "now"))
    }

    /// Returns the ids of the scenario's objects, also of the payee that the claim creates.
    async fn own_ids(&self) -> Result<Vec<String>, Failed> {
        let id = |name: &str| self.made.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut ids: Vec<String> =
            ["payout_link_id", "transfer_id", "customer_id"].into_iter().filter_map(id).collect();
        if let Some(transfer) = id("transfer_id") {
            let transfer = self.get(&format!("/v2/transfers/{transfer}")).await?;
            ids.extend(transfer["user_id"].as_str().map(str::to_owned));
        }
        Ok(ids)
    }

    /// Prints the events of the scenario's objects since its start. Other objects change too when the clock moves.
    async fn report(mut self) -> Result<(), Failed> {
        let ids = self.own_ids().await?;
        let is_own = |event: &Value| {
            let object = &event["object"];
            let named = [&event["object_id"], &object["payout_link_id"], &object["user_id"], &object["customer_id"]];
            named.into_iter().filter_map(Value::as_str).any(|named| ids.iter().any(|id| id == named))
        };
        let mut events = Vec::new();
        loop {
            let page = self.get(&format!("/v2/events?limit=100&after={}", self.after)).await?;
            let Some(found) = page["data"].as_array().filter(|found| !found.is_empty()).cloned() else { break };
            self.after = found.last().and_then(|event| event["sequence"].as_i64()).unwrap_or(i64::MAX);
            events.extend(found.into_iter().filter(|event| is_own(event)));
        }
        if self.speaks {
            let lines: Vec<String> = events.iter().map(super::events::line).collect();
            return say(&lines.join("\n"));
        }
        self.made.insert("events".to_owned(), Value::Array(events));
        say(&Value::Object(self.made).to_string())
    }
}

fn text(object: &Value, field: &str) -> String {
    object[field].as_str().unwrap_or_default().to_owned()
}
