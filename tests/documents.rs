//! Documents that are generated from the code and committed. `make bless` writes them again.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use bursar::openapi;
use serde_json::{Value, json};

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
        let schema = document.pointer(schema["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap();
        assert_eq!(schema["properties"]["name"]["enum"], json!([name.as_str()]));
        assert_eq!(posted["tags"], json!(["Webhook events"]), "generators write a file for each tag");
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
async fn get_openapi_3_0_document() {
    let server = Server::memory().await;
    let served = server.get("/openapi-3.0.json").send().await.expect(200);
    assert_eq!(served.header("content-type"), Some("application/json"));
    let newer = document();
    assert_eq!((&served.body["openapi"], &newer["openapi"]), (&json!("3.0.3"), &json!("3.1.0")));
    for (path, methods) in newer["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert_eq!(served.body["paths"][path][method]["operationId"], operation["operationId"]);
        }
    }
    assert_eq!(
        served.body["x-webhooks"].as_object().map(|webhooks| webhooks.len()),
        Some(bursar::events::EventName::ALL.len())
    );
}

#[test]
fn bodies_and_statuses_have_named_types() {
    let document = document();
    for operation in
        document["paths"].as_object().unwrap().values().flat_map(|methods| methods.as_object().unwrap().values())
    {
        let Some(body) = operation["requestBody"]["content"]["application/json"].get("schema") else { continue };
        assert!(body["$ref"].is_string(), "{}: {body}", operation["operationId"]);
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let Some(status) = schema["properties"].get("status") else { continue };
        assert!(status.to_string().contains("$ref"), "{name}: {status}");
    }
    let send = &document["components"]["schemas"]["SendPayoutRequest"]["properties"];
    let create = &document["components"]["schemas"]["CreatePayoutLinkRequest"]["properties"];
    assert_eq!(send["payee"]["anyOf"], create["payee"]["anyOf"]);
}

/// Bytes that a page of the product may transfer, and the first page of the reference.
const PAGE_MAX: usize = 200_000;
const FIRST_PAGE_MAX: usize = 150_000;

async fn transferred(server: &Server, path: &str) -> usize {
    let plain = server.get(path).send().await.expect(200);
    let given = server.get(path).header("accept-encoding", "gzip").send().await.expect(200);
    assert_eq!(given.header("vary"), Some("accept-encoding"), "{path}");
    assert_ne!(given.header("etag"), plain.header("etag"), "{path}");
    let cached = server.get(path).header("if-none-match", plain.header("etag").unwrap()).send().await;
    assert_eq!((cached.status, cached.text.as_str()), (304, ""), "{path}");
    given.header("content-length").unwrap().parse().unwrap()
}

#[tokio::test]
async fn show_reference_and_show_reference_group_are_small_and_complete() {
    let server = Server::memory().await;
    let overview = server.get("/docs").send().await.expect(200);
    assert_eq!(overview.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(overview.header("cache-control"), Some("public, max-age=3600"));
    assert!(overview.header("content-security-policy").is_some());
    for chapter in ["authentication", "idempotency", "errors", "pagination", "webhooks"] {
        assert!(overview.text.contains(&format!("id=\"{chapter}\"")), "{chapter}");
    }
    let first = overview.text.find("data-group").unwrap();
    assert!(overview.text[first..].starts_with("data-group aria-labelledby=\"group-payouts\""));
    let size = transferred(&server, "/docs").await;
    assert!(size < FIRST_PAGE_MAX, "{size} bytes");

    let mut pages: Vec<(String, String)> = Vec::new();
    for route in bursar::routes::business() {
        let (tag, id) = (route.documented.tag, route.documented.operation_id);
        let path = format!("/docs/{}", tag.to_lowercase().replace(' ', "-"));
        if !pages.iter().any(|(known, _)| *known == path) {
            let page = server.get(&path).send().await.expect(200);
            assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
            let size = transferred(&server, &path).await;
            assert!(size < PAGE_MAX, "{path}: {size} bytes");
            pages.push((path.clone(), page.text));
        }
        let (_, text) = pages.iter().find(|(known, _)| *known == path).unwrap();
        assert!(text.contains(&format!("<article class=\"operation\" id=\"{id}\"")), "{id}");
        assert!(overview.text.contains(&format!("<li id=\"{id}\"")), "{id}");
    }
    server.get("/docs/no-such-group").send().await.refused(404, "not-found");
}

#[tokio::test]
async fn get_llms_text_lists_texts_that_exist() {
    let server = Server::memory().await;
    let list = server.get("/llms.txt").send().await.expect(200);
    assert_eq!(list.header("content-type"), Some("text/plain; charset=utf-8"));
    let addresses: Vec<&str> = list.text.split(crate::harness::PUBLIC_URL).skip(1).collect();
    let texts: Vec<&str> = addresses.iter().filter_map(|text| text.split(')').next()).collect();
    assert!(
        texts.iter().any(|path| path.starts_with("/docs/payouts.")) && texts.contains(&"/guide/index.md"),
        "{texts:?}"
    );
    for path in texts {
        let text = server.get(path).send().await.expect(200);
        let kind = if path.ends_with(".md") { "text/markdown; charset=utf-8" } else { "application/json" };
        assert_eq!(text.header("content-type"), Some(kind), "{path}");
        assert!(kind == "application/json" || text.text.starts_with("# "), "{path}: {}", text.text);
    }
    server.get("/guide/no-such-chapter.md").send().await.expect(404);
}

/// Returns the samples of a language in the pages of the reference, as they are read.
async fn samples(server: &Server, language: &str) -> Vec<String> {
    let summary = format!("<summary>{language}</summary>");
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for route in bursar::routes::business() {
        let path = format!("/docs/{}", route.documented.tag.to_lowercase().replace(' ', "-"));
        if !seen.insert(path.clone()) {
            continue;
        }
        let page = server.get(&path).send().await.expect(200).text;
        for part in page.split(&summary).skip(1) {
            let code = part.split_once("<code>").and_then(|(_, rest)| rest.split_once("</code>")).unwrap().0;
            let read = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
            found.push(read.iter().fold(code.to_owned(), |code, (escaped, plain)| code.replace(escaped, plain)));
        }
    }
    found
}

/// Runs a program with a text at its standard input.
fn feed(program: &[&str], text: &str) -> std::process::Output {
    let mut command = std::process::Command::new(program[0]);
    command.args(&program[1..]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[tokio::test]
async fn samples_of_the_reference_are_programs() {
    let server = Server::memory().await;
    let operations = bursar::routes::business().len();
    let python = samples(&server, "Python").await;
    let curl = samples(&server, "curl").await;
    assert_eq!((python.len(), curl.len()), (operations, operations));
    // The control: what is no program is found.
    let compile = "import sys, json\nfor text in json.load(sys.stdin): compile(text, 'sample', 'exec')";
    assert!(!feed(&["python3", "-c", compile], "[\"f(\"]").status.success());
    let compiled = feed(&["python3", "-c", compile], &json!(python).to_string());
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(!feed(&["sh", "-n"], "curl 'a").status.success());
    let read = feed(&["sh", "-n"], &curl.join("\n"));
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let send = curl.iter().find(|sample| sample.contains("/v2/payouts/send-payout\"")).unwrap();
    // The arguments arrive as the page shows them.
    let arguments = feed(&["sh"], &send.replacen("curl", "printf '%s\\n'", 1));
    let body = String::from_utf8(arguments.stdout).unwrap();
    let body: Value = serde_json::from_str(body.lines().last().unwrap()).unwrap();
    let sent = server.post("/v2/payouts/send-payout").app_key().json(body.clone()).send().await;
    assert_eq!(sent.expect(201).body["amount"], body["amount"]);
}

#[tokio::test]
async fn show_landing_and_get_asset_and_get_icon() {
    let server = Server::memory().await;
    assert!(server.get("/").send().await.expect(200).text.contains("bursar sandbox"));
    let asset = server.get("/assets/bursar.css").send().await.expect(200);
    assert_eq!(asset.header("content-type"), Some("text/css; charset=utf-8"));
    assert_eq!(asset.header("cache-control"), Some("public, max-age=3600"));
    let icon = server.get("/favicon.ico").send().await.expect(200);
    assert_eq!(icon.header("content-type"), Some("image/svg+xml"));
    assert_eq!(icon.text, server.get("/assets/bursar.svg").send().await.expect(200).text);
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

/// Every text for readers of a document, with its place.
fn prose(value: &Value, at: &str, found: &mut Vec<(String, String)>) {
    for (name, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}/{name}");
        match inner.as_str().filter(|_| ["summary", "description"].contains(&name.as_str())) {
            Some(text) => found.push((at, text.to_owned())),
            None => prose(inner, &at, found),
        }
    }
    value.as_array().into_iter().flatten().for_each(|inner| prose(inner, at, found));
}

/// Whether a text has a link of rustdoc, a path of Rust or the name of a document that a reader does not have.
fn is_for_contributors(text: &str) -> bool {
    ["[`", "::", "interface.md", "decisions.md", "specification.md", "src/"].iter().any(|word| text.contains(word))
}

#[test]
fn texts_of_the_document_are_for_its_readers() {
    let mut found = Vec::new();
    prose(&document(), "", &mut found);
    assert!(found.len() > 2_000, "{}", found.len());
    let wrong: Vec<_> = found.iter().filter(|(_, text)| is_for_contributors(text)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(is_for_contributors("All but [`Platform::Rtp`].") && !is_for_contributors("All but `rtp`: see it."));
}

/// Returns the place of every enumeration that has a length or a pattern too.
fn bounded_choices(value: &Value, at: &str, found: &mut Vec<String>) {
    if value["enum"].is_array() && ["maxLength", "minLength", "pattern"].iter().any(|word| !value[*word].is_null()) {
        found.push(at.to_owned());
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        bounded_choices(inner, &format!("{at}/{name}"), found);
    }
    for (number, inner) in value.as_array().into_iter().flatten().enumerate() {
        bounded_choices(inner, &format!("{at}/{number}"), found);
    }
}

#[test]
fn every_operation_has_a_description() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|methods| methods.as_object().unwrap().values());
    let missing: Vec<&str> = operations
        .filter(|operation| operation["description"].as_str().is_none_or(str::is_empty))
        .filter_map(|operation| operation["operationId"].as_str())
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// An empty text counts as missing, but a program has no reason to send it.
#[test]
fn no_choice_of_the_document_is_an_empty_text() {
    let text = document().to_string();
    assert!(text.contains("\"enum\":[\"checking\",\"savings\",null]"), "the choices of account_type");
    for empty in ["\"enum\":[\"\"", ",\"\",null]", ",null,\"\"]"] {
        assert!(!text.contains(empty), "{empty}");
    }
    let kind = "\"FieldType\":{\"type\":\"string\",\"description\":\"The JSON type of a field of a step.\",\
                \"enum\":[\"string\",\"integer\",\"boolean\",\"object\"]}";
    assert!(text.contains(kind), "the types of StepField");
}

/// Generators of zod schemas write a length after an enumeration, which has none.
#[test]
fn no_choice_of_the_document_has_a_length() {
    let mut found = Vec::new();
    bounded_choices(&document(), "", &mut found);
    assert!(found.is_empty(), "{found:?}");
    bounded_choices(&json!({"a": [{"enum": ["x"], "maxLength": 5}]}), "", &mut found);
    assert_eq!(found, ["/a/0"]);
}

/// Some generators take the address as it is written, without its variables.
#[test]
fn the_address_of_the_document_is_one_that_can_be_called() {
    let document = document();
    let address = document["servers"][0]["url"].as_str().unwrap();
    assert!(address.starts_with("http://127.0.0.1:") && !address.contains('{'), "{address}");
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
const SELDOM: [(&str, &str); 15] = [
    ("ClaimDocument", "session"),
    ("NextStep", "options"),
    ("FeeEstimate", "explain"),
    ("ErrorBody", "reason"),
    ("ErrorBody", "details"),
    ("ErrorBody", "request_id"),
    ("FieldError", "reason"),
    ("ErrorDetails", "current_status"),
    ("ErrorDetails", "allowed_statuses"),
    ("ErrorDetails", "allowed_at"),
    ("ErrorDetails", "limit"),
    ("ErrorDetails", "maximum"),
    ("ErrorDetails", "available"),
    ("ErrorDetails", "missing"),
    ("ErrorDetails", "nearest_path"),
];

/// The names of the schemas that responses and events contain.
fn schemas_of_answers(document: &Value) -> BTreeSet<String> {
    let mut found = Vec::new();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|methods| methods.as_object().unwrap().values());
    for operation in operations {
        references(&operation["responses"], "", &mut found);
    }
    references(&document["components"]["responses"], "", &mut found);
    references(&document["webhooks"], "", &mut found);
    let mut names = BTreeSet::new();
    while let Some((_, target)) = found.pop() {
        if let Some(name) = target.strip_prefix("#/components/schemas/")
            && names.insert(name.to_owned())
        {
            references(&document["components"]["schemas"][name], "", &mut found);
        }
    }
    names
}

#[test]
fn every_field_of_an_answer_is_always_there() {
    let document = document();
    let answers = schemas_of_answers(&document);
    assert!(answers.contains("PayoutLink") && answers.contains("FieldError") && !answers.contains("SendPayoutRequest"));
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        if !answers.contains(name) {
            continue;
        }
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
