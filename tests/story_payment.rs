//! A story: a shop collects an invoice from a company, and another that the company's bank takes back.

use serde_json::{Value, json};

use crate::harness::Server;

const DAY: i64 = 86_400;

async fn fetch(server: &Server, payment: &Value) -> Value {
    let path = format!("/v2/transfers/{}", payment["id"].as_str().unwrap());
    server.get(&path).app_key().send().await.expect(200).body
}

#[tokio::test]
async fn an_invoice_is_collected_and_another_is_taken_back() {
    let server = Server::start().await;
    let before = server.balance("app_wallet").await;

    // The shop adds the company, with the account that it pays from.
    let acme = json!({"name": "Acme Ltd", "email": "billing@acme.example"});
    let acme = server.post("/v2/payment-customers").app_key().json(acme).send().await.expect(201).id();
    let accounts = format!("/v2/payment-customers/{acme}/bank-accounts");
    let account = json!({"account_number": "000123456789", "routing_number": "110000000"});
    server.post(&accounts).app_key().json(account).send().await.expect(201);

    // It collects $120.00. A day later Acme's bank has paid.
    let collect = |amount: i64, invoice: &str| {
        let body = json!({"amount": amount, "platform": "ach", "customer_id": acme, "metadata": invoice});
        server.post("/v2/payments").app_key().json(body).send()
    };
    let first = collect(12_000, "invoice 1").await.expect(201).body;
    assert_eq!(first["sender_details"]["name"], "Acme Ltd");
    server.work_off().await;
    assert_eq!(fetch(&server, &first).await["status"], "pending");
    assert_eq!(server.balance("app_wallet").await, before);
    server.pass(DAY).await;
    assert_eq!(fetch(&server, &first).await["status"], "completed");
    assert_eq!(server.balance("app_wallet").await, before + 12_000);

    // Acme changes its bank account. The next invoice is paid from there, and then Acme disputes it.
    let other = json!({"account_number": "20000010", "routing_number": "110000000"});
    server.post(&accounts).app_key().json(other).send().await.expect(201);
    let second = collect(8_000, "invoice 2").await.expect(201).body;
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, before + 20_000);
    server.pass(2 * DAY).await;
    let back = fetch(&server, &second).await;
    assert_eq!((&back["status"], &back["error"]), (&json!("reversed"), &json!("unauthorized")));
    assert_eq!(server.balance("app_wallet").await, before + 12_000);

    // The refused account is not used again: the older one is.
    let third = collect(8_000, "invoice 2, once more").await.expect(201).body;
    assert_eq!(third["sender_details"]["account_number_last4"], "6789");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, before + 20_000);
    server.verify();
}
