//! `bursar events`

use clap::Args;
use serde_json::Value;

use super::api::{As, Server};
use super::log::Log;
use super::terminal::{Failed, complain_of, say_while_heard, until_interrupted};
use crate::events::EventName;

/// Which events.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    server: Server,
    /// Only events behind this sequence number
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    after: i64,
    /// Only events of this name, such as transfer.completed
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<EventName>,
    /// Follow: print new events as they happen
    #[arg(long, short)]
    follow: bool,
    /// Whole events, one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Reads the name of an event.
pub(super) fn name(word: &str) -> Result<EventName, String> {
    EventName::from_word(word).ok_or_else(|| {
        let known: Vec<&str> = EventName::ALL.iter().map(|name| name.as_str()).collect();
        format!("events are: {}", known.join(", "))
    })
}

/// Prints the log.
pub(super) fn run(asked: &Options) -> Result<(), Failed> {
    let mut log = Log::new(asked.server.open(As::App)?, asked.after, asked.name);
    until_interrupted(async {
        loop {
            let events = if asked.follow { log.next(complain_of).await? } else { log.stored().await? };
            for event in &events {
                let line = if asked.json { event.to_string() } else { line(event) };
                if !say_while_heard(&line)? {
                    return Ok(());
                }
            }
            if events.is_empty() && !asked.follow {
                return Ok(());
            }
        }
    })
}

/// An event on a line: place, time, name, object, and the object's status where it has one.
pub(super) fn line(event: &Value) -> String {
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    let [created, name, object] = ["created", "name", "object_id"].map(|field| text(&event[field]));
    // Convert the JSON value to a cell.
    let sequence = event["sequence"].to_string();
    let line = format!("{sequence:>6}  {created}  {name:<29}  {object}  {}", text(&event["object"]["status"]));
    line.trim_end().to_owned()
}
