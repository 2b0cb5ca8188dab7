//! `bursar batch`

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use super::api::{ApiError, As, Server};
use super::terminal::{Failed, say, until_interrupted};
use crate::money::Cents;

/// A CSV file, and how to read it.
#[derive(Args)]
pub(super) struct Options {
    /// CSV file in UTF-8; its first line names the fields
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Name of the column that has a field, such as amount=Betrag; may be repeated. Columns without --map are then left out
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<String>,
    /// Check and plan the whole batch, and create nothing
    #[arg(long)]
    dry_run: bool,
    /// Idempotency key of the request
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    server: Server,
    /// Print the response as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn submit(asked: &Options) -> Result<(), Failed> {
    let file =
        std::fs::read(&asked.file).map_err(|error| Failed::Unreadable(format!("{}: {error}", asked.file.display())))?;
    let columns = columns(&asked.map).map_err(Failed::Unreadable)?;
    let api = asked.server.open(As::App)?;
    let path = path(asked.dry_run, columns.as_ref());
    let headers: Vec<(&str, &str)> = asked.key.as_deref().map(|key| ("idempotency-key", key)).into_iter().collect();
    until_interrupted(async {
        let answer = api.send_csv(&path, file, &headers).await.map_err(in_words_of_the_command)?;
        match (asked.json, asked.dry_run) {
            (true, _) => say(&answer.to_string()),
            (false, true) => say(&planned(&answer)),
            (false, false) => say(&submitted(&answer)),
        }
    })
}

/// Returns a refusal with the option in place of the query parameter that it becomes.
fn in_words_of_the_command(error: ApiError) -> Failed {
    let said = |message: String| {
        message.replace("the query parameter columns", "--map").replace("columns: names", "--map names")
    };
    match error {
        ApiError::Away(message) => Failed::Work(said(message)),
        ApiError::Refused { message, .. } => Failed::Work(said(message)),
    }
}

/// Returns the mapping of the query, or `None` without `--map`.
fn columns(map: &[String]) -> Result<Option<Value>, String> {
    let mut columns = Map::new();
    for pair in map {
        let (field, column) = pair.split_once('=').ok_or_else(|| format!("--map {pair:?} must be FIELD=COLUMN"))?;
        if columns.insert(field.to_owned(), Value::String(column.to_owned())).is_some() {
            return Err(format!("--map names the field {field:?} twice"));
        }
    }
    Ok((!columns.is_empty()).then_some(Value::Object(columns)))
}

/// Returns the path with its query.
fn path(dry_run: bool, columns: Option<&Value>) -> String {
    let mut url = reqwest::Url::parse("http://localhost/v2/payout-link-batches").expect("it is a URL");
    url.query_pairs_mut().append_pair("dry_run", &dry_run.to_string());
    if let Some(columns) = columns {
        url.query_pairs_mut().append_pair("columns", &columns.to_string());
    }
    format!("{}?{}", url.path(), url.query().unwrap_or_default())
}

/// Describes a plan for people.
fn planned(answer: &Value) -> String {
    let number = |name: &str| answer[name].as_i64().unwrap_or_default();
    let dollars = |name: &str| Cents::new(number(name)).dollars();
    format!(
        "Nothing was created. Links that the batch would create: {}; that exist: {}; that would fail: {}.\n\
         The app's wallet: {} before, {} after. --json prints the plan of each row.",
        number("creates"),
        number("repeats"),
        number("fails"),
        dollars("balance_before"),
        dollars("balance_after"),
    )
}

/// Describes a batch for people.
fn submitted(answer: &Value) -> String {
    let id = answer["id"].as_str().unwrap_or_default();
    let rows = answer["validated_rows"].as_array().map_or(&[][..], Vec::as_slice);
    let cents: i64 = rows.iter().filter_map(|row| row["amount_cents"].as_i64()).sum();
    let links = if rows.len() == 1 { "link" } else { "links" };
    format!(
        "Batch {id}: {} {links}, {}.\n\
         Its progress: bursar get payout-link-batches/{id}\n\
         Its rows: bursar get payout-link-batches/{id}/rows\n\
         Its results as CSV: bursar get payout-link-batches/{id}/results",
        rows.len(),
        Cents::new(cents).dollars(),
    )
}
