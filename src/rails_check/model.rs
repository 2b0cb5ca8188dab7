//! What is asked of a check, and what it found.

use std::time::Duration;

use secrecy::SecretString;
use serde::Serialize;
use serde_json::Value;

/// What to check.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The base URL of the adapter.
    pub url: String,
    pub token: SecretString,
    /// The body of the test payments; its amount is replaced.
    pub order: Option<Value>,
    /// How long to wait for an outcome.
    pub wait: Duration,
    /// A connection is dropped after each of these bytes: 1 for every byte.
    pub every: usize,
    /// Whether to call an adapter that moves real money.
    pub live: bool,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The rule's name.
    pub rule: &'static str,
    /// What was done.
    pub what: &'static str,
    /// What is wrong; empty if the rule is kept.
    pub findings: Vec<String>,
    /// Why it was not checked.
    pub skipped: Option<String>,
}

/// Findings of one check at most; more of the same kind say nothing new.
const FINDINGS_MAX: usize = 5;

impl Checked {
    pub(super) const fn of(rule: &'static str, what: &'static str) -> Self {
        Self { rule, what, findings: Vec::new(), skipped: None }
    }

    pub(super) fn find(&mut self, what: impl Into<String>) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(what.into());
        }
    }
}

/// The payments that the checks made.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// Transfers that the adapter must have, once each.
    pub taken: Vec<String>,
    /// Transfers that it must not have.
    pub refused: Vec<String>,
}
