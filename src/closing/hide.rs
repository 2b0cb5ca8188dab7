//! Hides a payee who is being erased from all responses.

use std::sync::Arc;

use serde_json::Value;

use super::model::Erasure;
use super::redact::redacted;

/// Whether a text contains a payee who is being erased.
pub fn shows(erasures: &[Arc<Erasure>], text: &str) -> bool {
    erasures.iter().any(|erasure| erasure.is_in(text))
}

/// Returns a JSON body without the data of payees who are being erased.
pub fn hidden(erasures: &[Arc<Erasure>], text: &str) -> String {
    let Ok(mut body) = serde_json::from_str::<Value>(text) else { return "{}".to_owned() };
    // The deletion emptied the payee's own rows.
    let is_own = |value: &Value, erasure: &Erasure| value["id"] == erasure.user_id.to_string();
    let shows = |value: &Value| {
        let text = value.to_string();
        erasures.iter().any(|erasure| !is_own(value, erasure) && erasure.is_in(&text))
    };
    if let Some(items) = body.get_mut("data").and_then(Value::as_array_mut) {
        for item in items.iter_mut().filter(|item| shows(item)) {
            // The name of an event is no personal data.
            let is_event = item["sequence"].is_i64() && item["object"].is_object();
            let part = if is_event { &mut item["object"] } else { item };
            *part = redacted(part);
        }
        return body.to_string();
    }
    if shows(&body) { redacted(&body).to_string() } else { text.to_owned() }
}
