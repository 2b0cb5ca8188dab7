//! The entry of all HTTP requests: turns a request into a [`Call`] and an outcome into a response.
//!
//! Refusals have a fixed order (docs/decisions.md 3): announced size, authentication, permission, rate, claim token;
//! then the body: actual size, JSON, idempotency key; then the handler. Invariants: no part of a body is kept before
//! its caller is admitted; every failure, including a panic or an unknown path, returns the standard error body; and no
//! log line holds a body, a token or a raw path, because paths contain claim tokens.
//!
//! Deliberately absent: the table of routes (`routes.rs`) and business rules.

mod acting;
mod body;
mod compression;
mod erased;
mod guesses;
mod head;
mod host;
mod idempotency_key;
mod proxies;
mod rate;
mod requests;
mod reserved;
mod response;
mod security;
mod timings;
mod unknown;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::extract::path::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::http::HeaderName;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::any;
use futures::FutureExt as _;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;
use uuid::Uuid;

pub use body::form_fields;
pub use proxies::{Network, NotANetwork, neighbourhood, origin};
pub use rate::Limits;
pub use security::Peer;

use crate::apps::{Presented, authenticate, may_post_without_key};
use crate::http::{Answer, Call, Caller, Content, Method, Outcome, Route, Who};
use crate::input::broken;
use crate::program::{Bursar, Environment};
use crate::providers;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use body::{Budget, Most};
use guesses::{Guess, Guesses};
use host::{OwnNames, is_api};
use rate::Limiter;
use security::{RequestLog, status};
use timings::Timings;

/// Characters of a request id that is echoed.
const REQUEST_ID_MAX: usize = 128;
/// Delay of claim tokens from an IP address with too many wrong ones. Correct tokens still succeed.
const SLOWED: Duration = Duration::from_millis(250);
/// The headers with credentials, each sent once at most.
const CREDENTIALS: [&str; 3] = ["Authorization", "Api-App-Id", "Member-Session"];
/// Headers that a handler may read. `Authorization` is excluded: authentication comes first.
const HANDED_ON: [&str; 19] = [
    "accept",
    "accept-language",
    "cf-connecting-ip",
    "claim-session",
    "cookie",
    "forwarded",
    "host",
    "origin",
    "sec-fetch-site",
    "user-agent",
    "via",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    providers::SIGNATURE,
];

/// The path's placeholders from axum; an error if one is not UTF-8.
type PathParameters = Result<RawPathParams, RawPathParamsRejection>;

struct PathRoutes {
    path: &'static str,
    routes: Vec<Route>,
    allow: String,
    timings: Timings,
}

struct Pipeline {
    bursar: Arc<Bursar>,
    limiter: Limiter,
    guesses: Guesses,
    budget: Budget,
    own_names: Option<OwnNames>,
    deadline: Duration,
    /// Of requests for unknown paths.
    unknown: Timings,
    /// Every path of the table.
    paths: Vec<&'static str>,
}

/// Builds the router.
///
/// # Panics
/// If two routes have the same method and path, or two paths overlap: a program with such a table must not start.
pub fn router(bursar: Arc<Bursar>, routes: Vec<Route>, limits: Limits) -> Router {
    let (limiter, deadline) = (Limiter::new(limits), limits.request_deadline);
    let own_names = (bursar.environment == Environment::Sandbox).then(|| OwnNames::new(&bursar.public_url));
    let (guesses, budget) = (Guesses::default(), Budget::default());
    let unknown = Timings::of("(unknown)");
    let paths = routes.iter().map(|route| route.path).collect();
    let pipeline = Arc::new(Pipeline { bursar, limiter, guesses, budget, own_names, deadline, unknown, paths });
    let mut router = Router::new();
    for place in places(routes) {
        let (pipeline, place) = (pipeline.clone(), Arc::new(place));
        let path = place.path;
        let enter = move |parameters: PathParameters, request: Request| {
            let (pipeline, place) = (pipeline.clone(), place.clone());
            async move { pipeline.enter(Some(&place), path_parameters(parameters), request).await }
        };
        router = router.route(path, any(enter));
    }
    router.fallback(move |request: Request| {
        let pipeline = pipeline.clone();
        async move { pipeline.enter(None, Some(Vec::new()), request).await }
    })
}

fn places(routes: Vec<Route>) -> Vec<PathRoutes> {
    let mut paths: BTreeMap<&'static str, Vec<Route>> = BTreeMap::new();
    for route in routes {
        let siblings = paths.entry(route.path).or_default();
        assert!(
            siblings.iter().all(|other| other.method != route.method),
            "{} {} is registered twice",
            route.method.as_str(),
            route.path
        );
        siblings.push(route);
    }
    let of_path = |(path, routes): (&'static str, Vec<Route>)| {
        let (allow, timings) = (allow(&routes), Timings::of(path));
        PathRoutes { path, routes, allow, timings }
    };
    paths.into_iter().map(of_path).collect()
}

/// Returns the header `Allow`: the methods of a path, and HEAD with every GET.
fn allow(routes: &[Route]) -> String {
    let mut methods: Vec<&str> = routes.iter().map(|route| route.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.join(", ")
}

fn path_parameters(parameters: PathParameters) -> Option<Vec<(String, String)>> {
    Some(parameters.ok()?.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

impl Pipeline {
    async fn enter(
        &self,
        place: Option<&PathRoutes>,
        path: Option<Vec<(String, String)>>,
        request: Request,
    ) -> Response {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let request_id = self.request_id(&parts);
        let timings = place.map_or(&self.unknown, |place| &place.timings);
        // Only at level debug: every request would pay for the span, and few lines are inside it.
        let span = tracing::debug_span!("request", id = %request_id, traceparent = traceparent(&parts));

        let mut seen = RequestLog::default();
        let outcome = match (head::check(&parts), place, path) {
            (Err(refusal), _, _) => Err(refusal),
            (Ok(()), Some(place), Some(path)) => {
                let answering = self.answer(place, path, &parts, body, (&request_id, &mut seen));
                // A panic is a bug. It fails this request with 500 and no other request.
                let answered = AssertUnwindSafe(answering).catch_unwind().instrument(span).await;
                let bug = || Refusal::new(Code::InternalError, "A bug stopped this request.");
                answered.unwrap_or_else(|_| Err(bug()))
            }
            (Ok(()), None | Some(_), _) => Err(unknown::refusal(parts.uri.path(), &self.paths)),
        };

        security::notice(place.and_then(|place| find(place, &parts).ok()), &parts, &outcome, &seen, &request_id);
        let is_sandbox = self.bursar.environment == Environment::Sandbox;
        let mut answer = outcome.unwrap_or_else(|refusal| {
            let page = if refusal.code == Code::NotFound { unknown::page(&parts, is_sandbox) } else { None };
            page.filter(|_| has_no_page(place, &parts)).unwrap_or_else(|| refused(&refusal, place, &parts, &request_id))
        });
        if matches!(answer.content, Content::Refusal(_)) {
            answer = answer.in_context(&self.bursar.error_context(Some(request_id.clone())));
        }
        let status = answer.status;
        let error = if is_sandbox { requests::error(&answer) } else { None };
        let mut response = response::render(answer, &parts);
        response::mark(&mut response, &request_id, seen.rate_status.as_ref());
        let took = started.elapsed();
        if is_sandbox {
            let route = place.and_then(|place| find(place, &parts).ok());
            let pattern = place.map(|place| place.path);
            let (parts, request_id) = (&parts, request_id.as_str());
            let answered = requests::Answered { route, pattern, parts, status, error, request_id, took };
            requests::keep(&self.bursar, answered, &seen);
        }
        log(&parts, timings.route, status, &request_id, &seen, took);
        timings.record(&parts.method, status, took);
        response
    }

    /// Runs the guards in order, then the handler.
    async fn answer(
        &self,
        place: &PathRoutes,
        path: Vec<(String, String)>,
        parts: &Parts,
        body: Body,
        (request_id, seen): (&str, &mut RequestLog),
    ) -> Outcome {
        let deadline = Instant::now() + self.deadline;
        let route = find(place, parts)?;
        let let_in = timeout_at(deadline, self.let_in(route, &path, parts, body::announced(&body), seen)).await;
        let (caller, contact) = match let_in.unwrap_or_else(|_| Err(too_slow(Method::Get, self.deadline))) {
            Ok(let_in) => let_in,
            Err(refusal) => {
                body::throw_away(parts, body).await;
                return Err(refusal);
            }
        };
        let call = self.call(route, path, parts, body, caller, (deadline, request_id)).await?;
        let guard = erased::Guard::of(&call, route.method);
        let outcome = timeout_at(deadline, (route.handler)(call)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(too_slow(route.method, self.deadline)));
        let outcome = guard.pass(&self.bursar, outcome).await;
        if let Some(contact) = contact {
            if status(&outcome) == Code::NotPermitted.status() {
                seen.event = Some(SecurityEvent::WrongContact);
            } else {
                contact.give_back();
            }
        }
        outcome
    }

    /// Decides from the head alone who calls and whether the call is allowed. Begins a guess if the request submits a
    /// contact for a claim link.
    async fn let_in(
        &self,
        route: &Route,
        path: &[(String, String)],
        parts: &Parts,
        announced: u64,
        seen: &mut RequestLog,
    ) -> Result<(Caller, Option<Guess<'_>>), Refusal> {
        if let Some(names) = &self.own_names
            && let Err(refusal) = names.check(route, parts)
        {
            seen.event = Some(SecurityEvent::HostRefused);
            return Err(refusal);
        }
        body::check_announced(Most::of_route(route), announced)?;
        let caller = self.authenticate(route, parts).await?;
        seen.caller = Some(caller.clone());
        let (rate_status, allowed) = self.limiter.check(&caller);
        seen.rate_status = rate_status;
        allowed?;
        if let (Some(look_up), Some(token)) = (route.opened_by_token, token(path)) {
            self.check_token(route, look_up(self.bursar.clone(), token.to_owned()), parts, seen).await?;
        }
        body::check_announced(Most::of_caller(route, caller.kind), announced)?;
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        let contact = token(path)
            .filter(|_| names_contact(route, parts))
            .map(|token| self.guesses.contact(token, peer, self.bursar.clock.now()));
        contact.as_ref().map_or(Ok(()), Guess::check)?;
        Ok((caller, contact))
    }

    /// Validates a token of the path. An IP address with too many wrong tokens waits first and gets 429 for a wrong
    /// one; a correct token succeeds as usual.
    async fn check_token(
        &self,
        route: &Route,
        look_up: impl Future<Output = Result<(), Refusal>>,
        parts: &Parts,
        seen: &mut RequestLog,
    ) -> Result<(), Refusal> {
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        let guess = peer.map(|peer| self.guesses.token(peer, self.bursar.clock.now()));
        let allowed = guess.as_ref().map_or(Ok(()), Guess::check);
        if allowed.is_err() {
            tokio::time::sleep(SLOWED).await;
        }
        match look_up.await {
            Err(refusal) if refusal.code == Code::NotFound => {
                seen.event = Some(route.wrong_token);
                allowed.and(Err(refusal))
            }
            // Our own failure says nothing about the token.
            found => {
                guess.into_iter().for_each(Guess::give_back);
                found
            }
        }
    }

    async fn call(
        &self,
        route: &Route,
        path: Vec<(String, String)>,
        parts: &Parts,
        body: Body,
        caller: Caller,
        (deadline, request_id): (Instant, &str),
    ) -> Result<Call, Refusal> {
        let bytes = timeout_at(deadline, body::read(Most::of_caller(route, caller.kind), body, &self.budget)).await;
        let (bytes, share) = bytes.unwrap_or_else(|_| Err(body::late(self.deadline)))?;
        let is_csv = body::is_csv(route, parts);
        let mut body = match route.csv.filter(|_| is_csv) {
            Some(read) => read(&bytes, &query(route, parts)?)?,
            None => body::parse(route, parts, &bytes)?,
        };
        let signed_bytes = if route.who == Who::Provider { bytes.clone() } else { bytes::Bytes::new() };
        drop((bytes, share));
        if self.bursar.environment == Environment::Production {
            reserved::check(&body)?;
        }
        let idempotency_key = idempotency_key::take(route.method, parts, &mut body)?;
        acting::name_member(route, &caller, &mut body)?;
        if route.method == Method::Post && idempotency_key.is_none() {
            may_post_without_key(&self.bursar, &caller).await?;
        }
        let query = query(route, parts)?;
        body::check_unused(route, &body)?;
        Ok(Call {
            bursar: self.bursar.clone(),
            caller,
            target: format!("{} {}", route.method.as_str(), parts.uri.path()),
            path,
            query,
            body,
            signed_bytes,
            is_csv,
            idempotency_key,
            headers: handed_on(parts),
            peer: parts.extensions.get::<Peer>().map(|peer| peer.0),
            request_id: request_id.to_owned(),
        })
    }

    async fn authenticate(&self, route: &Route, parts: &Parts) -> Result<Caller, Refusal> {
        let (mut given, mut is_twice) = ([None; 3], [false; 3]);
        for (name, value) in &parts.headers {
            let Some(place) = CREDENTIALS.iter().position(|known| name.as_str().eq_ignore_ascii_case(known)) else {
                continue;
            };
            is_twice[place] |= given[place].is_some();
            // A header that is not valid text is an invalid credential, and not an empty one, which counts as absent.
            given[place] = given[place].or(Some(value.to_str().unwrap_or("\u{fffd}")));
        }
        let twice = CREDENTIALS.into_iter().zip(is_twice).find(|(_, is_twice)| *is_twice);
        if let Some((name, _)) = twice
            && !matches!(route.who, Who::Anyone | Who::Provider)
        {
            return Err(Refusal::fields(broken(Reason::FieldRepeated, name, "must be sent only once")));
        }
        let [authorization, api_app_id, member_session] = given;
        let presented = Presented { authorization, api_app_id, member_session };
        authenticate(&self.bursar, presented, route.who, route.members).await
    }

    /// Returns the caller's request id if it is safe to log, or a new one.
    fn request_id(&self, parts: &Parts) -> String {
        let given = parts.headers.get("x-request-id").and_then(|value| value.to_str().ok());
        let sane =
            |id: &&str| (1..=REQUEST_ID_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
        given
            .filter(sane)
            .map_or_else(|| self.bursar.entropy().id::<Uuid>(self.bursar.clock.now()).to_string(), str::to_owned)
    }
}

fn token(path: &[(String, String)]) -> Option<&str> {
    path.iter().find(|(name, _)| name == "token").map(|(_, token)| token.as_str())
}

/// Returns whether the request submits the payee's contact for a claim link.
fn names_contact(route: &Route, parts: &Parts) -> bool {
    route.opened_by_token.is_some() && route.method == Method::Post && parts.uri.path().ends_with("/contact")
}

/// Returns whether a browser gets the general page instead of the route's own answer: an unknown path, and an object
/// that the API or a list of documents does not have. Pages of links draw their own refusals.
fn has_no_page(place: Option<&PathRoutes>, parts: &Parts) -> bool {
    place.is_none_or(|place| find(place, parts).is_ok_and(|route| route.opened_by_token.is_none()))
}

fn find<'a>(place: &'a PathRoutes, parts: &Parts) -> Result<&'a Route, Refusal> {
    let wanted = if parts.method == axum::http::Method::HEAD { "GET" } else { parts.method.as_str() };
    place.routes.iter().find(|route| route.method.as_str() == wanted).ok_or_else(|| {
        let message = format!("This path supports {}.", place.allow);
        Refusal::new(Code::MethodNotAllowed, message)
    })
}

/// Returns the query parameters. Rejects them all if an API route takes none.
fn query(route: &Route, parts: &Parts) -> Result<Vec<(String, String)>, Refusal> {
    let malformed = || Refusal::new(Code::InvalidInput, "The query string is malformed.");
    let given = body::pairs(parts.uri.query().unwrap_or_default(), "The query string");
    let given = given.map_err(|refusal| refusal.unwrap_or_else(malformed))?;
    if !route.documented.query.is_empty() || !is_api(route) {
        return Ok(given);
    }
    let problems: Vec<_> = given.iter().flat_map(|(name, _)| crate::input::unknown(name, name, &[])).collect();
    if problems.is_empty() { Ok(given) } else { Err(Refusal::fields(problems)) }
}

/// A request has few headers, so each is searched in the list; a search in the headers begins with a hash of the name.
fn handed_on(parts: &Parts) -> Vec<(&'static str, String)> {
    let text = |given: &HeaderName| {
        let name = HANDED_ON.iter().find(|name| **name == given.as_str())?;
        Some((*name, parts.headers.get(given)?.to_str().ok()?.to_owned()))
    };
    parts.headers.keys().filter_map(text).collect()
}

/// Only a read certainly had no effect. A queued command continues without its caller.
fn too_slow(method: Method, deadline: Duration) -> Refusal {
    let took = format!("The request took longer than {} seconds", deadline.as_secs_f32());
    match method {
        Method::Get => Refusal::new(Code::ServiceUnavailable, format!("{took}.")).retry_after(1),
        Method::Post | Method::Put | Method::Patch | Method::Delete => {
            let message = format!("{took} and may still take effect. Retry with the same idempotency key.");
            Refusal::new(Code::OutcomeUnknown, message).retry_after(2)
        }
    }
}

/// Renders a refusal in the route's format, with the headers that HTTP requires for its status.
fn refused(refusal: &Refusal, place: Option<&PathRoutes>, parts: &Parts, request_id: &str) -> Answer {
    // A wrong method is rendered as by the path's first route.
    let route = place.and_then(|place| find(place, parts).ok().or(place.routes.first()));
    let render = |route: &Route| (route.error_renderer)(refusal, request_id, head::language(parts));
    let answer = route.map_or_else(|| Answer::from(refusal), render);
    match (refusal.code.status(), place) {
        (401, _) => answer.header("www-authenticate", r#"Basic realm="bursar", charset="UTF-8""#),
        (405, Some(place)) => answer.header("allow", place.allow.clone()),
        (_, _) => answer,
    }
}

/// Returns the `traceparent` header for the span if it has the form of version 00.
fn traceparent(parts: &Parts) -> Option<&str> {
    let given = parts.headers.get("traceparent")?.to_str().ok()?;
    let form: Vec<usize> = given.split('-').map(str::len).collect();
    let hex = given.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    (form == [2, 32, 16, 2] && hex).then_some(given)
}

/// Logs the request. The line has no parent span, whose fields would repeat its own.
fn log(parts: &Parts, route: &str, status: u16, request_id: &str, seen: &RequestLog, took: Duration) {
    let method = parts.method.as_str();
    let app = seen.caller.as_ref().and_then(|caller| caller.app).map(|app| app.to_string());
    let client_id = seen.caller.as_ref().map(|caller| caller.client_id.as_str());
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let traceparent = traceparent(parts);
    tracing::info!(parent: None, method, route, status, millis, request_id, traceparent, app, client_id, "answered");
}
