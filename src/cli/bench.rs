//! `bursar bench`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use comfy_table::Table;

use super::{Failed, say};
use crate::apps::Credentials;
use crate::load::{Figures, Load, run};

/// What `bursar bench` is told.
#[derive(Args)]
pub(super) struct Asked {
    /// The sandbox's credentials; they name its address too
    #[arg(long, value_name = "FILE", default_value = "bursar-data/sandbox-credentials.json")]
    credentials: PathBuf,
    /// The server's address, when it is not the one of the credentials
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,
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

/// Sends payouts to a running sandbox and tells how fast they were answered.
pub(super) fn bench(asked: &Asked) -> Result<(), Failed> {
    let text = std::fs::read_to_string(&asked.credentials)?;
    let credentials: Credentials =
        serde_json::from_str(&text).map_err(|error| Failed::Work(format!("no credentials file: {error}")))?;
    let address =
        asked.address.clone().unwrap_or_else(|| credentials.base_url.trim_start_matches("http://").to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut measured = Vec::new();
    for &connections in &asked.connections {
        let load = Load {
            address: address.clone(),
            client_id: credentials.app.client_id.clone(),
            api_key: credentials.app.api_key.clone(),
            connections,
            duration: Duration::from_secs(asked.seconds),
            run: rand::random(),
            acknowledged: Arc::default(),
        };
        measured.push(runtime.block_on(run(&load)).figures(connections));
    }
    if asked.json {
        return say(&serde_json::to_string(&measured).expect("figures are plain data, which always serialize"));
    }
    say(&table(&measured))
}

fn table(measured: &[Figures]) -> String {
    let mut table = Table::new();
    table.set_header(["connections", "payouts", "other answers", "payouts/s", "p50 ms", "p99 ms", "max ms"]);
    for figures in measured {
        table.add_row([
            figures.connections.to_string(),
            figures.payouts.to_string(),
            figures.others.to_string(),
            format!("{:.0}", figures.payouts_per_second),
            format!("{:.2}", figures.p50_millis),
            format!("{:.2}", figures.p99_millis),
            format!("{:.2}", figures.max_millis),
        ]);
    }
    table.to_string()
}
