use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::examples;
use super::links::{links, placeholders};
use super::schemas::{self, refer};
use super::webhooks::header_parameters;
use crate::http::{Method, Route, Who};
use crate::input::types::{EMAIL_FORMAT, PHONE_FORMAT};
use crate::refusal::Code;

/// Returns the operation of a route. `routes` are the targets of its links, and `schemas` make its examples.
pub(super) fn operation(route: &Route, routes: &[Route], schemas: &Value) -> Value {
    let documented = &route.documented;
    let mut operation = json!({
        "operationId": documented.operation_id,
        "tags": [documented.tag],
        "summary": documented.summary,
    });
    if !documented.description.is_empty() {
        operation["description"] = documented.description.into();
    }
    operation["security"] = security(route);
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = body(route) {
        operation["requestBody"] = body;
    }
    operation["responses"] = responses(route, schemas);
    let links = links(route, routes);
    if !links.is_empty() {
        for (status, ..) in route.documented.answers.iter().filter(|(status, _, body)| *status < 300 && body.is_some())
        {
            operation["responses"][status.to_string()]["links"] = links.clone().into();
        }
    }
    operation
}

fn security(route: &Route) -> Value {
    let schemes: &[&str] = match route.who {
        Who::Anyone | Who::Provider | Who::Member => &[],
        Who::AppOrItsClient => &["app_key", "organization_key", "client_id"],
        Who::App | Who::AppOrOrganization => &["app_key", "organization_key"],
        Who::Organization | Who::OrganizationForApp => &["organization_key"],
    };
    let session = route.members.map(|_| "member_session");
    schemes.iter().copied().chain(session).map(|scheme| json!({ scheme: [] })).collect()
}

fn takes_app_id(who: Who) -> bool {
    match who {
        Who::App | Who::AppOrItsClient | Who::AppOrOrganization | Who::OrganizationForApp => true,
        Who::Anyone | Who::Provider | Who::Organization | Who::Member => false,
    }
}

/// Returns whether a replay with the same idempotency key changes nothing.
fn is_keyed(route: &Route) -> bool {
    route.method == Method::Post && (route.who != Who::Anyone || route.documented.is_keyed)
}

fn parameters(route: &Route) -> Vec<Value> {
    let refer = |name: &str| json!({"$ref": format!("#/components/parameters/{name}")});
    let mut parameters: Vec<Value> = placeholders(route.path).map(path_parameter).collect();
    for (name, schema, description, required) in &route.documented.query {
        parameters.push(json!({
            "name": name, "in": "query", "required": required, "description": description,
            "schema": without_null(schema),
        }));
    }
    if takes_app_id(route.who) {
        parameters.push(refer("ApiAppId"));
    }
    if route.opened_by_token.is_some() {
        parameters.push(refer("ClaimSession"));
    }
    if is_keyed(route) {
        parameters.push(refer("IdempotencyKey"));
    }
    parameters
}

/// Returns the schema without its null: a query string cannot express it, so the parameter is omitted instead.
fn without_null(schema: &Value) -> Value {
    let is_null = |value: &Value| value.is_null() || value == "null" || value["type"] == "null";
    if let Some([one, null]) = schema["anyOf"].as_array().map(Vec::as_slice)
        && is_null(null)
    {
        return one.clone();
    }
    let mut schema = schema.clone();
    if let Some([one, null]) = schema["type"].as_array().map(Vec::as_slice)
        && is_null(null)
    {
        schema["type"] = one.clone();
    }
    if let Some(choices) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        choices.retain(|choice| !choice.is_null());
    }
    schema
}

fn path_parameter(name: &str) -> Value {
    let is_id = name == "id" || name.ends_with("_id") && name != "client_id";
    let schema = if is_id { json!({"type": "string", "format": "uuid"}) } else { json!({"type": "string"}) };
    let description = match name {
        "token" => "The last part of the claim link's URL.".to_owned(),
        "client_id" => "The client id of the key.".to_owned(),
        name => format!("The id of the {}.", name.trim_end_matches("_id").replace('_', " ")),
    };
    json!({"name": name, "in": "path", "required": true, "description": description, "schema": schema})
}

fn body(route: &Route) -> Option<Value> {
    let keyed = is_keyed(route);
    let mut schema = match &route.documented.body {
        Some(schema) => schema.clone(),
        None if keyed => json!({"type": "object", "properties": {}, "additionalProperties": false}),
        None => return None,
    };
    let required = schema.get("required").is_some();
    if keyed && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("idempotency_key".to_owned(), idempotency_field());
    }
    let mut content = json!({"schema": schema});
    if let Some(example) = request_example(route) {
        content["example"] = example;
    }
    // Not `text/csv`, where a route accepts it: generators of clients fail on it.
    Some(json!({"required": required, "content": {"application/json": content}}))
}

/// Returns a body that the route accepts: its own example, or one from the schema.
pub fn request_example(route: &Route) -> Option<Value> {
    let documented = &route.documented;
    documented.example.clone().or_else(|| documented.body.as_ref().map(examples::request))
}

fn idempotency_field() -> Value {
    json!({
        "type": ["string", "null"],
        "format": "uuid",
        "description": "The same as the header Idempotency-Key, for clients that cannot set headers; a UUID.",
    })
}

/// Returns every response: the route's own, then its refusals by status.
fn responses(route: &Route, schemas: &Value) -> Value {
    let mut responses: BTreeMap<String, Value> = BTreeMap::new();
    for (status, description, body) in &route.documented.answers {
        let mut response = json!({"description": description, "headers": answer_headers(route, *status)});
        if let Some((name, schema)) = body {
            let schema = refer(name, schema);
            let example = examples::answer(&schema, schemas);
            response["content"] = json!({"application/json": {"schema": schema, "example": example}});
        }
        if let Some((_, content_type)) = route.documented.files.iter().find(|(of, _)| of == status) {
            response["content"] = json!({ *content_type: {"schema": {"type": "string", "format": "binary"}} });
        }
        responses.insert(status.to_string(), response);
    }
    for (status, codes) in refusals(route) {
        let general = general(status, &codes);
        let response = general
            .map_or_else(|| refusal(status, &codes), |name| json!({"$ref": format!("#/components/responses/{name}")}));
        responses.insert(status.to_string(), response);
    }
    responses.into_iter().collect::<Map<_, _>>().into()
}

fn answer_headers(route: &Route, status: u16) -> Value {
    let refer = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    let mut headers = json!({"X-Request-Id": refer("RequestId")});
    if !matches!(route.who, Who::Anyone | Who::Provider) {
        headers["RateLimit"] = refer("RateLimit");
        headers["RateLimit-Policy"] = refer("RateLimitPolicy");
    }
    match route.method {
        Method::Get if status == 200 => headers["ETag"] = refer("ETag"),
        Method::Post if is_keyed(route) => headers["Idempotent-Replayed"] = refer("IdempotentReplayed"),
        Method::Get | Method::Post | Method::Put | Method::Patch | Method::Delete => {}
    }
    headers
}

/// Returns the refusals of a route by status: those of its guards, and its own.
fn refusals(route: &Route) -> BTreeMap<u16, Vec<Code>> {
    let known = route.who != Who::Anyone;
    let bodied = matches!(route.method, Method::Post | Method::Put | Method::Patch);
    let mut codes = vec![Code::InvalidInput, Code::InternalError, Code::ServiceUnavailable];
    let mut when = |so: bool, further: &[Code]| {
        if so {
            codes.extend_from_slice(further);
        }
    };
    let documented = &route.documented;
    let taken = || documented.query.iter().map(|(_, schema, ..)| schema).chain(&documented.body);
    when(taken().any(|schema| carries(schema, EMAIL_FORMAT)), &[Code::InvalidEmail]);
    when(taken().any(|schema| carries(schema, PHONE_FORMAT)), &[Code::InvalidPhoneNumber]);
    when(known, &[Code::Unauthorized, Code::WrongEnvironment, Code::RateLimited]);
    when(known && route.who != Who::AppOrItsClient, &[Code::SecretKeyRequired]);
    when(route.who == Who::Member, &[Code::MemberProofRequired]);
    when(matches!(route.who, Who::App | Who::AppOrItsClient | Who::OrganizationForApp), &[Code::AppIdRequired]);
    when(takes_app_id(route.who), &[Code::NotPermitted, Code::NotFound]);
    when(matches!(route.who, Who::Organization | Who::OrganizationForApp), &[Code::OrganizationKeyRequired]);
    when(route.path.contains('{'), &[Code::NotFound]);
    when(bodied, &[Code::PayloadTooLarge, Code::UnsupportedMediaType]);
    when(route.method != Method::Get, &[Code::OutcomeUnknown]);
    when(is_keyed(route), &[Code::IdempotencyKeyReused, Code::ResourceBusy]);
    codes.extend_from_slice(&documented.refusals);
    codes.sort_unstable();
    codes.dedup();
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status()).or_default().push(code);
    }
    by_status
}

/// Returns whether a part of this schema has this format. Its invalid values have a separate code.
fn carries(schema: &Value, format: &str) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name == "format" && value == format || carries(value, format))
        }
        Value::Array(items) => items.iter().any(|item| carries(item, format)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The shared responses: name, and the codes that it covers.
const SHARED: [(&str, &[Code]); 8] = [
    ("InvalidInput", &[Code::InvalidInput]),
    ("Unauthorized", &[Code::Unauthorized, Code::WrongEnvironment]),
    ("NotFound", &[Code::NotFound]),
    ("PayloadTooLarge", &[Code::PayloadTooLarge]),
    ("UnsupportedMediaType", &[Code::UnsupportedMediaType]),
    ("RateLimited", &[Code::RateLimited]),
    ("InternalError", &[Code::InternalError]),
    ("Unavailable", &[Code::ServiceUnavailable, Code::OutcomeUnknown]),
];

/// Returns the shared response for exactly these codes, if there is one.
fn general(status: u16, codes: &[Code]) -> Option<&'static str> {
    let shared = SHARED.iter().find(|(_, shared)| *shared == codes);
    shared.filter(|(_, shared)| shared[0].status() == status).map(|(name, _)| *name)
}

fn refusal(status: u16, codes: &[Code]) -> Value {
    let lines: Vec<String> = codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.meaning())).collect();
    let refer = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    let mut headers = json!({"X-Request-Id": refer("RequestId")});
    match status {
        401 => headers["WWW-Authenticate"] = refer("WwwAuthenticate"),
        429 => {
            headers["Retry-After"] = refer("RetryAfter");
            headers["RateLimit"] = refer("RateLimit");
            headers["RateLimit-Policy"] = refer("RateLimitPolicy");
        }
        503 => headers["Retry-After"] = refer("RetryAfter"),
        _ => {}
    }
    json!({
        "description": lines.join("\n\n"),
        "headers": headers,
        "content": {"application/json": {"schema": schemas::error(codes)}},
    })
}

pub(super) fn shared_responses() -> Value {
    SHARED
        .iter()
        .map(|(name, codes)| ((*name).to_owned(), refusal(codes[0].status(), codes)))
        .collect::<Map<_, _>>()
        .into()
}

pub(super) fn shared_parameters() -> Value {
    let mut parameters = json!({
        "ApiAppId": {
            "name": "Api-App-Id", "in": "header", "required": false,
            "description": "The app that an organization key acts on. Required with an organization key on the routes \
                            of an app. An empty value counts as absent.",
            "schema": {"type": "string", "pattern": "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$"},
        },
        "ClaimSession": {
            "name": "Claim-Session", "in": "header", "required": false,
            "description": "The claim session that the step `code` returned. It proves that the caller verified the \
                            phone number or e-mail address.",
            "schema": {"type": "string"},
        },
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "1 to 255 printable ASCII characters, preferably a UUID. A request is executed once per \
                            key.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
        },
    });
    for (name, header) in header_parameters() {
        parameters[name] = header;
    }
    parameters
}

pub(super) fn shared_headers() -> Value {
    let header = |description: &str, schema: Value| json!({"description": description, "schema": schema});
    json!({
        "RequestId": header("The id that the request sent, or a generated id.", json!({"type": "string"})),
        "ETag": header("Identifies this body. Send it as If-None-Match to get status 304 if the body is unchanged.", json!({"type": "string"})),
        "IdempotentReplayed": header("Present if this is a stored response to an earlier request.", json!({"type": "string", "enum": ["true"]})),
        "RateLimit": header(
            "The requests that are left to the app now: `\"app\";r=<left>;t=<seconds until more>`. Sent to authenticated \
             callers if the server limits requests.",
            json!({"type": "string"}),
        ),
        "RateLimitPolicy": header(
            "The limit of the app: `\"app\";q=<requests>;w=<seconds>`. Sent with RateLimit.",
            json!({"type": "string"}),
        ),
        "RetryAfter": header("Seconds to wait before the next attempt.", json!({"type": "integer", "minimum": 1})),
        "WwwAuthenticate": header("The expected authentication scheme.", json!({"type": "string"})),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_in_order_and_ids_are_uuids() {
        let names: Vec<&str> = placeholders("/v2/apps/{app_id}/keys/{client_id}.csv").collect();
        assert_eq!(names, ["app_id", "client_id"]);
        assert_eq!(path_parameter("app_id")["schema"]["format"], "uuid");
        assert_eq!(path_parameter("client_id")["schema"].get("format"), None);
    }

    #[test]
    fn a_parameter_is_left_out_rather_than_null() {
        let without = without_null(&json!({"type": ["string", "null"], "enum": ["a", null]}));
        assert_eq!(without, json!({"type": "string", "enum": ["a"]}));
        let without = without_null(&json!({"anyOf": [{"pattern": "x"}, {"type": "null"}]}));
        assert_eq!(without, json!({"pattern": "x"}));
    }

    #[test]
    fn shared_responses_agree_in_their_status() {
        for (name, codes) in SHARED {
            assert!(codes.iter().all(|code| code.status() == codes[0].status()), "{name}");
            assert!(codes.is_sorted(), "{name} is looked up by its codes in order");
        }
    }
}
