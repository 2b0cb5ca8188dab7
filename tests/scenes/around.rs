//! Changes that are not in the log: its delivery, and the sandbox's clock.

use serde_json::{Value, json};

use super::watch::{Covered, Scene};
use crate::harness::Server;

/// Endpoints and deliveries transport the log, and have separate lists. If the log included them, each delivery would
/// cause another.
pub async fn webhooks(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    // No server listens there: every attempt fails.
    let body = json!({"url": "http://127.0.0.1:9/hooks"});
    let made = scene.ask("POST /v2/webhook-endpoints", body, 201, &[]).await.id();
    let path = format!("/v2/webhook-endpoints/{made}");
    scene.ask(&format!("PATCH {path}"), json!({"description": "Mine"}), 200, &[]).await;
    scene.ask(&format!("POST {path}/rotate-secret"), Value::Null, 200, &[]).await;
    scene.ask(&format!("POST {path}/test"), Value::Null, 200, &["webhook_endpoint.tested #1 enabled"]).await;
    let reported: &[&str] = &["payment_customer.updated #1"];
    scene.ask("POST /v2/payment-customers", json!({"name": "Acme Ltd"}), 201, reported).await;
    scene.work(&[]).await;
    let deliveries = scene.server.get(&format!("{path}/deliveries")).app_key().send().await.expect(200).body;
    let delivery = deliveries["data"][0]["id"].as_str().expect("the customer was told of").to_owned();
    scene.ask(&format!("POST {path}/deliveries/{delivery}/replay"), Value::Null, 200, &[]).await;
    scene.work(&[]).await;
    scene.ask(&format!("DELETE {path}"), Value::Null, 204, &[]).await;
}

/// A phone replies, which stops and resumes its texts; the log has the message before.
pub async fn reply(covered: &mut Covered) {
    let server = Server::memory().await;
    let link = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    server.post("/v2/payout-links").app_key().json(link).send().await.expect(201);
    server.work_off().await;
    let mut scene = Scene::on(server, covered).await;
    scene.ask("POST /v2/sandbox/replies", json!({"from": "+12127361234", "text": "STOP"}), 200, &[]).await;
}

/// The clock moves, and nothing else changes.
pub async fn clock(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    scene.ask("POST /v2/sandbox/clock/advance", json!({"seconds": 60}), 200, &[]).await;
}
