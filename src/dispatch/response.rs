//! Renders an answer as an HTTP response.

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::compression;
use super::rate::RateStatus;
use crate::http::{Answer, Content};

/// Bytes of the body's hash in its ETag; collisions are as unlikely as those of random ids.
const ETAG_BYTES: usize = 16;
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Builds the response. A GET whose client already has the body gets 304.
pub(super) fn render(answer: Answer, parts: &Parts) -> Response {
    let (content_type, body) = content(answer.content);
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    // Responses contain personal data; a cacheable answer overrides this header.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if answer.replayed {
        headers.insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    if let Some(content_type) = content_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    let mut named = std::collections::HashSet::new();
    for (name, value) in answer.headers {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
            tracing::error!(name, "a response header cannot be sent");
            continue;
        };
        // The first header of a name replaces the default; further ones, such as a second cookie, are added.
        if named.insert(name.clone()) {
            headers.insert(name, value);
        } else {
            headers.append(name, value);
        }
    }
    let read = parts.method == Method::GET || parts.method == Method::HEAD;
    let mut body = body;
    if read && answer.status == 200 && content_type.is_some() {
        let mut etag = etag(&body);
        if compression::is_for(headers) {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
            if let Some(compressed) = compression::gzip(parts, &etag, &body) {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                body = compressed;
                // Another body needs another validator.
                etag = etag.replacen('"', "\"gzip-", 1);
            }
        }
        let unchanged = is_among(&etag, parts);
        headers.insert(header::ETAG, HeaderValue::try_from(etag).expect("quotes and hex digits are a header's text"));
        if unchanged {
            headers.remove(header::CONTENT_TYPE);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
    }
    if content_type.is_some() || answer.status != 204 {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    if parts.method != Method::HEAD {
        *response.body_mut() = Body::from(body);
    }
    response
}

fn content(content: Content) -> (Option<&'static str>, Bytes) {
    match content {
        Content::Empty => (None, Bytes::new()),
        Content::Json(text) => (Some("application/json"), Bytes::from(text)),
        // The dispatch gives every refusal its request before.
        Content::Refusal(_) => (None, Bytes::new()),
        Content::Csv(text) => (Some("text/csv; charset=utf-8"), Bytes::from(text)),
        Content::Html(text) => (Some("text/html; charset=utf-8"), Bytes::from(text)),
        Content::File { content_type, bytes } => (Some(content_type), bytes),
    }
}

/// Returns a strong validator: the first bytes of the body's hash.
fn etag(body: &[u8]) -> String {
    let digit = |half: u8| char::from(HEX[usize::from(half)]);
    let hash = Sha256::digest(body);
    let digits = hash.iter().take(ETAG_BYTES).flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    let mut etag = String::with_capacity(2 * ETAG_BYTES + 2);
    etag.push('"');
    etag.extend(digits);
    etag.push('"');
    etag
}

/// Returns whether `If-None-Match` contains this ETag, by the weak comparison that HTTP requires here.
fn is_among(etag: &str, parts: &Parts) -> bool {
    let given = parts.headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = given.flat_map(|line| line.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// Adds the headers of every response: the request id and the app's quota.
pub(super) fn mark(response: &mut Response, request_id: &str, rate_status: Option<&RateStatus>) {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::try_from(request_id) {
        headers.insert("x-request-id", id);
    }
    if let Some(RateStatus { quota, left }) = rate_status {
        let policy = HeaderValue::try_from(format!("\"app\";q={quota};w=1"));
        let state = HeaderValue::try_from(format!("\"app\";r={left};t=1"));
        if let (Ok(policy), Ok(state)) = (policy, state) {
            headers.insert("ratelimit-policy", policy);
            headers.insert("ratelimit", state);
        }
    }
}
