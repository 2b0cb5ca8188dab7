//! The nodes of a distributed database. Each holds whole organizations.
//!
//! Every node knows all placements, so a transaction can begin at any node. At the node of its organization it stays
//! local; through the coordinator each statement is planned and sent twice. So transactions of a known organization go
//! to its node, and through the coordinator if that fails.
//!
//! Invariants: no connection leads to another server than the one that the coordinator means. A host name may resolve
//! differently here, so the identities of both are compared. A node that does not respond is avoided for a while; all
//! nodes are if the coordinator has not confirmed them for a while (`placements.rs`). A wrong placement only costs a
//! detour: a node without the organization forwards to the one that has it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::link::{Ask, Link, LinkError};
use super::node::{Node, Target};
use crate::ids::OrgId;

/// Identifies a server. A standby that takes over has the same identity.
pub(super) const IDENTITY: &str = "SELECT system_identifier FROM pg_control_system()";
/// The time for which a node that did not respond is avoided.
const LEFT_ALONE_FOR: Duration = Duration::from_secs(30);
pub(super) const DEADLINE: Duration = Duration::from_secs(5);
/// The size of the cache of organizations' hashes.
const HASHES_MAX: usize = 100_000;

impl Node {
    pub fn must_be(&self, link: &mut Link) -> Result<(), LinkError> {
        let found = link.ask_all(&[Ask::Once(format!("SELECT ({IDENTITY})::text"))], DEADLINE)?;
        match found.iter().flatten().next().map(|row| row.try_get::<_, String>(0)).transpose()? {
            Some(found) if found == self.identity => Ok(()),
            Some(_) | None => Err(LinkError::Broken("it is another server when seen from this machine".to_owned())),
        }
    }
}

/// The range of hashes on a node, both ends included.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub first: i32,
    pub last: i32,
    pub node: Arc<Node>,
}

/// The known nodes; empty if the database is not distributed.
#[derive(Default)]
pub(super) struct Nodes {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Ordered by hash; only nodes in use.
    held: Vec<Held>,
    /// The hashes of organizations, which never change.
    hashes: HashMap<Uuid, i32>,
    /// Addresses of nodes that did not respond, with the time.
    silent: HashMap<String, Instant>,
}

impl Nodes {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the server of an organization; `None` if its hash must be [learned](Self::learn) first.
    pub fn target_of(&self, org: OrgId) -> Option<Target> {
        let known = self.known();
        if known.held.is_empty() {
            return Some(Target::Main);
        }
        let hash = known.hashes.get(&org.0)?;
        let after = known.held.partition_point(|held| held.first <= *hash);
        let held = after.checked_sub(1).map(|at| &known.held[at]).filter(|held| *hash <= held.last);
        Some(held.map_or(Target::Main, |held| Target::At(held.node.clone())))
    }

    /// Queries and caches the hash of an organization, on any connection to the database.
    pub fn learn(&self, org: OrgId, link: &mut Link) -> Result<(), LinkError> {
        let found = link.ask_all(&[Ask::Once(format!("SELECT worker_hash('{}'::uuid)", org.0))], DEADLINE)?;
        if let Some(hash) = found.iter().flatten().next() {
            let mut known = self.known();
            if known.hashes.len() >= HASHES_MAX {
                known.hashes.clear();
            }
            known.hashes.insert(org.0, hash.try_get(0)?);
        }
        Ok(())
    }

    pub fn is_open(&self, node: &Node) -> bool {
        self.known().held.iter().any(|held| *held.node == *node)
    }

    pub fn close(&self, node: &str, reason: &str) {
        tracing::warn!(node, reason, "a database node is reached through the coordinator for now");
        let mut known = self.known();
        known.held.retain(|held| held.node.to_string() != node);
        known.silent.insert(node.to_owned(), Instant::now());
    }

    pub fn forget(&self) {
        if !std::mem::take(&mut self.known().held).is_empty() {
            tracing::warn!("the addresses of the database nodes are unknown; they are reached through the coordinator");
        }
    }

    pub fn open_at(&self, address: &str) -> Option<Arc<Node>> {
        let known = self.known();
        known.held.iter().map(|held| &held.node).find(|node| node.to_string() == address).cloned()
    }

    pub fn is_silent(&self, address: &str) -> bool {
        self.known().silent.get(address).is_some_and(|since| since.elapsed() < LEFT_ALONE_FOR)
    }

    /// Replaces the placements, except for nodes that have failed since the query.
    pub fn publish(&self, mut held: Vec<Held>) {
        let mut known = self.known();
        let Known { held: before, silent, .. } = &mut *known;
        silent.retain(|_, since| since.elapsed() < LEFT_ALONE_FOR);
        held.retain(|held| !silent.contains_key(&held.node.to_string()));
        for node in held.iter().map(|held| &held.node) {
            if !before.iter().any(|held| held.node == *node) {
                before.push(Held { first: 0, last: 0, node: node.clone() });
                tracing::info!(%node, "a database node is used directly");
            }
        }
        *before = held;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));

    fn node(port: u16) -> Arc<Node> {
        Arc::new(Node { host: "10.0.0.1".to_owned(), port, identity: "7".to_owned() })
    }

    fn held(first: i32, last: i32, node: &Arc<Node>) -> Held {
        Held { first, last, node: node.clone() }
    }

    /// Returns two nodes with alternate ranges; the hash of [`ORG`] is known.
    fn two(hash: i32) -> (Nodes, Arc<Node>, Arc<Node>) {
        let (nodes, one, other) = (Nodes::default(), node(1), node(2));
        nodes.publish(vec![held(i32::MIN, -1, &one), held(0, 9, &other), held(10, i32::MAX, &one)]);
        nodes.known().hashes.insert(ORG.0, hash);
        (nodes, one, other)
    }

    #[test]
    fn an_organization_is_where_its_hash_lies() {
        for (hash, port) in [(i32::MIN, 1), (-1, 1), (0, 2), (9, 2), (10, 1), (i32::MAX, 1)] {
            assert_eq!(two(hash).0.target_of(ORG), Some(Target::At(node(port))), "{hash}");
        }
    }

    #[test]
    fn an_organization_on_an_unreachable_node_goes_through_the_coordinator() {
        let (nodes, one, _) = two(5);
        nodes.publish(vec![held(i32::MIN, -1, &one), held(10, i32::MAX, &one)]);
        assert_eq!(nodes.target_of(ORG), Some(Target::Main));
        nodes.forget();
        assert_eq!(nodes.target_of(OrgId(Uuid::from_u128(2))), Some(Target::Main), "and without its hash being asked");
    }

    #[test]
    fn a_hash_is_asked_for_only_where_there_are_nodes() {
        let (nodes, ..) = two(5);
        assert_eq!(nodes.target_of(OrgId(Uuid::from_u128(2))), None);
        assert_eq!(Nodes::default().target_of(ORG), Some(Target::Main));
    }

    #[test]
    fn a_silent_node_is_avoided_even_if_the_coordinator_lists_it() {
        let (nodes, one, other) = two(5);
        nodes.close(&other.to_string(), "the server did not respond");
        assert_eq!(nodes.target_of(ORG), Some(Target::Main));
        nodes.publish(vec![held(i32::MIN, -1, &one), held(0, i32::MAX, &other)]);
        assert!(nodes.target_of(ORG) == Some(Target::Main) && nodes.is_open(&one) && !nodes.is_open(&other));
        assert!(nodes.is_silent(&other.to_string()) && !nodes.is_silent(&one.to_string()));
        // The time to avoid the node is over.
        let long_ago = Instant::now().checked_sub(LEFT_ALONE_FOR).unwrap();
        nodes.known().silent.insert(other.to_string(), long_ago);
        nodes.publish(vec![held(i32::MIN, -1, &one), held(0, i32::MAX, &other)]);
        assert_eq!(nodes.target_of(ORG), Some(Target::At(other)));
    }

    #[test]
    fn another_server_at_the_same_address_is_another_node() {
        let (nodes, ..) = two(5);
        assert!(!nodes.is_open(&Node { identity: "8".to_owned(), ..Node::clone(&node(2)) }));
    }
}
