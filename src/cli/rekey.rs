//! `bursar rekey`

use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::terminal::{Configured, Failed, say};
use crate::instance;
use crate::key_file::{self, KeySource, MasterKeys};
use crate::seals::SealState;
use crate::seals::check::{Progress, progress};
use crate::store::Reads;
use crate::vault::Vault;

/// How often the progress of the servers is checked.
const CHECK_EVERY: Duration = Duration::from_millis(500);
/// Servers look at the key file every second: after this long each of them has a new key.
const TAKEN_UP_WITHIN: Duration = Duration::from_secs(4);

/// Another active master key.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    configured: Configured,
    /// Only wait: the key file already has its new active key
    #[arg(long)]
    watch: bool,
    /// Seconds to wait until the servers have rewritten the seals
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600)]
    within: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Adds a key, makes it the active one, and waits until every seal is under it. The server does the work.
pub(super) fn run(asked: Options) -> Result<(), Failed> {
    let Options { configured, watch, within, json: as_json } = asked;
    let config = configured.load()?;
    let reads = instance::read_only(&config)?;
    let keys = config.key.read().map_err(Failed::Work)?;
    let keys = if watch { keys } else { add_and_activate(&config.key, &keys)? };
    let vault = Vault::of(keys.ring());
    let bar = if as_json { ProgressBar::hidden() } else { ProgressBar::new(0) };
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} records are under the active key");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let begun = Instant::now();
    let done = loop {
        let found = progress(&reads, &vault).map_err(|error| Failed::Work(error.to_string()))?;
        bar.set_length(found.records);
        bar.set_position(found.current);
        if is_done(&reads, &vault, keys.active())? {
            break found;
        }
        if begun.elapsed() > Duration::from_secs(within) {
            let Progress { records, current, .. } = found;
            return Err(Failed::Work(format!(
                "after {within} seconds {current} of {records} records are under key {}. The work continues while a server \
                 runs; check again with: bursar rekey --watch",
                keys.active()
            )));
        }
        std::thread::sleep(CHECK_EVERY);
    };
    bar.finish_and_clear();
    let older: Vec<u16> = keys.ids().into_iter().filter(|id| *id != keys.active()).collect();
    if as_json {
        let Progress { records, current, .. } = done;
        let report = json!({"active": keys.active(), "records": records, "current": current, "removable": older});
        return say(&report.to_string());
    }
    say(&format!("All seals are under key {}: {} records.", keys.active(), done.records))?;
    for id in older {
        let file = config.key.file.display();
        say(&format!(
            "Key {id} is not needed by this store any more; backups made before now still need it. Remove it with: \
             bursar keys master {file} --remove {id}"
        ))?;
    }
    Ok(())
}

/// First every server gets the key, then it becomes active: so none meets a seal that it cannot open.
fn add_and_activate(source: &KeySource, keys: &MasterKeys) -> Result<MasterKeys, Failed> {
    if !source.is_plain() {
        return Err(Failed::Work(
            "the key file is wrapped, so this program cannot write it: add a key with `bursar keys master <file> --add`, wrap \
             the file, give it to every server, make the key active with --activate in the same way, and run bursar rekey --watch"
                .to_owned(),
        ));
    }
    let (more, id) = keys.with_another();
    let written = |keys: &MasterKeys| {
        let failed = |error| Failed::Work(format!("cannot write {}: {error}", source.file.display()));
        key_file::replace(&source.file, keys).map_err(failed)
    };
    written(&more)?;
    std::thread::sleep(TAKEN_UP_WITHIN);
    let active = more.activated(id).ok_or_else(|| Failed::Work("there is no such key".to_owned()))?;
    written(&active)?;
    Ok(active)
}

/// Whether the server has said that the seals of every organization are under this key.
fn is_done(reads: &Reads, vault: &Vault, active: u16) -> Result<bool, Failed> {
    let (mut organizations, mut marked) = (0_u64, 0_u64);
    let fetched = reads.snapshot(|snapshot| {
        snapshot.each::<crate::apps::Organization>(|_| {
            organizations += 1;
            Ok(())
        })?;
        snapshot.each::<SealState>(|state| {
            marked += u64::from(state.holds(vault) && state.key_id == i64::from(active));
            Ok(())
        })
    });
    fetched.map_err(|error: crate::store::StoreError| Failed::Work(error.to_string()))?;
    Ok(marked >= organizations)
}
