//! The `webhooks` of the document and the page of all events, from one list of events.

use serde_json::{Map, Value, json};

use crate::events::EventName;

const EVENT: &str = "#/components/schemas/Event";

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
        "tags": ["Webhooks"],
        "summary": name.when(),
        "security": [],
        "parameters": [header("WebhookId"), header("WebhookTimestamp"), header("WebhookSignature"), header("BursarAnchor")],
        "requestBody": {"required": true, "content": {"application/json": {"schema": body(name, schemas)}}},
        "responses": {
            "2XX": {"description": "Taken. The body is not looked at."},
            "410": {"description": "Nothing is wanted any more: the endpoint is disabled."},
            "default": {"description": "Not taken; it is sent again, eight times in all."},
        },
    })
}

/// Returns the event with its name, and the object as its own routes show it.
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
        (
            "BursarAnchor",
            header(
                "bursar-anchor",
                "The signed head of the log at this event: one line. Keep it, and `bursar verify --anchor FILE` refuses a \
                 history that does not contain it.",
            ),
        ),
    ]
}

/// The part of docs/events.md about reading events.
const READING: &str = r#"
## Reading them

On a laptop, against a running sandbox, without an endpoint:

```
bursar events --follow
bursar listen --forward-to http://127.0.0.1:3000/hooks
```

As an endpoint. `$KEY` is `<client_id>:<api_key>`; the answer shows the secret, this once:

```
curl -u "$KEY" -H 'Content-Type: application/json' -d '{"url": "https://example.com/hooks"}' $URL/v2/webhook-endpoints
```

Each call has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. In Python:

```python
key = base64.b64decode(secret.removeprefix("whsec_"))
signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
assert any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split(" "))
```

Answer 2xx within 15 seconds, keep `webhook-id`, and take each once: a call may come twice, or before one with a smaller `sequence`. What was not taken comes again after 5 s, 5 min,
30 min, 2 h, 5 h, 10 h and 10 h. `GET /v2/webhook-endpoints/{id}/deliveries` shows what became of each call, `POST …/deliveries/{id}/replay` makes
one again. `POST …/rotate-secret` gives a new secret; for a day both sign. Whoever lost track asks `GET /v2/events?after=<sequence>`.
"#;

/// Returns docs/events.md: every event with its meaning and its object.
pub fn events_page() -> String {
    let mut page = String::from(
        "# Events\n\n\
         Made from the one list in `src/events/names.rs` by `make bless`. Names never change.\n\n\
         An event is `{id, sequence, name, created, object_id, version, object}`: `GET /v2/events` lists them, and webhooks \
         carry them. `sequence` has no gaps within an app; `version` counts the events about one object, without gaps in an app's log. The object is \
         whole, as its own routes show it, but for secrets, which are null, and the `transactions` of a transfer or a payment, \
         which are empty: it is told of between the ledger's movements. Read the object for them.\n\n\
         | name | when | object |\n|---|---|---|\n",
    );
    for name in EventName::ALL {
        page.push_str(&format!("| `{name}` | {} | {} |\n", name.when(), name.object()));
    }
    page.push_str(READING);
    page.push_str(
        "\n## Objects\n\nThe objects are described in `/docs`, with their routes. What no route shows stands here.\n",
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
