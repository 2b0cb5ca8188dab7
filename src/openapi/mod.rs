//! The OpenAPI 3.1 document, created from the table of routes. It is served, also in the form of 3.0, and shown as a page.
//!
//! Invariant: the document matches the checks, because inputs describe themselves and all routes have the guards of
//! `dispatch`. A test compares it with the committed `openapi.json`.

mod examples;
mod later;
mod links;
mod named;
mod older;
mod operation;
mod pages;
mod reference;
mod samples;
mod schemas;
mod tags;
mod webhooks;

pub use older::document_3_0;
pub use webhooks::events_page;

pub use operation::request_example;

use std::sync::Arc;

use later::later;
use serde_json::{Map, Value, json};

use crate::http::route::route;
use crate::http::{Answer, Call, Route};
use crate::refusal::Code;
use crate::world::states::TransitionRow;

/// Returns the document of these routes. Panics if two schemas have one name, which a test of the table finds.
pub fn document(routes: &[Route]) -> Value {
    let schemas = schemas::components(routes);
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation::operation(route, routes, &schemas);
    }
    let mut tags: Vec<&str> = Vec::new();
    for route in routes {
        if !tags.contains(&route.documented.tag) {
            tags.push(route.documented.tag);
        }
    }
    tags.push(webhooks::TAG);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "bursar",
            "version": "2",
            "description": reference::INTRODUCTION.join("\n\n"),
            "contact": {"name": "The operator of this bursar server"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{
            "url": "http://127.0.0.1:8080",
            "description": "A sandbox on your machine. Replace it by the address of your server; the sandbox and production \
                            have separate addresses and keys.",
        }],
        "tags": tags::described(&tags),
        "paths": paths,
        "webhooks": webhooks::webhooks(&schemas),
        "components": {
            "schemas": schemas,
            "responses": operation::shared_responses(),
            "parameters": operation::shared_parameters(),
            "headers": operation::shared_headers(),
            "securitySchemes": security_schemes(),
        },
    });
    named::name_inputs(&mut document);
    schemas::remove_unused_errors(&mut document);
    document
}

/// Formats the document as it is committed and served.
pub fn text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a JSON value always serializes");
    text.push('\n');
    text
}

fn security_schemes() -> Value {
    let basic = |description: &str| json!({"type": "http", "scheme": "basic", "description": description});
    json!({
        "app_key": basic("An app key: `<client_id>:<api_key>`, server side."),
        "organization_key": basic(
            "An organization key: `<client_id>:<api_key>`. On the routes of an app, `Api-App-Id` names the app."
        ),
        "client_id": basic("An app's client id alone, `<client_id>:`, client side."),
        "member_session": {
            "type": "apiKey", "in": "header", "name": "Member-Session",
            "description": "A member session, from `POST /v2/member-sessions`. On the routes of an app, `Api-App-Id` \
                            names the app. With an app key, it proves that the member acts."
        },
    })
}

/// Returns docs/errors.md: every code with its status, its meaning, the remedy and its reasons. The heading of a code is
/// the anchor in `doc_url`.
pub fn errors_page() -> String {
    let mut page = String::from(
        "# Errors\n\nGenerated from `crates/base/src/refusal.rs` and `reason.rs` by `make bless`. Codes and reasons are \
         never renamed.\n\nEvery error body has `message` for people, `error_code` and sometimes `reason` for programs, \
         `errors` with one entry for each invalid field, `request_id`, and `doc_url`, the address of the code's section \
         on this page. `details` has the values that a program needs: the `current_status` of the object and \
         the `allowed_statuses`, or the `limit` with its `maximum` and what is `available`; amounts are cents. `request_id` \
         is the id in the header `X-Request-Id`; only a stored refusal that is sent again has the id of the first \
         request, because its bytes do not change.\n\n| status | error_code | meaning | what to do |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let (status, word) = (code.status(), code.as_str());
        page.push_str(&format!("| {status} | [`{word}`](#{word}) | {} | {} |\n", code.meaning(), code.advice()));
    }
    for code in Code::ALL {
        page.push_str(&section(*code));
    }
    page
}

fn section(code: Code) -> String {
    let (status, word) = (code.status(), code.as_str());
    let mut section = format!("\n## {word}\n\nStatus {status}. {} {}\n", code.meaning(), code.advice());
    if !code.reasons().is_empty() {
        section.push_str("\n| reason | meaning |\n|---|---|\n");
    }
    for reason in code.reasons() {
        section.push_str(&format!("| `{}` | {} |\n", reason.as_str(), reason.meaning()));
    }
    section
}

/// Returns docs/states.md: every transition of everything that has a status, from the rules in the code.
pub fn states_page() -> String {
    let mut page = String::from(
        "# States\n\nGenerated from the rules of each noun (`rules.rs`) by `make bless`. A transition that is not \
         listed is refused, or changes nothing because the object already has the state.\n",
    );
    for (noun, transitions) in transitions() {
        page.push_str(&format!("\n## {noun}\n\n| from | event | to |\n|---|---|---|\n"));
        for (from, event, to) in transitions {
            page.push_str(&format!("| {from} | {event} | {to} |\n"));
        }
    }
    page
}

/// Returns the transitions in docs/states.md, by noun.
pub fn transitions() -> Vec<(&'static str, Vec<TransitionRow>)> {
    vec![
        ("Transfer", crate::transfers::rules::transitions()),
        ("Payout link", crate::payout_links::rules::transitions()),
        ("Payout request", crate::payout_requests::rules::transitions()),
        ("Payout link batch", crate::payout_link_batches::rules::transitions()),
        ("User", crate::users::transitions()),
        ("Background check of a user", crate::users::background_check_transitions()),
        ("Payable", crate::payables::rules::transitions()),
        ("Vendor payment method", crate::vendors::rules::transitions()),
        ("Webhook delivery", crate::webhooks::transitions()),
        ("Bank connection", crate::banking::connections::transitions()),
        ("Originator, settlement account, provider or route", crate::banking::transitions()),
        ("Payment at a provider", crate::rail_payments::transitions()),
        ("Bank file", crate::bank_files::transitions()),
        ("Bank reversal", crate::bank_reversals::transitions()),
        ("Inbound file", crate::bank_intake::transitions()),
        ("Bank item", crate::bank_intake::item_transitions()),
        ("Bank statement", crate::bank_statements::transitions()),
    ]
}

/// Returns the routes of the document and its pages. The document does not include them.
pub fn routes(described: &[Route]) -> Vec<Route> {
    let described = described.to_vec();
    let document = later(move || document(&described));
    let file = |form: fn(&Value) -> String| {
        let document = Arc::clone(&document);
        let answer = later(move || pages::public(Answer::file("application/json", form(&document))));
        move |_: Call| std::future::ready(Ok(Answer::clone(&answer)))
    };
    let (get_document, get_older) = (file(text), file(|document| text(&document_3_0(document))));
    let files = vec![
        route!(Get "/openapi.json" Anyone "get_openapi_document" get_document)
            .about("Reference", "Get the OpenAPI 3.1 document of this API")
            .gives_empty(200, "The OpenAPI document."),
        route!(Get "/openapi-3.0.json" Anyone "get_openapi_3_0_document" get_older)
            .about("Reference", "Get this API's document in OpenAPI 3.0, for generators that do not read 3.1")
            .gives_empty(200, "The OpenAPI document."),
    ];
    [files, pages::routes(document)].concat()
}
