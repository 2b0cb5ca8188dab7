//! Follows the placements of organizations on the nodes of a distributed database.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connector::Connector;
use super::link::{Ask, Link, LinkError};
use super::node::{Node, address};
use super::nodes::{DEADLINE, Held, IDENTITY};
use crate::store::background::BackgroundThread;

/// The interval of queries for placements.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// The time for which placements are used without confirmation.
const BELIEVED_FOR: Duration = Duration::from_secs(10);

/// Selects the hash ranges of `tenants`, with which all other tables are colocated.
const HELD: &str = "SELECT s.shardminvalue::integer, s.shardmaxvalue::integer, n.nodename::text, n.nodeport \
     FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid) \
     WHERE s.logicalrelid = to_regclass('tenants') AND n.groupid > 0 AND n.noderole = 'primary' \
     AND n.isactive AND n.hasmetadata AND n.metadatasynced ORDER BY 1";

/// Updates the placements until the result is dropped.
pub(super) fn keep(connector: Arc<Connector>) -> std::io::Result<BackgroundThread> {
    let (mut link, mut said_at): (Option<Link>, _) = (None, Instant::now());
    BackgroundThread::start("nodes", CHECK_EVERY, move || {
        let open = match link.take() {
            Some(link) if !link.is_closed() && connector.leads_to(&link) => Ok(link),
            // The connector has logged why there is no connection.
            Some(_) | None => connector.open(false),
        };
        let looked = open.ok().and_then(|mut open| match query(&connector, &mut open) {
            Ok(held) => Some((open, held)),
            Err(link_error) => {
                tracing::debug!(%link_error, "the coordinator did not return the location of the tables");
                None
            }
        });
        match looked {
            Some((open, held)) => {
                connector.nodes.publish(held);
                (link, said_at) = (Some(open), Instant::now());
            }
            None if said_at.elapsed() > BELIEVED_FOR => connector.nodes.forget(),
            None => {}
        }
    })
}

fn query(connector: &Connector, main: &mut Link) -> Result<Vec<Held>, LinkError> {
    let mut nodes: HashMap<String, Option<Arc<Node>>> = HashMap::new();
    let mut all = Vec::new();
    for row in main.ask_all(&[Ask::Once(HELD.to_owned())], DEADLINE)?.iter().flatten() {
        let (host, port): (String, i32) = (row.try_get(2)?, row.try_get(3)?);
        let Ok(port) = u16::try_from(port) else { continue };
        let address = address(&host, port);
        let node = match nodes.get(&address) {
            Some(known) => known.clone(),
            None => {
                let found = find(connector, main, host, port)?;
                nodes.insert(address, found.clone());
                found
            }
        };
        if let Some(node) = node {
            all.push(Held { first: row.try_get(0)?, last: row.try_get(1)?, node });
        }
    }
    Ok(all)
}

/// Returns the node at this address if it is reachable. Tries to connect to a new one.
fn find(connector: &Connector, main: &mut Link, host: String, port: u16) -> Result<Option<Arc<Node>>, LinkError> {
    let address = address(&host, port);
    if let Some(node) = connector.nodes.open_at(&address) {
        return Ok(Some(node));
    }
    if connector.nodes.is_silent(&address) {
        return Ok(None);
    }
    if !connector.settings.may_go_to(&host) {
        connector.nodes.close(&address, "its connection is less secure than the URL's: set sslmode=verify-full");
        return Ok(None);
    }
    let ask = format!(
        "SELECT result FROM master_run_on_worker(ARRAY[{name}], ARRAY[{port}], ARRAY['{IDENTITY}'], false) WHERE success",
        name = quoted(&host),
    );
    let reported = match main.ask_all(&[Ask::Once(ask)], DEADLINE) {
        Ok(reported) => reported,
        // An error of one node must not hide the other nodes.
        Err(link_error @ LinkError::Said { ended: false, .. }) => {
            connector.nodes.close(&address, &link_error.to_string());
            return Ok(None);
        }
        Err(link_error) => {
            connector.nodes.close(&address, &link_error.to_string());
            return Err(link_error);
        }
    };
    let Some(row) = reported.into_iter().flatten().next() else {
        connector.nodes.close(&address, "the coordinator does not reach it");
        return Ok(None);
    };
    let node = Arc::new(Node { host, port, identity: row.try_get(0)? });
    Ok(connector.open_at(&node, false).map(|_| node))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
