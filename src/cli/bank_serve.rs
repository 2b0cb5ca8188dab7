//! `bursar bank serve`: a simulated bank in a folder.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;

use super::terminal::{Failed, say};
use crate::bank::AccountNumber;
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
    #[arg(long, value_name = "NUMBER", value_parser = account_number)]
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

fn account_number(text: &str) -> Result<String, &'static str> {
    let is_number = text.parse::<AccountNumber>().is_ok();
    if is_number { Ok(text.to_owned()) } else { Err("must be 4 to 17 digits such as 000987654321") }
}

/// Returns why the bank cannot keep the account, or book the wire on it.
fn other_account(asked: &Serve, kept: Option<&str>) -> Option<String> {
    match (&asked.account, kept) {
        (None, None) if asked.wire.is_some() => {
            Some("--wire: the bank keeps no account of yours. Name it with --account NUMBER.".to_owned())
        }
        (Some(number), Some(kept)) if number != kept => {
            Some(format!("--account {number}: the bank of this folder keeps the account {kept}. Use another --dir."))
        }
        (_, _) => None,
    }
}

/// Refuses a folder that cannot be the bank's. A new one is created, but not in a folder that is missing too: its name is
/// probably a mistake.
fn check_folder(dir: &Path) -> Result<(), Failed> {
    let refused = |reason: &str| Err(Failed::Unreadable(format!("--dir {}: {reason}", dir.display())));
    if dir.exists() && !dir.is_dir() {
        return refused("is no folder. Name the folder of the bank.");
    }
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
    if !dir.exists() && parent.is_some_and(|parent| !parent.is_dir()) {
        return refused("the folder that would contain it does not exist. Create that folder, or correct the name.");
    }
    Ok(())
}

pub(super) fn serve(asked: &Serve) -> Result<(), Failed> {
    check_folder(&asked.dir)?;
    let start = Clock::wall().now().micros() / 1_000_000;
    let start = start.saturating_add(asked.ahead);
    let failed = |error: std::io::Error| Failed::Unreadable(format!("{}: {error}", asked.dir.display()));
    let mut refused = None;
    bankbox::with(&asked.dir, |bank| {
        refused = other_account(asked, bank.account_number());
        if refused.is_some() {
            return;
        }
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
    if let Some(reason) = refused {
        return Err(Failed::Work(reason));
    }
    if !asked.once {
        let (dir, every) = (asked.dir.display(), asked.every);
        say(&format!("The bank reads {dir}/outbound every {every} seconds, and answers in {dir}/inbound."))?;
    }
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
