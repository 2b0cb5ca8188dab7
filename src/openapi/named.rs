//! Names the inputs of the document, so that generated clients have one type for each.
//!
//! The body of an operation is `<Operation>Request`. The objects and enumerations within have the names of their types
//! in the code, which inputs carry as their `title`; those without one are named by their place.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

/// Moves the schemas of all request bodies, query parameters and webhooks into `components.schemas`.
pub(super) fn name_inputs(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    let mut names = Names(schemas.map(std::mem::take).unwrap_or_default().into_iter().collect());
    for part in ["paths", "webhooks"] {
        for operation in document[part].as_object_mut().into_iter().flat_map(|paths| paths.values_mut()) {
            operation.as_object_mut().into_iter().flat_map(|methods| methods.values_mut()).for_each(|operation| {
                names.operation(operation);
            });
        }
    }
    document["components"]["schemas"] = names.0.into_iter().collect::<Map<_, _>>().into();
}

struct Names(BTreeMap<String, Value>);

impl Names {
    fn operation(&mut self, operation: &mut Value) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let name = pascal(&id);
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            let place = format!("{name}{}", pascal(parameter["name"].as_str().unwrap_or_default()));
            if let Some(schema) = parameter.get_mut("schema") {
                self.parts(schema, &place);
            }
        }
        if let Some(schema) = operation.pointer_mut("/requestBody/content/application~1json/schema") {
            let name = match id.strip_prefix("on_") {
                Some(event) => format!("{}Event", pascal(event)),
                None => format!("{name}Request"),
            };
            self.children(schema, &name);
            self.replace(schema, &name, &name);
        }
    }

    /// Names this schema, if it is an object or an enumeration with a name, and the schemas within it.
    fn parts(&mut self, schema: &mut Value, place: &str) {
        self.children(schema, place);
        let title = schema.get("title").and_then(Value::as_str).map(str::to_owned);
        let has_fields = schema.get("properties").and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
        if has_fields || title.is_some() && schema.get("enum").is_some() {
            let name = title.map_or_else(|| place.to_owned(), |title| title.replace("Parts", "Input"));
            self.replace(schema, &name, place);
        } else if let Some(fields) = schema.as_object_mut() {
            fields.remove("title");
        }
    }

    fn children(&mut self, schema: &mut Value, place: &str) {
        if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            for (name, field) in fields {
                self.parts(field, &format!("{place}{}", pascal(name)));
            }
        }
        for name in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get_mut(name).filter(|inner| inner.is_object()) {
                self.parts(inner, &format!("{place}Item"));
            }
        }
        for name in ["anyOf", "oneOf"] {
            for (number, either) in schema.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten().enumerate()
            {
                self.parts(either, &format!("{place}{}", if number == 0 { String::new() } else { number.to_string() }));
            }
        }
    }

    /// Stores the schema under the first name that is free or has the same schema, and refers to it.
    fn replace(&mut self, schema: &mut Value, name: &str, place: &str) {
        let mut stored = schema.take();
        let is_nullable = remove_null(&mut stored);
        let description = stored.as_object_mut().and_then(|fields| {
            fields.remove("title");
            fields.remove("description")
        });
        let alike = |(known, schema): &(&String, &Value)| known.ends_with(name) && is_same(schema, &stored);
        let alike = self.0.iter().find(alike).map_or_else(|| name.to_owned(), |(known, _)| known.clone());
        let candidates = [
            alike,
            name.to_owned(),
            format!("{}Input", name.trim_end_matches("Input")),
            place.to_owned(),
            format!("{place}Input"),
        ];
        let is_free = |candidate: &&String| self.0.get(*candidate).is_none_or(|known| is_same(known, &stored));
        let name = candidates.iter().find(is_free).expect("a place has one schema").clone();
        let reference = json!({"$ref": format!("{PREFIX}{name}")});
        self.0.entry(name).or_insert(stored);
        *schema = if is_nullable { json!({"anyOf": [reference, {"type": "null"}]}) } else { reference };
        if let Some(description) = description {
            schema["description"] = description;
        }
    }
}

/// Returns whether two schemas accept the same values: enumerations may differ in their description.
fn is_same(known: &Value, schema: &Value) -> bool {
    known == schema || known.get("enum").is_some() && known.get("enum") == schema.get("enum")
}

/// Removes null from the type and the choices. Returns whether it was among them.
fn remove_null(schema: &mut Value) -> bool {
    let Some([kind, null]) = schema["type"].as_array().map(Vec::as_slice) else { return false };
    if null != "null" {
        return false;
    }
    schema["type"] = kind.clone();
    if let Some(choices) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        choices.retain(|choice| !choice.is_null());
    }
    true
}

/// Returns `SendPayout` for `send_payout`.
fn pascal(name: &str) -> String {
    let words = name.split(['_', '-']).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(id: &str, schema: &Value) -> Value {
        let content = json!({"application/json": {"schema": schema}});
        json!({"post": {"operationId": id, "requestBody": {"content": content}}})
    }

    #[test]
    fn what_two_bodies_share_has_one_name_and_what_differs_has_its_own() {
        let payee = json!({"title": "PayeeInput", "type": ["object", "null"], "description": "The payee.",
            "properties": {"status": {"title": "Status", "type": ["string", "null"], "enum": ["a", "b", null]}}});
        let other = json!({"title": "PayeeInput", "type": "object", "properties": {"x": {"type": "string"}}});
        let body = |payee: &Value| json!({"title": "New", "type": "object", "properties": {"payee": payee}});
        let known = json!({"type": "string", "enum": ["a", "b"], "description": "Of a response."});
        let mut document = json!({
            "paths": {
                "/a": operation("send_a", &body(&payee)),
                "/b": operation("send_b", &body(&payee)),
                "/c": operation("send_c", &body(&other)),
            },
            "components": {"schemas": {"Status": known}},
        });
        name_inputs(&mut document);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let names: Vec<&String> = schemas.keys().collect();
        let expected = ["PayeeInput", "SendARequest", "SendBRequest", "SendCRequest", "SendCRequestPayee", "Status"];
        assert_eq!(names, expected);
        let nullable = |name: &str| json!([{"$ref": format!("{PREFIX}{name}")}, {"type": "null"}]);
        let field = &schemas["SendARequest"]["properties"]["payee"];
        assert_eq!(*field, json!({"anyOf": nullable("PayeeInput"), "description": "The payee."}));
        assert_eq!(schemas["PayeeInput"]["properties"]["status"]["anyOf"], nullable("Status"));
        assert_eq!(schemas["Status"], known, "the enumeration of the responses is used");
        assert!(!document.to_string().contains("title"));
    }
}
