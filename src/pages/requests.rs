//! The newest requests of a sandbox as a page. A local sandbox has no login, so the page shows the requests of all apps.

use super::draw::page;
use super::views::{RequestsPage, ShownRequest};
use crate::http::{Call, Outcome};
use crate::program::{Environment, SeenRequest};
use crate::refusal::Refusal;

const SHOWN_MAX: usize = 100;

/// GET /requests
pub async fn show_requests(call: Call) -> Outcome {
    match call.bursar.environment {
        Environment::Production => return Err(Refusal::not_found("page")),
        Environment::Sandbox => {}
    }
    let given = |wanted: &str| call.query.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.trim());
    let (text, errors) = (given("text").to_owned(), given("errors") == "1");
    let wanted = text.to_lowercase();
    let mut found = call
        .bursar
        .requests
        .newest(|request| (!errors || request.status >= 400) && (wanted.is_empty() || has(request, &wanted)));
    let has_more = found.len() > SHOWN_MAX;
    found.truncate(SHOWN_MAX);
    let requests = found.iter().map(|request| shown(request)).collect();
    page(200, &RequestsPage { text, errors, requests, has_more, is_sandbox: true })
}

/// Returns whether one of the texts that the page shows contains a text in lower case.
fn has(request: &SeenRequest, wanted: &str) -> bool {
    let SeenRequest { method, path, request_id, client_id, error, .. } = request;
    let status = request.status.to_string();
    let (code, message) = error.as_ref().map_or(("", ""), |(code, message)| (code.as_str(), message.as_str()));
    let of_request = [format!("{method} {path}"), status, request_id.clone(), client_id.clone().unwrap_or_default()];
    let of_error = [code.to_owned(), message.to_owned()];
    of_request.iter().chain(&of_error).any(|text| text.to_lowercase().contains(wanted))
}

fn shown(request: &SeenRequest) -> ShownRequest {
    ShownRequest {
        id: format!("request-{}", request.id),
        method: request.method.clone(),
        path: request.path.clone(),
        status: request.status,
        error: request.error.clone(),
        request_id: request.request_id.clone(),
        client_id: request.client_id.clone(),
        took: format!("{} ms", request.took.as_millis()),
        created: request.answered_at.strftime("%B %-d, %H:%M:%S UTC"),
        created_at: request.answered_at.to_string(),
    }
}
