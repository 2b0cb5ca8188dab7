//! The request's body: its size, its type, its JSON.
//!
//! Invariant: reading costs time linear in the body's size, and the memory of all bodies that are being read is bounded: a
//! caller who is not known yet sends at most [`STRANGERS_MAX`], and larger bodies wait for a share of a [`Budget`].

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};

use super::is_api;
use crate::http::input::{Problems, add_unknown, wrong};
use crate::http::{CredentialKind, Method, Route, Who};
use crate::refusal::{Code, Refusal};
use crate::strict_json::{Json, JsonProblem};

/// Largest body, in bytes (docs/decisions.md 1).
const BODY_MAX: usize = 1024 * 1024;
/// Largest body of a caller without a secret, in bytes (docs/decisions.md 17): a form, a step of a claim, a provider's report,
/// what a browser submits under a client id, which is public.
const STRANGERS_MAX: usize = 64 * 1024;
/// Fields of a form, and parameters of a query string, at most (docs/decisions.md 17).
const FIELDS_MAX: usize = 64;

/// Bodies up to so many bytes need no share of the budget: the number of connections bounds them.
const SMALL_MAX: usize = 8 * 1024;
/// Bytes of larger bodies that are being read at once, of callers with a secret.
const CALLERS_BUDGET: usize = 64 * BODY_MAX;
/// The same of all others. They have a budget of their own, so that they cannot use up the callers'.
const STRANGERS_BUDGET: usize = 16 * BODY_MAX;
/// How long a body waits for its share.
const BUDGET_WITHIN: Duration = Duration::from_secs(5);

/// How much more of a body that is not wanted is read and thrown away, in bytes. A client that is still
/// writing when the connection closes sees a broken pipe instead of the answer.
const THROWN_AWAY_MAX: usize = 16 * 1024 * 1024;
/// How long such a body may take to arrive.
const THROWN_AWAY_WITHIN: Duration = Duration::from_secs(5);

/// How many bytes of a body the caller may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Most {
    /// The caller has shown a secret, or the route asks for one.
    Caller,
    /// Anyone can send it.
    Stranger,
}

impl Most {
    /// What a route takes at most, before its caller is known.
    pub(super) const fn of_route(route: &Route) -> Self {
        match route.who {
            Who::Anyone | Who::Provider => Self::Stranger,
            Who::AppOrItsClient
            | Who::App
            | Who::AppOrOrganization
            | Who::Organization
            | Who::OrganizationForApp
            | Who::Member => Self::Caller,
        }
    }

    /// What a caller may send who is known.
    pub(super) const fn of_caller(kind: CredentialKind) -> Self {
        match kind {
            CredentialKind::None | CredentialKind::Client => Self::Stranger,
            CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => Self::Caller,
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Caller => BODY_MAX,
            Self::Stranger => STRANGERS_MAX,
        }
    }

    fn too_large(self) -> Refusal {
        let said = match self {
            Self::Caller => "1 MiB",
            Self::Stranger => "64 KiB, the limit without a secret key",
        };
        Refusal::new(Code::PayloadTooLarge, format!("The body is larger than {said}. Send a smaller body."))
    }
}

/// Bounds the bytes of all bodies that are being read.
pub(super) struct Budget {
    callers: Semaphore,
    strangers: Semaphore,
}

/// A share of the budget, held until the body has been parsed.
pub(super) type Share<'a> = Option<SemaphorePermit<'a>>;

impl Default for Budget {
    fn default() -> Self {
        Self { callers: Semaphore::new(CALLERS_BUDGET), strangers: Semaphore::new(STRANGERS_BUDGET) }
    }
}

impl Budget {
    /// Waits until so many bytes may be read.
    async fn share(&self, most: Most, bytes: usize) -> Result<Share<'_>, Refusal> {
        if bytes <= SMALL_MAX {
            return Ok(None);
        }
        let budget = match most {
            Most::Caller => &self.callers,
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

/// How many bytes the headers announce at least; 0 where they announce nothing.
pub(super) fn announced(body: &Body) -> u64 {
    body.size_hint().lower()
}

/// Refuses a body that is announced as too large.
pub(super) fn check_announced(most: Most, announced: u64) -> Result<(), Refusal> {
    let bytes = u64::try_from(most.bytes()).unwrap_or(u64::MAX);
    if announced > bytes { Err(most.too_large()) } else { Ok(()) }
}

/// Reads the whole body, unless it is too large.
pub(super) async fn read<'a>(most: Most, body: Body, budget: &'a Budget) -> Result<(Bytes, Share<'a>), Refusal> {
    let announced = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    let share = budget.share(most, announced.unwrap_or_else(|| most.bytes())).await?;
    match within_limit(body, most.bytes()).await {
        Some(Ok(body)) => Ok((body, share)),
        Some(Err(_)) => Err(Refusal::new(Code::InvalidInput, "The connection closed before the whole body arrived.")),
        None => Err(most.too_large()),
    }
}

/// Throws away the body of a request that is refused for its headers, so that its client reads the answer.
pub(super) async fn throw_away(parts: &Parts, mut body: Body) {
    // Who asks first has not begun to send, and must not be asked to.
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
    let field = match problem {
        JsonProblem::DuplicateKey { at } | JsonProblem::TooManyKeys { at } => at,
        JsonProblem::InvalidUtf8 { .. }
        | JsonProblem::Syntax { .. }
        | JsonProblem::TrailingBytes { .. }
        | JsonProblem::TooDeep { .. }
        | JsonProblem::NullByte { .. }
        | JsonProblem::ExponentTooLarge { .. } => "",
    };
    Refusal::fields(wrong(field, format!("The body is not valid JSON: {problem}.")))
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
        (false, _) => "The content type is not supported. Send JSON with Content-Type: application/json.",
        (true, false) => "Content-Encoding is not supported. Send the body without it.",
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
        return Err(Refusal::new(
            Code::UnsupportedMediaType,
            "This page accepts only forms (application/x-www-form-urlencoded).",
        ));
    }
    let fields = form_fields(bytes)?;
    Ok(Json::Object(fields.into_iter().map(|(name, value)| (name, Json::Text(value))).collect()))
}

/// The names and values of a form. Each name occurs once.
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

/// The decoded pairs of a form or a query string, which are written alike. They are counted before they are read.
///
/// # Errors
/// The refusal of more than [`FIELDS_MAX`], or none for what is malformed.
pub(super) fn pairs(text: &str, what: &str) -> Result<Vec<(String, String)>, Option<Refusal>> {
    if text.bytes().filter(|byte| *byte == b'&').count() >= FIELDS_MAX {
        return Err(Some(Refusal::new(Code::InvalidInput, format!("{what} has more than {FIELDS_MAX} fields."))));
    }
    // Percent-encoded bytes that are no text are refused, as are all bytes that no address may have.
    let uri = axum::http::Uri::builder().path_and_query(format!("/?{text}")).build().map_err(|_| None)?;
    let axum::extract::Query(pairs) = axum::extract::Query::try_from_uri(&uri).map_err(|_| None)?;
    Ok(pairs)
}

/// Refuses the fields of a body that the route does not take at all; other bodies are checked by their input.
pub(super) fn check_unused(route: &Route, body: &Json) -> Result<(), Refusal> {
    let Json::Object(fields) = body else { return Ok(()) };
    if route.documented.body.is_some() || !is_api(route) || fields.is_empty() {
        return Ok(());
    }
    let known: &[&str] = if route.method == Method::Post { &["idempotency_key"] } else { &[] };
    let mut problems = Problems::new();
    fields.iter().for_each(|(name, _)| add_unknown(&mut problems, "/", name, known));
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
