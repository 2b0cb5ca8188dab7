//! `bursar sandbox`

use std::ffi::OsString;
use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use super::sandbox_bank;
use super::terminal::{Configured, Failed, counted, say};
use crate::apps::bootstrap;
use crate::config::{BadConfig, Database};
use crate::instance;
use crate::program::Environment;
use crate::serve::SANDBOX_BANK;

/// The ends of the files of an embedded store.
const STORE_FILES: [&str; 4] = ["", "-wal", "-shm", "-reserve"];

#[derive(Subcommand)]
pub(super) enum Options {
    /// Send payments by ach, bank_transfer, wire, rtp and intl_bank to a simulated bank in files
    #[command(after_help = "Examples:\n  bursar sandbox bank\n  bursar sandbox bank --json --data-dir /tmp/try\n\n\
                      One member sets the connections up, and another one approves them, as in production. The bank reads \
                      the files that a real bank would get, and answers with files.")]
    Bank(sandbox_bank::Options),
    /// Delete the store and the credentials of a sandbox, so that the next start is the first
    #[command(after_help = "Examples:\n  bursar sandbox reset\n  bursar sandbox reset --yes --data-dir /tmp/try\n\n\
                      Stop the server first. The command deletes nothing unless the folder has the credentials of a \
                      sandbox.\nIt keeps the key file and the sanctions list.")]
    Reset {
        #[command(flatten)]
        configured: Box<Configured>,
        /// Delete without a question
        #[arg(long)]
        yes: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(asked: Options) -> Result<(), Failed> {
    match asked {
        Options::Bank(asked) => sandbox_bank::run(&asked),
        Options::Reset { configured, yes, json } => reset(*configured, yes, json),
    }
}

fn reset(configured: Configured, yes: bool, as_json: bool) -> Result<(), Failed> {
    let config = configured.load()?;
    if config.environment == Environment::Production {
        return Err(BadConfig::one("the environment is production; only a sandbox can be reset").into());
    }
    let Database::Sqlite(store) = &config.database else {
        let message = "this sandbox is in PostgreSQL; create an empty database for it instead";
        return Err(Failed::Work(message.to_owned()));
    };
    let credentials = config.data_dir.join(bootstrap::FILE_NAME);
    check(store, &credentials)?;
    // Kept until the end: no server opens the store while its files are deleted.
    let lock = instance::lock(store)?;
    let files: Vec<PathBuf> = STORE_FILES.iter().map(|end| with_end(store, end)).chain([credentials]).collect();
    let files: Vec<PathBuf> = files.into_iter().filter(|file| file.exists()).collect();
    if !yes {
        confirm(store)?;
    }
    for file in &files {
        std::fs::remove_file(file).map_err(|error| Failed::Work(format!("{}: {error}", file.display())))?;
    }
    let bank = config.data_dir.join(SANDBOX_BANK);
    if bank.exists() {
        std::fs::remove_dir_all(&bank).map_err(|error| Failed::Work(format!("{}: {error}", bank.display())))?;
    }
    drop(lock);
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    if as_json {
        return say(&json!({"deleted": names}).to_string());
    }
    say(&format!("Deleted {}. The next `bursar serve` creates a new sandbox.", counted(names.len(), "file")))
}

/// Refuses a folder that has no sandbox. Only the first start of a sandbox writes the file with its credentials.
fn check(store: &Path, credentials: &Path) -> Result<(), Failed> {
    if !store.exists() && !credentials.exists() {
        return Err(Failed::Work(format!("there is no store at {}; nothing was deleted", store.display())));
    }
    let written = bootstrap::read(credentials);
    let written = written.map_err(|error| {
        let file = credentials.display();
        Failed::Work(format!("{file}: {error}. Without the credentials of a sandbox, nothing was deleted"))
    })?;
    if !written.organization.client_id.starts_with("org_pk_sandbox_") {
        let message = format!("{} has no keys of a sandbox; nothing was deleted", credentials.display());
        return Err(Failed::Work(message));
    }
    Ok(())
}

fn confirm(store: &Path) -> Result<(), Failed> {
    if !stdin().is_terminal() {
        return Err(Failed::Work("nothing was deleted; confirm with --yes".to_owned()));
    }
    let mut typed = String::new();
    write!(stderr(), "This deletes the sandbox in {}. Type yes to continue: ", store.display())?;
    stdin().lock().read_line(&mut typed)?;
    if typed.trim() == "yes" { Ok(()) } else { Err(Failed::Work("nothing was deleted".to_owned())) }
}

fn with_end(store: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(store);
    path.push(end);
    PathBuf::from(path)
}
