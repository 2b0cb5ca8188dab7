//! The records of endpoints and deliveries, and their enumerations.

use crate::clock::Time;
use crate::events::{Event, EventName};
use crate::ids::{AppId, EventId, JobId, OrgId, WebhookDeliveryId, WebhookEndpointId};
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    /// Whether an endpoint receives events.
    pub enum EndpointStatus {
        /// It receives events.
        Enabled = "enabled",
        /// It receives no events until it is enabled again.
        Disabled = "disabled",
    }
}

words! {
    /// Why an endpoint is disabled.
    pub enum DisabledReason {
        /// The app disabled it.
        Requested = "requested",
        /// It responded with 410 Gone.
        Gone = "gone",
    }
}

words! {
    /// The state of a delivery.
    pub enum DeliveryStatus {
        /// An attempt is due.
        Pending = "pending",
        /// The receiver responded with 2xx.
        Succeeded = "succeeded",
        /// No more attempts, unless the app replays it.
        Dead = "dead",
    }
}

words! {
    /// The error of the latest attempt.
    pub enum DeliveryError {
        /// The host name resolves to an address that is not public.
        AddressNotPublic = "address_not_public",
        /// The host name does not resolve.
        NameNotResolved = "name_not_resolved",
        /// No connection, or an untrusted certificate.
        NotConnected = "not_connected",
        /// No response within 15 seconds.
        TimedOut = "timed_out",
        /// The response was not valid HTTP, or was cut off.
        BrokenAnswer = "broken_answer",
        /// A response with 3xx; redirects are not followed.
        Redirected = "redirected",
        /// A response with any other status that is not 2xx.
        RefusedByReceiver = "refused_by_receiver",
        /// 410: the receiver wants no more events.
        Gone = "gone",
        /// The endpoint was disabled before an attempt.
        EndpointDisabled = "endpoint_disabled",
    }
}

record! {
    pub struct WebhookEndpoint in "webhook_endpoints" {
        key (org, id)
        many OF_APP (org, app);
        pub org: OrgId,
        pub id: WebhookEndpointId,
        pub app: AppId,
        pub url: String,
        pub description: Option<String>,
        /// `None` for all, including future ones.
        pub events: Option<Document<Vec<EventName>>>,
        pub status: EndpointStatus,
        pub disabled_reason: Option<DisabledReason>,
        /// The signing secret, sealed.
        pub secret: Vec<u8>,
        /// The secret before the last rotation, sealed.
        pub previous_secret: Option<Vec<u8>>,
        /// Until when that one signs too.
        pub previous_secret_until: Option<Time>,
        /// The endpoint receives only events after this one.
        pub since_sequence: i64,
        /// The job that makes its calls, while deliveries are pending.
        pub courier: Option<JobId>,
        /// Incremented by each new delivery for the job.
        pub calls: i64,
        pub created_at: Time,
        /// The last change by its owner, or by a 410.
        pub updated_at: Time,
    }
}

impl WebhookEndpoint {
    /// Returns whether the endpoint receives the event. The event of a test is for the tested endpoint only.
    pub fn wants(&self, event: &Event) -> bool {
        let is_named = || self.events.as_ref().is_none_or(|Document(names)| names.contains(&event.name));
        let is_meant =
            if event.name == EventName::WebhookEndpointTested { event.object_id == self.id.0 } else { is_named() };
        self.status == EndpointStatus::Enabled && event.sequence > self.since_sequence && is_meant
    }

    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }

    /// Returns whether the secret before the last rotation still signs.
    pub fn previous_is_valid(&self, now: Time) -> bool {
        self.previous_secret_until.is_some_and(|until| now < until)
    }
}

record! {
    pub struct WebhookDelivery in "webhook_deliveries" {
        key (org, id)
        unique OF_EVENT (org, endpoint, sequence)
        many DUE (org, endpoint, due_at);
        pub org: OrgId,
        pub id: WebhookDeliveryId,
        pub app: AppId,
        pub endpoint: WebhookEndpointId,
        /// The event's position in the app's log.
        pub sequence: i64,
        pub event: EventId,
        pub name: EventName,
        pub status: DeliveryStatus,
        pub attempts: i64,
        /// Attempts since creation or the last replay: the position in the schedule.
        pub tries: i64,
        /// The status of the latest response; `None` without a response.
        pub response_status: Option<i64>,
        /// The beginning of that response, as text; `None` if it was empty, or erased.
        pub response_body: Option<String>,
        pub error: Option<DeliveryError>,
        /// `None` unless pending.
        pub due_at: Option<Time>,
        pub created_at: Time,
        pub updated_at: Time,
    }
}
