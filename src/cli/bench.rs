//! `bursar bench`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum as _};
use comfy_table::Table;

use super::terminal::{Configured, Failed, say};
use crate::apps::Credentials;
use crate::config::BadConfig;
use crate::load::{AppKey, Figures, Load, NoReference, Recording, Scenario, echo, empty_store, organizations, run};

/// Options of `bursar bench`.
#[derive(Args)]
pub(super) struct Options {
    /// The sandbox's credentials; they name its address too. Several, of several organizations, share the connections
    #[arg(long, value_name = "FILE", num_args = 1.., default_value = "bursar-data/sandbox-credentials.json")]
    credentials: Vec<PathBuf>,
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
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    page: u64,
    /// Connections that send at once; several for one run after the other
    #[arg(long, value_delimiter = ',', default_value = "1,16,64", value_parser = clap::value_parser!(u16).range(1..))]
    connections: Vec<u16>,
    /// Seconds for each run
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Calls a running sandbox and reports rates and response times. Fails if no call of a run succeeded.
pub(super) fn bench(asked: &Options) -> Result<(), Failed> {
    let all: Vec<Credentials> = asked.credentials.iter().map(|path| credentials(path)).collect::<Result<_, _>>()?;
    let Some(first) = all.first() else { return Ok(()) };
    let address = asked.address.clone().unwrap_or_else(|| first.base_url.trim_start_matches("http://").to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut measured = Vec::new();
    for &scenario in &asked.scenario {
        for &connections in &asked.connections {
            let load = Load {
                address: address.clone(),
                apps: all.iter().map(AppKey::of).collect(),
                scenario,
                connections: usize::from(connections),
                duration: Duration::from_secs(asked.seconds),
                rate: asked.rate,
                page: usize::try_from(asked.page).unwrap_or(usize::MAX),
                run: rand::random(),
                keep: false,
                acknowledged: Arc::default(),
            };
            let outcome = runtime.block_on(run(&load)).map_err(|error| Failed::Work(error.to_string()))?;
            measured.push(outcome.figures(&load));
        }
    }
    say(&if asked.json {
        serde_json::to_string(&measured).expect("figures are plain data, which always serialize")
    } else {
        table(&measured)
    })?;
    match measured.iter().find(|figures| figures.done == 0) {
        None => Ok(()),
        Some(nothing) => Err(Failed::Work(format!(
            "no request over {} connections succeeded; one was answered: {}",
            nothing.connections,
            nothing.other_answer.as_deref().unwrap_or("nothing")
        ))),
    }
}

fn credentials(path: &Path) -> Result<Credentials, Failed> {
    let failed = |why: String| {
        let reason =
            format!("no credentials in {}: {why}; start a sandbox there, or name another file", path.display());
        Failed::from(BadConfig::one(reason))
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
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
    let others = measured.iter().filter_map(|figures| figures.other_answer.as_ref());
    let others: String = others.map(|answer| format!("\nOne of the other answers: {answer}")).collect();
    format!("{table}{others}")
}

/// What the figures are compared with.
#[derive(Subcommand)]
pub(super) enum Reference {
    /// Answer every request with a file's content, as an HTTP server that does nothing else
    Echo {
        /// The body of every answer
        #[arg(long, value_name = "FILE")]
        body: PathBuf,
    },
    /// Make demonstration organizations in a sandbox's store, for bench to share its connections between
    Organizations {
        #[command(flatten)]
        configured: Box<Configured>,
        /// How many
        #[arg(long, default_value_t = 64)]
        count: u32,
        /// Where their credentials go: 1.json and so on
        #[arg(long, value_name = "FOLDER")]
        into: PathBuf,
    },
    /// Write the rows of payouts into an empty store, 64 payouts a commit, with no service before it
    Rows {
        #[command(flatten)]
        configured: Box<Configured>,
        /// How long payouts are sent to a service in memory, whose rows are then written
        #[arg(long, default_value_t = 5)]
        record_seconds: u64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs a reference.
pub(super) fn reference(asked: Reference) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let failed = |error: NoReference| Failed::Work(error.to_string());
    match asked {
        Reference::Echo { body } => {
            // Without a reader the line is lost; the run continues.
            runtime
                .block_on(echo(body, |address| say(&format!("listening on {address}")).unwrap_or_default()))
                .map_err(failed)
        }
        Reference::Organizations { configured, count, into } => {
            let made = runtime.block_on(organizations(&configured.load()?, count, &into)).map_err(failed)?;
            say(&format!("{made} organizations, their credentials in {}", into.display()))
        }
        Reference::Rows { configured, record_seconds, json } => {
            let config = configured.load()?;
            let seconds = Duration::from_secs(record_seconds);
            let (stores, _keeps) = empty_store(&config).map_err(failed)?;
            let recording = runtime.block_on(Recording::of_payouts(seconds)).map_err(failed)?;
            let Some(mut store) = stores.into_iter().next() else { return Ok(()) };
            let written = recording.write(&mut store).map_err(failed)?;
            let per_second = per_second(written.payouts, written.elapsed);
            say(&match json {
                true => serde_json::json!({"payouts": written.payouts, "rows": written.rows, "per_second": per_second})
                    .to_string(),
                false => {
                    format!("{} payouts of {} rows, {per_second:.0} payouts a second", written.payouts, written.rows)
                }
            })
        }
    }
}

#[allow(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "a figure of a benchmark, not money")]
fn per_second(payouts: usize, elapsed: Duration) -> f64 {
    payouts as f64 / elapsed.as_secs_f64().max(0.001)
}
