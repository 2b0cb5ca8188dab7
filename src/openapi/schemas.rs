//! The named schemas of responses.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::http::Route;
use crate::http::route::NamedSchema;
use crate::reason::Details;
use crate::refusal::{Code, ErrorBody, FieldError};
use crate::verification::VerificationJson;

const PREFIX: &str = "#/components/schemas/";

/// Returns `components.schemas`: the schemas of all routes by name. Panics if two different schemas have one name.
pub(super) fn components(routes: &[Route]) -> Value {
    let mut named = BTreeMap::new();
    add(&mut named, &ErrorBody::name(), &as_json(&ErrorBody::schema()));
    add(&mut named, &FieldError::name(), &as_json(&FieldError::schema()));
    add(&mut named, &Details::name(), &as_json(&Details::schema()));
    for code in Code::ALL {
        add(&mut named, &error_name(*code), &error_of(*code));
    }
    for documented in routes.iter().map(|route| &route.documented) {
        let answers = documented.answers.iter().filter_map(|(_, _, body)| body.as_ref());
        for (name, schema) in documented.schemas.iter().chain(answers) {
            add(&mut named, name, schema);
        }
    }
    for (name, schema) in of_events_alone() {
        add(&mut named, &name, &schema);
    }
    named.into_iter().collect::<Map<_, _>>().into()
}

/// Returns the schemas that only events use, with those that they refer to.
pub(super) fn of_events_alone() -> Vec<NamedSchema> {
    let mut further = Vec::new();
    VerificationJson::schemas(&mut further);
    let own = (VerificationJson::name().into_owned(), as_json(&VerificationJson::schema()));
    let further = further.into_iter().map(|(name, schema)| (name, as_json(&schema)));
    std::iter::once(own).chain(further).collect()
}

/// Returns the schema of an error body with one of these codes. Each code has its own schema, so that a generated
/// client has one type for each code and not one for each response.
pub(super) fn error(codes: &[Code]) -> Value {
    let refer = |code: &Code| json!({"$ref": format!("{PREFIX}{}", error_name(*code))});
    match codes {
        [code] => refer(code),
        codes => json!({"anyOf": codes.iter().map(refer).collect::<Vec<_>>()}),
    }
}

/// Returns the name of a code's schema: `InvalidStateError`, `InternalError`.
fn error_name(code: Code) -> String {
    format!("{}Error", format!("{code:?}").trim_end_matches("Error"))
}

fn error_of(code: Code) -> Value {
    json!({
        "description": format!("{} {}", code.meaning(), code.advice()),
        "allOf": [
            {"$ref": format!("{PREFIX}{}", ErrorBody::name())},
            {"type": "object", "properties": {"error_code": {"type": "string", "enum": [code.as_str()]}}},
        ],
    })
}

/// Removes the errors that no operation declares: they concern requests that are no operation, such as a wrong method.
pub(super) fn remove_unused_errors(document: &mut Value) {
    let text = document.to_string();
    let is_used = |name: &str| text.contains(&format!("\"{PREFIX}{name}\""));
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.retain(|name, _| !name.ends_with("Error") || is_used(name));
    }
}

fn add(named: &mut BTreeMap<String, Value>, name: &str, schema: &Value) {
    let Some(name) = name_of(name, schema) else { return };
    let schema = renamed(schema);
    if let Some(other) = named.get(&name) {
        assert_eq!(*other, schema, "two schemas are named {name}");
    }
    named.insert(name, schema);
}

/// Returns a reference to a schema, or the schema if it has no name.
pub(super) fn refer(name: &str, schema: &Value) -> Value {
    match name_of(name, schema) {
        Some(name) => json!({"$ref": format!("{PREFIX}{name}")}),
        None => renamed(schema),
    }
}

/// Returns the public name of a schema; `None` for a plain array.
fn name_of(name: &str, schema: &Value) -> Option<String> {
    if schema.get("type").and_then(Value::as_str) == Some("array") {
        return None;
    }
    Some(public(name).to_owned())
}

/// Removes the suffix `Json` of our structs, which readers of the document do not need.
pub(super) fn public(name: &str) -> &str {
    name.strip_suffix("Json").unwrap_or(name)
}

/// Returns the schema with public names in every reference.
fn renamed(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value.as_str().and_then(|text| text.strip_prefix(PREFIX)) {
                Some(target) if name == "$ref" => (name.clone(), format!("{PREFIX}{}", public(target)).into()),
                Some(_) | None => (name.clone(), renamed(value)),
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(renamed).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn as_json(schema: &impl serde::Serialize) -> Value {
    serde_json::to_value(schema).expect("schemas are plain data, which always serialize")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_an_error_of_its_own() {
        assert_eq!(error(&[Code::NotFound]), json!({"$ref": "#/components/schemas/NotFoundError"}));
        let two = json!([
            {"$ref": "#/components/schemas/InvalidStateError"}, {"$ref": "#/components/schemas/AlreadyClaimedError"},
        ]);
        assert_eq!(error(&[Code::InvalidState, Code::AlreadyClaimed]), json!({"anyOf": two}));
        let all = components(&[]);
        for code in Code::ALL {
            let words = &all[error_name(*code)]["allOf"][1]["properties"]["error_code"]["enum"];
            assert_eq!(*words, json!([code.as_str()]));
        }
        assert_eq!(error_name(Code::InternalError), "InternalError");
    }

    #[test]
    fn names_lose_their_suffix_everywhere() {
        let list = json!({"type": "object", "properties": {"data": {"type": "array", "items": {
            "$ref": "#/components/schemas/UserJson"
        }}}});
        assert_eq!(name_of("UserList", &list).as_deref(), Some("UserList"));
        assert_eq!(name_of("UserJson", &json!({"type": "object"})).as_deref(), Some("User"));
        assert_eq!(name_of("Vec", &json!({"type": "array"})), None);
        assert_eq!(renamed(&list)["properties"]["data"]["items"]["$ref"], "#/components/schemas/User");
    }
}
