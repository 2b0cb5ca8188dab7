//! `bursar bench`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum as _};
use comfy_table::Table;

use super::{Failed, say};
use crate::apps::Credentials;
use crate::load::{Figures, Load, Scenario, run};

/// What `bursar bench` is told.
#[derive(Args)]
pub(super) struct Asked {
    /// The sandbox's credentials; they name its address too
    #[arg(long, value_name = "FILE", default_value = "bursar-data/sandbox-credentials.json")]
    credentials: PathBuf,
    /// The server's address, when it is not the one of the credentials
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,
    /// What is sent; several for one run after the other
    #[arg(long, value_delimiter = ',', default_value = "send-payout")]
    scenario: Vec<Scenario>,
    /// Requests a second, sent whether answers come or not; else each connection waits for its answer
    #[arg(long, value_name = "PER_SECOND", value_parser = clap::value_parser!(u64).range(1..))]
    rate: Option<u64>,
    /// The page that is read, from 1: for lists
    #[arg(long, default_value_t = 1)]
    page: usize,
    /// Connections that send at once; several for one run after the other
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    connections: Vec<usize>,
    /// Seconds for each run
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

/// Calls a running sandbox and tells how fast it answered.
pub(super) fn bench(asked: &Asked) -> Result<(), Failed> {
    let text = std::fs::read_to_string(&asked.credentials)?;
    let credentials: Credentials =
        serde_json::from_str(&text).map_err(|error| Failed::Work(format!("no credentials file: {error}")))?;
    let address =
        asked.address.clone().unwrap_or_else(|| credentials.base_url.trim_start_matches("http://").to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut measured = Vec::new();
    for &scenario in &asked.scenario {
        for &connections in &asked.connections {
            let load = Load {
                address: address.clone(),
                client_id: credentials.app.client_id.clone(),
                api_key: credentials.app.api_key.clone(),
                scenario,
                connections,
                duration: Duration::from_secs(asked.seconds),
                rate: asked.rate,
                page: asked.page,
                run: rand::random(),
                keep: false,
                acknowledged: Arc::default(),
            };
            let outcome = runtime.block_on(run(&load)).map_err(|error| Failed::Work(error.to_string()))?;
            measured.push(outcome.figures(&load));
        }
    }
    if asked.json {
        return say(&serde_json::to_string(&measured).expect("figures are plain data, which always serialize"));
    }
    say(&table(&measured))
}

fn table(measured: &[Figures]) -> String {
    let mut table = Table::new();
    table.set_header([
        "scenario",
        "connections",
        "rate",
        "done",
        "other answers",
        "per second",
        "p50 ms",
        "p99 ms",
        "p99.9 ms",
        "max ms",
    ]);
    for figures in measured {
        table.add_row([
            figures.scenario.to_possible_value().map(|word| word.get_name().to_owned()).unwrap_or_default(),
            figures.connections.to_string(),
            figures.rate.map_or_else(|| "closed loop".to_owned(), |rate| rate.to_string()),
            figures.done.to_string(),
            figures.others.to_string(),
            format!("{:.0}", figures.per_second),
            format!("{:.2}", figures.p50_millis),
            format!("{:.2}", figures.p99_millis),
            format!("{:.2}", figures.p999_millis),
            format!("{:.2}", figures.max_millis),
        ]);
    }
    table.to_string()
}
