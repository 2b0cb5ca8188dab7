//! `bursar keys master`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::terminal::{Failed, counted, say};
use crate::key_file::{self, KeySource, MasterKeys};

/// What to do with a file of master keys.
#[derive(Args)]
#[group(skip)]
pub(super) struct Options {
    /// The file; it must not be there yet, unless one of the flags is given
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Add a key, which is not active yet
    #[arg(long, conflicts_with_all = ["activate", "remove"])]
    add: bool,
    /// Make this key the active one
    #[arg(long, value_name = "ID", conflicts_with = "remove")]
    activate: Option<u16>,
    /// Remove this key; what is sealed under it is lost
    #[arg(long, value_name = "ID")]
    remove: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Makes a file, or changes one.
pub(super) fn run(asked: &Options) -> Result<(), Failed> {
    let file = asked.file.display();
    let failed = |error: std::io::Error| Failed::Work(format!("{file}: {error}"));
    let keys = if asked.add || asked.activate.is_some() || asked.remove.is_some() {
        let source = KeySource { file: asked.file.clone(), command: None, url: None, token_file: None };
        let changed = changed(asked, &source.read().map_err(Failed::Work)?)?;
        key_file::replace(&asked.file, &changed).map_err(failed)?;
        changed
    } else {
        let keys = MasterKeys::draw();
        key_file::write_new(&asked.file, &keys).map_err(failed)?;
        keys
    };
    if asked.json {
        return say(&json!({"file": asked.file, "keys": keys.ids(), "active": keys.active()}).to_string());
    }
    let ids: Vec<String> = keys.ids().iter().map(u16::to_string).collect();
    let (count, active) = (counted(ids.len(), "key"), keys.active());
    let which = if ids.len() == 1 { String::new() } else { format!(" ({})", ids.join(", ")) };
    say(&format!(
        "{file} contains {count}{which}; key {active} is active. Keep a copy in another place: without its keys a store \
         is lost."
    ))
}

fn changed(asked: &Options, keys: &MasterKeys) -> Result<MasterKeys, Failed> {
    if let Some(id) = asked.activate {
        return keys.activated(id).ok_or_else(|| Failed::Work(format!("there is no key {id} in the file")));
    }
    if let Some(id) = asked.remove {
        let reason = || Failed::Work(format!("key {id} is the active one, or not in the file"));
        return keys.without(id).ok_or_else(reason);
    }
    Ok(keys.with_another().0)
}
