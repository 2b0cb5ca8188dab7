//! `bursar listen`

use clap::Args;
use serde_json::{Value, json};

use super::api::{As, Server};
use super::log::Log;
use super::terminal::{Failed, complain_of, say_while_heard, until_interrupted};
use crate::clock::Clock;
use crate::events::EventName;
use crate::outbound::{DEADLINE, Outbound, Post, Reach, Target};
use crate::webhooks::signature::{self, Secret};

/// What is brought where.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    server: Server,
    /// Where events are posted to, on this machine or elsewhere
    #[arg(long, value_name = "URL", value_parser = target)]
    forward_to: Target,
    /// The secret that signs them; generated and printed if missing
    #[arg(long, value_name = "whsec_…", value_parser = secret)]
    secret: Option<Secret>,
    /// Start after this event; by default, with new events
    #[arg(long, value_name = "SEQUENCE", value_parser = clap::value_parser!(i64).range(0..))]
    after: Option<i64>,
    /// Only events of this name
    #[arg(long, value_name = "NAME", value_parser = super::events::name)]
    name: Option<EventName>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

fn target(url: &str) -> Result<Target, String> {
    Target::parse(url, Reach::Anywhere).map_err(|reason| reason.to_string())
}

fn secret(shown: &str) -> Result<Secret, String> {
    Secret::parse(shown).ok_or_else(|| "must be whsec_ and 24 to 64 bytes in Base64".to_owned())
}

/// Follows the log of a running server, and posts each event as a webhook endpoint would get it.
pub(super) fn run(asked: &Options) -> Result<(), Failed> {
    let api = asked.server.open(As::App)?;
    let secret = asked.secret.clone().unwrap_or_else(|| Secret::new(rand::random()));
    let outbound = Outbound::new(Reach::Anywhere, DEADLINE);
    until_interrupted(async {
        let mut log = match asked.after {
            Some(after) => Log::new(api, after, asked.name),
            None => Log::from_end(api, asked.name).await?,
        };
        let shown = secret.shown();
        let greeting = match asked.json {
            true => json!({"listening": true, "secret": shown}).to_string(),
            false => format!("listening; events are signed with {shown}"),
        };
        if !say_while_heard(&greeting)? {
            return Ok(());
        }
        loop {
            for event in log.next(complain_of).await? {
                let came = forward(&outbound, asked, &secret, &event).await;
                if !say_while_heard(&line(asked.json, &event, &came))? {
                    return Ok(());
                }
            }
        }
    })
}

/// Posts one event; gives the status of the answer, or why there is none.
async fn forward(outbound: &Outbound, asked: &Options, secret: &Secret, event: &Value) -> Result<u16, String> {
    let body = event.to_string();
    let id = event["id"].as_str().unwrap_or_default();
    let headers = signature::headers(std::slice::from_ref(secret), id, Clock::wall().now().seconds(), &body);
    let post = Post { target: &asked.forward_to, headers: &headers, body: body.into_bytes() };
    outbound.post(post).await.map(|answered| answered.status).map_err(|unanswered| unanswered.to_string())
}

fn line(as_json: bool, event: &Value, came: &Result<u16, String>) -> String {
    if as_json {
        let (status, error) = (came.as_ref().ok(), came.as_ref().err());
        let reported = json!({
            "sequence": event["sequence"], "id": event["id"], "name": event["name"], "status": status, "error": error,
        });
        return reported.to_string();
    }
    let event = super::events::line(event);
    match came {
        Ok(status) => format!("{event}  answered {status}"),
        Err(reason) => format!("{event}  not answered: {reason}"),
    }
}
