//! Payout link batches: the checks, the result of each row, and that no row creates two links.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use bursar::payout_link_batches::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use bursar::world::{Record, Table};

use crate::harness::{Reply, Server};

pub const BATCHES: &str = "/v2/payout-link-batches";
const NO_ORGANIZATION: &str = "0195cf3a-0000-7000-8000-000000000000";
/// The demonstration app's balance, in cents.
pub const ALL_MONEY: i64 = 100_000_000;

pub fn key(number: u128) -> String {
    Uuid::from_u128(number).to_string()
}

/// Returns a valid row with a separate key.
pub fn row(number: u128) -> Value {
    json!({"amount_cents": 100, "delivery_method": "link", "idempotency_key": key(number)})
}

pub fn rows(numbers: std::ops::Range<u128>) -> Vec<Value> {
    numbers.map(row).collect()
}

pub async fn submit(server: &Server, links: impl serde::Serialize) -> Reply {
    server.post(BATCHES).app_key().json(json!({ "links": links })).send().await
}

async fn show(server: &Server, id: &str) -> Value {
    server.get(&format!("{BATCHES}/{id}")).app_key().send().await.expect(200).body
}

/// Returns the result file, a map for each line.
pub async fn results(server: &Server, id: &str) -> Vec<BTreeMap<String, String>> {
    let file = server.get(&format!("{BATCHES}/{id}/results")).app_key().send().await.expect(200);
    csv::Reader::from_reader(file.text.as_bytes()).deserialize().map(|line| line.unwrap()).collect()
}

pub async fn links(server: &Server) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let path = format!("/v2/payout-links?limit=100{after}");
        let page = server.get(&path).app_key().send().await.expect(200).body;
        all.extend(page["data"].as_array().unwrap().clone());
        if page["has_more"] == false {
            return all;
        }
        after = format!("&starting_after={}", all.last().unwrap()["id"].as_str().unwrap());
    }
}

pub async fn balance(server: &Server) -> i64 {
    let apps = server.get("/v2/apps").app_key().send().await.expect(200).body;
    apps[0]["metrics"]["wallet_balance"].as_i64().unwrap()
}

/// Submits a batch and runs it; returns the id.
pub async fn done(server: &Server, links: impl serde::Serialize) -> String {
    let id = submit(server, links).await.expect(201).id();
    server.work_off().await;
    id
}

#[tokio::test]
async fn submit_payout_link_batch_shows_the_rows_as_they_were_understood() {
    let server = Server::memory().await;
    let full = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "(212) 736-1234", "delivery_method": "email", "amount_cents": 195.0,
        "memo": "March", "idempotency_key": key(1).to_uppercase(), "metadata": {"order": 17},
        "force_collect_compliance_information": true,
    });
    let least = json!({"amount_cents": 1});
    let batch = submit(&server, [&full, &least]).await.expect(201).body;
    let mut fields: Vec<&str> = batch.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!((fields, &batch["success"]), (vec!["id", "success", "validated_rows"], &json!(true)));
    let understood = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "2127361234", "delivery_method": "email", "amount_cents": 195,
        "memo": "March", "idempotency_key": key(1), "metadata": {"order": 17},
        "force_collect_compliance_information": true,
    });
    assert_eq!(batch["validated_rows"][0], understood);
    let second = &batch["validated_rows"][1];
    // docs/specification.md, validated_rows entry: exactly these.
    assert_eq!(second.as_object().unwrap().len(), 11);
    assert!(Uuid::parse_str(second["idempotency_key"].as_str().unwrap()).is_ok(), "a row without a key is given one");
    for field in ["first_name", "last_name", "email", "country_code", "phone_number", "memo", "metadata"] {
        assert_eq!(second[field], Value::Null, "{field}");
    }
    assert_eq!((&second["delivery_method"], &second["amount_cents"]), (&json!("link"), &json!(1)));
    assert_eq!(second["force_collect_compliance_information"], false);
    assert!(links(&server).await.is_empty(), "nothing is made yet");
}

#[tokio::test]
async fn a_row_goes_the_way_that_is_asked_for_or_the_best_that_is_known() {
    let server = Server::memory().await;
    let phone = json!({"amount_cents": 1, "country_code": "1", "phone_number": "2127361234"});
    let email = json!({"amount_cents": 1, "email": "jane@example.com"});
    let rows = submit(&server, [&phone, &email]).await.expect(201).body["validated_rows"].clone();
    assert_eq!((&rows[0]["delivery_method"], &rows[1]["delivery_method"]), (&json!("sms"), &json!("email")));
}

#[tokio::test]
async fn submit_payout_link_batch_names_every_wrong_field_of_every_row_at_once() {
    let server = Server::memory().await;
    let mut links = rows(0..20);
    links[3] = json!({"amount_cents": 0, "memo": "x".repeat(501), "colour": "red"});
    links[5] = json!({"amount_cents": 100, "delivery_method": "email"});
    links[6] = json!({"amount_cents": 100, "delivery_method": "sms"});
    links[7] = json!({"amount_cents": 100, "delivery_method": "all"});
    links[9] = json!(7);
    links[11] = json!({"amount_cents": "100", "email": "nobody", "metadata": "text", "idempotency_key": "7"});
    links[13] = json!({"amount_cents": 100, "country_code": "1"});
    links[14] = json!({"amount_cents": 100, "country_code": "1", "phone_number": "123"});
    links[17] = json!({"delivery_method": "email", "idempotency_key": key(2)});
    links[18] = json!({"amount_cents": 100, "idempotency_key": key(4).to_uppercase()});
    let reply = submit(&server, &links).await;
    let mut fields = reply.refused(400, "invalid-input").fields();
    fields.sort_unstable();
    let expected = [
        "/links/11/amount_cents",
        "/links/11/email",
        "/links/11/idempotency_key",
        "/links/11/metadata",
        "/links/13/phone_number",
        "/links/14/phone_number",
        "/links/17/amount_cents",
        "/links/17/idempotency_key",
        "/links/18/idempotency_key",
        "/links/3/amount_cents",
        "/links/3/colour",
        "/links/3/memo",
        "/links/5/email",
        "/links/6/phone_number",
        "/links/7/delivery_method",
        "/links/9",
    ];
    assert_eq!(fields, expected);
    assert!(reply.text.contains("is also the key of row 2"), "{}", reply.text);
    let list = server.get(BATCHES).app_key().send().await.expect(200).body;
    assert_eq!(list["data"], json!([]), "nothing was kept");
    for (links, field) in
        [(json!([]), "/links"), (json!({}), "/links"), (json!(null), "/links"), (json!(rows(0..501)), "/links")]
    {
        assert_eq!(submit(&server, links).await.refused(400, "invalid-input").fields(), [field]);
    }
    let none = server.post(BATCHES).app_key().json(json!({"link": []})).send().await;
    assert_eq!(none.refused(400, "invalid-input").fields(), ["/link", "/links"]);
    server
        .post(&format!("{BATCHES}?dry_run=maybe"))
        .app_key()
        .json(json!({"links": rows(0..1)}))
        .send()
        .await
        .refused(400, "invalid-input");
}

#[tokio::test]
async fn submit_payout_link_batch_takes_five_hundred_full_rows() {
    let server = Server::start().await;
    let full = |number: u128| {
        json!({
            "first_name": "J".repeat(50), "last_name": "D".repeat(50), "email": format!("jane.doe.{number}@example.com"),
            "country_code": "1", "phone_number": "2127361234", "delivery_method": "link", "amount_cents": 100,
            "memo": "m".repeat(500), "idempotency_key": key(number), "metadata": {"note": "n".repeat(500)},
            "force_collect_compliance_information": true,
        })
    };
    let id = done(&server, (0..500).map(full).collect::<Vec<_>>()).await;
    let batch = show(&server, &id).await;
    assert_eq!(
        (&batch["status"], &batch["succeeded"], &batch["failed"]),
        (&json!("completed"), &json!(500), &json!(0))
    );
    assert_eq!((links(&server).await.len(), results(&server, &id).await.len()), (500, 500));
    assert_eq!(balance(&server).await, ALL_MONEY - 50_000);
}

#[tokio::test]
async fn get_payout_link_batch_shows_its_progress() {
    let server = Server::memory().await;
    let submitted = submit(&server, rows(0..3)).await.expect(201).id();
    let batch = show(&server, &submitted).await;
    let expected = [
        ("status", json!("submitted")),
        ("total", json!(3)),
        ("succeeded", json!(0)),
        ("failed", json!(0)),
        ("amount", json!(300)),
        ("succeeded_amount", json!(0)),
        ("completed", Value::Null),
    ];
    for (field, value) in expected {
        assert_eq!(batch[field], value, "{field}");
    }
    server.work_off().await;
    let batch = show(&server, &submitted).await;
    let counts = (&batch["status"], &batch["succeeded"], &batch["succeeded_amount"]);
    assert_eq!(counts, (&json!("completed"), &json!(3), &json!(300)));
    assert!(batch["completed"].as_str().is_some());

    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    for id in [submitted.as_str(), NO_ORGANIZATION, "7"] {
        for path in
            [format!("{BATCHES}/{id}"), format!("{BATCHES}/{id}/results"), format!("{BATCHES}/{id}/results.csv")]
        {
            server.get(&path).as_org().for_app(&other).send().await.refused(404, "not-found");
        }
    }
}

#[tokio::test]
async fn list_payout_link_batches_filters_and_pages() {
    let server = Server::memory().await;
    let first = done(&server, rows(0..2)).await;
    let second = submit(&server, rows(2..3)).await.expect(201).id();
    let listed = async |query: &str| -> Vec<String> {
        let list = server.get(&format!("{BATCHES}?{query}")).app_key().send().await.expect(200).body;
        list["data"].as_array().unwrap().iter().map(|batch| batch["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("").await, [second.clone(), first.clone()]);
    assert_eq!(listed("status=submitted").await, std::slice::from_ref(&second));
    assert_eq!(listed("status=completed").await, std::slice::from_ref(&first));
    assert_eq!(listed(&format!("starting_after={second}")).await, std::slice::from_ref(&first));
    assert_eq!(listed(&format!("limit=1&ending_before={first}")).await, [second]);
    assert!(listed("created_before=2026-03-02T15:00:00Z").await.is_empty());
    server.get(&format!("{BATCHES}?status=done")).app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn the_same_rows_are_the_same_batch() {
    let server = Server::memory().await;
    let first = submit(&server, rows(0..2)).await.expect(201);
    let again = submit(&server, rows(0..2)).await.expect(200);
    assert_eq!(again.body, first.body, "enqueued again, the same id");
    // Another spelling is still the same row.
    let spelled: Vec<Value> = (0..2)
        .map(|number| json!({"idempotency_key": key(number).to_uppercase(), "amount_cents": 1e2, "delivery_method": "link", "memo": null}))
        .collect();
    assert_eq!(submit(&server, spelled).await.expect(200).id(), first.id());
    let turned = submit(&server, [row(1), row(0)]).await.expect(201);
    assert_ne!(turned.id(), first.id(), "another order is another batch");
    server.work_off().await;
    let late = submit(&server, rows(0..2)).await;
    late.refused(409, "batch-already-processed");
    assert!(late.text.contains(&first.id()), "{}", late.text);
    assert_eq!(links(&server).await.len(), 2, "both batches have the same two links");
    for id in [first.id(), turned.id()] {
        assert_eq!(show(&server, &id).await["succeeded"], 2);
    }
    // Another app's rows are its own.
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    let body = json!({"links": rows(0..2)});
    let theirs = server.post(BATCHES).as_org().for_app(&other).json(body).send().await.expect(201);
    assert_ne!(theirs.id(), first.id());
}

#[tokio::test]
async fn rows_without_keys_are_recognized_too() {
    let server = Server::memory().await;
    let links = json!([{"amount_cents": 5}, {"amount_cents": 5}]);
    let first = submit(&server, &links).await.expect(201);
    let rows = &first.body["validated_rows"];
    assert_ne!(rows[0]["idempotency_key"], rows[1]["idempotency_key"]);
    assert_eq!(submit(&server, &links).await.expect(200).body, first.body);
    server.work_off().await;
    submit(&server, &links).await.refused(409, "batch-already-processed");
    assert_eq!(super::payout_link_batches::links(&server).await.len(), 2);
}

#[tokio::test]
async fn submit_payout_link_batch_under_a_key_always_answers_the_same() {
    let server = Server::memory().await;
    let send =
        |numbers| server.post(BATCHES).app_key().idempotency_key("one").json(json!({"links": rows(numbers)})).send();
    let first = send(0..2).await.expect(201);
    server.work_off().await;
    let again = send(0..2).await.expect(201);
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    send(0..3).await.refused(409, "idempotency-key-reused");
}

#[tokio::test]
async fn get_payout_link_batch_results_is_true_at_every_moment() {
    let server = Server::memory().await;
    let mut links = rows(0..2);
    links[0]["memo"] = json!("a, \"b\"\nc");
    links[1]["amount_cents"] = json!(ALL_MONEY);
    let id = submit(&server, links).await.expect(201).id();
    let quoted = |cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
        cells.join(",") + "\r\n"
    };
    let columns = [
        "first_name",
        "last_name",
        "email",
        "country_code",
        "phone_number",
        "delivery_method",
        "amount_cents",
        "memo",
        "idempotency_key",
        "metadata",
        "force_collect_compliance_information",
        "status",
        "payout_link_id",
        "link",
        "error_code",
        "error_message",
    ];
    let before = server.get(&format!("{BATCHES}/{id}/results")).app_key().send().await.expect(200);
    assert_eq!(before.header("content-type"), Some("text/csv; charset=utf-8"));
    let disposition = format!("attachment; filename=\"payout-link-batch-{id}.csv\"");
    assert_eq!(before.header("content-disposition"), Some(disposition.as_str()));
    let line = |amount: &str, memo: &str, key: &str| {
        quoted(&["", "", "", "", "", "link", amount, memo, key, "", "false", "", "", "", "", ""])
    };
    let expected = format!(
        "\u{feff}{}{}{}",
        quoted(&columns),
        line("100", "a, \"b\"\nc", &key(0).to_string()),
        line(&ALL_MONEY.to_string(), "", &key(1).to_string())
    );
    assert_eq!(before.text, expected);

    server.work_off().await;
    let after = results(&server, &id).await;
    let link = &links_by_id(&server).await[&after[0]["payout_link_id"]];
    assert_eq!((after[0]["status"].as_str(), json!(after[0]["link"])), ("succeeded", link["link"].clone()));
    assert_eq!((after[0]["memo"].as_str(), &link["memo"]), ("a, \"b\"\nc", &json!("a, \"b\"\nc")));
    let failed = &after[1];
    assert_eq!(
        (failed["status"].as_str(), failed["error_code"].as_str()),
        ("failed", "transaction-insufficient-funds")
    );
    assert_eq!((failed["payout_link_id"].as_str(), failed["link"].as_str()), ("", ""));
    assert!(!failed["error_message"].is_empty());
    let batch = show(&server, &id).await;
    let counts = (&batch["status"], &batch["succeeded"], &batch["failed"], &batch["succeeded_amount"]);
    assert_eq!(counts, (&json!("completed_with_errors"), &json!(1), &json!(1), &json!(100)));
}

async fn links_by_id(server: &Server) -> BTreeMap<String, Value> {
    links(server).await.into_iter().map(|link| (link["id"].as_str().unwrap().to_owned(), link)).collect()
}

#[tokio::test]
async fn get_payout_link_batch_results_csv_is_the_same_file() {
    let server = Server::memory().await;
    let id = done(&server, rows(0..2)).await;
    let one = server.get(&format!("{BATCHES}/{id}/results")).app_key().send().await.expect(200);
    let other = server.get(&format!("{BATCHES}/{id}/results.csv")).app_key().send().await.expect(200);
    assert_eq!(one.text, other.text);
    let path = format!("{BATCHES}/{id}/results.csv");
    server.get(&path).client_side().send().await.refused(403, "secret-key-required");
}

#[tokio::test]
async fn no_cell_of_the_results_is_run_by_a_spreadsheet() {
    let server = Server::memory().await;
    let mut evil = row(1);
    evil["first_name"] = json!("=HYPERLINK(\"http://x\")");
    evil["last_name"] = json!("@SUM(A1)");
    evil["memo"] = json!("\t=1+1");
    evil["email"] = json!("+1@example.com");
    evil["country_code"] = json!("1");
    evil["phone_number"] = json!("+1 212 736 1234");
    let id = done(&server, [evil]).await;
    let line = &results(&server, &id).await[0];
    assert_eq!(line["first_name"], "'=HYPERLINK(\"http://x\")");
    assert_eq!((line["last_name"].as_str(), line["memo"].as_str()), ("'@SUM(A1)", "'\t'=1+1"));
    assert_eq!(line["email"], "'+1@example.com");
    assert_eq!((line["country_code"].as_str(), line["phone_number"].as_str()), ("1", "2127361234"));
    let link = &links(&server).await[0];
    assert_eq!(link["payee"]["first_name"], "=HYPERLINK(\"http://x\")", "only the file is defused");
}

#[tokio::test]
async fn a_row_makes_the_link_that_it_says() {
    let server = Server::memory().await;
    let full = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "2127361234", "delivery_method": "sms", "amount_cents": 195,
        "memo": "March", "idempotency_key": key(1), "metadata": {"order": 17},
    });
    done(&server, [full]).await;
    let link = &links(&server).await[0];
    let expected = [
        ("amount", json!(195)),
        ("status", json!("delivered")),
        ("memo", json!("March")),
        ("metadata", json!("{\"order\":17}")),
        ("deliveries", json!(1)),
    ];
    for (field, value) in expected {
        assert_eq!(link[field], value, "{field}");
    }
    assert_eq!(link["payee"]["email"], "jane@example.com");
    assert_eq!(server.newest_message("+12127361234").await["link"], link["link"]);
}

#[tokio::test]
async fn a_key_means_the_same_in_a_row_and_in_a_single_request() {
    let server = Server::memory().await;
    let payee = json!({"email": "jane@example.com"});
    let single = json!({"amount": 100, "payee": payee, "delivery": {"method": "email"}, "memo": "March"});
    let ask =
        |number| server.post("/v2/payout-links").app_key().idempotency_key(&key(number)).json(single.clone()).send();
    let row = |number: u128, amount: i64| {
        json!({
            "email": "jane@example.com", "delivery_method": "email", "amount_cents": amount, "memo": "March",
            "idempotency_key": key(number)
        })
    };
    // 1 was used by a single request; 2 by a different request; 3 comes after the batch.
    let one = ask(1).await.expect(201).id();
    let two = ask(2).await.expect(201).id();
    let id = done(&server, [row(1, 100), row(2, 101), row(3, 100)]).await;
    let lines = results(&server, &id).await;
    assert_eq!((lines[0]["status"].as_str(), &lines[0]["payout_link_id"]), ("succeeded", &one), "no second link");
    assert_eq!(lines[1]["error_code"], "idempotency-key-reused");
    assert!(lines[1]["error_message"].contains("/amount") && lines[1]["error_message"].contains(&two));
    let three = ask(3).await.expect(201);
    assert_eq!((three.header("idempotent-replayed"), three.id()), (Some("true"), lines[2]["payout_link_id"].clone()));
    assert_eq!(links(&server).await.len(), 3);
}

#[tokio::test]
async fn a_row_that_failed_for_lack_of_funds_stays_failed_under_its_key() {
    let server = Server::memory().await;
    let hold = json!({"amount": ALL_MONEY, "delivery": {"method": "link"}});
    let hold = server.post("/v2/payout-links").app_key().json(hold).send().await.expect(201).id();
    let first = done(&server, rows(0..1)).await;
    assert_eq!(results(&server, &first).await[0]["error_code"], "transaction-insufficient-funds");
    server.delete(&format!("/v2/payout-links/{hold}")).app_key().send().await.expect(200);
    // A definite failure is final; with another key the row succeeds.
    let second = done(&server, [row(0), row(1)]).await;
    let lines = results(&server, &second).await;
    assert_eq!((lines[0]["status"].as_str(), lines[1]["status"].as_str()), ("failed", "succeeded"));
}

#[tokio::test]
async fn a_row_that_fails_stops_no_other() {
    let server = Server::memory().await;
    let mut asked = rows(0..130);
    for number in [63, 64, 129] {
        asked[number]["amount_cents"] = json!(ALL_MONEY);
    }
    let id = done(&server, asked).await;
    let lines = results(&server, &id).await;
    let failed: Vec<usize> = (0..130).filter(|number| lines[*number]["status"] == "failed").collect();
    assert_eq!(failed, [63, 64, 129]);
    assert_eq!(links(&server).await.len(), 127);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_and_a_batch_that_was_enqueued_thrice_make_each_link_once() {
    let server = Server::start().await;
    let copies = join_all((0..3).map(|_| submit(&server, rows(0..200)))).await;
    let ids: std::collections::HashSet<String> = copies.iter().map(Reply::id).collect();
    assert_eq!(ids.len(), 1);
    let made = copies.iter().filter(|copy| copy.status == 201).count();
    assert_eq!((made, copies.iter().filter(|copy| copy.status == 200).count()), (1, 2));
    tokio::join!(server.work_off(), server.work_off(), server.work_off());
    server.work_off().await;
    let id = ids.into_iter().next().unwrap();
    let batch = show(&server, &id).await;
    assert_eq!((&batch["status"], &batch["succeeded"]), (&json!("completed"), &json!(200)));
    assert_eq!(links(&server).await.len(), 200);
    assert_eq!(balance(&server).await, ALL_MONEY - 20_000);
}

#[tokio::test]
async fn a_batch_is_still_there_after_a_restart() {
    let mut server = Server::start().await;
    let id = submit(&server, rows(0..5)).await.expect(201).id();
    server.restart().await;
    assert_eq!(show(&server, &id).await["status"], "submitted");
    server.work_off().await;
    server.restart().await;
    assert_eq!(show(&server, &id).await["status"], "completed");
    assert_eq!(links(&server).await.len(), 5);
}

#[tokio::test]
async fn each_move_of_a_batch_is_one_event() {
    let server = Server::memory().await;
    let id = submit(&server, rows(0..3)).await.expect(201).id();
    submit(&server, rows(0..3)).await.expect(200);
    server.work_off().await;
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let reported: Vec<(&str, i64, i64)> = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["name"] == "payout_link_batch.updated")
        .map(|event| {
            assert_eq!(event["object"]["id"], id);
            let object = &event["object"];
            (
                object["status"].as_str().unwrap(),
                object["succeeded"].as_i64().unwrap(),
                event["version"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(reported, [("submitted", 0, 1), ("processing", 0, 2), ("completed", 3, 3)]);
}

/// The negative control of invariant 11: each of these rows is impossible.
#[tokio::test]
async fn verify_finds_a_row_that_did_not_make_its_one_link() {
    // The schemas of the other stores refuse most of these rows.
    let server = Server::failing().await;
    let mut links = rows(0..3);
    links[2]["amount_cents"] = json!(ALL_MONEY);
    done(&server, links).await;
    let broken = || -> Vec<u8> {
        let report = bursar::verify::verify(&server.bursar().reads).unwrap();
        let mut invariants: Vec<u8> = report.findings.iter().map(|finding| finding.invariant).collect();
        invariants.dedup();
        invariants
    };
    assert_eq!(broken(), [0; 0]);
    let rows = stored::<BatchRow>(&server);
    let [first, second, third] = rows.as_slice() else { panic!("three were submitted") };
    let failed = |row: &BatchRow| BatchRow { status: RowStatus::Failed, payout_link: None, ..row.clone() };
    let tampered = [
        BatchRow { payout_link: second.payout_link, ..first.clone() },
        BatchRow { payout_link: Some(Uuid::nil().into()), ..first.clone() },
        BatchRow { payout_link: None, ..first.clone() },
        BatchRow { status: RowStatus::Waiting, payout_link: None, ..first.clone() },
        BatchRow { status: RowStatus::Failed, ..first.clone() },
        BatchRow { error_code: Some("x".to_owned()), ..failed(first) },
        BatchRow { error_code: None, ..third.clone() },
        BatchRow { number: 7, ..third.clone() },
        BatchRow { batch: Uuid::nil().into(), number: 9, ..third.clone() },
    ];
    for row in tampered {
        put(&server, &row);
        assert_eq!(broken(), [11], "{row:?}");
        // Restores the row.
        server.tamper(BatchRow::TABLE, Table::index_values(BatchRow::TABLE.key(), &row.values()), None);
        rows.iter().for_each(|row| put(&server, row));
        assert_eq!(broken(), [0; 0]);
    }
    let batch = &stored::<PayoutLinkBatch>(&server)[0];
    let tampered = [
        PayoutLinkBatch { total: 4, ..batch.clone() },
        PayoutLinkBatch { succeeded: 1, failed: 2, ..batch.clone() },
        PayoutLinkBatch { status: BatchStatus::Completed, ..batch.clone() },
        PayoutLinkBatch { status: BatchStatus::Submitted, ..batch.clone() },
    ];
    for batch in tampered {
        put(&server, &batch);
        assert_eq!(broken(), [11], "{batch:?}");
    }
}

fn stored<R: Record>(server: &Server) -> Vec<R> {
    let rows = server.rows(R::TABLE);
    rows.iter().map(|row| R::clone(&(R::TABLE.decode)(row).unwrap().downcast::<R>().unwrap())).collect()
}

fn put<R: Record>(server: &Server, record: &R) {
    let row = record.values();
    server.tamper(R::TABLE, Table::index_values(R::TABLE.key(), &row), Some(row));
}
