//! `bursar migrate`

use serde_json::json;

use super::terminal::{Configured, Failed, say};
use crate::instance::{Instance, distribute};

/// Updates the schema of the store, regardless of `--no-migrate`, and distributes it over the nodes of a cluster if
/// requested.
pub(super) fn run(configured: Configured, distributed: bool, as_json: bool) -> Result<(), Failed> {
    let mut config = configured.load()?;
    config.migrate = true;
    if distributed {
        let tables = distribute(&config)?;
        return if as_json {
            say(&json!({"migrated": true, "distributed": tables}).to_string())
        } else {
            say(&format!("The store is up to date. Newly distributed tables: {}.", tables.len()))
        };
    }
    drop(Instance::configured(&config)?);
    if as_json { say(&json!({"migrated": true}).to_string()) } else { say("The store is up to date.") }
}
