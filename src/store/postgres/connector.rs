//! The way to the server: which host takes writes, and whether it is worth asking again; and the ways to the nodes of a
//! distributed database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Settings;
use super::link::{Leads, Link, LinkError};
use super::nodes::{Node, Nodes, Target};
use crate::store::StoreError;

/// After all hosts have refused, whoever comes within this time is refused without asking them again: while there is
/// no primary everyone is answered at once.
const REST: Duration = Duration::from_millis(300);

/// See the module's comment.
pub(super) struct Connector {
    pub settings: Settings,
    pub nodes: Nodes,
    seen: Mutex<HostState>,
}

#[derive(Default)]
struct HostState {
    /// The host that took writes the last time, or is to be asked first because another was silent.
    primary: usize,
    /// When there was none, and why.
    closed: Option<(Instant, NoConnection)>,
}

/// Why the server accepts no connection.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub(super) struct NoConnection {
    reason: String,
    /// A server without room on its disk refuses new connections when it must write its caches first.
    full: bool,
}

impl From<NoConnection> for StoreError {
    fn from(none: NoConnection) -> Self {
        if none.full { Self::Full(none.reason) } else { Self::Read(none.reason) }
    }
}

impl Connector {
    /// To the server of these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, nodes: Nodes::default(), seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, HostState> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a connection leads to the host that took writes when that was last found out, or to a node that is gone
    /// to. A primary that stood still may come back and not know yet that it has been replaced: what it shows is old.
    pub fn leads_to(&self, link: &Link) -> bool {
        match &link.leads {
            Leads::ToHost(host) => self.seen().primary == *host,
            Leads::ToNode(node) => self.nodes.is_open(node),
        }
    }

    /// The host of a connection did not answer, or did not say what became of a commit: the others are asked before
    /// it. Cut off from its standbys it still says that it takes writes, and never says that one is done. A node that
    /// does so is left alone for a while: the coordinator may know of another in its stead.
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

    /// What trouble with a connection means for who has not asked for a commit yet.
    pub fn reported(&self, link: &Link, link_error: LinkError) -> StoreError {
        // A node that does not get through to another may be gone around: the coordinator may.
        let is_cut_off = matches!(&link.leads, Leads::ToNode(_)) && link_error.is_of_a_connection();
        if matches!(link_error, LinkError::Silent(_)) || is_cut_off {
            self.doubt(link);
        }
        link_error.of_read()
    }

    /// A new connection to the host that takes writes; the one of the last time is asked first. `aside` where the
    /// thread is one of an async runtime.
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

    /// A new connection to a node; nothing when it cannot be gone to, and then it is left alone for a while.
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

    /// A new connection to where an organization is.
    pub fn open_to(&self, place: &Target, aside: bool) -> Result<Link, NoConnection> {
        let direct = match place {
            Target::At(node) => self.open_at(node, aside),
            Target::Main => None,
        };
        direct.map_or_else(|| self.open(aside), Ok)
    }
}
