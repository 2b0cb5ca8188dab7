//! The API reference at `/docs`: the facts of openapi.json, readable without a network.

use askama::Template;

/// The chapters that are about every operation, and the list of all operations.
#[derive(Debug, Clone, Template)]
#[template(path = "reference.html")]
pub struct ReferencePage {
    pub version: String,
    pub base_url: String,
    pub chapters: Vec<ReferenceChapter>,
    /// In reading order.
    pub groups: Vec<OperationGroup>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceChapter {
    /// The anchor: "idempotency".
    pub id: &'static str,
    pub name: &'static str,
    pub text: String,
    /// The address of the page with more, and its name.
    pub more: Option<(&'static str, &'static str)>,
}

/// The operations of one group.
#[derive(Debug, Clone, Template)]
#[template(path = "reference_group.html")]
pub struct ReferenceGroupPage {
    pub base_url: String,
    pub group: OperationGroup,
    /// All groups by id and name, in reading order.
    pub groups: Vec<(String, String)>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

/// The same as Markdown, for programs that read text.
#[derive(Debug, Clone, Template)]
#[template(path = "reference_group.md", escape = "none")]
pub struct ReferenceGroupText {
    pub base_url: String,
    pub group: OperationGroup,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationGroup {
    /// The last part of its page's address: "payout-links".
    pub id: String,
    pub name: String,
    /// The noun in one or two sentences; may be empty.
    pub description: String,
    /// In reading order.
    pub operations: Vec<Operation>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// The anchor and operation id: "send_payout".
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
    /// The call in several languages.
    pub samples: Vec<Sample>,
    /// By status, successes first.
    pub responses: Vec<ResponseDoc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub language: &'static str,
    pub code: String,
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

    /// Returns whose key the form on the page sends: the app's where it is enough.
    fn try_as(&self) -> &'static str {
        if self.callers.contains("app key") {
            "app"
        } else if self.callers.contains("organization key") {
            "organization"
        } else {
            "none"
        }
    }

    /// Returns whether the operation acts on the app of the header.
    fn takes_app_id(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == "Api-App-Id")
    }

    /// Returns the CSS class that colors the method's badge.
    fn method_class(&self) -> String {
        self.method.to_lowercase()
    }
}
