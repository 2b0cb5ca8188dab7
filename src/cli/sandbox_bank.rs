//! `bursar sandbox bank`: sets up the simulated bank of a sandbox, with the calls of docs/guide/going-live.md.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::api::{Api, ApiError, As, Server};
use super::terminal::{Failed, say, until_interrupted};
use crate::clock::{DAY_SECONDS, Time};

/// The routing number of the bank.
const ROUTING_NUMBER: &str = "011000015";

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    server: Server,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A connection to set up: its transport, its format, the rails that it carries, and the number of its account.
struct Plan {
    transport: &'static str,
    name: &'static str,
    rails: &'static [&'static str],
    account: &'static str,
    statements: &'static str,
}

const PLANS: [Plan; 2] = [
    Plan { transport: "sandbox", name: "Sandbox bank", rails: &["ach"], account: "000123456789", statements: "bai2" },
    Plan {
        transport: "sandbox-messages",
        name: "Sandbox bank for messages",
        rails: &["bank_transfer", "wire", "rtp", "intl_bank"],
        account: "000987654321",
        statements: "camt053",
    },
];

pub(super) fn run(asked: &Options) -> Result<(), Failed> {
    let api = asked.server.open(As::Organization)?;
    until_interrupted(async {
        let desk = Desk::open(api).await?;
        let mut added = Vec::new();
        for plan in &PLANS {
            added.push(desk.set_up(plan).await?);
        }
        if asked.json {
            return say(&json!({"connections": added}).to_string());
        }
        for (plan, connection) in PLANS.iter().zip(&added) {
            let (id, from) = (text(connection, "bank_connection_id"), text(connection, "from_on"));
            match connection["is_new"].as_bool() {
                Some(true) => say(&format!(
                    "{}: {} from {from}, by files of the connection {id}",
                    plan.name,
                    plan.rails.join(", ")
                ))?,
                _ => say(&format!("{}: the connection {id} is there already", plan.name))?,
            }
        }
        say(
            "\nMove the clock to the next day, then let a payment come back:\n  bursar post sandbox/clock/advance seconds=86400\n  \
             bursar trigger payout.returned\n  \
             bursar bank files list\n  bursar bank inbound list\n  bursar bank reconcile\n  bursar bank alarms",
        )
    })
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

/// The two members who set a connection up, and the server.
struct Desk {
    api: Api,
    admin: String,
    second: String,
    /// The first day on which a route can be in force.
    from_on: String,
}

impl Desk {
    async fn open(api: Api) -> Result<Self, Failed> {
        let clock = match api.ask(Method::GET, "/v2/sandbox/clock").await {
            Ok(clock) => clock,
            Err(ApiError::Refused { status: 404, .. }) => {
                let message = "this server is not a sandbox. Its bank is simulated in a sandbox only";
                return Err(Failed::Work(message.to_owned()));
            }
            Err(error) => return Err(error.into()),
        };
        let now = Time::parse(&text(&clock, "now"));
        let now = now.ok_or_else(|| Failed::Work("the server does not say what time it is".to_owned()))?;
        let members = api.ask(Method::GET, "/v2/members?limit=100").await?;
        let members = members["data"].as_array().cloned().unwrap_or_default();
        let admin = members.iter().find(|member| member["role"] == "admin");
        let second = members
            .iter()
            .find(|member| (member["role"] == "payer" || member["role"] == "admin") && Some(*member) != admin);
        let (Some(admin), Some(second)) = (admin, second) else {
            let message = "a member with the role admin and a second one with the role payer are needed, because one \
                           person sets a bank up and another one approves it. Add them with POST /v2/members";
            return Err(Failed::Work(message.to_owned()));
        };
        let (admin, second) = (text(admin, "id"), text(second, "id"));
        Ok(Self { admin, second, from_on: now.plus_seconds(DAY_SECONDS).date().to_string(), api })
    }

    async fn post(&self, path: &str, by: &str, mut body: Value) -> Result<String, Failed> {
        body["acting_user_id"] = json!(by);
        let bytes = self.api.send(Method::POST, &format!("/v2/bank/{path}"), Some(&body), None).await?;
        Ok(text(&serde_json::from_slice(&bytes).unwrap_or_default(), "id"))
    }

    /// Sets a connection up as its first member, and approves each part as the second one.
    async fn set_up(&self, plan: &Plan) -> Result<Value, Failed> {
        let known = self.api.ask(Method::GET, "/v2/bank/connections?limit=100").await?;
        let known = known["data"].as_array().cloned().unwrap_or_default();
        if let Some(known) = known.iter().find(|connection| connection["transport"] == plan.transport) {
            return Ok(json!({"bank_connection_id": known["id"], "is_new": false}));
        }
        let connection = self.post("connections", &self.admin, connection(plan)).await?;
        let evidence = json!({"evidence": "The simulated bank accepts every file that is correct."});
        self.post(&format!("connections/{connection}/test"), &self.admin, evidence).await?;
        let originator = json!({
            "bank_connection_id": connection, "company_name": "ACME INC", "company_id": "1234567890",
            "description": "PAYOUT", "entry_classes": ["PPD", "CCD", "WEB", "TEL"],
        });
        let originator = self.post("originators", &self.admin, originator).await?;
        let account = json!({
            "bank_connection_id": connection, "name": plan.name, "currency": "USD", "account_number": plan.account,
            "routing_number": ROUTING_NUMBER, "account_type": "checking", "statement_kind": plan.statements,
            "booking_grain": "file",
        });
        let account = self.post("settlement-accounts", &self.admin, account).await?;
        for part in [
            format!("connections/{connection}"),
            format!("originators/{originator}"),
            format!("settlement-accounts/{account}"),
        ] {
            self.post(&format!("{part}/approve"), &self.second, json!({})).await?;
        }
        for rail in plan.rails {
            let route = json!({
                "platform": rail, "currency": "USD", "from_on": self.from_on, "bank_connection_id": connection,
                "originator_id": originator, "settlement_account_id": account,
            });
            let route = self.post("routes", &self.admin, route).await?;
            self.post(&format!("routes/{route}/approve"), &self.second, json!({})).await?;
        }
        Ok(json!({
            "bank_connection_id": connection, "originator_id": originator, "settlement_account_id": account,
            "from_on": self.from_on, "is_new": true,
        }))
    }
}

fn connection(plan: &Plan) -> Value {
    let workdays = json!(["mon", "tue", "wed", "thu", "fri"]);
    let mut connection = json!({
        "name": plan.name, "transport": plan.transport, "format": "nacha", "calendar": "fed",
        "time_zone": "America/New_York",
        "windows": [
            {"name": "morning", "days": workdays, "submit_by": "10:00", "lead_minutes": 15, "same_day": true},
            {"name": "evening", "days": workdays, "submit_by": "18:00", "lead_minutes": 30, "same_day": false},
        ],
        "limits": {
            "credit": {"per_entry": 10_000_000, "per_file": 50_000_000, "per_day": 100_000_000},
            "debit": {"per_entry": 10_000_000, "per_file": 50_000_000, "per_day": 100_000_000},
        },
        "file_name": "ACME_{date}_{modifier}.ach",
    });
    if plan.rails == ["ach"] {
        connection["nacha"] = json!({
            "odfi_routing_number": ROUTING_NUMBER, "destination": ROUTING_NUMBER, "destination_name": "SANDBOX BANK",
            "origin": "1234567890", "origin_name": "ACME INC", "line_ending": "lf", "balanced": false,
        });
        connection["acknowledgements"] = json!({"kind": "text", "within_minutes": 240});
    } else {
        connection["format"] = json!("pain001");
        connection["limits"]["debit"] = Value::Null;
        connection["pain001"] = json!({
            "name": "Acme Inc", "street": "1 Main Street", "post_code": "02110", "town": "Boston", "country": "US",
        });
        connection["file_name"] = json!("ACME_{date}_{modifier}.xml");
    }
    connection
}
