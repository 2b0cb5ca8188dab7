//! The newest requests of a sandbox at `/requests`.

use askama::Template;

#[derive(Debug, Clone, Template)]
#[template(path = "requests.html")]
pub struct RequestsPage {
    /// The filter as typed (query parameter `text`); empty shows all.
    pub text: String,
    /// Whether only requests with an error are shown.
    pub errors: bool,
    /// Newest first.
    pub requests: Vec<ShownRequest>,
    /// Whether more requests exist than the page shows.
    pub has_more: bool,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRequest {
    /// An anchor on the page.
    pub id: String,
    pub method: String,
    pub path: String,
    pub status: u16,
    /// Code and message.
    pub error: Option<(String, String)>,
    pub request_id: String,
    pub client_id: Option<String>,
    /// For people: "12 ms".
    pub took: String,
    /// For people: "March 1, 09:30:05 UTC".
    pub created: String,
    /// RFC 3339.
    pub created_at: String,
}

impl ShownRequest {
    /// The class that colors the status.
    #[must_use]
    pub const fn status_class(&self) -> &'static str {
        match self.status {
            0..400 => "status-good",
            400..500 => "status-refused",
            500.. => "status-failed",
        }
    }
}
