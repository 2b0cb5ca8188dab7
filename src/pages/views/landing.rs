//! The page at `/` of a running sandbox: a short introduction and the next steps.

use askama::Template;

use super::Glance;

/// The state of the sandbox and three curl commands. They have the app's key on the developer's own machine, and
/// placeholders elsewhere.
#[derive(Debug, Clone, Template)]
#[template(path = "landing.html")]
pub struct LandingPage {
    /// The base URL of the API: "http://127.0.0.1:8080".
    pub base_url: String,
    pub version: String,
    /// The state, on the developer's own machine.
    pub glance: Option<Glance>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

impl LandingPage {
    /// Returns the credentials for curl.
    fn user(&self) -> String {
        let own = self.glance.as_ref().map(|glance| format!("{}:{}", glance.client_id, glance.api_key));
        own.unwrap_or_else(|| "<client_id>:<api_key>".to_owned())
    }
}
