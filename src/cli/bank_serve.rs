//! `bursar bank serve`: a simulated bank in a folder.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;

use super::terminal::{Failed, say};
use crate::bankbox::{self, Account, Grain, StatementFormat};
use crate::clock::Clock;

/// The longest time ahead, in seconds: ten years.
const AHEAD_MAX: i64 = 315_360_000;

#[derive(Args)]
pub(super) struct Serve {
    /// The bank's folder: payment files go into its folder outbound, answers come into inbound
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// The seconds between two reads of the folder
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    every: u64,
    /// The seconds that the bank's clock is ahead: ahead_seconds of GET /v2/sandbox/clock
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..=AHEAD_MAX))]
    ahead: i64,
    /// Read and answer once, then exit
    #[arg(long)]
    once: bool,
    /// Acknowledge each NACHA file with a text, or refuse it with one
    #[arg(long)]
    acknowledge: bool,
    /// The number of your account, of which the bank writes a statement each banking day
    #[arg(long, value_name = "NUMBER")]
    account: Option<String>,
    /// The format of the statements
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "bai2", requires = "account")]
    statements: StatementFormat,
    /// What the bank books as one line
    #[arg(long, value_name = "GRAIN", value_enum, default_value = "file", requires = "account")]
    booking: Grain,
    /// The balance of a new account, in cents
    #[arg(long, value_name = "CENTS", default_value_t = 0, requires = "account")]
    opening: i64,
    /// Book a wire to your account, in cents
    #[arg(long, value_name = "CENTS", requires = "once", value_parser = clap::value_parser!(i64).range(1..))]
    wire: Option<i64>,
    /// The text of the wire, for example the deposit reference of an app
    #[arg(long, value_name = "TEXT", requires = "wire", default_value = "")]
    text: String,
}

pub(super) fn serve(asked: &Serve) -> Result<(), Failed> {
    let start = Clock::wall().now().micros() / 1_000_000;
    let start = start.saturating_add(asked.ahead);
    let failed = |error: std::io::Error| Failed::Unreadable(format!("{}: {error}", asked.dir.display()));
    bankbox::with(&asked.dir, |bank| {
        if let Some(number) = &asked.account {
            bank.keep(Account::open(number, asked.statements, asked.booking, asked.opening, start));
        }
        if asked.acknowledge {
            bank.acknowledge();
        }
        if let Some(amount) = asked.wire {
            bank.wire(amount, &asked.text, start);
        }
    })
    .map_err(failed)?;
    loop {
        let now = Clock::wall().now().micros() / 1_000_000;
        for name in bankbox::tick(&asked.dir, now.saturating_add(asked.ahead)).map_err(failed)? {
            say(&name)?;
        }
        if asked.once {
            return Ok(());
        }
        thread::sleep(Duration::from_secs(asked.every));
    }
}
