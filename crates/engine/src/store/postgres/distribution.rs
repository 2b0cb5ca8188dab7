//! Distribution over several nodes by the extension Citus. The tables of tenants are distributed by organization, all
//! in one colocation group, so that one node holds all data of an organization. A table without a tenant would be
//! copied to every node, and no payment path may write to it.
//!
//! Invariant: once a database is distributed, all of its tables are; a new table is distributed as soon as its
//! migration has run. Adding nodes and moving organizations are the extension's own commands.

use std::time::Duration;

use super::link::{Ask, Link, LinkError};

/// The first column of every tenant's key.
const TENANT: &str = "org";
/// The table with which all others are colocated.
const FIRST: &str = "tenants";
/// The limit for distributing one table with its rows.
const DISTRIBUTED_WITHIN: Duration = Duration::from_secs(3_600);
const DEADLINE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    ByTenant,
    /// A copy on every node.
    Everywhere,
}

/// A table that is not distributed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    name: String,
    spread: Spread,
}

impl std::fmt::Display for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

pub(super) fn is_distributed(link: &mut Link) -> Result<bool, LinkError> {
    if !link.has_citus() {
        return Ok(false);
    }
    let asked = format!("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('{FIRST}')");
    Ok(!ask(link, asked)?.is_empty())
}

/// Returns the tables that are not distributed, `tenants` first. Needs the extension.
pub(super) fn pending(link: &mut Link) -> Result<Vec<Pending>, LinkError> {
    let found = ask(
        link,
        format!(
            "SELECT c.relname::text, a.attname = '{TENANT}' FROM pg_class c \
             JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary \
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] \
             WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' \
             AND c.relname <> 'refinery_schema_history' \
             AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) \
             ORDER BY c.relname <> '{FIRST}', c.relname"
        ),
    )?;
    let read = |row: &tokio_postgres::Row| {
        let spread = if row.try_get(1)? { Spread::ByTenant } else { Spread::Everywhere };
        Ok::<_, LinkError>(Pending { name: row.try_get(0)?, spread })
    };
    found.iter().map(read).collect()
}

/// Returns the reason why a database cannot be distributed, or why a distributed one is unsafe.
pub(super) fn obstacle(link: &mut Link) -> Result<Option<String>, LinkError> {
    if !link.has_citus() {
        return Ok(Some("it has no extension citus: run CREATE EXTENSION citus on every node".to_owned()));
    }
    if ask(link, "SELECT 1 FROM pg_dist_node WHERE shouldhaveshards AND isactive".to_owned())?.is_empty() {
        return Ok(Some("it has no node for tables: run SELECT citus_add_node('<host>', <port>)".to_owned()));
    }
    // Session settings apply to the coordinator only.
    let careless = "SELECT n.nodename || ':' || n.nodeport FROM run_command_on_all_nodes('SHOW synchronous_commit') r \
        JOIN pg_dist_node n ON n.nodeid = r.nodeid WHERE r.result = 'off' ORDER BY 1";
    let nodes = ask(link, careless.to_owned())?;
    let nodes = nodes.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>()?;
    Ok((!nodes.is_empty())
        .then(|| format!("synchronous_commit is off at {}, which can lose acknowledged commits", nodes.join(", "))))
}

/// Distributes these tables with their rows, one after the other. The next call continues an interrupted run.
pub(super) fn spread(link: &mut Link, tables: &[Pending]) -> Result<(), LinkError> {
    for Pending { name, spread } in tables {
        let table = format!("'\"{name}\"'");
        let spread = match spread {
            Spread::ByTenant => {
                let background = if name == FIRST { "none" } else { FIRST };
                format!("SELECT create_distributed_table({table}, '{TENANT}', colocate_with => '{background}')")
            }
            Spread::Everywhere => format!("SELECT create_reference_table({table})"),
        };
        // The rows are copied to the nodes; the coordinator's remaining copies are no longer visible.
        let asks = [Ask::Plain(format!("{spread}; SELECT truncate_local_data_after_distributing_table({table})"))];
        link.ask_all(&asks, DISTRIBUTED_WITHIN)?;
    }
    Ok(())
}

fn ask(link: &mut Link, text: String) -> Result<Vec<tokio_postgres::Row>, LinkError> {
    Ok(link.ask_all(&[Ask::Once(text)], DEADLINE)?.into_iter().next().unwrap_or_default())
}
