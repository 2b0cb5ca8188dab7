//! The `webhooks` of the document, and the page of all events, from the one list of events.

use serde_json::{Map, Value, json};

use crate::events::EventName;

/// The name of an event's own schema.
const EVENT: &str = "#/components/schemas/Event";

/// `webhooks`: what is posted to an endpoint, by the event's name. `schemas` are the components of the document.
pub(super) fn webhooks(schemas: &Value) -> Value {
    EventName::ALL
        .iter()
        .map(|name| (name.as_str().to_owned(), json!({"post": posted(*name, schemas)})))
        .collect::<Map<_, _>>()
        .into()
}

fn posted(name: EventName, schemas: &Value) -> Value {
    let header = |name: &str| json!({"$ref": format!("#/components/parameters/{name}")});
    json!({
        "operationId": format!("on_{}", name.as_str().replace('.', "_")),
        "tags": ["Webhooks"],
        "summary": name.when(),
        "security": [],
        "parameters": [header("WebhookId"), header("WebhookTimestamp"), header("WebhookSignature")],
        "requestBody": {"required": true, "content": {"application/json": {"schema": body(name, schemas)}}},
        "responses": {
            "2XX": {"description": "Taken. The body is not looked at."},
            "410": {"description": "Nothing is wanted any more: the endpoint is disabled."},
            "default": {"description": "Not taken; it is sent again, eight times in all."},
        },
    })
}

/// The event with its name, and the object as its own routes show it.
fn body(name: EventName, schemas: &Value) -> Value {
    let object = match schemas.get(name.object()) {
        Some(_) => json!({"$ref": format!("#/components/schemas/{}", name.object())}),
        None => json!({"type": "object"}),
    };
    json!({"allOf": [
        {"$ref": EVENT},
        {"type": "object", "properties": {"name": {"const": name.as_str()}, "object": object}},
    ]})
}

/// The headers of a webhook, for `components.parameters`.
pub(super) fn header_parameters() -> [(&'static str, Value); 3] {
    let header = |name: &str, description: &str| {
        json!({
            "name": name, "in": "header", "required": true, "description": description, "schema": {"type": "string"},
        })
    };
    [
        (
            "WebhookId",
            header("webhook-id", "The event's id, the same in every attempt: whoever keeps it takes each event once."),
        ),
        (
            "WebhookTimestamp",
            header("webhook-timestamp", "When this attempt was made, in seconds since 1970. Refuse old ones."),
        ),
        (
            "WebhookSignature",
            header(
                "webhook-signature",
                "`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, under the bytes \
                 behind `whsec_` in the endpoint's secret, Base64-decoded. Two of them, with a space between, for a day \
                 after a rotation. Any library of Standard Webhooks checks it.",
            ),
        ),
    ]
}

/// docs/events.md: every event with its meaning and its object.
pub fn events_page() -> String {
    let mut page = String::from(
        "# Events\n\n\
         Made from the one list in `src/events/names.rs` by `make bless`. Names never change.\n\n\
         An event is `{id, sequence, name, created, object_id, version, object}`: `GET /v2/events` lists them, and webhooks \
         carry them. `sequence` has no gaps within an app; `version` counts the events about one object. The object is \
         whole, as its own routes show it, but for secrets, which are null.\n\n\
         | name | when | object |\n|---|---|---|\n",
    );
    for name in EventName::ALL {
        page.push_str(&format!("| `{name}` | {} | {} |\n", name.when(), name.object()));
    }
    page
}
