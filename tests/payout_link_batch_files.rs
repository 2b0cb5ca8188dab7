//! Batches as CSV files: the same batch as the same rows in JSON, and nothing is guessed.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::payout_link_batches::{BATCHES, key, submit};

async fn send(server: &Server, query: &str, file: impl Into<Vec<u8>>) -> Reply {
    server.post(&format!("{BATCHES}{query}")).app_key().raw("text/csv", file).send().await
}

fn mapping(columns: &Value) -> String {
    let mut url = String::from("?columns=");
    url.extend(columns.to_string().bytes().map(|byte| format!("%{byte:02X}")));
    url
}

const FILE: &str = "\u{feff}first_name,last_name,email,country_code,phone_number,delivery_method,amount_cents,memo,idempotency_key,metadata,force_collect_compliance_information\r\n\
    Zo\u{eb},M\u{fc}ller,zoe@example.com,,,email,1250,\"March, 3/4\",00000000-0000-0000-0000-000000000001,\"{\"\"crew\"\":7}\",true\r\n\
    ,,,1,2127361234,sms,900,,00000000-0000-0000-0000-000000000002,,\r\n\
    ,,,,,,,,,,\r\n";

#[tokio::test]
async fn submit_payout_link_batch_takes_a_file_as_the_same_batch_as_json() {
    let server = Server::memory().await;
    let made = send(&server, "", FILE).await.expect(201).body;
    let rows = json!([
        {"first_name": "Zo\u{eb}", "last_name": "M\u{fc}ller", "email": "zoe@example.com", "delivery_method": "email", "amount_cents": 1_250,
            "memo": "March, 3/4", "idempotency_key": key(1), "metadata": {"crew": 7}, "force_collect_compliance_information": true},
        {"country_code": "1", "phone_number": "2127361234", "delivery_method": "sms", "amount_cents": 900, "idempotency_key": key(2)},
    ]);
    assert_eq!(made["validated_rows"].as_array().unwrap().len(), 2);
    let same = submit(&server, rows).await;
    let id = made["id"].as_str().unwrap();
    assert!(
        same.status == 200 && same.body["id"] == id || same.status == 409 && same.text.contains(id),
        "{}",
        same.text
    );
}

#[tokio::test]
async fn a_result_file_without_its_results_is_the_same_rows() {
    let server = Server::memory().await;
    let made = send(&server, "", FILE).await.expect(201).body;
    server.work_off().await;
    let id = made["id"].as_str().unwrap();
    let results = server.get(&format!("{BATCHES}/{id}/results.csv")).app_key().send().await.expect(200).text;
    let refused = send(&server, "", results.clone()).await;
    let message = refused.refused(400, "invalid-input").body["message"].as_str().unwrap();
    assert!(message.contains("\"status\" of a result file; remove the columns status, payout_link_id"), "{message}");
    let mut file = csv::Writer::from_writer(Vec::new());
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(results.as_bytes()).records() {
        file.write_record(row.unwrap().iter().take(11)).unwrap();
    }
    let again = send(&server, "?dry_run=true", file.into_inner().unwrap()).await;
    assert!(again.text.contains(id), "it is the batch of before: {}", again.text);
}

#[tokio::test]
async fn columns_are_mapped_and_dollars_are_exact() {
    let server = Server::memory().await;
    let columns = json!({"first_name": "Name", "amount": "Betrag", "delivery_method": "Weg"});
    let file = "Name;Betrag;Notiz;Weg\nJane;1250.50;unused;link\nJoe;7;unused;link\n";
    let made = send(&server, &mapping(&columns), file).await.expect(201).body;
    let amounts: Vec<&Value> =
        made["validated_rows"].as_array().unwrap().iter().map(|row| &row["amount_cents"]).collect();
    assert_eq!(amounts, [&json!(125_050), &json!(700)]);
    assert_eq!(made["validated_rows"][0]["memo"], Value::Null);
    // Tabs, and a plan that stores nothing.
    let planned = send(&server, "?dry_run=true", "amount\tdelivery_method\n3.00\tlink\n").await.expect(200).body;
    assert_eq!((&planned["dry_run"], &planned["creates"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn errors_name_the_line_and_the_column_and_nothing_is_created() {
    let server = Server::memory().await;
    let file = "amount,delivery_method,email\n\"1,50\",link,\n2.5,link,\n-3.00,link,\n,link,\n5.00,email,\n6.00,link,nonsense\n7.00,pigeon,\n";
    let refused = send(&server, "", file).await;
    refused.refused(400, "invalid-input");
    let messages: Vec<&str> =
        refused.body["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap()).collect();
    let wanted = "write dollars with a point and two decimals, such as 1250.50";
    // Cells that cannot be read and rows that are wrong are in one answer, in the order of the file.
    let expected = [
        format!("Line 2, column \"amount\": is \"1,50\"; {wanted}"),
        "Line 3, column \"amount\": is \"2.5\"; an amount needs two decimals: write 2.50".to_owned(),
        format!("Line 4, column \"amount\": is \"-3.00\"; {wanted}"),
        "Line 5, column \"amount\": is required".to_owned(),
        "Line 6, column \"email\": is required if delivery_method is email".to_owned(),
        "Line 7, column \"email\": ".to_owned(),
        "Line 8, column \"delivery_method\": ".to_owned(),
    ];
    assert_eq!(messages.len(), expected.len(), "{messages:?}");
    for (message, expected) in messages.iter().zip(&expected) {
        assert!(message.starts_with(expected), "{message:?}, not {expected:?}");
    }
    assert_eq!(refused.body["errors"][1]["field"], "/links/1/amount_cents");
    let listed = server.get(BATCHES).app_key().send().await.expect(200).body;
    assert_eq!(listed["data"], json!([]));
}

#[tokio::test]
async fn a_file_that_is_not_clear_is_asked_about() {
    let server = Server::memory().await;
    let many = format!("amount_cents,delivery_method\n{}", "100,link\n".repeat(501));
    let cases: [(&str, &[u8], &str); 20] = [
        ("", b"", "is empty"),
        ("", b"\n", "is empty"),
        ("", b"amount_cents,delivery_method\n", "has no row after its first line"),
        ("", many.as_bytes(), "The file has 501 rows; at most 500."),
        ("", b"amount_cents,note\n1,a\n", "unknown column \"note\""),
        ("", b"amount_cents,amount\n1,0.01\n", "has amount and amount_cents"),
        ("", b"email,email\na@example.com,b@example.com\n", "\"email\" twice"),
        ("", b"email\na@example.com\n", "no column amount_cents or amount"),
        ("", b"amount_cents,email\n1,a@example.com,\n", "has 3 cells in line 2, and 2 in its first line"),
        ("", b"amount_cents,email\n1\n", "has 1 cell in line 2, and 2 in its first line"),
        // A quote without an end would take in the rows below it.
        ("", b"amount_cents,memo\n1,a\n2,\"b\n3,c\n", "has quotes that open in line 3 and do not end"),
        ("", b"memo,amount_cents\na,1\n\"b,2\nc,3\n\"d\",4\n", "quotes that open in line 3; write a quote"),
        ("", b"memo,amount_cents\n\"a\"bc,1\n", "has text after the end of the quotes that open in line 2"),
        ("", b"\"memo,amount_cents\na,1\n", "has quotes that open in line 1 and do not end"),
        ("", b"memo,amount_cents\n\"a\nb\"\"c\",1\n\"d\"\"\"e,2\n", "quotes that open in line 4; write a quote"),
        ("", b"amount_cents\n1.00\n", "write whole cents"),
        ("", b"amount,first_name\n1.00,Zo\xeb\n", "is not UTF-8"),
        ("?columns=amount", b"amount\n1.00\n", "must be a JSON object"),
        ("?columns=%7B%22amont%22%3A%22A%22%7D", b"A\n1.00\n", "unknown field \"amont\""),
        ("?columns=%7B%22amount%22%3A%22B%22%7D", b"A\n1.00\n", "which the file does not have"),
    ];
    for (query, file, why) in cases {
        let refused = send(&server, query, file).await;
        refused.refused(400, "invalid-input");
        assert!(refused.text.replace("\\\"", "\"").contains(why), "{why}: {}", refused.text);
    }
    let json = server.post(&format!("{BATCHES}?columns=%7B%7D")).app_key().json(json!({"links": []}));
    json.send().await.refused(400, "invalid-input");
    // Only this route reads files, and only in UTF-8.
    let elsewhere = server.post("/v2/payout-links").app_key().raw("text/csv", FILE);
    elsewhere.send().await.refused(415, "unsupported-media-type");
    let latin = server.post(BATCHES).app_key().raw("text/csv; charset=iso-8859-1", FILE);
    latin.send().await.refused(415, "unsupported-media-type");
}
