//! Payers of an app who are not its users.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const CUSTOMERS: &str = "/v2/payment-customers";

async fn create(server: &Server, body: Value) -> Reply {
    server.post(CUSTOMERS).app_key().json(body).send().await
}

async fn acme(server: &Server) -> String {
    create(server, json!({"name": "Acme Ltd", "email": "billing@acme.example"})).await.expect(201).id()
}

async fn add_account(server: &Server, customer: &str, number: &str) -> Reply {
    let body = json!({"account_number": number, "routing_number": "110000000"});
    server.post(&format!("{CUSTOMERS}/{customer}/bank-accounts")).app_key().json(body).send().await
}

#[tokio::test]
async fn create_payment_customer_and_get_payment_customer_show_every_field() {
    let server = Server::memory().await;
    let body = json!({
        "name": " Acme Ltd ", "email": "billing@acme.example", "metadata": {"number": 7},
        "phone_number": {"country_code": "1", "phone_number": "212 736 1234"},
    });
    let made = create(&server, body).await.expect(201);
    let names: Vec<&str> = made.body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["id", "created", "name", "email", "phone_number", "metadata"]);
    assert_eq!((&made.body["name"], &made.body["metadata"]), (&json!("Acme Ltd"), &json!(r#"{"number":7}"#)));
    assert_eq!(made.body["phone_number"], json!({"country_code": "1", "phone_number": "2127361234"}));
    let path = format!("{CUSTOMERS}/{}", made.id());
    assert_eq!(server.get(&path).app_key().send().await.expect(200).text, made.text);
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let last = events["data"].as_array().unwrap().last().unwrap().clone();
    assert!(last.to_string().contains("payment_customer.updated") && last.to_string().contains("Acme Ltd"), "{last}");
    for (body, fields) in [
        (json!({}), vec!["/name"]),
        (
            json!({"name": "A", "email": "nobody", "phone_number": {"country_code": "1", "phone_number": "1"}}),
            vec!["/email", "/phone_number/phone_number"],
        ),
        (json!({"name": "A", "nmae": "B"}), vec!["/nmae"]),
    ] {
        let reply = create(&server, body).await;
        assert_eq!((reply.status, reply.fields()), (400, fields.into_iter().map(str::to_owned).collect()));
    }
}

#[tokio::test]
async fn update_payment_customer_keeps_what_is_not_sent() {
    let server = Server::memory().await;
    let path = format!("{CUSTOMERS}/{}", acme(&server).await);
    let patch = |body: Value| server.patch(&path).app_key().json(body).send();
    let changed = patch(json!({"name": "Acme Inc", "metadata": "gold"})).await.expect(200).body;
    assert_eq!((&changed["name"], &changed["email"]), (&json!("Acme Inc"), &json!("billing@acme.example")));
    let cleared = patch(json!({"email": null})).await.expect(200).body;
    assert_eq!((&cleared["email"], &cleared["metadata"]), (&Value::Null, &json!("gold")));
    assert_eq!(patch(json!({"name": ""})).await.refused(400, "invalid-input").fields(), ["/name"]);
}

#[tokio::test]
async fn list_payment_customers_pages_and_finds_an_address() {
    let server = Server::memory().await;
    let first = acme(&server).await;
    let second = create(&server, json!({"name": "Other"})).await.expect(201).id();
    let ids = async |query: &str| -> Vec<String> {
        let list = server.get(&format!("{CUSTOMERS}{query}")).app_key().send().await.expect(200).body;
        list["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("").await, [second.clone(), first.clone()]);
    assert_eq!(ids(&format!("?limit=1&starting_after={second}")).await, vec![first.clone()]);
    assert_eq!(ids("?email=billing@acme.example").await, [first]);
}

#[tokio::test]
async fn add_customer_bank_account_shows_in_list_customer_bank_accounts_until_remove_customer_bank_account() {
    let server = Server::memory().await;
    let customer = acme(&server).await;
    let added = add_account(&server, &customer, "123456789").await.expect(201);
    assert_eq!((&added.body["name"], &added.body["mask"]), (&json!("Acme Ltd"), &json!("6789")));
    assert!(!added.text.contains("123456789"));
    assert_eq!(add_account(&server, &customer, "123456789").await.expect(201).text, added.text, "twice is one");
    let path = format!("{CUSTOMERS}/{customer}/bank-accounts");
    let list = async || server.get(&path).app_key().send().await.expect(200).body["data"].clone();
    assert_eq!(list().await, json!([added.body]));
    let one = format!("{path}/{}", added.id());
    let removed = server.delete(&one).app_key().send().await.expect(200);
    assert_eq!(removed.body["in_use"], false);
    assert_eq!(server.delete(&one).app_key().send().await.expect(200).text, removed.text);
    assert_eq!(list().await, json!([]));
    let other = create(&server, json!({"name": "Other"})).await.expect(201).id();
    let foreign = format!("{CUSTOMERS}/{other}/bank-accounts/{}", added.id());
    server.delete(&foreign).app_key().send().await.refused(404, "not-found");
    assert_eq!(add_account(&server, &customer, "12").await.refused(400, "invalid-input").fields(), ["/account_number"]);
}

#[tokio::test]
async fn delete_payment_customer_erases_and_waits_for_payments() {
    let server = Server::memory().await;
    let customer = acme(&server).await;
    add_account(&server, &customer, "123456789").await.expect(201);
    let payment = json!({"amount": 500, "platform": "ach", "customer_id": customer});
    let payment = server.post("/v2/payments").app_key().json(payment).send().await.expect(201).id();
    let path = format!("{CUSTOMERS}/{customer}");
    server.delete(&path).app_key().send().await.refused(409, "invalid-state");
    server.work_off().await;
    server.pass(86_400).await;
    let gone = server.delete(&path).app_key().send().await.expect(200).body;
    assert_eq!((&gone["id"], &gone["name"], &gone["email"]), (&json!(customer), &Value::Null, &Value::Null));
    server.get(&path).app_key().send().await.refused(404, "not-found");
    let transfer = server.get(&format!("/v2/transfers/{payment}")).app_key().send().await.expect(200).body;
    assert_eq!((&transfer["customer_id"], &transfer["sender_details"]["name"]), (&json!(customer), &Value::Null));
}

#[tokio::test]
async fn a_customer_has_twenty_accounts_in_use_at_most() {
    let server = Server::memory().await;
    let customer = acme(&server).await;
    let first = add_account(&server, &customer, "123450000").await.expect(201).id();
    for number in 1..20 {
        add_account(&server, &customer, &format!("1234500{number:02}")).await.expect(201);
    }
    let refused = add_account(&server, &customer, "123450099").await;
    assert!(refused.refused(409, "limit-exceeded").text.contains("Remove one first"), "{}", refused.text);
    // An existing account is not added again.
    add_account(&server, &customer, "123450000").await.expect(201);
    let path = format!("{CUSTOMERS}/{customer}/bank-accounts/{first}");
    server.delete(&path).app_key().send().await.expect(200);
    add_account(&server, &customer, "123450099").await.expect(201);
    // All of them are erased with the customer, those out of use too.
    server.delete(&format!("{CUSTOMERS}/{customer}")).app_key().send().await.expect(200);
}
