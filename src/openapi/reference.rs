//! The operations of the document as the pages show them.

use serde_json::Value;

use super::samples;
use crate::pages::views::{Operation, OperationGroup, ReferenceChapter, ReferenceRow, ResponseDoc};

/// The introduction of the document, by paragraph: what holds for every operation.
pub(super) const INTRODUCTION: [&str; 5] = [
    "Moves money to people and collects money from them on behalf of an app. Requests, links and batches have amounts as integers in \
     cents, transfers as decimal text of cents; times are RFC 3339 in UTC; ids are UUIDs.",
    "Every request carries `Authorization: Basic` with the Base64 of `<client_id>:<api_key>`. An organization's \
     key acts on an app through the header `Api-App-Id`.",
    "Every POST takes an idempotency key, as the header `Idempotency-Key` or the body field `idempotency_key`. A \
     repeated request with the same key returns the stored response, marked `Idempotent-Replayed: true`; a key is \
     never executed twice. Refusals with 402, 404, 410 and 409, except `resource-busy` and `idempotency-key-reused`, \
     are stored, too: send a corrected request with a new key. After any other error, and after a timeout, use the \
     same key.",
    "Errors have one body: `success` is false, `message` is for people, `error_code` and its finer `reason` are for \
     programs, `errors` lists the invalid fields, `request_id` is the id to report, and `doc_url` is the page about the \
     code. Unknown fields and parameters are refused.",
    "Lists are newest first, one page at a time: `limit`, `starting_after`, `ending_before`. Responses may contain \
     new values of a status; requests accept the values listed.",
];

const WEBHOOKS: &str = "An endpoint of the app receives every event as a signed POST. Verify the signature with the \
                        endpoint's secret, store the event's id, answer with 2xx, and process it afterwards.";

/// A chapter's anchor, its name, and the page with more.
type Heading = (&'static str, &'static str, Option<(&'static str, &'static str)>);

/// The headings of the introduction's paragraphs.
const HEADINGS: [Heading; 5] = [
    ("conventions", "Conventions", Some(("/guide/concepts", "The concepts are in the guide."))),
    ("authentication", "Authentication", Some(("/guide/security", "The guide has the rules for keys."))),
    ("idempotency", "Idempotency", None),
    ("errors", "Errors", Some(("/guide/reference/errors", "All codes, with what to do."))),
    ("pagination", "Pagination", None),
];

/// The groups with which the reference begins; the others follow in the order of the document.
const FIRST: [&str; 7] =
    ["Payouts", "Payout links", "Payout link batches", "Payout requests", "Claims", "Transfers", "Users"];

/// Nested fields are shown to this depth; below it a row says "object".
const DEPTH_MAX: usize = 4;

/// Returns the chapters.
pub(super) fn chapters() -> Vec<ReferenceChapter> {
    let chapter =
        |((id, name, more), text): (Heading, &str)| ReferenceChapter { id, name, text: text.replace('`', ""), more };
    let webhooks = ("webhooks", "Webhooks", Some(("/guide/webhooks", "The guide has code that verifies a signature.")));
    HEADINGS.into_iter().zip(INTRODUCTION).chain([(webhooks, WEBHOOKS)]).map(chapter).collect()
}

/// Returns the groups of a document, with samples for a base address.
pub(super) fn groups(document: &Value, base_url: &str) -> Vec<OperationGroup> {
    let mut groups: Vec<OperationGroup> = list(document, "/tags").map(group).collect();
    groups.sort_by_key(|group| FIRST.iter().position(|name| *name == group.name).unwrap_or(FIRST.len()));
    for (path, methods) in fields(document, "/paths") {
        for (method, operation) in fields(methods, "") {
            let mut shown = one(document, path, method, operation);
            samples::add(&mut shown, base_url);
            let tag = text(operation, "/tags/0");
            if let Some(group) = groups.iter_mut().find(|group| group.name == tag) {
                group.operations.push(shown);
            }
        }
    }
    groups.retain(|group| !group.operations.is_empty());
    groups
}

fn group(tag: &Value) -> OperationGroup {
    let name = text(tag, "/name");
    OperationGroup {
        id: name.to_lowercase().replace(' ', "-"),
        name: name.to_owned(),
        description: text(tag, "/description").to_owned(),
        operations: Vec::new(),
    }
}

fn one(document: &Value, path: &str, method: &str, operation: &Value) -> Operation {
    let body = operation.pointer("/requestBody/content/application~1json");
    let description = text(operation, "/description");
    Operation {
        id: text(operation, "/operationId").to_owned(),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(operation, "/summary").to_owned(),
        description: description.split("\n\n").filter(|text| !text.is_empty()).map(str::to_owned).collect(),
        callers: callers(operation),
        parameters: list(operation, "/parameters").map(|given| parameter(resolve(document, given))).collect(),
        request_fields: body.map_or_else(Vec::new, |body| schema_rows(document, &body["schema"])),
        request_example: body.and_then(|body| body.get("example")).map(pretty),
        samples: Vec::new(),
        responses: fields(operation, "/responses").map(|(status, given)| answer(document, status, given)).collect(),
    }
}

fn callers(operation: &Value) -> String {
    let schemes: Vec<&str> = list(operation, "/security")
        .flat_map(|one| fields(one, "").map(|(name, _)| name))
        .map(|name| match name {
            "app_key" => "app key",
            "organization_key" => "organization key",
            "member_session" => "member session",
            "client_id" => "client id alone",
            other => other,
        })
        .collect();
    if schemes.is_empty() { "anyone".to_owned() } else { schemes.join("; ") }
}

fn parameter(given: &Value) -> ReferenceRow {
    ReferenceRow {
        name: text(given, "/name").to_owned(),
        kind: format!("{}, {}", text(given, "/in"), kind(&given["schema"])),
        required: given["required"] == true,
        description: text(given, "/description").to_owned(),
    }
}

fn answer(document: &Value, status: &str, given: &Value) -> ResponseDoc {
    let given = resolve(document, given);
    let schema = given.pointer("/content/application~1json/schema");
    let error_codes = schema.map(|schema| error_codes(document, schema)).unwrap_or_default();
    let is_error = !error_codes.is_empty();
    ResponseDoc {
        status: status.to_owned(),
        description: if is_error { String::new() } else { text(given, "/description").to_owned() },
        // The introduction describes the error body once for all operations.
        fields: schema.filter(|_| !is_error).map_or_else(Vec::new, |schema| schema_rows(document, schema)),
        example: given.pointer("/content/application~1json/example").filter(|_| !is_error).map(pretty),
        error_codes,
    }
}

/// Returns the codes of an error body, which has one schema or a choice of several.
fn error_codes(document: &Value, schema: &Value) -> Vec<String> {
    let one = std::iter::once(schema).filter(|schema| schema.get("anyOf").is_none());
    let schemas = list(schema, "/anyOf").chain(one).map(|schema| resolve(document, schema));
    let words = schemas.flat_map(|schema| list(schema, "/allOf/1/properties/error_code/enum"));
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the fields of an object's schema; nested fields follow a dot.
fn schema_rows(document: &Value, schema: &Value) -> Vec<ReferenceRow> {
    let mut rows = Vec::new();
    add_rows(document, schema, "", 0, &mut rows);
    rows
}

fn add_rows(document: &Value, schema: &Value, within: &str, depth: usize, rows: &mut Vec<ReferenceRow>) {
    let schema = resolve(document, schema);
    if let Some(items) = schema.get("items") {
        return add_rows(document, items, &format!("{within}[]"), depth, rows);
    }
    // A nullable field is a choice of its schema and null.
    for either in list(schema, "/oneOf").chain(list(schema, "/anyOf")).chain(list(schema, "/allOf")) {
        add_rows(document, either, within, depth, rows);
    }
    if depth == DEPTH_MAX {
        return;
    }
    let required: Vec<&str> = list(schema, "/required").filter_map(Value::as_str).collect();
    for (name, field) in fields(schema, "/properties") {
        let path = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
        let (given, is_nullable) = without_null(field);
        let resolved = resolve(document, given);
        let described = [field, given, resolved].map(|schema| text(schema, "/description"));
        let null = if is_nullable { " or null" } else { "" };
        rows.push(ReferenceRow {
            name: path.clone(),
            kind: format!("{}{null}", kind(resolved)),
            required: required.contains(&name),
            description: described.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned(),
        });
        add_rows(document, field, &path, depth + 1, rows);
    }
}

/// Returns the schema of a choice between one schema and null, and whether it is such a choice.
fn without_null(schema: &Value) -> (&Value, bool) {
    let choices = ["/oneOf", "/anyOf"].into_iter().find_map(|pointer| schema.pointer(pointer)?.as_array());
    match choices.map(Vec::as_slice) {
        Some([one, null]) if null["type"] == "null" => (one, true),
        Some(_) | None => (schema, false),
    }
}

/// Describes a value: `string, uuid`, `integer, 1 to 100`, `one of: sms, email`.
fn kind(schema: &Value) -> String {
    let choices: Vec<&str> = list(schema, "/enum").filter_map(Value::as_str).collect();
    if !choices.is_empty() {
        return format!("one of: {}", choices.join(", "));
    }
    let mut words: Vec<String> = match &schema["type"] {
        Value::String(kind) => vec![kind.clone()],
        Value::Array(kinds) => vec![kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec!["object".to_owned()],
    };
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        words.push(format.to_owned());
    }
    if let (Some(least), Some(most)) = (schema.get("minimum"), schema.get("maximum")) {
        words.push(format!("{least} to {most}"));
    }
    words.join(", ")
}

/// Returns the target of a `$ref`, else the value.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn fields<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let object = value.pointer(pointer).and_then(Value::as_object);
    object.into_iter().flatten().map(|(name, field)| (name.as_str(), field))
}

fn pretty(example: &Value) -> String {
    serde_json::to_string_pretty(example).expect("a JSON value always serializes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_within_fields_are_named_by_their_path() {
        let document = json!({"components": {"schemas": {"Payee": {
            "type": "object", "description": "The payee.", "properties": {"email": {"type": ["string", "null"]}},
        }, "UserId": {"type": "string", "format": "uuid"}}}});
        let schema = json!({"type": "object", "required": ["payee"], "properties": {
            "payee": {"$ref": "#/components/schemas/Payee"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"amount": {
                "type": "integer", "minimum": 1, "maximum": 9
            }}}},
            "user_id": {"oneOf": [
                {"$ref": "#/components/schemas/UserId", "description": "The user."}, {"type": "null"}
            ]},
        }});
        let rows = schema_rows(&document, &schema);
        let shown: Vec<(&str, &str, bool)> =
            rows.iter().map(|row| (row.name.as_str(), row.kind.as_str(), row.required)).collect();
        assert_eq!(
            shown,
            [
                ("payee", "object", true),
                ("payee.email", "string or null", false),
                ("rows", "array", false),
                ("rows[].amount", "integer, 1 to 9", false),
                ("user_id", "string, uuid or null", false),
            ]
        );
        assert_eq!(rows[4].description, "The user.");
        assert_eq!(rows[0].description, "The payee.");
    }
}
