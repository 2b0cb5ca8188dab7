//! `bursar migrate`

use serde_json::json;

use super::{Configured, Failed, say};
use crate::opened::Opened;

/// Brings the store's schema up to date, whatever `--no-migrate` says of serving.
pub(super) fn run(configured: Configured, as_json: bool) -> Result<(), Failed> {
    let mut config = configured.load()?;
    config.migrate = true;
    drop(Opened::configured(&config)?);
    if as_json { say(&json!({"migrated": true}).to_string()) } else { say("The store is up to date.") }
}
