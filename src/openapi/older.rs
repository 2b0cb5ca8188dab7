//! The document in OpenAPI 3.0, for generators that do not read 3.1.
//!
//! Both have the same operations and schemas. What 3.0 cannot express is written in its own words: `nullable` for a
//! type that includes null, one choice for a constant, `allOf` around a reference with a description, and `x-webhooks`
//! for the webhooks.

use serde_json::{Map, Value, json};

/// Returns the 3.0 form of a 3.1 document.
pub fn document_3_0(document: &Value) -> Value {
    let mut older = Older { document }.converted(document);
    older["openapi"] = json!("3.0.3");
    older["info"]["license"] = json!({
        "name": document["info"]["license"]["name"], "url": "https://www.apache.org/licenses/LICENSE-2.0",
    });
    if let Some(fields) = older.as_object_mut()
        && let Some(webhooks) = fields.remove("webhooks")
    {
        fields.insert("x-webhooks".to_owned(), webhooks);
    }
    older
}

struct Older<'a> {
    /// The document in 3.1, whose references are resolved.
    document: &'a Value,
}

impl Older<'_> {
    fn converted(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = self.rewritten(fields.clone()).into_iter();
                fields.map(|(name, value)| (name.clone(), self.inner(&name, &value))).collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.iter().map(|item| self.converted(item)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    /// Converts the value of a keyword: data stays, and the names in a map of schemas are no keywords.
    fn inner(&self, name: &str, value: &Value) -> Value {
        match (name, value) {
            ("example" | "examples" | "default" | "enum", _) => value.clone(),
            ("properties" | "schemas" | "headers" | "parameters" | "responses", Value::Object(named)) => {
                named.iter().map(|(name, value)| (name.clone(), self.converted(value))).collect::<Map<_, _>>().into()
            }
            _ => self.converted(value),
        }
    }

    /// Rewrites the keywords of one schema. Objects that are not schemas have none of them.
    fn rewritten(&self, mut fields: Map<String, Value>) -> Map<String, Value> {
        rewrite_words(&mut fields);
        for choice in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = fields.get(choice).cloned() {
                let mut others: Vec<Value> =
                    choices.iter().filter(|schema| schema["type"] != "null").cloned().collect();
                if let [Value::Object(only)] = others.as_slice()
                    && let (1, Some(Value::Array(within))) = (only.len(), only.get(choice))
                {
                    others = within.clone();
                }
                if choices.iter().any(|schema| schema["type"] == "null") {
                    self.nullable_choice(&mut fields, choice, others);
                }
            }
        }
        if fields.len() > 1
            && let Some(target) = fields.remove("$ref")
        {
            fields.insert("allOf".to_owned(), json!([{"$ref": target}]));
        }
        fields
    }

    /// Writes a choice that includes null. One other schema takes the place of the choice. `nullable` needs a type
    /// next to it.
    fn nullable_choice(&self, fields: &mut Map<String, Value>, choice: &str, mut others: Vec<Value>) {
        fields.remove(choice);
        if let [only] = others.as_slice() {
            fields.insert("nullable".to_owned(), json!(true));
            if let Some(description) = only.get("description") {
                fields.entry("description").or_insert_with(|| description.clone());
            }
            let target = self.target(only);
            let has_name = target["properties"].is_object() || target["enum"].is_array() || target["allOf"].is_array();
            if has_name && only.get("$ref").is_some() {
                fields.insert("type".to_owned(), target["type"].as_str().unwrap_or("object").into());
                fields.insert("allOf".to_owned(), json!([{"$ref": only["$ref"]}]));
            } else {
                // An id has no type of its own in clients, and written in place its null is exact.
                for (name, value) in target.as_object().into_iter().flatten() {
                    fields.entry(name.clone()).or_insert_with(|| value.clone());
                }
                rewrite_words(fields);
            }
        } else {
            let typed = others.iter().position(|schema| schema.get("type").is_some()).unwrap_or(0);
            others[typed]["nullable"] = json!(true);
            fields.insert(choice.to_owned(), others.into());
        }
    }

    /// Returns the target of a reference, else the schema itself.
    fn target<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let pointer = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        pointer.and_then(|pointer| self.document.pointer(pointer)).unwrap_or(schema)
    }
}

/// Rewrites the keywords that concern no other schema.
fn rewrite_words(fields: &mut Map<String, Value>) {
    if let Some(only) = fields.remove("const") {
        fields.insert("enum".to_owned(), json!([only]));
    }
    if let Some(Value::Array(examples)) = fields.get("examples").cloned() {
        fields.remove("examples");
        fields.insert("example".to_owned(), examples.into_iter().next().unwrap_or_default());
    }
    fields.remove("propertyNames");
    fields.remove("contentMediaType");
    if fields.remove("contentEncoding").is_some() {
        fields.insert("format".to_owned(), json!("byte"));
    }
    if let Some(Value::Array(kinds)) = fields.get("type").cloned() {
        several_types(fields, &kinds);
    }
}

fn several_types(fields: &mut Map<String, Value>, kinds: &[Value]) {
    let others: Vec<Value> = kinds.iter().filter(|kind| **kind != "null").cloned().collect();
    if others.len() < kinds.len() {
        fields.insert("nullable".to_owned(), json!(true));
    }
    fields.remove("type");
    match others.as_slice() {
        [only] => drop(fields.insert("type".to_owned(), only.clone())),
        several => {
            let choices: Vec<Value> = several.iter().map(|kind| json!({"type": kind})).collect();
            fields.insert("anyOf".to_owned(), choices.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_written_in_the_words_of_3_0() {
        let reference = json!({"$ref": "#/components/schemas/A"});
        let status = json!({"$ref": "#/components/schemas/Status"});
        let document = json!({"components": {"schemas": {
            "A": {"type": "string", "format": "uuid"}, "Status": {"type": "string", "enum": ["on", "off"]},
        }}});
        for (newer, older) in [
            (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
            (json!({"const": 1}), json!({"enum": [1]})),
            (
                json!({"oneOf": [status, {"type": "null"}]}),
                json!({"allOf": [status], "type": "string", "nullable": true}),
            ),
            (
                json!({"anyOf": [status, {"type": "string"}, {"type": "null"}]}),
                json!({"anyOf": [status, {"type": "string", "nullable": true}]}),
            ),
            (json!({"type": "string", "examples": ["a", "b"]}), json!({"type": "string", "example": "a"})),
            (
                json!({"anyOf": [reference, {"type": "null"}]}),
                json!({"type": "string", "format": "uuid", "nullable": true}),
            ),
            (
                json!({"anyOf": [{"anyOf": [{"type": "string"}, {"type": "object"}]}, {"type": "null"}]}),
                json!({"anyOf": [{"type": "string", "nullable": true}, {"type": "object"}]}),
            ),
            (
                json!({"oneOf": [{"type": "string"}, {"type": "null"}], "description": "x"}),
                json!({"type": "string", "nullable": true, "description": "x"}),
            ),
            (
                json!({"$ref": "#/components/schemas/A", "description": "x"}),
                json!({"allOf": [reference], "description": "x"}),
            ),
            (reference.clone(), reference.clone()),
            (
                json!({"properties": {"const": {"const": 1}, "type": {"type": "string"}}, "example": {"const": 1}}),
                json!({"properties": {"const": {"enum": [1]}, "type": {"type": "string"}}, "example": {"const": 1}}),
            ),
        ] {
            assert_eq!(Older { document: &document }.converted(&newer), older, "{newer}");
        }
    }

    #[test]
    fn the_document_has_nothing_that_only_3_1_has() {
        let document = document_3_0(&super::super::document(&crate::routes::business()));
        let text = document.to_string();
        for keyword in [r#""const":"#, r#""null""#, r#""webhooks":"#, r#""identifier":"#] {
            assert!(!text.contains(keyword), "{keyword}");
        }
        assert_eq!(document["openapi"], "3.0.3");
    }
}
