//! `bursar simulate`

use std::io::{IsTerminal as _, stderr};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::terminal::{Failed, say};
use crate::sim::{Report, Sabotage, Settings, simulate};

/// Which simulation.
#[derive(Args)]
pub(super) struct Simulated {
    /// Decides everything that happens; the same seed does the same again
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Commands to run before everything must come to rest
    #[arg(long, default_value_t = 200_000)]
    ops: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Simulates, and fails on the first violation.
pub(super) fn run(asked: &Simulated) -> Result<(), Failed> {
    let started = Instant::now();
    let bar = progress_bar(asked.ops);
    let settings = Settings { seed: asked.seed, ops: asked.ops, sabotage: Sabotage::None };
    let simulated = simulate(settings, |ops| bar.set_position(ops));
    bar.finish_and_clear();
    match simulated {
        Ok(report) => say(&reported(&report, started.elapsed(), asked.json)),
        Err(violation) => {
            if asked.json {
                say(&json!({"violation": violation}).to_string())?;
            }
            Err(Failed::Work(violation.to_string()))
        }
    }
}

/// On a terminal only.
fn progress_bar(ops: u64) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(ops);
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} operations, {per_sec}, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn reported(report: &Report, took: Duration, as_json: bool) -> String {
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
    let per_second = report.ops.saturating_mul(1_000) / millis;
    if as_json {
        return json!({"report": report, "operations_per_second": per_second, "milliseconds": millis}).to_string();
    }
    let Report {
        seed, ops, steps, commits, faults, restarts, links, payouts, keys, simulated_days, state_hash, ..
    } = report;
    format!(
        "seed {seed}: {ops} operations in {steps} steps and {simulated_days} simulated days, {per_second} a second\n\
         {links} links, {payouts} payouts, {keys} kept answers, {commits} commits, {faults} faults, {restarts} restarts\n\
         every invariant held, and everything came to rest\n\
         state {state_hash}"
    )
}
