//! Statistics of tables that grow.
//!
//! The server plans by what it knows of a table, and its own daemon looks once a minute. Until then all indexes that
//! begin with the organization look alike, and one that finds all of its rows may be taken to change each of them:
//! in a database that was empty a minute ago, payouts are ten times slower. So tables that may have doubled since they
//! were analyzed are analyzed from here, which makes the server plan anew. Once they are large that never happens, for
//! the daemon comes long before. A role that does not own the tables leaves it to the daemon.

use std::sync::Arc;
use std::time::Duration;

use super::connector::Connector;
use super::link::{Ask, Link, LinkError};
use crate::store::background::BackgroundThread;

/// How often to look for tables that have grown. The server tells what was written once a second.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// How long the server may take to look, or to analyze. The end of the program waits no longer for one that is silent.
const DEADLINE: Duration = Duration::from_secs(5);

/// Tables of the schema in which more rows were written since they were analyzed than were there.
const GROWN: &str = "SELECT quote_ident(c.relname) FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid \
     WHERE s.schemaname = current_schema() AND s.n_mod_since_analyze > greatest(c.reltuples, 64) \
     AND pg_has_role(c.relowner, 'USAGE')";

/// Keeps them true until the result is dropped.
pub(super) fn keep(connector: Arc<Connector>) -> std::io::Result<BackgroundThread> {
    let mut link: Option<Link> = None;
    BackgroundThread::start("statistics", CHECK_EVERY, move || {
        let open = match link.take() {
            Some(link) if !link.is_closed() && connector.leads_to(&link) => Ok(link),
            // Why there is none was told by the door.
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
        // Another process may be at it.
        let analyze = format!("ANALYZE (SKIP_LOCKED) {}", names.join(", "));
        link.ask_all(&[Ask::Plain(analyze)], DEADLINE)?;
    }
    Ok(())
}
