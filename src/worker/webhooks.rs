//! Calls webhook endpoints with due deliveries, and records the outcomes.

use futures::future::join_all;

use crate::clock::Clock;
use crate::events::{EventJson, Found};
use crate::ids::WebhookEndpointId;
use crate::jobs::Leased;
use crate::outbound::{Answered, Post, Target, Unanswered};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::webhooks::signature::{self, Secret};
use crate::webhooks::{self, Attempted, Called, EndpointStatus, Outcome, WebhookEndpoint};

pub(super) async fn call(bursar: &Bursar, leased: Leased, endpoint: WebhookEndpointId) -> Result<(), Refusal> {
    let (org, now) = (leased.org, bursar.clock.now());
    let round = bursar.read(move |world| webhooks::round(world, org, endpoint, now)).await?;
    let Some(round) = round else {
        let unknown = Attempted { leased, endpoint, calls: 0, next: None, outcomes: Vec::new() };
        return bursar.engine.run(org, unknown).await;
    };
    let secrets = webhooks::secrets(&bursar.vault, &round.endpoint, now).map_err(|_| {
        Refusal::new(Code::InternalError, "The sealed secret of a webhook endpoint cannot be decrypted.")
    })?;
    let calls = round.due.iter().map(|(delivery, event)| {
        let (endpoint, secrets) = (&round.endpoint, &secrets);
        async move {
            let (outcome, response_body) = post(bursar, endpoint, secrets, event).await;
            Called { delivery: delivery.id, outcome, response_body }
        }
    });
    let outcomes = join_all(calls).await;
    for called in &outcomes {
        metrics::counter!("bursar_webhook_attempts_total", "outcome" => called.outcome.word()).increment(1);
    }
    bursar
        .engine
        .run(leased.org, Attempted { leased, endpoint, calls: round.endpoint.calls, next: round.next, outcomes })
        .await
}

/// Returns the outcome, and the beginning of the response.
async fn post(
    bursar: &Bursar,
    endpoint: &WebhookEndpoint,
    secrets: &[Secret],
    found: &Found,
) -> (Outcome, Option<String>) {
    if endpoint.status == EndpointStatus::Disabled {
        return (Outcome::NotTried, None);
    }
    // The URL was checked when it was set, but a store from a sandbox may hold another kind.
    let Ok(target) = Target::parse(&endpoint.url, bursar.outbound.reach()) else {
        return (Outcome::Unanswered(Unanswered::NotPublic), None);
    };
    let body = serde_json::to_string(&EventJson::from(&*found.event))
        .expect("an event is plain data, which always serializes");
    // Receivers check the timestamp against their own clocks, so the sandbox's movable clock is not used.
    let timestamp = Clock::wall().now().seconds();
    let mut headers = signature::headers(secrets, &found.event.id.to_string(), timestamp, &body);
    headers.push(("bursar-anchor", bursar.history.anchor(&found.head(&bursar.history.chain))));
    match bursar.outbound.notify(Post { target: &target, headers: &headers, body: body.into_bytes() }).await {
        Ok(Answered { status, retry_after_seconds, body }) => {
            (Outcome::Answered { status, retry_after_seconds }, webhooks::printable(&body))
        }
        Err(unanswered) => (Outcome::Unanswered(unanswered), None),
    }
}
