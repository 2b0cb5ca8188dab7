//! Dry runs of payout link batches: they return the result of a real run, and change nothing.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::payout_link_batches::{ALL_MONEY, BATCHES, balance, done, key, links, results, row, rows};

async fn plan_of(server: &Server, links: impl serde::Serialize) -> Reply {
    server.post(&format!("{BATCHES}?dry_run=true")).app_key().json(json!({ "links": links })).send().await
}

#[tokio::test]
async fn a_dry_run_shows_the_outcome_of_each_row_and_leaves_no_trace() {
    let server = Server::memory().await;
    let jane = json!({"country_code": "1", "phone_number": "2127361234"});
    let single = json!({"amount": 1_000, "payee": jane, "delivery": {"method": "sms"}});
    let used =
        server.post("/v2/payout-links").app_key().idempotency_key(&key(1)).json(single).send().await.expect(201).id();
    let to_jane = |number: u128, amount: i64| {
        json!({
            "country_code": "1", "phone_number": "2127361234", "delivery_method": "sms", "amount_cents": amount,
            "idempotency_key": key(number)
        })
    };
    let mut listed = row(6);
    listed["first_name"] = json!("Test");
    listed["last_name"] = json!("Sanctioned");
    let asked = [
        to_jane(1, 1_000),                  // made before under this key
        to_jane(2, 1_000),                  // the same once more, under another
        to_jane(1_000, 1_000),              // and again
        json!({"amount_cents": ALL_MONEY}), // more than is left
        row(5),
        listed,
        json!({"amount_cents": 20}), // less than the fee
    ];
    let (events, before) = (server.get("/v2/events?limit=100").app_key().send().await.text, balance(&server).await);
    let plan = plan_of(&server, &asked).await.expect(200).body;
    let outcomes: Vec<&str> =
        plan["rows"].as_array().unwrap().iter().map(|row| row["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["repeat", "create", "create", "fail", "create", "create", "create"]);
    assert_eq!((&plan["creates"], &plan["repeats"], &plan["fails"]), (&json!(5), &json!(1), &json!(1)));
    assert_eq!((&plan["balance_before"], &plan["balance_after"]), (&json!(before), &json!(before - 2_220)));
    let line = |number: usize| &plan["rows"][number];
    assert_eq!(line(0)["payout_link_id"], used);
    assert_eq!(line(1)["similar_payout_link_ids"], json!([used]));
    assert_eq!((&line(1)["similar_rows"], &line(2)["similar_rows"]), (&json!([0]), &json!([0, 1])));
    assert_eq!(line(3)["error_code"], "transaction-insufficient-funds");
    assert_eq!((&line(4)["name_listed"], &line(5)["name_listed"]), (&json!(false), &json!(true)));
    // ach costs 25 cents, which the payee pays unless the app decides otherwise.
    assert_eq!((&line(4)["platform"], &line(4)["user_fee_amount"]), (&json!("ach"), &json!(25)));
    assert_eq!(line(6)["user_fee_amount"], Value::Null);
    assert_eq!((&plan["user_fees"], &plan["platform_fees"]), (&json!(100), &json!(0)));
    assert_eq!(plan["validated_rows"].as_array().unwrap().len(), 7);
    assert_eq!(plan["payout_link_batch_id"], Value::Null);

    // Nothing was created or stored: no link, event, job, batch or key.
    assert_eq!(server.get("/v2/events?limit=100").app_key().send().await.text, events);
    assert_eq!((links(&server).await.len(), balance(&server).await), (1, before));
    let list = server.get(BATCHES).app_key().send().await.expect(200).body;
    assert_eq!(list["data"], json!([]));

    // The real run has the planned result.
    let id = done(&server, &asked).await;
    let lines = results(&server, &id).await;
    let came: Vec<&str> = lines.iter().map(|line| line["status"].as_str()).collect();
    let planned: Vec<&str> =
        outcomes.iter().map(|outcome| if *outcome == "fail" { "failed" } else { "succeeded" }).collect();
    assert_eq!(came, planned);
    assert_eq!(json!(balance(&server).await), plan["balance_after"]);
    let again = plan_of(&server, &asked).await.expect(200).body;
    assert_eq!((&again["payout_link_batch_id"], &again["repeats"]), (&json!(id), &json!(6)));
}

#[tokio::test]
async fn a_dry_run_of_five_hundred_rows_and_of_wrong_ones() {
    let server = Server::start().await;
    let planned = plan_of(&server, rows(0..500)).await.expect(200).body;
    assert_eq!((&planned["creates"], &planned["balance_after"]), (&json!(500), &json!(ALL_MONEY - 50_000)));
    let wrong = plan_of(&server, json!([{"amount_cents": 0}])).await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["/links/0/amount_cents"]);
}
