//! The page at `/` of a running sandbox: a short introduction and the next steps.

use askama::Template;

/// Three curl commands with placeholders; the secrets themselves stay in the credential file.
#[derive(Debug, Clone, Template)]
#[template(path = "landing.html")]
pub struct LandingPage {
    /// The base URL of the API: "http://127.0.0.1:8080".
    pub base_url: String,
    pub version: String,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}
