//! The story of a batch: a payroll file is checked and sent, and every payee is paid.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::Server;
use crate::story_payout::Payee;

const JANE: &str = "+12127361234";
const DAY: i64 = 86_400;

async fn results(server: &Server, id: &str) -> Vec<BTreeMap<String, String>> {
    let path = format!("/v2/payout-link-batches/{id}/results.csv");
    let file = server.get(&path).app_key().send().await.expect(200);
    csv::Reader::from_reader(file.text.as_bytes()).deserialize().map(|line| line.unwrap()).collect()
}

#[tokio::test]
async fn a_payroll_is_checked_sent_and_paid() {
    let server = Server::start().await;
    let before = server.balance("app_wallet").await;
    let jane = json!({
        "first_name": "Jane", "last_name": "Doe", "country_code": "1", "phone_number": "2127361234",
        "delivery_method": "sms", "amount_cents": 12_000, "memo": "March",
        "idempotency_key": "0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c01"
    });
    let john = json!({
        "first_name": "John", "last_name": "Roe", "email": "john@example.com", "delivery_method": "email",
        "amount_cents": 8_000, "memo": "March", "idempotency_key": "0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c02"
    });
    let mut bonus = jane.clone();
    bonus["amount_cents"] = json!(before);
    bonus["memo"] = json!("A bonus with a few noughts too many");
    bonus["idempotency_key"] = json!("0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c03");
    let payroll = json!({"links": [jane, john, bonus]});

    // The office first requests a dry run. Nothing moves.
    let dry = "/v2/payout-link-batches?dry_run=true";
    let plan = server.post(dry).app_key().json(payroll.clone()).send().await.expect(200).body;
    assert_eq!(plan["rows"][2]["error_code"], "transaction-insufficient-funds");
    assert_eq!(plan["balance_after"], json!(before - 20_000));
    assert_eq!(server.balance("app_wallet").await, before);

    // It is sent nevertheless, twice by a double click.
    let sent = server.post("/v2/payout-link-batches").app_key().json(payroll.clone()).send().await.expect(201);
    let again = server.post("/v2/payout-link-batches").app_key().json(payroll).send().await.expect(200);
    assert_eq!(again.id(), sent.id());

    // The links are created: two of three, each once.
    server.work_off().await;
    let batch = server.get(&format!("/v2/payout-link-batches/{}", sent.id())).app_key().send().await.expect(200).body;
    assert_eq!(batch["status"], "completed_with_errors");
    let lines = results(&server, &sent.id()).await;
    let statuses: Vec<&str> = lines.iter().map(|line| line["status"].as_str()).collect();
    assert_eq!(statuses, ["succeeded", "succeeded", "failed"]);
    assert_eq!(server.balance("app_held").await, 20_000);

    // Jane and John have their messages; Jane sends hers to the bank.
    assert_eq!(server.newest_message("john@example.com").await["link"], Value::from(lines[1]["link"].clone()));
    let payee = Payee::arrive(&server, JANE).await;
    payee.name().await;
    payee.bank("000123456789").await;
    payee.step("payout", json!({})).await;
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(payee.fetch().await["transfer"]["status"], "completed");
    assert_eq!(server.balance("app_held").await, 8_000, "John's waits for him");

    // The bonus was a mistake: nothing is left of it but its line in the file.
    assert_eq!(server.balance("app_wallet").await, before - 20_000);
    server.verify();
}
