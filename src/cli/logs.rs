//! `bursar logs`

use std::time::Duration;

use clap::Args;
use reqwest::{Method, Url};
use serde_json::Value;

use super::api::{Api, ApiError, As, Server};
use super::terminal::{Failed, complain_of, say_while_heard, until_interrupted};

/// How long to wait when there was nothing new.
const PAUSE: Duration = Duration::from_millis(300);
/// How long to wait for a server that cannot be reached.
const AWAY_PAUSE: Duration = Duration::from_secs(1);
/// Requests of one response.
const PAGE_MAX: u16 = 100;

/// Which requests.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    server: Server,
    /// Only requests with an error
    #[arg(long)]
    errors: bool,
    /// Only the request with this id, such as the request_id of an error body
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Number of requests to begin with
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=i64::from(PAGE_MAX)))]
    limit: u16,
    /// Follow: print new requests as they are answered
    #[arg(long, short)]
    follow: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// The requests of a sandbox, read forward.
struct Requests<'options> {
    api: Api,
    options: &'options Options,
    limit: u16,
    newest: Option<String>,
}

impl Requests<'_> {
    /// Returns the next requests, oldest first.
    async fn next(&mut self) -> Result<Vec<Value>, ApiError> {
        let mut page = self.api.ask(Method::GET, &self.path()).await?;
        self.limit = PAGE_MAX;
        let mut requests = page["data"].as_array_mut().map(std::mem::take).unwrap_or_default();
        if let Some(id) = requests.first().and_then(|request| request["id"].as_str()) {
            self.newest = Some(id.to_owned());
        }
        requests.reverse();
        Ok(requests)
    }

    fn path(&self) -> String {
        let mut pairs = vec![("limit", self.limit.to_string())];
        pairs.extend(self.newest.clone().map(|newest| ("ending_before", newest)));
        pairs.extend(self.options.request_id.clone().map(|id| ("request_id", id)));
        pairs.extend(self.options.errors.then(|| ("errors", "true".to_owned())));
        let url = Url::parse_with_params("http://server/v2/sandbox/requests", pairs);
        let url = url.expect("the address is a constant; its parameters are encoded");
        format!("{}?{}", url.path(), url.query().unwrap_or_default())
    }
}

/// Prints the requests.
pub(super) fn run(options: &Options) -> Result<(), Failed> {
    let api = options.server.open(As::Organization)?;
    let mut requests = Requests { api, options, limit: options.limit, newest: None };
    until_interrupted(async {
        let mut is_away = false;
        loop {
            let found = match requests.next().await {
                Ok(found) => found,
                // A restarted server has forgotten the last request that was printed.
                Err(ApiError::Refused { status: 400, .. }) if options.follow && requests.newest.is_some() => {
                    requests.newest = None;
                    continue;
                }
                Err(ApiError::Away(reason)) if options.follow => {
                    if !std::mem::replace(&mut is_away, true) {
                        complain_of(&reason);
                    }
                    tokio::time::sleep(AWAY_PAUSE).await;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            is_away = false;
            for request in &found {
                let line = if options.json { request.to_string() } else { line(request) };
                if !say_while_heard(&line)? {
                    return Ok(());
                }
            }
            if !options.follow {
                if found.is_empty() && options.request_id.is_some() {
                    return Err(Failed::Work("No such request.".to_owned()));
                }
                return Ok(());
            }
            if found.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    })
}

/// Returns a request on a line: time, status, duration, method, path, request id, key, error.
fn line(request: &Value) -> String {
    let text = |field: &str| request[field].as_str().unwrap_or("-").to_owned();
    let [created, method, path, id, key] = ["created", "method", "path", "request_id", "client_id"].map(text);
    let (status, took) = (&request["http_status"], request["duration_ms"].to_string());
    let line = format!("{created}  {status}  {took:>5} ms  {method:<6} {path}  {id}  {key}");
    match request["error_code"].as_str() {
        Some(code) => format!("{line}  {code}: {}", text("message")),
        None => line,
    }
}
