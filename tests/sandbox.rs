//! Features of the sandbox only.

use serde_json::json;

use crate::harness::Server;

const DAY: i64 = 86_400;

#[tokio::test]
async fn list_magic_values_shows_every_failure() {
    let server = Server::memory().await;
    let magic = server.get("/v2/sandbox/magic-values").app_key().send().await.expect(200).body;
    let closed = magic["failures"].as_array().unwrap().iter().find(|failure| failure["code"] == "account_closed");
    assert_eq!(closed.unwrap()["return_codes"], json!([2]));
    assert!(magic["values"].as_array().unwrap().iter().any(|value| value["value"] == "100000RR"));
}

#[tokio::test]
async fn an_answer_is_kept_thirty_days_and_its_key_permanently() {
    let server = Server::start().await;
    let body = json!({"amount": 100, "delivery": {"method": "link"}});
    let create = || server.post("/v2/payout-links").app_key().idempotency_key("kept").json(body.clone()).send();
    // The body of this one is stored with its key; that of the link is read from its event, so nothing is buried.
    let make = || {
        let name = json!({"name": "Corner Shop"});
        server.post("/v2/apps").as_org().idempotency_key("made").json(name).send()
    };
    let (first, made) = (create().await.expect(201), make().await.expect(201));
    server.pass(29 * DAY).await;
    assert_eq!(bursar::worker::bury_outlived(server.bursar()).await.unwrap(), 0);
    assert_eq!(create().await.expect(201).text, first.text);
    assert_eq!(make().await.expect(201).text, made.text);

    server.pass(2 * DAY).await;
    assert_eq!(bursar::worker::bury_outlived(server.bursar()).await.unwrap(), 1);
    for (late, first) in [(create().await, &first), (make().await, &made)] {
        late.refused(409, "idempotency-key-reused");
        assert!(late.text.contains(&first.id()), "it tells what the key made: {}", late.text);
    }
    let links = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    assert_eq!(links["data"].as_array().unwrap().len(), 1, "nothing was made again");
}
