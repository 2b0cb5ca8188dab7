//! `bursar keys`

use clap::{Args, Subcommand};
use comfy_table::{Table, presets};
use reqwest::Method;
use serde_json::Value;

use super::api::{Api, As, Server};
use super::terminal::{Failed, say, until_interrupted};
use crate::config::BadConfig;
use crate::ids::AppId;

/// What to do with the keys of an app. Over HTTP, with the organization's key: the store belongs to the server.
#[derive(Args)]
pub(super) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List the keys of an app, including revoked ones, without their secrets
    List(Of),
    /// Create a key and print it once; an app has at most two active keys
    Create(Of),
    /// Create or change a file with master keys, which seal account numbers and other secrets
    Master(super::master::Options),
    /// Revoke a key; it stops working within 5 seconds
    Revoke {
        /// The public half of the key
        key: String,
        #[command(flatten)]
        of: Of,
    },
}

#[derive(Args)]
struct Of {
    #[command(flatten)]
    server: Server,
    /// Id of the app [default: the app of the sandbox]
    #[arg(long, value_name = "ID", value_parser = app)]
    app: Option<AppId>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn app(id: &str) -> Result<AppId, String> {
    id.parse().map(AppId).map_err(|_| "must be an app's id, a UUID".to_owned())
}

/// Lists, issues or revokes.
pub(super) fn run(asked: &Options) -> Result<(), Failed> {
    let (of, method, key) = match &asked.verb {
        Verb::Master(asked) => return super::master::run(asked),
        Verb::List(of) => (of, Method::GET, None),
        Verb::Create(of) => (of, Method::POST, None),
        Verb::Revoke { key, of } => (of, Method::DELETE, Some(key)),
    };
    let api = of.server.open(As::Organization)?;
    let path = path(&api, of, key)?;
    until_interrupted(async {
        let answer = api.ask(method, &path).await?;
        if of.json {
            return say(&answer.to_string());
        }
        match &asked.verb {
            Verb::List(_) => say(&table(&answer)),
            Verb::Create(_) => {
                say(&format!("client id  {}\nkey        {}", text(&answer, "client_id"), text(&answer, "api_key")))
            }
            Verb::Revoke { key, .. } => say(&format!("{key} is revoked")),
            Verb::Master(_) => Ok(()),
        }
    })
}

fn path(api: &Api, of: &Of, key: Option<&String>) -> Result<String, Failed> {
    let own = of.app.map(|app| app.to_string()).or_else(|| api.app.clone());
    let app = own.ok_or_else(|| BadConfig::one("say which app: --app <ID>"))?;
    // A key that is no key must not become another path.
    let is_word = |key: &String| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    match key {
        Some(key) if key.is_empty() || !is_word(key) => Err(Failed::Work(format!("{key:?} is no client id"))),
        Some(key) => Ok(format!("/v2/apps/{app}/keys/{key}")),
        None => Ok(format!("/v2/apps/{app}/keys")),
    }
}

fn table(answer: &Value) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["CLIENT ID", "CREATED", "REVOKED", "EXPIRES", "LAST USED"]);
    for key in answer["data"].as_array().into_iter().flatten() {
        table.add_row(["client_id", "created", "revoked", "expires_at", "last_used_at"].map(|name| text(key, name)));
    }
    table.trim_fmt()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("-")
}
