//! Reads the request's body: size, media type, JSON.
//!
//! Invariant: reading takes linear time, and the memory of all bodies in progress is bounded. An unauthenticated caller
//! sends at most [`STRANGERS_MAX`], and larger bodies wait for a share of a [`Budget`].

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};

use super::host::is_api;
use crate::http::{CredentialKind, Method, Route, Who};
use crate::input::{Problems, add_unknown, wrong};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::strict_json::{Json, JsonProblem};

/// Bytes.
const BODY_MAX: usize = 1024 * 1024;
/// Bytes of a body with a file of 8 MiB in Base64.
const UPLOAD_MAX: usize = 11 * BODY_MAX;
/// Bytes without a secret, which covers forms, claim steps, provider reports and requests with a public client id
/// (docs/decisions.md 17).
const STRANGERS_MAX: usize = 64 * 1024;
/// Maximum number of form fields or query parameters (docs/decisions.md 17).
const FIELDS_MAX: usize = 64;

/// Bodies up to this size need no share of the budget: the connection limit bounds them.
const SMALL_MAX: usize = 8 * 1024;
/// Total bytes of larger bodies in progress, from callers with a secret.
const CALLERS_BUDGET: usize = 64 * BODY_MAX;
/// Total bytes from other callers. The budgets are separate so that these callers cannot exhaust the first one.
const STRANGERS_BUDGET: usize = 16 * BODY_MAX;
const BUDGET_WITHIN: Duration = Duration::from_secs(5);

/// Bytes of a rejected body that are read and discarded. If the connection closes while a client still writes, the
/// client sees a broken pipe instead of the response.
const THROWN_AWAY_MAX: usize = 16 * 1024 * 1024;
const THROWN_AWAY_WITHIN: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Most {
    /// The caller has shown a secret, or the route requires one.
    Caller,
    /// As above, for a route that accepts large files.
    Upload,
    /// For callers without a secret.
    Stranger,
}

impl Most {
    /// Returns the limit of a route before its caller is authenticated.
    pub(super) const fn of_route(route: &Route) -> Self {
        match route.who {
            Who::Anyone | Who::Provider => Self::Stranger,
            Who::AppOrItsClient
            | Who::App
            | Who::AppOrOrganization
            | Who::Organization
            | Who::OrganizationForApp
            | Who::Member => Self::with_secret(route),
        }
    }

    const fn with_secret(route: &Route) -> Self {
        if route.uploads { Self::Upload } else { Self::Caller }
    }

    /// Returns the limit of an authenticated caller.
    pub(super) const fn of_caller(route: &Route, kind: CredentialKind) -> Self {
        match kind {
            CredentialKind::None | CredentialKind::Client => Self::Stranger,
            CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => Self::with_secret(route),
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Caller => BODY_MAX,
            Self::Upload => UPLOAD_MAX,
            Self::Stranger => STRANGERS_MAX,
        }
    }

    fn too_large(self) -> Refusal {
        let said = match self {
            Self::Caller => "1 MiB",
            Self::Upload => "11 MiB",
            Self::Stranger => "64 KiB, the limit without a secret key",
        };
        Refusal::new(Code::PayloadTooLarge, format!("The body is larger than {said}. Send a smaller body."))
    }
}

pub(super) struct Budget {
    callers: Semaphore,
    strangers: Semaphore,
}

/// A share of the budget, held until the body is parsed.
pub(super) type Share<'a> = Option<SemaphorePermit<'a>>;

impl Default for Budget {
    fn default() -> Self {
        Self { callers: Semaphore::new(CALLERS_BUDGET), strangers: Semaphore::new(STRANGERS_BUDGET) }
    }
}

impl Budget {
    async fn share(&self, most: Most, bytes: usize) -> Result<Share<'_>, Refusal> {
        if bytes <= SMALL_MAX {
            return Ok(None);
        }
        let budget = match most {
            Most::Caller | Most::Upload => &self.callers,
            Most::Stranger => &self.strangers,
        };
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        match timeout(BUDGET_WITHIN, budget.acquire_many(bytes)).await {
            Ok(Ok(share)) => Ok(Some(share)),
            Ok(Err(_)) | Err(_) => {
                let message =
                    "The server is receiving too many large requests. Nothing was changed; send the request again.";
                Err(Refusal::new(Code::ServiceUnavailable, message).retry_after(1))
            }
        }
    }
}

/// Returns the least size that the headers announce; 0 if they announce none.
pub(super) fn announced(body: &Body) -> u64 {
    body.size_hint().lower()
}

pub(super) fn check_announced(most: Most, announced: u64) -> Result<(), Refusal> {
    let bytes = u64::try_from(most.bytes()).unwrap_or(u64::MAX);
    if announced > bytes { Err(most.too_large()) } else { Ok(()) }
}

pub(super) async fn read<'a>(most: Most, body: Body, budget: &'a Budget) -> Result<(Bytes, Share<'a>), Refusal> {
    let announced = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    let share = budget.share(most, announced.unwrap_or_else(|| most.bytes())).await?;
    match within_limit(body, most.bytes()).await {
        Some(Ok(body)) => Ok((body, share)),
        Some(Err(_)) => Err(Refusal::new(Code::InvalidInput, "The connection closed before the whole body arrived.")),
        None => Err(most.too_large()),
    }
}

/// Discards the body of a request that its headers already refuse, so that the client can read the response.
pub(super) async fn throw_away(parts: &Parts, mut body: Body) {
    // A client with `Expect` has not begun to send, and must not be asked to.
    if body.is_end_stream() || parts.headers.contains_key("expect") {
        return;
    }
    let mut thrown_away = 0;
    let deadline = Instant::now() + THROWN_AWAY_WITHIN;
    while let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await {
        thrown_away += frame.data_ref().map_or(0, Bytes::len);
        if thrown_away > THROWN_AWAY_MAX {
            return;
        }
    }
}

/// Returns the body's bytes. If there are more than `most`, returns `None` after it discards the rest within
/// [`THROWN_AWAY_MAX`].
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

pub(super) fn late(deadline: Duration) -> Refusal {
    let message = format!("The body did not arrive within {} seconds.", deadline.as_secs_f32());
    Refusal::new(Code::InvalidInput, message)
}

/// Parses the body into an object: JSON for the API, a form for the pages. An empty body becomes an empty object, so
/// that the handler's input names the missing fields.
pub(super) fn parse(route: &Route, parts: &Parts, bytes: &[u8]) -> Result<Json, Refusal> {
    let empty = Json::Object(Vec::new());
    if route.method == Method::Get {
        // HTTP gives the body of a GET no meaning.
        return Ok(empty);
    }
    if bytes.is_empty() {
        return Ok(empty);
    }
    if !is_api(route) {
        return form(parts, bytes);
    }
    check_media_type(route, parts)?;
    match Json::parse(bytes).map_err(|problem| unacceptable(&problem, bytes))? {
        body @ Json::Object(_) => Ok(body),
        body @ (Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::Text(_) | Json::List(_)) => {
            let message = format!("The body must be a JSON object, not {}.", body.kind());
            Err(Refusal::new(Code::InvalidInput, message).because(Reason::WrongType))
        }
    }
}

/// Returns whether the body is a CSV file, and the route accepts one.
pub(super) fn is_csv(route: &Route, parts: &Parts) -> bool {
    if route.csv.is_none() {
        return false;
    }
    let given = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (kind, charset) = media_type(given);
    let plain = !parts.headers.contains_key("content-encoding");
    plain && kind == "text/csv" && charset.is_none_or(|charset| charset == "utf-8")
}

/// Names the field of a duplicate key, or the line and the column of any other problem, so that the caller finds it.
fn unacceptable(problem: &JsonProblem, body: &[u8]) -> Refusal {
    let message = format!("The body is not valid JSON: {}.", problem.described(body));
    match problem {
        JsonProblem::DuplicateKey { at } | JsonProblem::TooManyKeys { at } => {
            let refusal = Refusal::fields(wrong(at, message));
            let is_twice = matches!(problem, JsonProblem::DuplicateKey { .. });
            refusal.because(if is_twice { Reason::FieldRepeated } else { Reason::BodyMalformed })
        }
        JsonProblem::InvalidUtf8 { .. }
        | JsonProblem::Syntax { .. }
        | JsonProblem::TrailingBytes { .. }
        | JsonProblem::TooDeep { .. }
        | JsonProblem::NullByte { .. }
        | JsonProblem::ExponentTooLarge { .. } => {
            Refusal::new(Code::InvalidInput, message).because(Reason::BodyMalformed)
        }
    }
}

fn check_media_type(route: &Route, parts: &Parts) -> Result<(), Refusal> {
    let text = |name| parts.headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let given = text("content-type").unwrap_or_default();
    let (kind, charset) = media_type(given);
    let json = kind == "application/json" && charset.is_none_or(|charset| charset == "utf-8");
    let plain = text("content-encoding").is_none_or(|encoding| encoding.eq_ignore_ascii_case("identity"));
    let message = match (json, plain) {
        (true, true) => return Ok(()),
        (false, _) if route.csv.is_some() => {
            "The content type is not supported. Send JSON with Content-Type: application/json, or a file in UTF-8 with \
             Content-Type: text/csv."
        }
        (false, _) => "The content type is not supported. Send JSON with Content-Type: application/json.",
        (true, false) => "Content-Encoding is not supported. Send the body without it.",
    };
    Err(Refusal::new(Code::UnsupportedMediaType, message))
}

fn media_type(header: &str) -> (String, Option<String>) {
    let mut pieces = header.split(';').map(|piece| piece.trim().to_ascii_lowercase());
    let kind = pieces.next().unwrap_or_default();
    let charset =
        pieces.find_map(|piece| piece.strip_prefix("charset=").map(|value| value.trim_matches('"').to_owned()));
    (kind, charset)
}

/// Returns a form as an object of texts, so that pages and the API share their inputs.
fn form(parts: &Parts, bytes: &[u8]) -> Result<Json, Refusal> {
    let given = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media_type(given).0 != "application/x-www-form-urlencoded" {
        return Err(Refusal::new(
            Code::UnsupportedMediaType,
            "This page accepts only forms (application/x-www-form-urlencoded).",
        ));
    }
    let fields = form_fields(bytes)?;
    Ok(Json::Object(fields.into_iter().map(|(name, value)| (name, Json::Text(value))).collect()))
}

/// Returns the names and values of a form, in which each name occurs once.
///
/// # Errors
/// `invalid-input`.
pub fn form_fields(bytes: &[u8]) -> Result<Vec<(String, String)>, Refusal> {
    let malformed = || Refusal::new(Code::InvalidInput, "The form is malformed.");
    let text = std::str::from_utf8(bytes).map_err(|_| malformed())?;
    let fields = pairs(text, "The form").map_err(|refusal| refusal.unwrap_or_else(malformed))?;
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(malformed());
    }
    Ok(fields)
}

/// Decodes the pairs of a form or a query string, which have the same syntax. Counts them before it decodes them.
///
/// # Errors
/// A refusal for more than [`FIELDS_MAX`]; `None` for malformed text.
pub(super) fn pairs(text: &str, what: &str) -> Result<Vec<(String, String)>, Option<Refusal>> {
    if text.bytes().filter(|byte| *byte == b'&').count() >= FIELDS_MAX {
        return Err(Some(Refusal::new(Code::InvalidInput, format!("{what} has more than {FIELDS_MAX} fields."))));
    }
    // Rejects percent-encoded bytes that are not UTF-8, and bytes that a URI does not allow.
    let uri = axum::http::Uri::builder().path_and_query(format!("/?{text}")).build().map_err(|_| None)?;
    let axum::extract::Query(pairs) = axum::extract::Query::try_from_uri(&uri).map_err(|_| None)?;
    Ok(pairs)
}

/// Rejects any field if the route takes no body. Other bodies are validated by their input; those of providers by their
/// handlers, because each provider has its own.
pub(super) fn check_unused(route: &Route, body: &Json) -> Result<(), Refusal> {
    let Json::Object(fields) = body else { return Ok(()) };
    if route.documented.body.is_some() || !is_api(route) || route.who == Who::Provider || fields.is_empty() {
        return Ok(());
    }
    let mut problems = Problems::new();
    for (name, _) in fields {
        // Every POST takes the key, which is no field of the operation: only a misspelled one names it.
        let is_key = crate::text::did_you_mean(name, ["idempotency_key"]).is_some();
        let known: &[&str] = if route.method == Method::Post && is_key { &["idempotency_key"] } else { &[] };
        add_unknown(&mut problems, "/", name, known);
    }
    Err(Refusal::fields(problems))
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
