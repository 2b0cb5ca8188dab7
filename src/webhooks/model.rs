//! The records of endpoints and deliveries, and their closed sets of words.

use crate::clock::Time;
use crate::events::EventName;
use crate::ids::{AppId, EventId, JobId, OrgId, WebhookDeliveryId, WebhookEndpointId};
use crate::world::record::{Document, record, words};

words! {
    /// Whether an endpoint is sent anything.
    pub enum EndpointStatus {
        /// It is.
        Enabled = "enabled",
        /// It is not, until it is enabled again.
        Disabled = "disabled",
    }
}

words! {
    /// Why an endpoint is disabled.
    pub enum DisabledReason {
        /// The app asked for it.
        Requested = "requested",
        /// It answered 410 Gone.
        Gone = "gone",
    }
}

words! {
    /// Where a delivery stands.
    pub enum DeliveryStatus {
        /// An attempt will be made.
        Pending = "pending",
        /// The receiver answered with 2xx.
        Succeeded = "succeeded",
        /// No further attempt will be made, unless somebody asks for one.
        Dead = "dead",
    }
}

words! {
    /// What went wrong with the latest attempt.
    pub enum DeliveryError {
        /// The name leads into our own network.
        AddressNotPublic = "address_not_public",
        /// The name leads nowhere.
        NameNotResolved = "name_not_resolved",
        /// No connection, or no trust in the certificate.
        NotConnected = "not_connected",
        /// No whole answer within 15 seconds.
        TimedOut = "timed_out",
        /// What came was no HTTP, or broke off.
        BrokenAnswer = "broken_answer",
        /// An answer with 3xx; redirects are not followed.
        Redirected = "redirected",
        /// An answer with a status that is not 2xx.
        RefusedByReceiver = "refused_by_receiver",
        /// 410: the receiver wants nothing any more.
        Gone = "gone",
        /// The endpoint was disabled before it came to an attempt.
        EndpointDisabled = "endpoint_disabled",
    }
}

record! {
    /// A URL that is told of an app's events.
    pub struct WebhookEndpoint in "webhook_endpoints" {
        key (org, id)
        many OF_APP (org, app);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: WebhookEndpointId,
        /// The app whose events it is told of.
        pub app: AppId,
        /// Where to.
        pub url: String,
        /// What its owner says of it.
        pub description: Option<String>,
        /// Which events; `None` for all, those of the future included.
        pub events: Option<Document<Vec<EventName>>>,
        /// Whether it is sent anything.
        pub status: EndpointStatus,
        /// Why it is not.
        pub disabled_reason: Option<DisabledReason>,
        /// What signs, sealed.
        pub secret: Vec<u8>,
        /// What signed before the last rotation, sealed.
        pub previous_secret: Option<Vec<u8>>,
        /// Until when that one signs too.
        pub previous_secret_until: Option<Time>,
        /// Events up to this one are none of its affair.
        pub since_sequence: i64,
        /// The job that makes its calls, while there is something to deliver.
        pub courier: Option<JobId>,
        /// Goes up whenever the courier gets something new to deliver.
        pub calls: i64,
        /// When it was made.
        pub created_at: Time,
        /// When its owner, or a 410, last changed it.
        pub updated_at: Time,
    }
}

impl WebhookEndpoint {
    /// Whether it is to be told of this event.
    pub fn wants(&self, sequence: i64, name: EventName) -> bool {
        let named = self.events.as_ref().is_none_or(|Document(names)| names.contains(&name));
        self.status == EndpointStatus::Enabled && sequence > self.since_sequence && named
    }

    /// Whether the secret before the last rotation still signs.
    pub fn previous_is_valid(&self, now: Time) -> bool {
        self.previous_secret_until.is_some_and(|until| now < until)
    }
}

record! {
    /// One event on its way to one endpoint.
    pub struct WebhookDelivery in "webhook_deliveries" {
        key (org, id)
        unique OF_EVENT (org, endpoint, sequence)
        many DUE (org, endpoint, due_at);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: WebhookDeliveryId,
        /// The app.
        pub app: AppId,
        /// Where to.
        pub endpoint: WebhookEndpointId,
        /// The event's place in the app's log.
        pub sequence: i64,
        /// The event's id.
        pub event: EventId,
        /// The event's name.
        pub name: EventName,
        /// Where it stands.
        pub status: DeliveryStatus,
        /// Attempts in all.
        pub attempts: i64,
        /// Attempts since it was made, or last asked for again: the place in the schedule.
        pub tries: i64,
        /// The status of the latest answer; `None` when none came.
        pub response_status: Option<i64>,
        /// What went wrong with the latest attempt.
        pub error: Option<DeliveryError>,
        /// When the next attempt is due; only while it is pending.
        pub due_at: Option<Time>,
        /// When it was made.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
    }
}
