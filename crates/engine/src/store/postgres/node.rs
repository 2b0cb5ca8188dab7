//! A node of a distributed database, and the server that a transaction goes to.

use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub host: String,
    pub port: u16,
    pub(super) identity: String,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&address(&self.host, self.port))
    }
}

pub(super) fn address(host: &str, port: u16) -> String {
    format!("{host}:{port}")
}

/// The server that holds an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The server of the URL: the only one, or the coordinator.
    Main,
    At(Arc<Node>),
}
