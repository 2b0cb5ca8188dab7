//! A working request for every route, and its stage: our app with its organization, a sister app, and a foreign
//! organization.
//!
//! [`table::sample`] is the one table, keyed by operation id. A new route needs a row there; the matrix of credentials
//! and the contract fail until it has one.

mod bank_files;
mod bank_intake;
mod bank_statements;
mod banking;
mod bills;
mod claims;
mod funding;
mod sign_in;
mod stage;
mod table;
mod webhooks;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use bank_files::NewFile;
pub use bank_intake::NewInboundFile;
pub use bank_statements::NewBankStatement;
pub use banking::{PaymentInDoubt, new_account, new_connection, new_message_connection, new_originator};
pub use claims::Claim;
pub use sign_in::{Person, base32, totp_code};
pub use stage::{Keys, Stage};
pub use table::sample;

/// The parts of a sample request other than its route.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Values of the path's placeholders, in their order.
    pub path: Vec<String>,
    /// Without the question mark.
    pub query: String,
    pub body: Option<Value>,
    /// The body as a form, for pages.
    pub form: Vec<(&'static str, String)>,
    /// Headers other than the credential.
    pub headers: BTreeMap<&'static str, String>,
    /// Ids that the owner's response shows.
    pub shows: Vec<String>,
}

impl Sample {
    /// Returns a request without body, query or placeholder.
    pub fn bare() -> Self {
        Self::default()
    }

    pub fn at<const N: usize>(path: [&str; N]) -> Self {
        Self { path: path.map(str::to_owned).to_vec(), ..Self::default() }
    }

    pub fn json(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    pub fn empty(self) -> Self {
        self.json(json!({}))
    }

    pub fn query(self, query: impl Into<String>) -> Self {
        Self { query: query.into(), ..self }
    }

    /// Adds an id that only the owner's response shows.
    pub fn shows(mut self, id: &str) -> Self {
        self.shows.push(id.to_owned());
        self
    }

    /// Returns the path of a route with this sample's values in it, and the query.
    pub fn target(&self, template: &str) -> String {
        let mut values = self.path.iter();
        let mut target = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').expect("a placeholder ends");
            target.push_str(before);
            target.push_str(values.next().unwrap_or_else(|| panic!("the sample of {template} lacks {name}")));
            rest = after;
        }
        assert!(values.next().is_none(), "the sample of {template} has too many values");
        target.push_str(rest);
        if self.query.is_empty() { target } else { format!("{target}?{}", self.query) }
    }
}
