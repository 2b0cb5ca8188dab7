//! The page at `/` of a running sandbox: what this is and where to go from here.

use askama::Template;

/// Three curl lines with placeholders; the secrets themselves stay in the credential file.
#[derive(Debug, Clone, Template)]
#[template(path = "landing.html")]
pub struct LandingPage {
    /// Where the API is reached: "http://127.0.0.1:8080".
    pub base_url: String,
    /// Where the first start wrote the keys (docs/decisions.md 15); nothing on a machine that has none.
    pub credentials_path: Option<String>,
    /// The version of the program.
    pub version: String,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}
