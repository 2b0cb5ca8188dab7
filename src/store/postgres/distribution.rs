//! A database that the extension Citus spreads over several nodes: tables of tenants are distributed by the
//! organization, all in one group, so that everything of an organization stands on one node; a table that belongs to
//! no tenant would be copied to every node, and nothing on the way of money may write to it.
//!
//! Invariant: once a database is distributed, all its tables are; a new one is as soon as the migration that made it
//! has run. Deliberately absent: adding nodes and moving organizations, which are the extension's own commands.

use std::time::Duration;

use super::link::{Ask, Link, LinkError};

/// What leads every key of what a tenant owns.
const TENANT: &str = "org";
/// The table that all others stand beside.
const FIRST: &str = "tenants";
/// How long it may take to distribute one table, the rows included that are in it.
const DISTRIBUTED_WITHIN: Duration = Duration::from_secs(3_600);
const DEADLINE: Duration = Duration::from_secs(10);

/// How a table is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// By its organization.
    ByTenant,
    /// A copy on every node.
    Everywhere,
}

/// A table that is not spread yet.
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

/// Whether the database has been distributed.
pub(super) fn is_distributed(link: &mut Link) -> Result<bool, LinkError> {
    if !link.has_citus() {
        return Ok(false);
    }
    let asked = format!("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('{FIRST}')");
    Ok(!ask(link, asked)?.is_empty())
}

/// The tables that are not spread, the one first that all others follow. Only where there is the extension.
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

/// Why a database cannot be distributed, or, when it is, not be relied on; nothing when it can.
pub(super) fn obstacle(link: &mut Link) -> Result<Option<String>, LinkError> {
    if !link.has_citus() {
        return Ok(Some("it has no extension citus: run CREATE EXTENSION citus on every node".to_owned()));
    }
    if ask(link, "SELECT 1 FROM pg_dist_node WHERE shouldhaveshards AND isactive".to_owned())?.is_empty() {
        return Ok(Some("it has no node for tables: run SELECT citus_add_node('<host>', <port>)".to_owned()));
    }
    // What is set for our sessions holds on the coordinator alone.
    let careless = "SELECT n.nodename || ':' || n.nodeport FROM run_command_on_all_nodes('SHOW synchronous_commit') r \
        JOIN pg_dist_node n ON n.nodeid = r.nodeid WHERE r.result = 'off' ORDER BY 1";
    let nodes = ask(link, careless.to_owned())?;
    let nodes = nodes.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>()?;
    Ok((!nodes.is_empty())
        .then(|| format!("synchronous_commit is off at {}, which can lose acknowledged commits", nodes.join(", "))))
}

/// Spreads these tables, with the rows that are in them, one after the other. When it ends before its time, the next
/// call does the rest.
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
        // The rows are copied to the nodes; what stays behind on the coordinator nobody sees any more.
        let asks = [Ask::Plain(format!("{spread}; SELECT truncate_local_data_after_distributing_table({table})"))];
        link.ask_all(&asks, DISTRIBUTED_WITHIN)?;
    }
    Ok(())
}

fn ask(link: &mut Link, text: String) -> Result<Vec<tokio_postgres::Row>, LinkError> {
    Ok(link.ask_all(&[Ask::Once(text)], DEADLINE)?.into_iter().next().unwrap_or_default())
}
