//! Writes refusals to the security log: the caller, the address and the reason.

use std::net::IpAddr;

use axum::http::request::Parts;

use super::rate::RateStatus;
use crate::basic::Credential;
use crate::http::{Caller, CredentialKind, Outcome, Route, Who};
use crate::refusal::Code;
use crate::security_log::{self, Origin, SecurityEvent};

/// The client's address from [`origin`], which the server adds to the request's extensions.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

#[derive(Default)]
pub(super) struct RequestLog {
    pub caller: Option<Caller>,
    pub rate_status: Option<RateStatus>,
    /// The security event of a refusal, if the status alone does not identify it.
    pub event: Option<SecurityEvent>,
}

pub(super) fn status(outcome: &Outcome) -> u16 {
    outcome.as_ref().map_or_else(|refusal| refusal.code.status(), |answer| answer.status)
}

/// Records outcomes of 401 or 403, and the events that the guards reported.
pub(super) fn notice(route: Option<&Route>, parts: &Parts, outcome: &Outcome, seen: &RequestLog, request_id: &str) {
    let Some(event) = seen.event.or_else(|| event(route, outcome)) else { return };
    let reason = match outcome {
        Err(refusal) if refusal.code == Code::Unauthorized => unauthorized(parts),
        Err(refusal) => refusal.code.as_str(),
        Ok(_) => "refused",
    };
    let caller = seen.caller.as_ref().filter(|caller| caller.kind != CredentialKind::None);
    let organization = caller.map(|caller| caller.org.to_string());
    let app = caller.and_then(|caller| caller.app).map(|app| app.to_string());
    let member = caller.and_then(|caller| caller.member).map(|signed_in| signed_in.member.to_string());
    let shown = shown(parts);
    let origin = Origin {
        ip: parts.extensions.get::<Peer>().map(|peer| peer.0),
        client_id: shown.as_ref().map(|credential| credential.client_id.as_str()),
        organization: organization.as_deref(),
        app: app.as_deref(),
        member: member.as_deref(),
        subject: None,
        route: route.map(|route| route.path),
        request_id: Some(request_id),
    };
    security_log::record(event, reason, origin);
}

fn event(route: Option<&Route>, outcome: &Outcome) -> Option<SecurityEvent> {
    match status(outcome) {
        401 => Some(SecurityEvent::LoginFailed),
        403 if route?.who == Who::Provider => Some(SecurityEvent::WrongSignature),
        403 => Some(SecurityEvent::AccessRefused),
        _ => None,
    }
}

pub(super) fn shown(parts: &Parts) -> Option<Credential> {
    Credential::parse(parts.headers.get("authorization")?.to_str().ok()?).ok()
}

/// Returns the reason for the log only. The caller learns only that the credentials are invalid.
fn unauthorized(parts: &Parts) -> &'static str {
    match (parts.headers.contains_key("authorization"), shown(parts)) {
        (false, _) => "no-credentials",
        (true, None) => "malformed-credentials",
        (true, Some(credential)) if credential.secret.is_none() => "unknown-client-id",
        (true, Some(_)) => "wrong-credentials",
    }
}
