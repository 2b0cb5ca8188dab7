//! Compares a value with a schema of the OpenAPI document; supports only the keywords that the document uses.

use serde_json::Value;

/// A document, for its references.
#[derive(Clone, Copy)]
pub struct Schemas<'a>(pub &'a Value);

impl Schemas<'_> {
    /// Returns the faults of a value, each with its place. A field that the schema does not name is a fault too.
    pub fn faults(self, schema: &Value, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.hold(schema, value, "", &mut faults);
        faults
    }

    fn hold(self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let known = [
            "$ref",
            "allOf",
            "oneOf",
            "anyOf",
            "type",
            "enum",
            "const",
            "format",
            "minimum",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "propertyNames",
            "description",
            "example",
            "pattern",
        ];
        for keyword in schema.as_object().expect("a schema is an object").keys() {
            assert!(known.contains(&keyword.as_str()), "this test does not know the keyword {keyword}");
        }
        if let Some(target) = schema["$ref"].as_str() {
            let pointer = target.strip_prefix('#').expect("references stay within the document");
            self.hold(self.0.pointer(pointer).expect("a reference has its target"), value, at, faults);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.hold(part, value, at, faults);
        }
        for choice in [&schema["oneOf"], &schema["anyOf"]] {
            let Some(choices) = choice.as_array() else { continue };
            let fits = |schema: &Value| {
                let mut faults = Vec::new();
                self.hold(schema, value, at, &mut faults);
                faults.is_empty()
            };
            if !choices.iter().any(fits) {
                faults.push(format!("{at}: {value} is none of {choice}"));
            }
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
                other.as_str().into_iter().collect()
            }
        };
        if !types.is_empty() && !types.iter().any(|word| is(value, word)) {
            faults.push(format!("{at}: {value} is no {}", types.join(" or ")));
        }
        if let Some(words) = schema["enum"].as_array()
            && !words.contains(value)
        {
            faults.push(format!("{at}: {value} is none of {words:?}"));
        }
        if let Some(constant) = schema.get("const")
            && constant != value
        {
            faults.push(format!("{at}: {value} is not {constant}"));
        }
        if let (Some(format), Some(text)) = (schema["format"].as_str(), value.as_str())
            && !has_format(text, format)
        {
            faults.push(format!("{at}: {text:?} is no {format}"));
        }
        if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
            && number < least
        {
            faults.push(format!("{at}: {number} is below {least}"));
        }
        self.hold_parts(schema, value, at, faults);
    }

    /// Compares the fields of an object or the items of a list.
    fn hold_parts(self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        for (place, item) in value.as_array().into_iter().flatten().enumerate() {
            if schema["items"].is_object() {
                self.hold(&schema["items"], item, &format!("{at}/{place}"), faults);
            }
        }
        let Some(fields) = value.as_object() else { return };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                faults.push(format!("{at}: {name} is missing"));
            }
        }
        for (name, field) in fields {
            let place = format!("{at}/{name}");
            if let Some(schema) = schema["properties"].get(name) {
                self.hold(schema, field, &place, faults);
            } else if schema["additionalProperties"].is_object() {
                self.hold(&schema["additionalProperties"], field, &place, faults);
            } else if schema["properties"].is_object() && !IS_PART.contains(&at) {
                faults.push(format!("{place}: the schema does not name it"));
            }
        }
    }
}

/// Places at which several schemas name the fields together: the event itself.
const IS_PART: [&str; 1] = [""];

fn is(value: &Value, word: &str) -> bool {
    match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("this test does not know the type {other}"),
    }
}

fn has_format(text: &str, format: &str) -> bool {
    match format {
        "uuid" => text.parse::<uuid::Uuid>().is_ok(),
        "date-time" => bursar::clock::Time::parse(text).is_some(),
        "date" => text.parse::<jiff::civil::Date>().is_ok(),
        "uri" => text.contains("://"),
        "email" => text.contains('@'),
        other => panic!("this test does not know the format {other}"),
    }
}

#[test]
fn the_check_of_payloads_finds_what_is_wrong() {
    use serde_json::json;
    let document = json!({"components": {"schemas": {"Id": {"type": "string", "format": "uuid"}}}});
    let schema = json!({"allOf": [
        {"type": "object", "required": ["name"], "properties": {"name": {"const": "x.y"}}},
        {"type": "object", "properties": {"object": {"type": "object", "required": ["id"], "properties": {
            "id": {"$ref": "#/components/schemas/Id"}, "note": {"oneOf": [{"type": "string"}, {"type": "null"}]},
            "days": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        }}}},
    ]});
    let id = "0195cf3a-0000-7000-8000-000000000000";
    let faults = |object: Value| Schemas(&document).faults(&schema, &json!({"name": "x.y", "object": object}));
    assert_eq!(faults(json!({"id": id, "note": null, "days": [1, 2]})), Vec::<String>::new());
    for (object, fault) in [
        (json!({"note": null}), "/object: id is missing"),
        (json!({"id": "7"}), "/object/id: \"7\" is no uuid"),
        (json!({"id": id, "note": 7}), "/object/note: 7 is none of"),
        (json!({"id": id, "days": [0]}), "/object/days/0: 0 is below 1"),
        (json!({"id": id, "days": ["1"]}), "/object/days/0: \"1\" is no integer"),
        (json!({"id": id, "secret": "x"}), "/object/secret: the schema does not name it"),
    ] {
        let found = faults(object);
        assert!(found.len() == 1 && found[0].starts_with(fault), "{found:?}");
    }
    let unnamed = Schemas(&document).faults(&schema, &json!({"name": "x.z", "object": {"id": id}}));
    assert_eq!(unnamed, ["/name: \"x.z\" is not \"x.y\""]);
}
