//! Statistics of growing tables.
//!
//! The planner depends on table statistics, which the autovacuum daemon updates about once a minute. Until then all
//! indexes that begin with the organization have similar costs, and the plan may read all of its rows to change one:
//! payouts in a new database are ten times slower. So this analyzes tables that may have doubled since the last
//! analysis, which also renews the plans. For large tables the daemon runs earlier. A role that does not own the tables
//! relies on the daemon.

use std::sync::Arc;
use std::time::Duration;

use super::connector::Connector;
use super::link::{Ask, Link, LinkError};
use crate::store::background::BackgroundThread;

/// The interval of the check. The server publishes its counts once a second.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// The limit for one query; a shutdown waits no longer for a server that does not respond.
const DEADLINE: Duration = Duration::from_secs(5);

/// Selects tables with more rows written since the last analysis than they had then.
const GROWN: &str = "SELECT quote_ident(c.relname) FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid \
     WHERE s.schemaname = current_schema() AND s.n_mod_since_analyze > greatest(c.reltuples, 64) \
     AND pg_has_role(c.relowner, 'USAGE')";

/// Analyzes growing tables until the result is dropped.
pub(super) fn keep(connector: Arc<Connector>) -> std::io::Result<BackgroundThread> {
    let mut link: Option<Link> = None;
    BackgroundThread::start("statistics", CHECK_EVERY, move || {
        let open = match link.take() {
            Some(link) if !link.is_closed() && connector.leads_to(&link) => Ok(link),
            // The connector has logged why there is no connection.
            Some(_) | None => connector.open(false),
        };
        let Ok(mut open) = open else { return };
        match analyze_grown(&mut open) {
            Ok(()) => link = Some(open),
            Err(link_error) => tracing::debug!(%link_error, "tables cannot be analyzed"),
        }
    })
}

fn analyze_grown(link: &mut Link) -> Result<(), LinkError> {
    let grown = link.ask_all(&[Ask::Once(GROWN.to_owned())], DEADLINE)?;
    let names = grown.iter().flatten().map(|row| row.try_get::<_, String>(0));
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    if !names.is_empty() {
        // Another process may be analyzing the table.
        let analyze = format!("ANALYZE (SKIP_LOCKED) {}", names.join(", "));
        link.ask_all(&[Ask::Plain(analyze)], DEADLINE)?;
    }
    Ok(())
}
