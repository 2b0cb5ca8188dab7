//! The request's body: its size, its type, its JSON.

use axum::body::Body;
use axum::extract::Query;
use axum::http::request::Parts;
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::is_api;
use crate::http::input::{unknown, wrong};
use crate::http::{Method, Route};
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;

/// Largest body, in bytes (decisions.md 1).
const BODY_MAX: usize = 1024 * 1024;

/// Reads the whole body, unless it is too large.
pub(super) async fn read(parts: &Parts, body: Body) -> Result<Bytes, Refusal> {
    let announced = parts.headers.get("content-length").and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| usize::try_from(length).map_or(true, |length| length > BODY_MAX)) {
        return Err(too_large());
    }
    match Limited::new(body, BODY_MAX).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(Refusal::new(Code::InvalidInput, "The body broke off.")),
    }
}

fn too_large() -> Refusal {
    Refusal::new(Code::PayloadTooLarge, "The body is larger than 1 MiB.")
}

/// The refusal of a body that did not arrive before the deadline.
pub(super) fn late() -> Refusal {
    Refusal::new(Code::InvalidInput, "The body did not arrive within 30 seconds.")
}

/// The body as an object: JSON for the API, a form for the pages. None at all is an empty object, so that
/// the handler's input names what is missing.
pub(super) fn parse(route: &Route, parts: &Parts, bytes: &[u8]) -> Result<Json, Refusal> {
    let empty = Json::Object(Vec::new());
    if route.method == Method::Get {
        // The body of a GET means nothing in HTTP.
        return Ok(empty);
    }
    if bytes.is_empty() {
        return Ok(empty);
    }
    if !is_api(route) {
        return form(parts, bytes);
    }
    check_media_type(parts)?;
    let body = Json::parse(bytes)
        .map_err(|problem| Refusal::fields(wrong("", format!("The body is not acceptable JSON: {problem}."))))?;
    match body {
        Json::Object(_) => Ok(body),
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::Text(_) | Json::List(_) => {
            Err(Refusal::fields(wrong("", format!("The body must be an object, not {}.", body.kind()))))
        }
    }
}

/// Whether the body is said to be JSON, in UTF-8 and not compressed.
fn check_media_type(parts: &Parts) -> Result<(), Refusal> {
    let text = |name| parts.headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let given = text("content-type").unwrap_or_default();
    let (kind, charset) = media_type(given);
    let json = kind == "application/json" && charset.is_none_or(|charset| charset == "utf-8");
    let plain = text("content-encoding").is_none_or(|encoding| encoding.eq_ignore_ascii_case("identity"));
    if json && plain {
        return Ok(());
    }
    Err(Refusal::new(Code::UnsupportedMediaType, "Send the body as JSON, with Content-Type: application/json."))
}

/// The type and its charset, both in lower case.
fn media_type(header: &str) -> (String, Option<String>) {
    let mut pieces = header.split(';').map(|piece| piece.trim().to_ascii_lowercase());
    let kind = pieces.next().unwrap_or_default();
    let charset =
        pieces.find_map(|piece| piece.strip_prefix("charset=").map(|value| value.trim_matches('"').to_owned()));
    (kind, charset)
}

/// A posted form as an object of texts, so that pages read their fields with the same inputs as the API.
fn form(parts: &Parts, bytes: &[u8]) -> Result<Json, Refusal> {
    let given = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media_type(given).0 != "application/x-www-form-urlencoded" {
        return Err(Refusal::new(Code::UnsupportedMediaType, "This page takes forms."));
    }
    let malformed = || Refusal::new(Code::InvalidInput, "The form is malformed.");
    // A form is written like a query string, so it is read like one.
    let text = std::str::from_utf8(bytes).map_err(|_| malformed())?;
    let uri = axum::http::Uri::builder().path_and_query(format!("/?{text}")).build().map_err(|_| malformed())?;
    let Query(fields) = Query::<Vec<(String, String)>>::try_from_uri(&uri).map_err(|_| malformed())?;
    let repeated =
        fields.iter().enumerate().any(|(place, (name, _))| fields[..place].iter().any(|(other, _)| other == name));
    if repeated {
        return Err(malformed());
    }
    Ok(Json::Object(fields.into_iter().map(|(name, value)| (name, Json::Text(value))).collect()))
}

/// Refuses the fields of a body that the route does not take at all; other bodies are checked by their input.
pub(super) fn check_unused(route: &Route, body: &Json) -> Result<(), Refusal> {
    let Json::Object(fields) = body else { return Ok(()) };
    if route.documented.body.is_some() || !is_api(route) || fields.is_empty() {
        return Ok(());
    }
    let known: &[&str] = if route.method == Method::Post { &["idempotency_key"] } else { &[] };
    let problems = fields.iter().flat_map(|(name, _)| unknown(&format!("/{name}"), name, known));
    Err(Refusal::fields(problems.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_read_in_any_case_and_with_parameters() {
        let utf8 = Some("utf-8".to_owned());
        assert_eq!(media_type("Application/JSON"), ("application/json".to_owned(), None));
        assert_eq!(media_type("application/json; charset=UTF-8"), ("application/json".to_owned(), utf8.clone()));
        assert_eq!(media_type("application/json;x=1;charset=\"utf-8\""), ("application/json".to_owned(), utf8));
        assert_eq!(media_type(""), (String::new(), None));
    }
}
