//! The API reference at `/docs`: the facts of openapi.json, readable without a network.

use askama::Template;

/// All operations, in groups, on one page.
#[derive(Debug, Clone, Template)]
#[template(path = "reference.html")]
pub struct ReferencePage {
    pub version: String,
    pub base_url: String,
    /// The introduction, one paragraph each.
    pub introduction: Vec<String>,
    /// In reading order.
    pub groups: Vec<OperationGroup>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationGroup {
    /// The anchor: "payout-links".
    pub id: String,
    pub name: String,
    /// The noun in one or two sentences; may be empty.
    pub description: String,
    /// In reading order.
    pub operations: Vec<Operation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The anchor and operation id: "send-payout".
    pub id: String,
    /// Upper case: "POST".
    pub method: String,
    pub path: String,
    pub summary: String,
    /// One paragraph each.
    pub description: Vec<String>,
    /// The permitted credentials: "App key; organization key with Api-App-Id".
    pub callers: String,
    pub parameters: Vec<ReferenceRow>,
    pub request_fields: Vec<ReferenceRow>,
    pub request_example: Option<String>,
    /// By status, successes first.
    pub responses: Vec<ResponseDoc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceRow {
    /// "payee.phone_number", "limit".
    pub name: String,
    /// "integer, cents", "uuid", "header, string".
    pub kind: String,
    /// Whether a call without it is refused; false for response fields.
    pub required: bool,
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseDoc {
    pub status: String,
    pub description: String,
    /// The values of `error_code`; empty for successes.
    pub error_codes: Vec<String>,
    /// Fields of the JSON response; may be empty if another operation shows the same object.
    pub fields: Vec<ReferenceRow>,
    pub example: Option<String>,
}

impl Operation {
    /// Returns the lower-case text that the filter box searches.
    fn search_text(&self) -> String {
        format!("{} {} {} {}", self.method, self.path, self.summary, self.id).to_lowercase()
    }

    /// Returns the CSS class that colors the method's badge.
    fn method_class(&self) -> String {
        self.method.to_lowercase()
    }
}
