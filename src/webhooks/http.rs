//! Webhook endpoints over HTTP.

use std::sync::Arc;

use serde_json::json;

use super::create::CreateEndpoint;
use super::delete::DeleteEndpoint;
use super::json::{WebhookDeliveryJson, WebhookEndpointJson, WebhookEndpointWithSecretJson};
use super::model::{DeliveryStatus, EndpointStatus, WebhookDelivery, WebhookEndpoint};
use super::replay::ReplayDelivery;
use super::rotate::RotateSecret;
use super::rows::find;
use super::signature::Secret;
use super::test_endpoint::TestEndpoint;
use super::update::UpdateEndpoint;
use crate::events::EventName;
use crate::http::lists::{ListEnvelope, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::WebhookEndpointId;
use crate::input::types::word_input;
use crate::input::types::{LongText, NoFields};
use crate::input::{Change, Input, Problems, input, text, wrong};
use crate::outbound::{Reach, Target, URL_MAX};
use crate::patch::Patch;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::vault::Unsealed;
use crate::world::Query;
use crate::world::record::Cell;

word_input!(super::model::EndpointStatus);
word_input!(super::model::DeliveryStatus);

/// A URL for events. The permitted addresses depend on the environment, see [`WebhookUrl::within`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(pub String);

impl Input for WebhookUrl {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let url = text(json, at)?;
        Target::parse(url, Reach::Anywhere).map_err(|reason| wrong(at, reason.to_string()))?;
        Ok(Self(url.to_owned()))
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "format": "uri", "maxLength": URL_MAX})
    }
}

impl WebhookUrl {
    fn within(self, reach: Reach) -> Result<String, Refusal> {
        match Target::parse(&self.0, reach) {
            Ok(_) => Ok(self.0),
            Err(reason) => Err(Refusal::fields(wrong("/url", reason.to_string()))),
        }
    }
}

/// Names of events, at least one, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventNames(pub Vec<EventName>);

impl Input for EventNames {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let names = Vec::<EventName>::read(json, at)?;
        if names.is_empty() {
            return Err(wrong(at, "must name an event; omit it or send null for all events"));
        }
        let twice = names.iter().enumerate().find(|(seal_context, name)| names[..*seal_context].contains(name));
        match twice {
            Some((seal_context, name)) => Err(wrong(&format!("{at}/{seal_context}"), format!("{name} is a duplicate"))),
            None => Ok(Self(names)),
        }
    }
    fn schema() -> serde_json::Value {
        json!({"type": "array", "minItems": 1, "uniqueItems": true, "items": EventName::schema()})
    }
}

input! {
    /// A new endpoint.
    pub struct CreateWebhookEndpointInput {
        /// The URL that receives events by POST; https and public in production.
        pub url: WebhookUrl,
        /// Your description of the endpoint.
        pub description: Option<LongText>,
        /// The names of the events to send; all if missing.
        pub events: Option<EventNames>,
    }
}

input! {
    /// The changes to an endpoint. Fields that are not sent stay as they are.
    pub struct UpdateWebhookEndpointInput {
        /// The new URL.
        pub url: Change<WebhookUrl>,
        /// The new description; null removes it.
        pub description: Patch<LongText>,
        /// The new event names; null for all.
        pub events: Patch<EventNames>,
        /// enabled or disabled. Events during a disabled period are not sent later; the event log has them.
        pub status: Change<EndpointStatus>,
    }
}

list_query! {
    /// The filters of the list of endpoints.
    pub struct WebhookEndpointsQuery {
        /// Return only endpoints with this status.
        pub status: Option<EndpointStatus>,
    }
}

list_query! {
    /// The filters of the list of deliveries.
    pub struct WebhookDeliveriesQuery {
        /// Return only deliveries with this status.
        pub status: Option<DeliveryStatus>,
        /// Return only deliveries of events with this name.
        pub event_name: Option<EventName>,
    }
}

fn endpoint_in_path(call: &Call) -> Result<(Scope, WebhookEndpointId), Refusal> {
    Ok((call.scope()?, call.id("webhook_endpoint_id", "webhook endpoint")?))
}

/// Generates a secret, which only this response shows.
fn draw(call: &Call) -> (Secret, Unsealed) {
    let mut entropy = call.bursar.entropy();
    let secret = Secret::new(entropy.bytes());
    let unsealed = Unsealed::new(&call.bursar.vault, secret.bytes(), entropy.bytes());
    (secret, unsealed)
}

fn with_secret(status: u16, secret: &Secret) -> impl Fn(&Arc<WebhookEndpoint>) -> Answer + Send + 'static {
    let secret = secret.shown();
    move |endpoint| {
        let endpoint = WebhookEndpointJson::from(&**endpoint);
        Answer::json(status, &WebhookEndpointWithSecretJson { endpoint, secret: secret.clone() }).secret()
    }
}

/// POST /v2/webhook-endpoints
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let (secret, sealed) = draw(&call);
    let command = call.body::<CreateWebhookEndpointInput>().and_then(|body| {
        Ok(CreateEndpoint {
            scope,
            url: body.url.within(call.bursar.outbound.reach())?,
            description: body.description.map(|text| text.0),
            events: body.events.map(|names| names.0),
            secret: sealed,
        })
    });
    call.once(command, with_secret(201, &secret)).await
}

/// GET /v2/webhook-endpoints
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: WebhookEndpointsQuery = call.query()?;
    let found = call
        .read(move |world| {
            let mine = of_app::<WebhookEndpoint>(scope, "id");
            page::<WebhookEndpoint>(world, mine, &asked.asked(), |query| query.matching("status", asked.status))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|endpoint| WebhookEndpointJson::from(endpoint))))
}

/// GET /v2/webhook-endpoints/{webhook_endpoint_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = endpoint_in_path(&call)?;
    let endpoint = call.read(move |world| find(world, scope, id)).await?;
    Ok(Answer::ok(&WebhookEndpointJson::from(&*endpoint)))
}

/// PATCH /v2/webhook-endpoints/{webhook_endpoint_id}
pub async fn update(call: Call) -> Outcome {
    let (scope, endpoint) = endpoint_in_path(&call)?;
    let body: UpdateWebhookEndpointInput = call.body()?;
    let reach = call.bursar.outbound.reach();
    let command = UpdateEndpoint {
        scope,
        endpoint,
        url: body.url.0.map(|url| url.within(reach)).transpose()?,
        description: body.description.map(|text| text.0),
        events: body.events.map(|names| names.0),
        status: body.status.0,
    };
    let endpoint = call.run(command).await?;
    Ok(Answer::ok(&WebhookEndpointJson::from(&*endpoint)))
}

/// DELETE /v2/webhook-endpoints/{webhook_endpoint_id}
pub async fn delete(call: Call) -> Outcome {
    let (scope, endpoint) = endpoint_in_path(&call)?;
    call.run(DeleteEndpoint { scope, endpoint }).await?;
    Ok(Answer::empty(204))
}

/// POST /v2/webhook-endpoints/{webhook_endpoint_id}/rotate-secret
pub async fn rotate_secret(call: Call) -> Outcome {
    let (scope, endpoint) = endpoint_in_path(&call)?;
    let (secret, sealed) = draw(&call);
    let command = call.body::<NoFields>().map(|_| RotateSecret { scope, endpoint, secret: sealed });
    call.once(command, with_secret(200, &secret)).await
}

/// POST /v2/webhook-endpoints/{webhook_endpoint_id}/test
pub async fn test(call: Call) -> Outcome {
    let (scope, endpoint) = endpoint_in_path(&call)?;
    let command = call.body::<NoFields>().map(|_| TestEndpoint { scope, endpoint });
    call.once(command, |endpoint| Answer::ok(&WebhookEndpointJson::from(&**endpoint))).await
}

/// GET /v2/webhook-endpoints/{webhook_endpoint_id}/deliveries
pub async fn list_deliveries(call: Call) -> Outcome {
    let (scope, id) = endpoint_in_path(&call)?;
    let asked: WebhookDeliveriesQuery = call.query()?;
    let found = call
        .read(move |world| {
            find(world, scope, id)?;
            let mine = Query::of::<WebhookDelivery>(scope.org.to_value(), "id", 1);
            let mine = mine.equal("endpoint", id);
            page::<WebhookDelivery>(world, mine, &asked.asked(), |query| asked.narrow(query))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|delivery| WebhookDeliveryJson::from(delivery))))
}

impl WebhookDeliveriesQuery {
    fn narrow(&self, query: Query) -> Query {
        query.matching("status", self.status).matching("name", self.event_name)
    }
}

/// POST /v2/webhook-endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/replay
pub async fn replay(call: Call) -> Outcome {
    let (scope, endpoint) = endpoint_in_path(&call)?;
    let delivery = call.id("delivery_id", "delivery")?;
    let command = call.body::<NoFields>().map(|_| ReplayDelivery { scope, endpoint, delivery });
    call.once(command, |delivery| Answer::ok(&WebhookDeliveryJson::from(&**delivery))).await
}

pub fn routes() -> Vec<Route> {
    [endpoint_routes(), delivery_routes()].concat()
}

fn endpoint_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/webhook-endpoints" App "create_webhook_endpoint" create)
            .about("Webhooks", "Create a webhook endpoint")
            .describe(
                "bursar posts the app's events from then on to the URL, signed according to Standard Webhooks; see \
                 the webhooks of this document. Only this response shows the secret. In production, the URL must use \
                 https and resolve to a public address. An app has at most 16 endpoints.",
            )
            .takes::<CreateWebhookEndpointInput>()
            .example(json!({
                "url": "https://example.com/hooks/bursar",
                "events": ["payout_link.claimed", "transfer.completed", "transfer.failed"]
            }))
            .gives::<WebhookEndpointWithSecretJson>(201, "The endpoint with its secret.")
            .refuses(&[Code::LimitExceeded]),
        route!(Get "/v2/webhook-endpoints" App "list_webhook_endpoints" list)
            .about("Webhooks", "List webhook endpoints")
            .describe("Lists the app's webhook endpoints, newest first, without their secrets.")
            .asks::<WebhookEndpointsQuery>()
            .gives::<ListEnvelope<WebhookEndpointJson>>(200, "One page of the list."),
        route!(Get "/v2/webhook-endpoints/{webhook_endpoint_id}" App "get_webhook_endpoint" show)
            .about("Webhooks", "Get a webhook endpoint")
            .describe("Returns one webhook endpoint, without its secret.")
            .gives::<WebhookEndpointJson>(200, "The endpoint."),
        route!(Patch "/v2/webhook-endpoints/{webhook_endpoint_id}" App "update_webhook_endpoint" update)
            .about("Webhooks", "Update, disable or enable a webhook endpoint")
            .describe("Changes only the fields that are sent. A disabled endpoint receives no events until it is enabled.")
            .takes::<UpdateWebhookEndpointInput>()
            .example(json!({"status": "disabled"}))
            .gives::<WebhookEndpointJson>(200, "The endpoint."),
        route!(Delete "/v2/webhook-endpoints/{webhook_endpoint_id}" App "delete_webhook_endpoint" delete)
            .about("Webhooks", "Delete a webhook endpoint")
            .describe("Pending deliveries to the endpoint are not sent.")
            .gives_empty(204, "The endpoint is deleted."),
        route!(Post "/v2/webhook-endpoints/{webhook_endpoint_id}/rotate-secret" App "rotate_webhook_secret" rotate_secret)
            .about("Webhooks", "Rotate the secret of a webhook endpoint")
            .describe(
                "For 24 hours the previous secret signs too, and the header webhook-signature contains both \
                 signatures. Older secrets stop signing.",
            )
            .takes::<NoFields>()
            .gives::<WebhookEndpointWithSecretJson>(200, "The endpoint with its new secret."),
        route!(Post "/v2/webhook-endpoints/{webhook_endpoint_id}/test" App "test_webhook_endpoint" test)
            .about("Webhooks", "Test a webhook endpoint")
            .describe(
                "Emits the event webhook_endpoint.tested, whose object is the endpoint. The event is sent to this \
                 endpoint only, also if it does not receive events of this name, with the signature and the retries \
                 of every delivery. The list of deliveries shows the status of the response.",
            )
            .takes::<NoFields>()
            .gives::<WebhookEndpointJson>(200, "The endpoint. The event is on its way.")
            .refuses(&[Code::InvalidState]),
    ]
}

fn delivery_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/webhook-endpoints/{webhook_endpoint_id}/deliveries" App "list_webhook_deliveries" list_deliveries)
            .about("Webhooks", "List the deliveries of a webhook endpoint")
            .describe(
                "Lists sent and pending deliveries. The first attempt is immediate; retries follow 5 seconds, 5 \
                 minutes, 30 minutes, 2, 5, 10 and 10 hours after a failed attempt. After eight failed attempts the \
                 delivery is dead. Deliveries are kept for 30 days after their last change.",
            )
            .asks::<WebhookDeliveriesQuery>()
            .gives::<ListEnvelope<WebhookDeliveryJson>>(200, "One page of the list."),
        route!(
            Post "/v2/webhook-endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/replay" App
            "replay_webhook_delivery" replay
        )
        .about("Webhooks", "Replay a webhook delivery")
        .describe("Sends the event again immediately, with the full retry schedule, regardless of the delivery's state.")
        .takes::<NoFields>()
        .gives::<WebhookDeliveryJson>(200, "The pending delivery.")
        .refuses(&[Code::InvalidState]),
    ]
}
