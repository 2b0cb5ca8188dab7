//! Removes personal data from a JSON object. The list names the fields that stay, so a field that is added later is
//! erased.

use serde_json::Value;

/// Fields whose text contains no personal data.
const KEPT: &[&str] = &[
    "id",
    "object",
    "type",
    "kind",
    "status",
    "state",
    "created",
    "updated",
    "completed",
    "connected",
    "expires",
    "arrival",
    "currency",
    "platform",
    "method",
    "delivery_method",
    "channel",
    "purpose",
    "code",
    "funding_source",
    "fee_party",
    "entity_type",
    "tax_id_verification",
    "ofac_status",
    "act",
    "reason",
    "direction",
    "outcome",
    "error_code",
    "event_name",
    "additional_steps",
    "payout_options_exclude_list",
    "payout_fee_party",
    "platform_fee_source",
    "requested_platform",
    "fee_table_row",
    "rule_effective_from",
    "rate_date",
    "rounding",
    "held_to",
    "part",
    "rtp",
    // The names of ledger accounts.
    "source_name",
    "destination_name",
    // The address of a claim page, which names a link.
    "link",
];

/// Amounts and rates, which are decimals in a text.
const DECIMALS: &[&str] =
    &["amount", "fee_amount", "payout_amount", "percent", "payout_fee_percent", "rate", "unrounded"];

/// Returns the object with its ids, states, times and amounts, and without any other text.
pub(super) fn redacted(object: &Value) -> Value {
    within(None, object)
}

/// Redacts an object in text form; a text that is no object is erased.
pub(super) fn redacted_text(object: &str) -> String {
    serde_json::from_str::<Value>(object).map_or_else(|_| "{}".to_owned(), |object| redacted(&object).to_string())
}

fn within(name: Option<&str>, value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) if name.is_some_and(|name| is_kept(name) || is_decimal(name, text)) => value.clone(),
        Value::String(_) => Value::Null,
        Value::Array(items) => Value::Array(items.iter().map(|item| within(name, item)).collect()),
        // An app's metadata may contain anything, under any names.
        Value::Object(_) if name == Some("metadata") => Value::Null,
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), within(Some(name), value))).collect())
        }
    }
}

fn is_kept(name: &str) -> bool {
    KEPT.contains(&name) || name.ends_with("_id") || name.ends_with("_at")
}

fn is_decimal(name: &str, text: &str) -> bool {
    DECIMALS.contains(&name) && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_states_and_amounts_stay_and_every_other_text_goes() {
        let object = json!({
            "id": "1", "status": "created", "amount": "500", "fee_amount": "Jane", "rate": "0.925", "memo": "for May",
            "metadata": {"size": 7, "amount": "500"},
            "payee": {"first_name": "Jane", "phone_number": "2125550123", "user_id": "2"}, "list": ["a", {"email": "x"}],
        });
        let expected = json!({
            "id": "1", "status": "created", "amount": "500", "fee_amount": null, "rate": "0.925", "memo": null,
            "metadata": null,
            "payee": {"first_name": null, "phone_number": null, "user_id": "2"}, "list": [null, {"email": null}],
        });
        assert_eq!(redacted(&object), expected);
        assert_eq!(redacted_text(&object.to_string()), expected.to_string());
        assert_eq!(redacted_text("Jane"), "{}");
    }
}
