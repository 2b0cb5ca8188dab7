//! Documents that are generated from the code and committed. `make bless` writes them again.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use bursar::openapi;
use serde_json::Value;

use crate::harness::Server;

/// Compares a committed file with the generated one, or writes it if `BURSAR_BLESS` is set.
#[track_caller]
fn committed(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("BURSAR_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{name} is not what the code says; run `make bless` and read the diff");
}

fn document() -> Value {
    openapi::document(&bursar::routes::business())
}

#[test]
fn the_openapi_document_is_committed() {
    committed("openapi.json", &openapi::text(&document()));
}

#[test]
fn the_list_of_errors_is_committed() {
    committed("docs/errors.md", &openapi::errors_page());
}

#[test]
fn the_list_of_events_is_committed() {
    committed("docs/events.md", &openapi::events_page());
}

#[test]
fn every_event_is_a_webhook_of_the_document() {
    let document = document();
    for name in bursar::events::EventName::ALL {
        let posted = &document["webhooks"][name.as_str()]["post"];
        let schema = &posted["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["allOf"][1]["properties"]["name"]["const"], name.as_str());
        assert_eq!(posted["parameters"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn the_moves_of_every_state_are_committed() {
    committed("docs/states.md", &openapi::states_page());
}

#[tokio::test]
async fn get_openapi_document() {
    let server = Server::memory().await;
    let served = server.get("/openapi.json").send().await.expect(200);
    assert_eq!(served.header("content-type"), Some("application/json"));
    assert_eq!(served.body, document());
}

#[tokio::test]
async fn show_reference() {
    let server = Server::memory().await;
    let page = server.get("/docs").send().await.expect(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").is_some());
    for route in bursar::routes::business() {
        assert!(page.text.contains(&format!("id=\"{}\"", route.documented.operation_id)), "{}", route.path);
    }
}

#[tokio::test]
async fn show_landing_and_get_asset() {
    let server = Server::memory().await;
    assert!(server.get("/").send().await.expect(200).text.contains("bursar sandbox"));
    let asset = server.get("/assets/bursar.css").send().await.expect(200);
    assert_eq!(asset.header("content-type"), Some("text/css; charset=utf-8"));
    assert_eq!(asset.header("cache-control"), Some("public, max-age=3600"));
    server.get("/assets/no-such-file").send().await.refused(404, "not-found");
}

#[test]
fn the_document_has_the_shape_of_openapi_3_1() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut operations = HashSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(operations.insert(id), "{id} is a duplicate");
            check_operation(path, method, operation);
        }
    }
    assert_eq!(operations.len(), bursar::routes::business().len());
}

fn check_operation(path: &str, method: &str, operation: &Value) {
    let id = &operation["operationId"];
    assert!(["get", "post", "put", "patch", "delete"].contains(&method), "{id}");
    assert!(operation["security"].is_array() && operation["summary"].is_string(), "{id}");
    let responses = operation["responses"].as_object().unwrap();
    assert!(responses.keys().any(|status| status.starts_with('2') || status.starts_with('3')), "{id} never succeeds");
    assert!(responses.contains_key("500") && responses.contains_key("503"), "{id}");
    for (status, response) in responses {
        assert!(status.len() == 3 && (response["description"].is_string() || response["$ref"].is_string()), "{id}");
    }
    let no_parameters = Vec::new();
    let parameters = operation["parameters"].as_array().unwrap_or(&no_parameters);
    let in_path: BTreeSet<&str> = parameters
        .iter()
        .filter(|parameter| parameter["in"] == "path")
        .map(|parameter| parameter["name"].as_str().unwrap())
        .collect();
    let in_braces: BTreeSet<&str> =
        path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect();
    assert_eq!(in_path, in_braces, "{id}");
}

/// Collects every `$ref` of a document, with its place.
fn references<'a>(value: &'a Value, at: &str, found: &mut Vec<(String, &'a str)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if let (true, Some(target)) = (name == "$ref", field.as_str()) {
                    found.push((at.to_owned(), target));
                }
                references(field, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, at, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_reference_of_the_document_has_its_target() {
    let document = document();
    let mut found = Vec::new();
    references(&document, "", &mut found);
    assert!(!found.is_empty());
    for (at, target) in found {
        let pointer = target.strip_prefix('#').expect("references stay within the document");
        assert!(document.pointer(pointer).is_some(), "{at} refers to {target}, which is not there");
    }
}

/// Fields that are absent, not null, in most responses: a secret that is shown once, a field of one step, and a field
/// that is returned only on request.
const SELDOM: [(&str, &str); 3] = [("ClaimDocument", "session"), ("NextStep", "options"), ("FeeEstimate", "explain")];

#[test]
fn every_field_of_an_answer_is_always_there() {
    let document = document();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let Some(fields) = schema["properties"].as_object() else { continue };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let optional: Vec<&String> = fields
            .keys()
            .filter(|field| !required.contains(&field.as_str()) && !SELDOM.contains(&(name, field)))
            .collect();
        assert!(optional.is_empty(), "{name}: {optional:?} lack #[schema(required)]");
    }
}
