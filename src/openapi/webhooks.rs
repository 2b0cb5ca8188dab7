//! The `webhooks` of the document and the page of all events, from one list of events.

use serde_json::{Map, Value, json};

use crate::events::EventName;

/// The tag of the events. Generators write a file for each tag, so it differs from that of the endpoints' operations.
pub(super) const TAG: &str = "Webhook events";
const EVENT: &str = "Event";

/// Returns `webhooks`: the bodies that an endpoint receives, by the event's name. `schemas` are the components of the
/// document.
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
        "tags": [TAG],
        "summary": name.when(),
        "security": [],
        "parameters": [header("WebhookId"), header("WebhookTimestamp"), header("WebhookSignature"), header("BursarAnchor")],
        "requestBody": {"required": true, "content": {"application/json": {"schema": body(name, schemas)}}},
        "responses": {
            "2XX": {"description": "The event was received. The body is ignored."},
            "410": {"description": "The endpoint wants no more events; bursar disables it."},
            "default": {"description": "The delivery failed. bursar retries it, up to eight attempts in all."},
        },
    })
}

/// Returns the event with its name, and the object as its own routes show it.
fn body(name: EventName, schemas: &Value) -> Value {
    let object = match schemas.get(name.object()) {
        Some(_) => json!({"$ref": format!("#/components/schemas/{}", name.object())}),
        None => json!({"type": "object"}),
    };
    // A schema of its own instead of a part over the general event: in many languages a type cannot narrow a field.
    let mut event = schemas[EVENT].clone();
    event["properties"]["name"] = json!({"type": "string", "enum": [name.as_str()]});
    event["properties"]["object"] = object;
    event
}

/// Returns the headers of a webhook, for `components.parameters`.
pub(super) fn header_parameters() -> [(&'static str, Value); 4] {
    let header = |name: &str, description: &str| {
        json!({
            "name": name, "in": "header", "required": true, "description": description, "schema": {"type": "string"},
        })
    };
    [
        (
            "WebhookId",
            header("webhook-id", "The event's id, the same in every attempt. Store it to process each event once."),
        ),
        (
            "WebhookTimestamp",
            header("webhook-timestamp", "The time of this attempt, in seconds since 1970. Reject old timestamps."),
        ),
        (
            "WebhookSignature",
            header(
                "webhook-signature",
                "`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the \
                 Base64-decoded part of the endpoint's secret after `whsec_`. For 24 hours after a rotation, the \
                 header has two signatures, separated by a space. Any Standard Webhooks library verifies it.",
            ),
        ),
        (
            "BursarAnchor",
            header(
                "bursar-anchor",
                "The signed head of the log at this event, in one line. Keep it: `bursar verify --anchor FILE` \
                 rejects a history that does not contain it.",
            ),
        ),
    ]
}

/// The part of docs/events.md about reading events.
const READING: &str = r#"
## Reading events

On a laptop, from a running sandbox, without an endpoint:

```
bursar events --follow
bursar listen --forward-to http://127.0.0.1:3000/hooks
```

With a webhook endpoint. `$KEY` is `<client_id>:<api_key>`; only this response shows the secret:

```
curl -u "$KEY" -H 'Content-Type: application/json' -d '{"url": "https://example.com/hooks"}' $URL/v2/webhook-endpoints
```

Each delivery has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. To verify it in Python:

```python
key = base64.b64decode(secret.removeprefix("whsec_"))
signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
assert any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split(" "))
```

Respond with 2xx within 15 seconds, store `webhook-id`, and process each event once: a delivery may arrive twice, or before one with a smaller `sequence`. bursar retries a failed delivery after 5 s, 5 min,
30 min, 2 h, 5 h, 10 h and 10 h. `GET /v2/webhook-endpoints/{id}/deliveries` lists the deliveries, `POST …/deliveries/{id}/replay` sends
one again. `POST …/rotate-secret` creates a new secret; for 24 hours both sign. To catch up, request `GET /v2/events?after=<sequence>`.
"#;

/// Returns docs/events.md: every event with its meaning and its object.
pub fn events_page() -> String {
    let mut page = String::from(
        "# Events\n\nGenerated from `src/events/names.rs` by `make bless`. Names never change.\n\nAn event is `{id, \
         sequence, name, created, object_id, version, object}`. `GET /v2/events` lists events, and webhooks deliver \
         them. `sequence` has no gaps within an app; `version` counts the events of one object, without gaps in an \
         app's log. The object is complete, as its own routes return it, with two exceptions: secrets are null, and \
         the `transactions` of a transfer or a payment are empty, because the event is emitted between the ledger's \
         postings. Read the object for them.\n\n| name | when | object |\n|---|---|---|\n",
    );
    for name in EventName::ALL {
        page.push_str(&format!("| `{name}` | {} | {} |\n", name.when(), name.object()));
    }
    page.push_str(READING);
    page.push_str(
        "\n## Objects\n\n`/docs` describes the objects with their routes. This section describes the objects that no \
         route returns.\n",
    );
    let shown = |schema: &Value| schema["properties"].is_object() || schema["enum"].is_array();
    for (name, schema) in super::schemas::of_events_alone().into_iter().filter(|(_, schema)| shown(schema)) {
        page.push_str(&object(super::schemas::public(&name), &schema));
    }
    page
}

/// Returns the part of the page about one object: its fields, or its words.
fn object(name: &str, schema: &Value) -> String {
    let mut part = format!("\n### {name}\n\n");
    let text = |schema: &Value| schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    part.push_str(&format!("{}\n\n", text(schema)));
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        part.push_str(&format!("One of: `{}`.\n", words.join("`, `")));
    }
    if let Some(fields) = schema["properties"].as_object() {
        part.push_str("| field | type | meaning |\n|---|---|---|\n");
        for (field, schema) in fields {
            part.push_str(&format!("| {field} | {} | {} |\n", kind(schema), text(schema)));
        }
    }
    part
}

/// Returns the type of a field: its format if it has one, or the name of another object or set of words. Every id is a
/// UUID.
fn kind(schema: &Value) -> &str {
    let named = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    let named = named.and_then(|named| named.rsplit('/').next());
    let named = named.map(|named| if named.ends_with("Id") { "uuid" } else { named });
    named.or_else(|| schema["format"].as_str()).or_else(|| schema["type"].as_str()).unwrap_or("any")
}
