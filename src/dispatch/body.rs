//! The request's body: its size, its type, its JSON.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Query;
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout_at};

use super::is_api;
use crate::http::input::{unknown, wrong};
use crate::http::{Method, Route};
use crate::refusal::{Code, Refusal};
use crate::strict_json::{Json, JsonProblem};

/// Largest body, in bytes (decisions.md 1).
const BODY_MAX: usize = 1024 * 1024;
/// Largest form, in bytes: many times what a person can type into one of ours.
const FORM_MAX: usize = 64 * 1024;

/// How much more of a body that is too large is read and thrown away, in bytes. A client that is still
/// writing when the connection closes sees a broken pipe instead of the answer.
const THROWN_AWAY_MAX: usize = 16 * 1024 * 1024;
/// How long such a body may take to arrive.
const THROWN_AWAY_WITHIN: Duration = Duration::from_secs(5);

/// Reads the whole body, unless it is too large.
pub(super) async fn read(route: &Route, parts: &Parts, body: Body) -> Result<Bytes, Refusal> {
    let (most, said) = if is_api(route) { (BODY_MAX, "1 MiB") } else { (FORM_MAX, "64 KiB") };
    let announced = parts.headers.get("content-length").and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let hopeless = announced.is_some_and(|length| usize::try_from(length).map_or(true, |length| length > most));
    if hopeless && parts.headers.contains_key("expect") {
        // This client asks first, and has not begun to send.
        return Err(too_large(said));
    }
    match within_limit(body, most).await {
        Some(body) if !hopeless => body.map_err(|_| Refusal::new(Code::InvalidInput, "The body broke off.")),
        Some(_) | None => Err(too_large(said)),
    }
}

/// The body's bytes; none when there are more than `most`, in which case the rest is read and
/// thrown away, as far as that is reasonable.
async fn within_limit(mut body: Body, most: usize) -> Option<Result<Bytes, axum::Error>> {
    let mut kept = BytesMut::new();
    let mut thrown_away = 0;
    let mut deadline = None;
    loop {
        let frame = match deadline {
            None => body.frame().await,
            Some(deadline) => timeout_at(deadline, body.frame()).await.ok()?,
        };
        let Some(frame) = frame else { break };
        match frame.map(|frame| frame.into_data().unwrap_or_default()) {
            Ok(data) if deadline.is_none() && kept.len() + data.len() <= most => kept.extend_from_slice(&data),
            Ok(data) => {
                deadline = deadline.or_else(|| Some(Instant::now() + THROWN_AWAY_WITHIN));
                thrown_away += data.len();
                if thrown_away > THROWN_AWAY_MAX {
                    return None;
                }
            }
            Err(_) if deadline.is_some() => return None,
            Err(broken) => return Some(Err(broken)),
        }
    }
    deadline.is_none().then(|| Ok(kept.freeze()))
}

fn too_large(most: &str) -> Refusal {
    Refusal::new(Code::PayloadTooLarge, format!("The body is larger than {most}."))
}

/// The refusal of a body that did not arrive before the deadline.
pub(super) fn late(deadline: Duration) -> Refusal {
    let message = format!("The body did not arrive within {} seconds.", deadline.as_secs_f32());
    Refusal::new(Code::InvalidInput, message)
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
    match Json::parse(bytes).map_err(|problem| unacceptable(&problem))? {
        body @ Json::Object(_) => Ok(body),
        body @ (Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::Text(_) | Json::List(_)) => {
            Err(Refusal::fields(wrong("", format!("The body must be an object, not {}.", body.kind()))))
        }
    }
}

/// Names the field where the problem has one: a caller that sent it twice finds it by that.
fn unacceptable(problem: &JsonProblem) -> Refusal {
    let field = if let JsonProblem::DuplicateKey { at } = problem { at } else { "" };
    Refusal::fields(wrong(field, format!("The body is not acceptable JSON: {problem}.")))
}

/// Whether the body is said to be JSON, in UTF-8 and not compressed.
fn check_media_type(parts: &Parts) -> Result<(), Refusal> {
    let text = |name| parts.headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let given = text("content-type").unwrap_or_default();
    let (kind, charset) = media_type(given);
    let json = kind == "application/json" && charset.is_none_or(|charset| charset == "utf-8");
    let plain = text("content-encoding").is_none_or(|encoding| encoding.eq_ignore_ascii_case("identity"));
    let message = match (json, plain) {
        (true, true) => return Ok(()),
        (false, _) => "Send the body as JSON, with Content-Type: application/json.",
        (true, false) => "Send the body as it is, without Content-Encoding.",
    };
    Err(Refusal::new(Code::UnsupportedMediaType, message))
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
