//! The deliveries that a worker attempts in one round, and their outcomes.

use std::sync::Arc;

use super::model::{DeliveryError, DeliveryStatus, DisabledReason, EndpointStatus, WebhookDelivery, WebhookEndpoint};
use super::rules::{self, DeliveryEvent};
use super::update::disable;
use crate::clock::Time;
use crate::engine::Command;
use crate::events::{self, Found};
use crate::ids::{OrgId, WebhookDeliveryId, WebhookEndpointId};
use crate::jobs::{self, Leased};
use crate::outbound::Unanswered;
use crate::scope::Scope;
use crate::world::query::{Compare, Direction, Query};
use crate::world::record::{Cell, key};
use crate::world::{Halt, Want, World};

/// The calls that a round makes at once. They begin in the order of the events.
pub const CALLS_MAX: usize = 16;

#[derive(Clone, Debug)]
pub struct Round {
    /// The endpoint at the start of the round.
    pub endpoint: Arc<WebhookEndpoint>,
    /// Each delivery with its event, in the order of the events, except retries.
    pub due: Vec<(Arc<WebhookDelivery>, Found)>,
    /// When the next of the other deliveries is due.
    pub next: Option<Time>,
}

/// Returns the due deliveries; `None` if the endpoint was deleted.
pub fn round(world: &mut World, org: OrgId, id: WebhookEndpointId, now: Time) -> Result<Option<Round>, Halt> {
    // The endpoint first: a delivery that is added between the two queries changes `calls`, which reveals it.
    let Some(endpoint) = world.get::<WebhookEndpoint>(key![org, id])? else { return Ok(None) };
    let pending = Query::of::<WebhookDelivery>(org.to_value(), "due_at", CALLS_MAX + 1)
        .filter("endpoint", Compare::Equal, id.to_value())
        .filter("due_at", Compare::AtLeast, Time::from_micros(0).to_value());
    let pending = world.page::<WebhookDelivery>(&Query { direction: Direction::Ascending, ..pending })?;
    let is_due = |delivery: &Arc<WebhookDelivery>| delivery.due_at.is_some_and(|due_at| due_at <= now);
    let due: Vec<_> = pending.iter().take(CALLS_MAX).filter(|delivery| is_due(delivery)).cloned().collect();
    let next = pending.get(due.len()).and_then(|delivery| delivery.due_at);
    let event = |world: &mut World, delivery: Arc<WebhookDelivery>| {
        let scope = Scope { org, app: delivery.app };
        Ok(events::find(world, scope, delivery.event)?.map(|event| (delivery, event)))
    };
    let reported = world.each(due, event)?.into_iter().flatten().collect();
    Ok(Some(Round { endpoint, due: reported, next }))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered {
        status: u16,
        /// The wait that the receiver requests, if it does.
        retry_after_seconds: Option<i64>,
    },
    Unanswered(Unanswered),
    /// No attempt was made: the endpoint is disabled.
    NotTried,
}

impl Outcome {
    fn error(self) -> Option<DeliveryError> {
        match self {
            Self::Answered { status: 200..=299, .. } => None,
            Self::Answered { status: 300..=399, .. } => Some(DeliveryError::Redirected),
            Self::Answered { status: 410, .. } => Some(DeliveryError::Gone),
            Self::Answered { .. } => Some(DeliveryError::RefusedByReceiver),
            Self::Unanswered(Unanswered::NotPublic) => Some(DeliveryError::AddressNotPublic),
            Self::Unanswered(Unanswered::NotResolved) => Some(DeliveryError::NameNotResolved),
            Self::Unanswered(Unanswered::NotConnected) => Some(DeliveryError::NotConnected),
            Self::Unanswered(Unanswered::TimedOut) => Some(DeliveryError::TimedOut),
            Self::Unanswered(Unanswered::Broken) => Some(DeliveryError::BrokenAnswer),
            Self::NotTried => Some(DeliveryError::EndpointDisabled),
        }
    }

    /// Returns the seconds to wait. A busy receiver (429, 503) may request more than the schedule, up to its longest
    /// wait.
    fn wait_at_least(self, scheduled_seconds: i64) -> i64 {
        match self {
            Self::Answered { status: 429 | 503, retry_after_seconds: Some(asked) } => {
                scheduled_seconds.max(asked.min(rules::WAIT_MAX_SECONDS))
            }
            Self::Answered { .. } | Self::Unanswered(_) | Self::NotTried => scheduled_seconds,
        }
    }

    /// Returns the outcome in one word, for metrics.
    pub fn word(self) -> &'static str {
        self.error().map_or("accepted", DeliveryError::as_str)
    }

    fn event(self, wait_seconds: Option<i64>) -> DeliveryEvent {
        match self.error() {
            None => DeliveryEvent::Accepted,
            Some(DeliveryError::Gone) => DeliveryEvent::ReceiverGone,
            Some(DeliveryError::EndpointDisabled) => DeliveryEvent::EndpointDisabled,
            Some(
                DeliveryError::AddressNotPublic
                | DeliveryError::NameNotResolved
                | DeliveryError::NotConnected
                | DeliveryError::TimedOut
                | DeliveryError::BrokenAnswer
                | DeliveryError::Redirected
                | DeliveryError::RefusedByReceiver,
            ) => wait_seconds.map_or(DeliveryEvent::FailedForGood, |_| DeliveryEvent::Failed),
        }
    }
}

/// An attempted delivery.
#[derive(Clone, Debug)]
pub struct Called {
    pub delivery: WebhookDeliveryId,
    pub outcome: Outcome,
    /// The beginning of the response, as text.
    pub response_body: Option<String>,
}

/// Records the outcomes of a round and schedules the next one.
#[derive(Clone, Debug)]
pub struct Attempted {
    pub leased: Leased,
    pub endpoint: WebhookEndpointId,
    /// Its `calls` at the start of the round.
    pub calls: i64,
    /// When the first delivery outside the round is due.
    pub next: Option<Time>,
    pub outcomes: Vec<Called>,
}

impl Command for Attempted {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        self.outcomes.iter().map(|called| Want::row::<WebhookDelivery>(key![org, called.delivery])).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        let Some(endpoint) = world.get::<WebhookEndpoint>(key![org, self.endpoint])? else {
            // The endpoint was deleted during the round, so its deliveries are no longer visible.
            return jobs::finish(world, &self.leased);
        };

        // From here it must succeed, unless the lease was lost.
        let mut next = self.next;
        let now = world.now();
        for called in &self.outcomes {
            let Some(delivery) = world.get::<WebhookDelivery>(key![org, called.delivery])? else { continue };
            let due_at = conclude(world, &delivery, called);
            next = [next, due_at].into_iter().flatten().min();
        }
        let is_gone = self.outcomes.iter().any(|called| called.outcome.error() == Some(DeliveryError::Gone));
        let endpoint = match endpoint.status {
            EndpointStatus::Enabled if is_gone => disable(world, &endpoint, DisabledReason::Gone)?,
            EndpointStatus::Enabled | EndpointStatus::Disabled => endpoint,
        };
        if endpoint.calls != self.calls {
            next = Some(now);
        }
        match next {
            Some(next) => jobs::put_off(world, &self.leased, next, None),
            None => {
                world.change(&endpoint, |endpoint| endpoint.courier = None);
                jobs::finish(world, &self.leased)
            }
        }
    }
}

/// Records the outcome of an attempt; returns when the next one is due.
fn conclude(world: &mut World, delivery: &Arc<WebhookDelivery>, called: &Called) -> Option<Time> {
    let (now, outcome) = (world.now(), called.outcome);
    let tried = i64::from(outcome != Outcome::NotTried);
    let tries = delivery.tries + tried;
    let wait_seconds = rules::wait_seconds(tries).map(|seconds| outcome.wait_at_least(seconds));
    let Some(to) = rules::transition(delivery.status, outcome.event(wait_seconds)) else { return delivery.due_at };
    let due_at = match to {
        DeliveryStatus::Pending => wait_seconds.map(|seconds| now.plus_seconds(seconds)),
        DeliveryStatus::Succeeded | DeliveryStatus::Dead => None,
    };
    world.change(delivery, |delivery| {
        delivery.status = to;
        delivery.attempts += tried;
        delivery.tries = tries;
        if let Outcome::Answered { status, .. } = outcome {
            delivery.response_status = Some(i64::from(status));
        } else if tried > 0 {
            delivery.response_status = None;
        }
        if tried > 0 {
            delivery.response_body.clone_from(&called.response_body);
        }
        delivery.error = outcome.error();
        delivery.due_at = due_at;
        delivery.updated_at = now;
    });
    due_at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_is_a_success_and_410_ends_it() {
        let event = |outcome: Outcome| outcome.event(Some(5));
        let answered = |status| Outcome::Answered { status, retry_after_seconds: None };
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(event(answered(status)), DeliveryEvent::Accepted, "{status}");
        }
        for status in [100, 199, 300, 301, 307, 308, 400, 404, 409, 411, 429, 500, 503, 599, 999] {
            assert_eq!(event(answered(status)), DeliveryEvent::Failed, "{status}");
        }
        assert_eq!(event(answered(410)), DeliveryEvent::ReceiverGone);
        assert_eq!(event(Outcome::NotTried), DeliveryEvent::EndpointDisabled);
        assert_eq!(Outcome::Unanswered(Unanswered::TimedOut).event(None), DeliveryEvent::FailedForGood);
    }

    #[test]
    fn a_busy_receiver_says_how_long_to_wait_within_bounds() {
        for (status, asked, scheduled, wait) in [
            (429, Some(600), 300, 600),
            (503, Some(600), 300, 600),
            (503, Some(1), 300, 300),
            (503, Some(i64::MAX), 5, rules::WAIT_MAX_SECONDS),
            (503, None, 300, 300),
            (500, Some(600), 300, 300),
        ] {
            let outcome = Outcome::Answered { status, retry_after_seconds: asked };
            assert_eq!(outcome.wait_at_least(scheduled), wait, "{status} {asked:?}");
        }
    }
}
