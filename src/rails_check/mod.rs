//! Checks whether an adapter keeps the adapter protocol (docs/guide/rails.md): by calls with its own test payments.
//!
//! Each check names a rule. A finding is a broken rule. The statement is read last, because it shows what the other
//! checks cannot see: a payment that was made twice.
//!
//! Start at `steps.rs`.

mod client;
mod drops;
mod statement;
mod steps;

use std::time::Duration;

use secrecy::SecretString;
use serde::Serialize;
use serde_json::{Value, json};

use client::Client;

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
    const fn of(rule: &'static str, what: &'static str) -> Self {
        Self { rule, what, findings: Vec::new(), skipped: None }
    }

    fn find(&mut self, what: impl Into<String>) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(what.into());
        }
    }
}

/// The payments that the checks made.
#[derive(Debug, Default)]
struct Made {
    /// Transfers that the adapter must have, once each.
    taken: Vec<String>,
    /// Transfers that it must not have.
    refused: Vec<String>,
}

/// Runs all checks.
///
/// # Errors
/// A sentence, if the adapter cannot be called at all, or moves real money.
pub async fn check(asked: &Asked) -> Result<Vec<Checked>, String> {
    let client = Client::new(asked)?;
    let (first, capabilities) = steps::capabilities(&client).await?;
    if capabilities["test"] != true && !asked.live {
        return Err(
            "The adapter does not say that it is for tests: its capabilities have no \"test\": true. The check \
                    makes payments. Use --live if it may make real ones."
                .to_owned(),
        );
    }
    let order = asked.order.clone().unwrap_or_else(|| order_for(&capabilities));
    let mut made = Made::default();
    let mut all = vec![first];
    all.push(steps::authorization(&client, &order, &mut made).await);
    all.push(steps::unknown(&client).await);
    all.push(steps::repeated(&client, &order, &mut made).await);
    all.push(steps::different(&client, &order, &mut made).await);
    all.push(steps::refused(&client, &order, &capabilities, &mut made).await);
    all.push(steps::at_once(&client, &order, &mut made).await);
    all.push(drops::requests(&client, &order, asked.every, &mut made).await);
    all.push(drops::answers(&client, &order, asked.every, &mut made).await);
    all.push(steps::canceled(&client, &order, asked.wait, &mut made).await);
    all.push(steps::remembered(&client, &made).await);
    all.push(statement::adds_up(&client, &made).await);
    Ok(all)
}

/// Returns a payment of one cent by the first rail of the adapter.
fn order_for(capabilities: &Value) -> Value {
    json!({
        "platform": capabilities["platforms"][0], "direction": "credit", "amount": 1,
        "currency": capabilities["currencies"][0],
        "far_end": {"type": "email", "email": "check@example.com"}, "payee": {"name": "Check Example"}, "memo": null,
    })
}
