//! Checks whether an adapter keeps the adapter protocol (docs/guide/rails.md): by calls with its own test payments.
//!
//! Each check names a rule. A finding is a broken rule. The statement is read last, because it shows what the other
//! checks cannot see: a payment that was made twice.
//!
//! Start at `steps.rs`.

mod client;
mod drops;
mod model;
mod statement;
mod steps;

use serde_json::{Value, json};

use client::Client;
use model::Made;
pub use model::{Asked, Checked};

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
