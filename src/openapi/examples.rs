//! Creates examples of bodies from their schemas, so that every body has one and none is out of date.
//!
//! A body with rules between its fields, such as one of two, has its own example at its route. A test parses every
//! example of a request with the parser of that request.

use serde_json::{Map, Value, json};

/// Examples of text fields with these names whose schema has no further rules.
const TEXTS: [(&str, &str); 35] = [
    ("account_number", "5550001"),
    ("address", "123 Main Street"),
    ("business_name", "Corner Shop Inc."),
    ("cash_tag", "$jane"),
    ("city", "New York"),
    ("client_id", "pk_sandbox_AZFbTQqUfhGcZ0fq4x0uQw"),
    ("country", "US"),
    ("country_code", "1"),
    ("currency", "USD"),
    ("current_password", "a password of old"),
    ("date_of_birth", "1990-01-31"),
    ("description", "Thank you for your work"),
    ("email", "jane@example.com"),
    ("file", "JVBERi0xLjQKJSVFT0YK"),
    ("first_name", "Jane"),
    ("handle", "jane"),
    ("last_name", "Doe"),
    ("line1", "123 Main Street"),
    ("line_1", "123 Main Street"),
    ("link", "https://pay.example.com/claim/3q2-7w"),
    ("memo", "Invoice 42"),
    ("message", "Thank you for your work!"),
    ("metadata", "order-42"),
    ("name", "Corner Shop"),
    ("number", "INV-42"),
    ("password", "a password of now"),
    ("phone", "2127361234"),
    ("phone_number", "2127361234"),
    ("postcode", "10001"),
    ("routing_number", "110000000"),
    ("state", "NY"),
    ("token", "123456"),
    ("tax_id", "123456789"),
    ("url", "https://example.com/hooks"),
    ("zip", "10001"),
];

/// Examples of whole numbers with these names; the others are amounts.
const NUMBERS: [(&str, i64); 10] = [
    ("year", 2026),
    ("quantity", 1),
    ("priority", 1),
    ("sequence", 42),
    ("version", 1),
    ("attempts", 1),
    ("deliveries", 1),
    ("num_approvals_required", 1),
    ("ledger_account_id", 4000),
    ("ledger_class_id", 12),
];

/// Returns a small request: the required fields, or the first field if none is required.
pub(super) fn request(schema: &Value) -> Value {
    Examples { components: &Value::Null, whole: false }.of(schema, "", &[]).unwrap_or_default()
}

/// Returns a complete response: every field. An object within itself is left out.
pub(super) fn answer(schema: &Value, components: &Value) -> Value {
    Examples { components, whole: true }.of(schema, "", &[]).unwrap_or_default()
}

struct Examples<'a> {
    components: &'a Value,
    whole: bool,
}

impl Examples<'_> {
    /// Returns an example, or `None` for an object that is `within` itself.
    fn of(&self, schema: &Value, name: &str, within: &[&str]) -> Option<Value> {
        if let Some(given) = schema.get("example").or_else(|| schema.get("const")) {
            return Some(given.clone());
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target.rsplit('/').next().filter(|target| !within.contains(target))?;
            return self.of(self.components.get(target)?, name, &[within, &[target]].concat());
        }
        if let Some(choice) = list(schema, "enum").find(|choice| !choice.is_null()) {
            return Some(choice.clone());
        }
        let mut choices = list(schema, "anyOf").chain(list(schema, "oneOf")).peekable();
        if choices.peek().is_some() {
            return choices.find_map(|either| self.of(either, name, within));
        }
        if schema.get("allOf").is_some() {
            let parts = list(schema, "allOf").filter_map(|part| self.of(part, name, within));
            let fields = parts.filter_map(|part| if let Value::Object(fields) = part { Some(fields) } else { None });
            return Some(fields.flatten().collect::<Map<_, _>>().into());
        }
        if let Some(example) = list(schema, "examples").next() {
            return Some(example.clone());
        }
        match kind(schema) {
            "object" => self.object(schema, within),
            "array" => Some(schema.get("items").and_then(|items| self.of(items, name, within)).into_iter().collect()),
            "integer" => Some(integer(schema, name).into()),
            "number" => Some(json!(0)),
            "boolean" => Some(json!(true)),
            "string" => Some(text(schema, name).into()),
            _ => Some(Value::Null),
        }
    }

    fn object(&self, schema: &Value, within: &[&str]) -> Option<Value> {
        let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let shown = fields
            .enumerate()
            .filter(|(place, (name, _))| {
                self.whole || required.contains(&name.as_str()) || required.is_empty() && *place == 0
            })
            .map(|(_, (name, field))| Some((name.clone(), self.of(field, name, within)?)));
        shown.collect::<Option<Map<_, _>>>().map(Value::from)
    }
}

fn list<'a>(schema: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the type, or the first that is not null.
fn kind(schema: &Value) -> &str {
    let kinds = &schema["type"];
    let first = list(schema, "type").filter_map(Value::as_str).find(|kind| *kind != "null");
    kinds.as_str().or(first).unwrap_or_default()
}

/// Returns the example of this name or ten dollars, or the nearest allowed number.
fn integer(schema: &Value, name: &str) -> i64 {
    let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
    let known = NUMBERS.iter().find(|(known, _)| *known == name).map_or(1_000, |(_, number)| *number);
    let number = bound("minimum").map_or(known, |least| least.max(known));
    bound("maximum").map_or(number, |most| number.min(most))
}

fn text(schema: &Value, name: &str) -> &'static str {
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "0195d8a4-6f00-7c3e-8a51-0c6a2f3b9d10",
        Some("date-time") => "2026-03-02T15:00:00.000000Z",
        Some("date") => "2026-03-02",
        Some("email") => "jane@example.com",
        Some("uri") => "https://example.com/hooks",
        Some(_) | None => {
            let known = TEXTS.iter().find(|(known, _)| *known == name);
            let amount = name.ends_with("amount") || schema.get("pattern").is_some();
            known.map_or(if amount { "0.01" } else { "text" }, |(_, text)| text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_shows_what_must_be_there_and_an_answer_everything() {
        let schema = json!({"type": "object", "required": ["amount", "payee"], "properties": {
            "amount": {"type": "integer", "minimum": 1, "maximum": 500},
            "memo": {"type": ["string", "null"]},
            "payee": {"type": "object", "required": ["email"], "properties": {
                "email": {"type": "string", "format": "email"}, "country": {"type": ["string", "null"]}
            }},
        }});
        assert_eq!(request(&schema), json!({"amount": 500, "payee": {"email": "jane@example.com"}}));
        let whole = json!({
            "amount": 500, "memo": "Invoice 42", "payee": {"email": "jane@example.com", "country": "US"}
        });
        assert_eq!(answer(&schema, &Value::Null), whole);
        let optional = json!({"type": "object", "properties": {"status": {"enum": ["on", "off"]}, "x": {}}});
        assert_eq!(request(&optional), json!({"status": "on"}));
    }

    #[test]
    fn references_are_followed_and_end() {
        let components = json!({"Tree": {"type": "object", "properties": {
            "id": {"type": "string", "format": "uuid"},
            "trees": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
        }}});
        let tree = answer(&json!({"$ref": "#/components/schemas/Tree"}), &components);
        assert_eq!(tree["trees"], json!([]));
        let leaf = json!({"oneOf": [{"$ref": "#/components/schemas/Tree"}, {"type": "null"}]});
        assert_eq!(answer(&leaf, &components), tree);
        assert_eq!(Examples { components: &components, whole: true }.of(&leaf, "", &["Tree"]), Some(Value::Null));
    }
}
