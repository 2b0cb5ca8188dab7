//! The beginning of a receiver's response, which its delivery keeps.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::{Manner, Receiver, Server};
use crate::webhooks::{deliveries, endpoint_for, link};

const LATEST: &str = "transfer.updated";

/// Sends the events of a link to a receiver with this manner; returns the first delivery.
async fn delivered(server: &Server, manner: Manner) -> Value {
    let receiver = Receiver::start(manner).await;
    let endpoint = endpoint_for(server, json!({"url": receiver.url, "events": [LATEST]})).await;
    link(server).await;
    server.work_off().await;
    deliveries(server, &endpoint).await.remove(0)
}

#[tokio::test]
async fn list_webhook_deliveries_shows_the_beginning_of_the_response() {
    let server = Server::memory().await;
    let long = [vec![b'x'; 1_023], "\u{e9}yz".as_bytes().to_vec()].concat();
    for (status, said, shown) in [
        (500, b"{\"error\": \"no such order\"}".to_vec(), json!("{\"error\": \"no such order\"}")),
        (200, b"ok".to_vec(), json!("ok")),
        (200, Vec::new(), Value::Null),
        (400, long, json!("x".repeat(1_023))),
        (502, vec![0, 0x1b, 0xff, b'!'], json!("\u{fffd}\u{fffd}\u{fffd}!")),
    ] {
        let delivery = delivered(&server, Manner::Says(status, said)).await;
        assert_eq!((&delivery["response_status"], &delivery["response_body"]), (&json!(status), &shown), "{delivery}");
    }
}

/// The status decides, when it arrives: a body that never ends delays nothing and changes nothing.
#[tokio::test]
async fn a_slow_body_changes_nothing_and_its_beginning_is_kept() {
    let server = Server::memory().await;
    let since = Instant::now();
    let delivery = delivered(&server, Manner::Begins("first words")).await;
    assert_eq!((&delivery["status"], &delivery["response_body"]), (&json!("succeeded"), &json!("first words")));
    assert!(since.elapsed().as_secs() < 10, "a call that waits for the body takes 15 seconds");
}

/// A receiver may repeat what it received.
#[tokio::test]
async fn the_response_of_a_receiver_is_erased_with_its_payee() {
    const NAME: &str = "Zebulona";
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Says(422, format!("no such payee: {NAME}").into_bytes())).await;
    let endpoint = endpoint_for(&server, json!({"url": receiver.url, "events": null})).await;
    let payee = json!({"first_name": NAME, "last_name": "Q", "email": "z@quagmire.example", "country_code": "1", "phone_number": "2127369876"});
    let user = server.post("/v2/users").app_key().json(payee).send().await.expect(201).id();
    server.work_off().await;
    let bodies = async || -> Vec<Value> {
        deliveries(&server, &endpoint).await.iter().map(|delivery| delivery["response_body"].clone()).collect()
    };
    let before = bodies().await;
    assert!(
        !before.is_empty() && before.iter().all(|body| body.as_str().is_some_and(|body| body.contains(NAME))),
        "{before:?}"
    );
    receiver.behave(Manner::Says(422, b"no".to_vec()));
    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    server.work_off().await;
    let after = bodies().await;
    assert!(
        after.len() > before.len() && !after.iter().any(|body| body.as_str().is_some_and(|body| body.contains(NAME))),
        "{after:?}"
    );
    assert_eq!(after[..before.len()], vec![Value::Null; before.len()]);
}
