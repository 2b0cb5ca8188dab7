//! Vendors and their bank accounts.

use serde_json::{Value, json};

use crate::harness::{Desk, Server};

const DAY: i64 = 86_400;

fn address() -> Value {
    json!({"line_1": "1 Main St", "city": "New York", "state": "ny", "postcode": "10001", "country": "US"})
}

#[tokio::test]
async fn create_vendor_get_vendor_list_vendors_delete_vendor() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let creator = desk.member("ap_creator");
    let body = json!({
        "acting_user_id": creator, "name": "Corner Shop", "address": address(),
        "contact_email": "bills@example.com", "external_id": "v-1",
    });
    let made = desk.post("vendors", body).send().await.expect(201);
    let expected = [
        ("name", json!("Corner Shop")),
        ("contact_email", json!("bills@example.com")),
        ("external_id", json!("v-1")),
        ("status", json!("active")),
        ("created_by", json!(creator)),
        ("api_app_id", json!(server.app_id())),
        ("deleted", Value::Null),
    ];
    for (field, value) in expected {
        assert_eq!(made.body[field], value, "{field}");
    }
    assert_eq!(made.body["address"]["state"], "NY");
    assert_eq!(made.body["address"]["line_2"], Value::Null);
    let path = format!("vendors/{}", made.id());
    assert_eq!(desk.get(&path).send().await.expect(200).body, made.body);

    let other = desk.post("vendors", json!({"name": "Mill", "address": address()})).send().await.expect(201);
    let listed = |reply: Value| -> Vec<Value> {
        reply["data"].as_array().unwrap().iter().map(|vendor| vendor["id"].clone()).collect()
    };
    assert_eq!(listed(desk.get("vendors").send().await.expect(200).body), [other.id(), made.id()]);
    assert_eq!(listed(desk.get("vendors?external_id=v-1").send().await.expect(200).body), [made.id()]);

    let deleted = desk.delete(&path).send().await.expect(200);
    assert_eq!(deleted.body["status"], "deleted");
    assert_eq!(desk.delete(&path).send().await.expect(200).body, deleted.body, "once more changes nothing");
    assert_eq!(desk.get(&path).send().await.expect(200).body["status"], "deleted");
    assert_eq!(listed(desk.get("vendors").send().await.expect(200).body), [other.id()]);
    assert_eq!(listed(desk.get("vendors?status=deleted").send().await.expect(200).body), [made.id()]);
    desk.account(&made.id(), "000123456789").await.refused(409, "invalid-state");
}

#[tokio::test]
async fn create_vendor_names_every_wrong_field_at_once() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let body = json!({
        "name": "", "address": {"line_1": "x", "city": "y", "state": "ZZ", "postcode": "1", "country": "US"},
        "contact_email": "nobody", "external_id": "a\nb", "adress": 1, "acting_user_id": "me",
    });
    let reply = desk.post("vendors", body).send().await;
    let reply = reply.refused(400, "invalid-input");
    let fields: Vec<&str> =
        reply.body["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
    let expected = [
        "/adress",
        "/acting_user_id",
        "/name",
        "/address/state",
        "/address/postcode",
        "/contact_email",
        "/external_id",
    ];
    assert_eq!(fields, expected);
    let viewer = json!({"name": "Mill", "address": address(), "acting_user_id": desk.member("viewer")});
    desk.post("vendors", viewer).send().await.refused(403, "not-permitted");
    let unknown = json!({"name": "Mill", "address": address(), "acting_user_id": server.app_id()});
    desk.post("vendors", unknown).send().await.refused(404, "not-found");
}

#[tokio::test]
async fn create_vendor_payment_method_and_get_vendor_payment_method_show_no_number() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let shown = desk.get(&format!("vendors/{vendor}/payment-methods/{method}")).send().await.expect(200);
    assert!(!shown.text.contains("000123456789"));
    let expected = [
        ("mask", json!("6789")),
        ("routing_number", json!("110000000")),
        ("account_type", json!("checking")),
        ("name", json!("Corner Shop Inc.")),
        ("status", json!("confirmed")),
        ("confirmed_by", Value::Null),
        ("added_by", json!(desk.member("ap_creator"))),
        ("ap_vendor_id", json!(vendor)),
    ];
    for (field, value) in expected {
        assert_eq!(shown.body[field], value, "{field}");
    }
    assert_eq!(shown.body["usable_at"], shown.body["created"]);
    let events = server.get("/v2/events").app_key().send().await.expect(200);
    assert!(events.text.contains("vendor_payment_method.updated") && !events.text.contains("000123456789"));
    desk.account(&vendor, "000123456789").await.refused(409, "invalid-state");

    let wrong = json!({"name": "", "account_number": "1", "routing_number": "110000001", "account_type": "gold"});
    let reply = desk.post(&format!("vendors/{vendor}/payment-methods"), wrong).send().await;
    let fields = reply.refused(400, "invalid-input").body["errors"].as_array().unwrap().len();
    assert_eq!(fields, 4);
}

#[tokio::test]
async fn confirm_vendor_payment_method_takes_a_second_member_and_list_vendor_payment_methods_shows_it() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, first) = desk.vendor("000123456789").await;
    let path = format!("vendors/{vendor}/payment-methods");

    // The acting member is required.
    let unnamed = json!({"name": "Corner Shop", "account_number": "000987654321", "routing_number": "110000000"});
    let reply = desk.post(&path, unnamed).send().await;
    assert_eq!(reply.refused(400, "invalid-input").body["errors"][0]["field"], "/acting_user_id");
    let second = desk.account(&vendor, "000987654321").await.expect(201);
    assert_eq!((&second.body["status"], &second.body["usable_at"]), (&json!("unconfirmed"), &Value::Null));

    // confirm_vendor_payment_method: not by the member who added it, not by a viewer, not by an unknown member.
    let confirm = |member: &str| {
        let body = json!({"acting_user_id": desk.member(member)});
        desk.post(&format!("{path}/{}/confirm", second.id()), body).send()
    };
    confirm("ap_creator").await.refused(403, "self-approval");
    confirm("viewer").await.refused(403, "not-permitted");
    confirm(&server.app_id()).await.refused(404, "not-found");
    let confirmed = confirm("ap_approver").await.expect(200).body;
    assert_eq!(confirmed["status"], "confirmed");
    assert_eq!(confirmed["confirmed_by"], desk.member("ap_approver"));
    assert_eq!(confirmed["usable_at"].as_str().unwrap()[..10], *"2026-03-03", "a day later");
    confirm("admin").await.refused(409, "invalid-state");

    // list_vendor_payment_methods, newest first, a page at a time.
    let list = |query: &str| desk.get(&format!("{path}{query}")).send();
    let page = list("?limit=1").await.expect(200).body;
    assert_eq!((&page["has_more"], &page["data"][0]["id"]), (&json!(true), &json!(second.id())));
    let rest = list(&format!("?starting_after={}", second.id())).await.expect(200).body;
    assert_eq!((&rest["has_more"], &rest["data"][0]["id"]), (&json!(false), &json!(first)));
    let back = list(&format!("?ending_before={first}")).await.expect(200).body;
    assert_eq!(back["data"][0]["id"], json!(second.id()));
    list(&format!("?starting_after={vendor}")).await.refused(400, "invalid-input");
    assert_eq!(list("?status=unconfirmed").await.expect(200).body["data"], json!([]));
}

#[tokio::test]
async fn delete_vendor_payment_method_does_not_make_the_next_one_the_first() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let path = format!("vendors/{vendor}/payment-methods/{method}");
    let deleted = desk.delete(&path).json(json!({"acting_user_id": desk.member("admin")})).send().await.expect(200);
    assert_eq!(deleted.body["status"], "deleted");
    assert_eq!(desk.delete(&path).send().await.expect(200).body, deleted.body, "once more changes nothing");
    let next = desk.account(&vendor, "000987654321").await.expect(201).body;
    assert_eq!(next["status"], "unconfirmed", "or a thief deletes the first and adds another");
    let same = desk.account(&vendor, "000123456789").await.expect(201).body;
    assert_eq!(same["status"], "unconfirmed");
}

#[tokio::test]
async fn what_an_open_payable_names_is_not_deleted() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let second = desk.account(&vendor, "000987654321").await.expect(201).id();
    let bill = desk.bill(json!({"ap_vendor_id": vendor, "ap_payment_method_id": method})).await.expect(201).id();
    desk.delete(&format!("vendors/{vendor}")).send().await.refused(409, "invalid-state");
    desk.delete(&format!("vendors/{vendor}/payment-methods/{method}")).send().await.refused(409, "invalid-state");
    desk.delete(&format!("vendors/{vendor}/payment-methods/{second}")).send().await.expect(200);

    desk.act(&bill, "cancel", "ap_creator").await.expect(200);
    desk.delete(&format!("vendors/{vendor}")).send().await.expect(200);
    let gone = desk.get(&format!("vendors/{vendor}/payment-methods/{method}")).send().await.expect(200).body;
    assert_eq!(gone["status"], "deleted", "its accounts go with it");
    desk.bill(json!({"ap_vendor_id": vendor})).await.refused(409, "invalid-state");
}

#[tokio::test]
async fn another_apps_vendors_do_not_exist() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201);
    let path = format!("/v2/accounts-payable/vendors/{vendor}");
    server.get(&path).as_org().for_app(&other.id()).send().await.refused(404, "not-found");
    let path = format!("{path}/payment-methods/{method}");
    server.get(&path).as_org().for_app(&other.id()).send().await.refused(404, "not-found");
    server.delete(&path).as_org().for_app(&other.id()).send().await.refused(404, "not-found");
    let (another, _) = desk.vendor("000123456789").await;
    desk.get(&format!("vendors/{another}/payment-methods/{method}")).send().await.refused(404, "not-found");
}

#[tokio::test]
async fn a_resting_account_is_paid_to_after_its_day() {
    let server = Server::start().await;
    let desk = Desk::of(&server);
    let (vendor, first) = desk.vendor("000123456789").await;
    let second = desk.account(&vendor, "000987654321").await.expect(201).id();
    let bill = desk.bill(json!({"amount": 700, "ap_vendor_id": vendor, "ap_payment_method_id": second})).await;
    let bill = bill.expect(201).id();
    desk.approve(&bill).await;
    desk.act(&bill, "pay", "payer").await.refused(409, "invalid-state");

    let confirm = format!("vendors/{vendor}/payment-methods/{second}/confirm");
    desk.post(&confirm, json!({"acting_user_id": desk.member("admin")})).send().await.expect(200);
    server.advance(DAY - 60);
    let early = desk.act(&bill, "pay", "payer").await;
    assert!(early.refused(409, "invalid-state").body["message"].as_str().unwrap().contains("is new and usable from"));
    server.advance(60);
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(desk.payable(&bill).await["status"], "payment_completed");
    desk.delete(&format!("vendors/{vendor}/payment-methods/{first}")).send().await.expect(200);
}
