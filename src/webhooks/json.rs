//! Endpoints and deliveries as the API shows them.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{DeliveryError, DeliveryStatus, DisabledReason, EndpointStatus, WebhookDelivery, WebhookEndpoint};
use crate::clock::Time;
use crate::events::EventName;
use crate::ids::{EventId, WebhookDeliveryId, WebhookEndpointId};

/// A URL that is told of the app's events.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookEndpointJson {
    /// Its id.
    pub id: WebhookEndpointId,
    /// Where events are posted to.
    pub url: String,
    /// What its owner says of it.
    #[schema(required)]
    pub description: Option<String>,
    /// Names of the events that it is told of; null for all, those of the future included.
    #[schema(required)]
    pub events: Option<Vec<EventName>>,
    /// Whether it is sent anything.
    pub status: EndpointStatus,
    /// Why it is disabled; null while it is enabled.
    #[schema(required)]
    pub disabled_reason: Option<DisabledReason>,
    /// Until when the secret before the last rotation signs too; null when there is none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub previous_secret_until: Option<Time>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
}

impl From<&WebhookEndpoint> for WebhookEndpointJson {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        Self {
            id: endpoint.id,
            url: endpoint.url.clone(),
            description: endpoint.description.clone(),
            events: endpoint.events.as_ref().map(|names| names.0.clone()),
            status: endpoint.status,
            disabled_reason: endpoint.disabled_reason,
            previous_secret_until: endpoint.previous_secret_until,
            created: endpoint.created_at,
            updated: endpoint.updated_at,
        }
    }
}

/// An endpoint with its secret: the one answer that shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookEndpointWithSecretJson {
    /// The endpoint.
    #[serde(flatten)]
    pub endpoint: WebhookEndpointJson,
    /// What signs what is posted to it (Standard Webhooks); shown in this answer only.
    pub secret: String,
}

/// One event on its way to one endpoint.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookDeliveryJson {
    /// Its id.
    pub id: WebhookDeliveryId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// The event; also the header webhook-id.
    pub event_id: EventId,
    /// The event's name.
    pub event_name: EventName,
    /// The event's place in the app's log.
    pub sequence: i64,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// Attempts so far.
    pub attempts: i64,
    /// The status that the latest attempt was answered with; null when there was no answer.
    #[schema(required)]
    pub response_status: Option<i64>,
    /// What went wrong with the latest attempt; null when nothing did, or none was made yet.
    #[schema(required)]
    pub error: Option<DeliveryError>,
    /// When the next attempt is made; null when there is none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub next_attempt_at: Option<Time>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
}

impl From<&WebhookDelivery> for WebhookDeliveryJson {
    fn from(delivery: &WebhookDelivery) -> Self {
        Self {
            id: delivery.id,
            endpoint_id: delivery.endpoint,
            event_id: delivery.event,
            event_name: delivery.name,
            sequence: delivery.sequence,
            status: delivery.status,
            attempts: delivery.attempts,
            response_status: delivery.response_status,
            error: delivery.error,
            next_attempt_at: delivery.due_at,
            created: delivery.created_at,
            updated: delivery.updated_at,
        }
    }
}
