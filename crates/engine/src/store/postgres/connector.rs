//! Connects to the host that accepts writes, and to the nodes of a distributed database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::{Leads, Link, LinkError};
use super::node::{Node, Target};
use super::nodes::Nodes;
use super::settings::Settings;
use crate::store::error::StoreError;

/// After all hosts have refused, further attempts within this time fail at once, so that callers do not wait while
/// there is no primary.
const REST: Duration = Duration::from_millis(300);

pub(super) struct Connector {
    pub settings: Settings,
    pub nodes: Nodes,
    seen: Mutex<HostState>,
}

#[derive(Default)]
struct HostState {
    /// The host to try first: the last one that accepted writes, or the next one after a timeout.
    primary: usize,
    /// When and why no host accepted a connection.
    closed: Option<(Instant, NoConnection)>,
}

#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub(super) struct NoConnection {
    reason: String,
    /// A server with a full disk refuses new connections if it must write its caches first.
    full: bool,
}

impl From<NoConnection> for StoreError {
    fn from(none: NoConnection) -> Self {
        if none.full { Self::Full(none.reason) } else { Self::Read(none.reason) }
    }
}

impl Connector {
    pub fn new(settings: Settings) -> Self {
        Self { settings, nodes: Nodes::default(), seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, HostState> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a connection leads to the current primary, or to a node in use. A primary that was paused may
    /// return without knowing that it was replaced; its data is stale.
    pub fn leads_to(&self, link: &Link) -> bool {
        match &link.leads {
            Leads::ToHost(host) => self.seen().primary == *host,
            Leads::ToNode(node) => self.nodes.is_open(node),
        }
    }

    /// Marks the host of a connection as doubtful after a timeout or an unknown outcome; the other hosts are tried
    /// first. A primary without its standbys still accepts writes but never confirms a commit. A doubtful node is
    /// avoided for a while, because the coordinator may know its replacement.
    pub fn doubt(&self, link: &Link) {
        match &link.leads {
            Leads::ToHost(host) => {
                let mut seen = self.seen();
                if seen.primary == *host {
                    seen.primary = (host + 1) % self.settings.hosts().len();
                }
            }
            Leads::ToNode(node) => self.nodes.close(&node.to_string(), "the server did not respond"),
        }
    }

    /// Maps a connection error from before a COMMIT, and marks the host as doubtful if needed.
    pub fn reported(&self, link: &Link, link_error: LinkError) -> StoreError {
        // A node that cannot reach another one can be bypassed: the coordinator may reach it.
        let is_cut_off = matches!(&link.leads, Leads::ToNode(_)) && link_error.is_of_a_connection();
        if matches!(link_error, LinkError::Silent(_)) || is_cut_off {
            self.doubt(link);
        }
        link_error.of_read()
    }

    /// Opens a connection to the host that accepts writes, beginning with the last one. `aside` is for threads of an
    /// async runtime.
    pub fn open(&self, aside: bool) -> Result<Link, NoConnection> {
        let hosts = self.settings.hosts();
        let first = {
            let seen = self.seen();
            match &seen.closed {
                Some((at, reason)) if at.elapsed() < REST => return Err(reason.clone()),
                Some(_) | None => seen.primary,
            }
        };
        let (mut reasons, mut full) = (Vec::new(), false);
        for place in (0..hosts.len()).map(|offset| (first + offset) % hosts.len()) {
            let opened = self.settings.tls().map_err(LinkError::Broken);
            let leads = Leads::ToHost(place);
            match opened.and_then(|tls| Link::open(leads, &hosts[place], tls, self.settings.pooled, aside)) {
                Ok(link) => {
                    *self.seen() = HostState { primary: place, closed: None };
                    return Ok(link);
                }
                Err(link_error) => {
                    full |= link_error.is_full();
                    reasons.push(link_error.to_string());
                }
            }
        }
        let none = NoConnection { reason: reasons.join("; "), full };
        tracing::warn!(database = %self.settings, reason = none.reason, "PostgreSQL is unreachable");
        self.seen().closed = Some((Instant::now(), none.clone()));
        Err(none)
    }

    /// Opens a connection to a node. On failure returns `None` and avoids the node for a while.
    pub fn open_at(&self, node: &Arc<Node>, aside: bool) -> Option<Link> {
        let config = self.settings.of_node(&node.host, node.port);
        let tls = self.settings.tls().map_err(LinkError::Broken);
        let opened = tls.and_then(|tls| {
            let mut link = Link::open(Leads::ToNode(node.clone()), &config, tls, self.settings.pooled, aside)?;
            node.must_be(&mut link)?;
            Ok(link)
        });
        opened.map_err(|link_error| self.nodes.close(&node.to_string(), &link_error.to_string())).ok()
    }

    pub fn open_to(&self, place: &Target, aside: bool) -> Result<Link, NoConnection> {
        let direct = match place {
            Target::At(node) => self.open_at(node, aside),
            Target::Main => None,
        };
        direct.map_or_else(|| self.open(aside), Ok)
    }
}
