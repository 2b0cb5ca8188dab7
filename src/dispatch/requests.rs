//! Keeps the requests of a sandbox for its developers, without tokens: a claim token in a path is a credential.

use std::time::Duration;

use axum::http::request::Parts;
use serde::Deserialize;
use uuid::Uuid;

use super::security::{RequestLog, shown};
use crate::apps::keys::organization_in;
use crate::http::{Answer, Content, CredentialKind, Route};
use crate::ids::OrgId;
use crate::payout_links::ClaimToken;
use crate::program::{Bursar, SeenRequest};

/// Characters of a path or a message that are kept.
const TEXT_MAX: usize = 500;
/// A segment of an unknown path that is longer than a UUID may be a token.
const SEGMENT_MAX: usize = 36;
const TOKEN: &str = "{token}";
const API: &str = "/v2/";

/// The parts of an error body that are kept.
#[derive(Deserialize)]
pub(super) struct ErrorBody {
    error_code: String,
    message: String,
}

/// Returns the code and message of an error body, also of a stored one.
pub(super) fn error(answer: &Answer) -> Option<ErrorBody> {
    let Content::Json(text) = &answer.content else { return None };
    if answer.status < 400 { None } else { serde_json::from_str(text).ok() }
}

/// A request and its response.
pub(super) struct Answered<'a> {
    /// `None` for a path or method that does not exist.
    pub route: Option<&'a Route>,
    /// The path of the routes, with placeholders; `None` for a path that does not exist.
    pub pattern: Option<&'static str>,
    pub parts: &'a Parts,
    pub status: u16,
    pub error: Option<ErrorBody>,
    pub request_id: &'a str,
    pub took: Duration,
}

/// Keeps an answered request, except one for a page or for the list of requests.
pub(super) fn keep(bursar: &Bursar, answered: Answered<'_>, seen: &RequestLog) {
    let Answered { route, pattern, parts, status, error, request_id, took } = answered;
    let is_of_api = pattern.is_none_or(|pattern| pattern.starts_with(API));
    let is_own = route.is_some_and(|route| route.documented.operation_id == "list_sandbox_requests");
    if !is_of_api || is_own {
        return;
    }
    let caller = seen.caller.as_ref().filter(|caller| caller.kind != CredentialKind::None);
    let presented = || shown(parts).map(|credential| credential.client_id);
    let client_id = caller.map(|caller| caller.client_id.clone()).or_else(presented);
    let named = || organization_in(client_id.as_deref()?, bursar.environment).ok();
    let org = caller.map(|caller| caller.org).or_else(|| claimed(bursar, route?, parts, status)).or_else(named);
    bursar.requests.add(SeenRequest {
        id: Uuid::nil(),
        answered_at: bursar.clock.now(),
        method: short(parts.method.as_str()),
        path: short(&path(pattern, parts.uri.path())),
        operation: route.map(|route| route.documented.operation_id),
        status,
        error: error.map(|error| (error.error_code, short(&error.message))),
        request_id: request_id.to_owned(),
        org,
        client_id: client_id.map(|id| short(&id)),
        app: caller.and_then(|caller| caller.app),
        took: bursar.clock.passed(took),
    });
}

/// Returns the organization of a claim whose token was right.
fn claimed(bursar: &Bursar, route: &Route, parts: &Parts, status: u16) -> Option<OrgId> {
    let is_right = route.opened_by_token.is_some() && status != 404 && status != 429;
    let mut segments = route.path.split('/').zip(parts.uri.path().split('/'));
    let (_, token) = segments.find(|(name, _)| *name == TOKEN).filter(|_| is_right)?;
    ClaimToken::parse(&bursar.vault, token).map(|token| token.org)
}

/// Returns a path without tokens. `pattern` is that of its routes, if it has any.
fn path(pattern: Option<&str>, given: &str) -> String {
    let segments: Vec<&str> = match pattern {
        Some(pattern) if !pattern.contains(TOKEN) => return given.to_owned(),
        Some(pattern) => {
            let pairs = pattern.split('/').zip(given.split('/'));
            pairs.map(|(name, segment)| if name == TOKEN { TOKEN } else { segment }).collect()
        }
        None => given.split('/').map(|segment| if segment.len() > SEGMENT_MAX { "…" } else { segment }).collect(),
    };
    segments.join("/")
}

fn short(text: &str) -> String {
    if text.len() <= TEXT_MAX {
        return text.to_owned();
    }
    text.chars().take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_path_has_no_token() {
        let token = "AZ".repeat(32);
        let claim = format!("/v2/claims/{token}/payout");
        assert_eq!(path(Some("/v2/claims/{token}/payout"), &claim), "/v2/claims/{token}/payout");
        assert_eq!(path(None, &format!("/v2/claim/{token}/x")), "/v2/claim/…/x");
        let id = "019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d";
        assert_eq!(path(Some("/v2/users/{user_id}"), &format!("/v2/users/{id}")), format!("/v2/users/{id}"));
        assert_eq!(path(None, &format!("/v2/user/{id}")), format!("/v2/user/{id}"));
    }
}
