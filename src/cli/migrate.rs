//! `bursar migrate`

use serde_json::json;

use super::{Configured, Failed, say};
use crate::instance::{Instance, distribute};

/// Brings the store's schema up to date, whatever `--no-migrate` says of serving; and spreads it over the nodes of a
/// cluster where that is asked for.
pub(super) fn run(configured: Configured, distributed: bool, as_json: bool) -> Result<(), Failed> {
    let mut config = configured.load()?;
    config.migrate = true;
    if distributed {
        let tables = distribute(&config)?;
        return if as_json {
            say(&json!({"migrated": true, "distributed": tables}).to_string())
        } else {
            say(&format!("The store is up to date, and distributed: {} tables were not before.", tables.len()))
        };
    }
    drop(Instance::configured(&config)?);
    if as_json { say(&json!({"migrated": true}).to_string()) } else { say("The store is up to date.") }
}
