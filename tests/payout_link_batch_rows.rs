//! The rows of a batch as pages of JSON.

use serde_json::{Value, json};

use crate::harness::Server;
use crate::payout_link_batches::{ALL_MONEY, BATCHES, key, links, rows, submit};

#[tokio::test]
async fn list_payout_link_batch_rows_has_each_row_and_its_result() {
    let server = Server::memory().await;
    let mut asked = rows(0..3);
    asked[1]["amount_cents"] = json!(ALL_MONEY);
    asked[2]["memo"] = json!("=1+1");
    let id = submit(&server, asked).await.expect(201).id();
    let path = format!("{BATCHES}/{id}/rows");
    let read = async |query: &str| server.get(&format!("{path}?{query}")).app_key().send().await.expect(200).body;
    let ids = |page: &Value| -> Vec<i64> {
        page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
    };
    let before = read("status=waiting").await;
    assert_eq!((ids(&before), &before["has_more"]), (vec![0, 1, 2], &json!(false)));
    let empty = json!({"id": 0, "status": "waiting", "payout_link_id": null, "link": null, "error_code": null,
        "error_message": null, "row": before["data"][0]["row"]});
    assert_eq!(before["data"][0], empty);

    server.work_off().await;
    let after = read("").await;
    let [first, failed, last] = after["data"].as_array().unwrap().as_slice() else { panic!("{after}") };
    let links = links(&server).await;
    let link = links.iter().find(|link| link["id"] == first["payout_link_id"]).expect("it exists");
    assert_eq!((&first["status"], &first["link"]), (&json!("succeeded"), &link["link"]));
    assert_eq!((&first["row"]["amount_cents"], &first["row"]["idempotency_key"]), (&json!(100), &json!(key(0))));
    assert_eq!((&failed["status"], &failed["payout_link_id"]), (&json!("failed"), &Value::Null));
    assert_eq!(failed["error_code"], "transaction-insufficient-funds");
    assert!(failed["error_message"].as_str().is_some_and(|message| !message.is_empty()));
    assert_eq!(last["row"]["memo"], "=1+1", "only the file is made safe for spreadsheets");

    for (query, expected, more) in [
        ("limit=2", vec![0, 1], true),
        ("limit=2&starting_after=1", vec![2], false),
        ("limit=1&ending_before=2", vec![1], true),
        ("status=failed", vec![1], false),
    ] {
        let page = read(query).await;
        assert_eq!((ids(&page), &page["has_more"]), (expected, &json!(more)), "{query}");
    }
    let wrong = server.get(&format!("{path}?starting_after=9")).app_key().send().await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["starting_after"]);
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    server.get(&path).as_org().for_app(&other).send().await.refused(404, "not-found");
}
