//! The JSON of endpoints and deliveries.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{DeliveryError, DeliveryStatus, DisabledReason, EndpointStatus, WebhookDelivery, WebhookEndpoint};
use crate::clock::Time;
use crate::events::EventName;
use crate::ids::{EventId, WebhookDeliveryId, WebhookEndpointId};

/// A URL that receives the app's events.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookEndpointJson {
    /// The endpoint's id.
    pub id: WebhookEndpointId,
    /// The URL that receives events by POST.
    pub url: String,
    /// The owner's description.
    #[schema(required)]
    pub description: Option<String>,
    /// The names of the events that it receives; null for all, including future ones.
    #[schema(required)]
    pub events: Option<Vec<EventName>>,
    /// Whether the endpoint receives events.
    pub status: EndpointStatus,
    /// Why it is disabled; null while it is enabled.
    #[schema(required)]
    pub disabled_reason: Option<DisabledReason>,
    /// Until when the secret before the last rotation signs too; null if there is none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub previous_secret_until: Option<Time>,
    /// When the endpoint was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the endpoint last changed.
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

/// An endpoint with its secret. No other response shows the secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookEndpointWithSecretJson {
    /// The endpoint.
    #[serde(flatten)]
    pub endpoint: WebhookEndpointJson,
    /// The secret that signs its deliveries (Standard Webhooks); shown in this response only.
    pub secret: String,
}

/// One event on its way to one endpoint.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookDeliveryJson {
    /// The delivery's id.
    pub id: WebhookDeliveryId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// The event; also the header webhook-id.
    pub event_id: EventId,
    /// The event's name.
    pub event_name: EventName,
    /// The event's position in the app's log.
    pub sequence: i64,
    /// The state of the delivery.
    pub status: DeliveryStatus,
    /// The number of attempts so far.
    pub attempts: i64,
    /// The status of the response to the latest attempt; null without a response.
    #[schema(required)]
    pub response_status: Option<i64>,
    /// The first 1,024 bytes of that response, with � for each byte that is not text; null if it was empty or slow, or
    /// after the erasure of the payee.
    #[schema(required)]
    pub response_body: Option<String>,
    /// The error of the latest attempt; null after a success or before the first attempt.
    #[schema(required)]
    pub error: Option<DeliveryError>,
    /// When the next attempt is due; null if there is none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub next_attempt_at: Option<Time>,
    /// When the delivery was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the delivery last changed.
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
            response_body: delivery.response_body.clone(),
            error: delivery.error,
            next_attempt_at: delivery.due_at,
            created: delivery.created_at,
            updated: delivery.updated_at,
        }
    }
}
