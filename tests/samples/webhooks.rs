//! Webhook endpoints and their deliveries.

use serde_json::json;

use super::{Sample, Stage};

/// No server listens there: every call fails at once.
const URL: &str = "http://127.0.0.1:9/hooks";
/// Endpoints at a time, well below the limit of an app.
const ENDPOINTS_MAX: usize = 8;

/// Returns a request for one of these operations; `None` for others.
pub async fn sample(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "create_webhook_endpoint" => {
            clear_away(stage).await;
            Sample::bare().json(json!({"url": URL, "events": ["transfer.completed"]}))
        }
        "list_webhook_endpoints" => Sample::bare().query("limit=100").shows(&endpoint(stage).await),
        "get_webhook_endpoint" => one(stage).await,
        "rotate_webhook_secret" | "test_webhook_endpoint" => one(stage).await.empty(),
        "update_webhook_endpoint" => one(stage).await.json(json!({"description": "Another"})),
        "delete_webhook_endpoint" => Sample { shows: Vec::new(), ..one(stage).await },
        "list_webhook_deliveries" => {
            let (endpoint, delivery) = delivery(stage).await;
            Sample::at([&endpoint]).query("limit=100").shows(&delivery)
        }
        "replay_webhook_delivery" => {
            let (endpoint, delivery) = delivery(stage).await;
            Sample::at([&endpoint, &delivery]).empty().shows(&delivery)
        }
        _ => return None,
    })
}

/// Deletes the oldest endpoints, because an app may have only a few.
async fn clear_away(stage: &Stage) {
    let all = stage.read("/v2/webhook-endpoints?limit=100").await;
    for old in all["data"].as_array().expect("a list").iter().skip(ENDPOINTS_MAX) {
        let path = format!("/v2/webhook-endpoints/{}", old["id"].as_str().expect("it has an id"));
        stage.ask("DELETE", &path).send().await.expect(204);
    }
}

async fn endpoint(stage: &Stage) -> String {
    clear_away(stage).await;
    stage.make("/v2/webhook-endpoints", json!({"url": URL}), 201).await
}

/// A new endpoint in the path, which is in the response.
async fn one(stage: &Stage) -> Sample {
    let endpoint = endpoint(stage).await;
    Sample::at([&endpoint]).shows(&endpoint)
}

/// Creates an endpoint, and a delivery to it.
async fn delivery(stage: &Stage) -> (String, String) {
    let endpoint = endpoint(stage).await;
    stage.link().await;
    stage.server.work_off().await;
    let deliveries = stage.read(&format!("/v2/webhook-endpoints/{endpoint}/deliveries")).await;
    let delivery = stage.own(deliveries["data"][0]["id"].as_str().expect("a link is told of"));
    (endpoint, delivery)
}
