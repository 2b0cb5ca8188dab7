//! `bursar backup` and `bursar restore`

use std::path::Path;

use serde_json::json;

use super::terminal::{Configured, Failed, counted, say};
use crate::backups::{self, Copied, NotCopied};
use crate::config::Config;

impl From<NotCopied> for Failed {
    fn from(error: NotCopied) -> Self {
        match error {
            NotCopied::StartError(unopened) => unopened.into(),
            other @ (NotCopied::Refused(_) | NotCopied::System { .. }) => Self::Work(other.to_string()),
        }
    }
}

/// Copies the store into a file.
pub(super) fn backup(configured: Configured, to: &Path, as_json: bool) -> Result<(), Failed> {
    run(configured, as_json, "Copied the store to", |config| backups::backup(config, to))
}

/// Puts a copy where the store is to be.
pub(super) fn restore(configured: Configured, from: &Path, empty_ok: bool, as_json: bool) -> Result<(), Failed> {
    run(configured, as_json, "Put the copy at", |config| backups::restore(config, from, empty_ok))
}

fn run(
    configured: Configured,
    as_json: bool,
    done: &str,
    copy: impl FnOnce(&Config) -> Result<Copied, NotCopied>,
) -> Result<(), Failed> {
    let config = configured.load()?;
    let Copied { path, bytes, report, contents } = copy(&config)?;
    let (transactions, events) = (report.transactions, report.events);
    if as_json {
        let done = json!({
            "path": path, "bytes": bytes, "transactions": transactions, "events": events,
            "organizations": contents.organizations, "last_event": contents.last_event,
        });
        return say(&done.to_string());
    }
    let path = path.display();
    say(&format!(
        "{done} {path}: {bytes} bytes, {} and {}, all checks passed.\n\
         It contains {contents}.\n\
         The copy does not contain the key file {}. Without that file, sealed values cannot be read.",
        counted(transactions, "transaction"),
        counted(events, "event"),
        config.key.file.display()
    ))
}
