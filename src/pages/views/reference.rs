//! The API reference at `/docs`: the same facts as openapi.json, readable without a network.

use askama::Template;

/// All operations, in groups, on one page.
#[derive(Debug, Clone, Template)]
#[template(path = "reference.html")]
pub struct ReferencePage {
    /// The version of the API description.
    pub version: String,
    /// Where the API is reached.
    pub base_url: String,
    /// What a reader must know first, a paragraph each.
    pub introduction: Vec<String>,
    /// The groups in reading order.
    pub groups: Vec<OperationGroup>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

/// The operations of one noun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationGroup {
    /// The anchor: "payout-links".
    pub id: String,
    /// "Payout links".
    pub name: String,
    /// What the noun is, in a sentence or two; may be empty.
    pub description: String,
    /// In reading order.
    pub operations: Vec<Operation>,
}

/// One route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The anchor and operation id: "send-payout".
    pub id: String,
    /// Upper case: "POST".
    pub method: String,
    /// "/v2/payouts/send-payout".
    pub path: String,
    /// One line.
    pub summary: String,
    /// A paragraph each.
    pub description: Vec<String>,
    /// Who may call: "App key; organization key with Api-App-Id".
    pub callers: String,
    /// Path, query and header parameters.
    pub parameters: Vec<ReferenceRow>,
    /// Fields of the JSON body.
    pub request_fields: Vec<ReferenceRow>,
    /// A JSON body to copy.
    pub request_example: Option<String>,
    /// By status, successes first.
    pub responses: Vec<ResponseDoc>,
}

/// One field or parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceRow {
    /// "payee.phone_number", "limit".
    pub name: String,
    /// "integer, cents", "uuid", "header, string".
    pub kind: String,
    /// Whether a call without it is refused; false for the fields of answers.
    pub required: bool,
    /// What it means.
    pub description: String,
}

/// One possible answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseDoc {
    /// "201".
    pub status: String,
    /// "The payout link".
    pub description: String,
    /// The values of `error_code`; none for successes.
    pub error_codes: Vec<String>,
    /// Fields of the JSON answer; may be empty where another operation shows the same shape.
    pub fields: Vec<ReferenceRow>,
    /// A JSON answer.
    pub example: Option<String>,
}

impl Operation {
    /// What the filter box looks through, in lower case.
    fn search_text(&self) -> String {
        format!("{} {} {} {}", self.method, self.path, self.summary, self.id).to_lowercase()
    }

    /// The method in lower case, which colours its badge.
    fn method_class(&self) -> String {
        self.method.to_lowercase()
    }
}
