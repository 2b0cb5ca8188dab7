//! The page at `/` of a running sandbox: a short introduction and the next steps.

use askama::Template;

use super::Glance;

/// The state of the sandbox and three curl commands. They have the app's key on the developer's own machine, and
/// placeholders elsewhere.
#[derive(Debug, Clone, Template)]
#[template(path = "landing.html")]
pub struct LandingPage {
    /// Send a payout, read its message, move the clock.
    pub commands: [String; 3],
    pub version: String,
    /// The state, on the developer's own machine.
    pub glance: Option<Glance>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}
