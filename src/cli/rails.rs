//! `bursar rails check`: whether an adapter keeps the adapter protocol.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::terminal::{Failed, counted, say, until_interrupted};
use crate::rails_check::{self, Asked, Checked};

#[derive(Subcommand)]
pub(super) enum Options {
    /// Check that an adapter keeps the adapter protocol; it makes test payments
    #[command(after_help = "Examples:\n  ADAPTER_TOKEN=… bursar rails check http://127.0.0.1:8700\n  \
                      bursar rails check http://127.0.0.1:8700 --order order.json --every 16 --json\n\nThe adapter needs \
                      money for a few thousand payments of one cent. Exits with 1 if it breaks a rule.")]
    Check(Check),
}

/// What to check.
#[derive(Args)]
pub(super) struct Check {
    /// The base URL of the adapter
    #[arg(value_name = "URL")]
    url: String,
    /// The bearer token
    #[arg(long, value_name = "TOKEN", env = "ADAPTER_TOKEN", hide_env_values = true)]
    token: String,
    /// A JSON file with the body of the test payments [default: one cent to an e-mail address, by its first rail]
    #[arg(long, value_name = "FILE")]
    order: Option<PathBuf>,
    /// Seconds to wait for the outcome of a payment
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    wait: u64,
    /// Drop a connection after each of these bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1)]
    every: usize,
    /// Check an adapter that moves real money
    #[arg(long)]
    live: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(asked: Options) -> Result<(), Failed> {
    let Options::Check(asked) = asked;
    let order = asked.order.as_ref().map(|path| {
        let unreadable = |reason: String| Failed::Unreadable(format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        serde_json::from_str::<Value>(&text).map_err(|error| unreadable(error.to_string()))
    });
    let request = Asked {
        url: asked.url.clone(),
        token: SecretString::from(asked.token.clone()),
        order: order.transpose()?,
        wait: Duration::from_secs(asked.wait),
        every: asked.every,
        live: asked.live,
    };
    let mut checks = Vec::new();
    until_interrupted(async {
        checks = rails_check::check(&request).await.map_err(Failed::Work)?;
        Ok(())
    })?;
    show(&checks, asked.json)
}

fn show(checks: &[Checked], as_json: bool) -> Result<(), Failed> {
    let findings: usize = checks.iter().map(|checked| checked.findings.len()).sum();
    if as_json {
        say(&json!({"findings": findings, "checks": checks}).to_string())?;
    } else {
        for Checked { rule, what, findings, skipped } in checks {
            let result = match (findings.is_empty(), skipped) {
                (false, _) => "BROKEN",
                (true, Some(_)) => "part",
                (true, None) => "ok",
            };
            say(&format!("{result:<7}{rule}: {what}"))?;
            for line in findings.iter().chain(skipped) {
                say(&format!("       {line}"))?;
            }
        }
    }
    if findings > 0 {
        return Err(Failed::Work(format!("The adapter breaks the protocol: {}.", counted(findings, "finding"))));
    }
    Ok(())
}
