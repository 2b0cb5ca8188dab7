//! Payables: their fields, permissions, and histories.

use serde_json::{Value, json};

use crate::harness::{Desk, Server};

fn words(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn create_payable_get_payable_show_every_field() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let fields = json!({
        "number": "INV-7", "description": "Chairs", "external_id": "x-7", "ap_vendor_id": vendor,
        "ap_payment_method_id": method, "currency": "USD", "funding_source": "service_balance",
        "items": [{"name": "Chair", "description": "Oak", "quantity": 5, "unit_price": 500, "amount": 2500}],
    });
    let made = desk.bill(fields).await.expect(201);
    let timestamp = &made.body["created"];
    let action = json!({
        "action": "create", "comment": null, "timestamp": timestamp, "user_id": 5, "user_name": "Clara Creator",
        "user_role": "ap_creator",
    });
    let item = json!({"amount": 2500, "description": "Oak", "name": "Chair", "quantity": 5, "unit_price": 500});
    let expected = json!({
        "id": made.id(), "created": timestamp, "updated": timestamp, "amount": 2500, "currency": "USD",
        "description": "Chairs", "external_id": "x-7", "number": "INV-7", "file_url": null, "status": "created",
        "funding_source": "service_balance", "ap_payment_method_id": method,
        "ap_payment_method_name": "Corner Shop Inc.", "ap_vendor_id": vendor, "ap_vendor_name": "Corner Shop",
        "api_app_id": server.app_id(), "transfer_id": null, "items": [item], "action_history": [action],
        "approval_steps": [], "status_history": [{"status": "created", "timestamp": timestamp}],
        "transfer_history": [],
    });
    assert_eq!(made.body, expected);
    assert_eq!(desk.payable(&made.id()).await, expected);
}

#[tokio::test]
async fn create_payable_names_every_wrong_field_at_once() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let body = json!({
        "number": "", "amount": 0, "currency": "EUR", "funding_source": "ach", "ap_vendor_id": "x", "file": "JVBERg",
        "items": [{"quantity": 0, "unit_price": 5}], "amont": 5, "description": "x".repeat(501), "external_id": 7,
        "ap_payment_method_id": 1,
    });
    let reply = desk.post("payables", body).send().await;
    let errors = reply.refused(400, "invalid-input").body["errors"].clone();
    let expected = [
        "/amont",
        "/acting_user_id",
        "/number",
        "/description",
        "/external_id",
        "/ap_vendor_id",
        "/ap_payment_method_id",
        "/amount",
        "/currency",
        "/funding_source",
        "/items/0/quantity",
        "/file",
    ];
    assert_eq!(words(&errors, "field"), expected);
}

#[tokio::test]
async fn the_amount_of_a_payable_is_what_its_items_come_to() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let items = json!([{"quantity": 2, "unit_price": 50}, {"quantity": 1, "unit_price": 7}]);
    let reply = desk.bill(json!({"amount": 106, "items": items})).await;
    assert_eq!(reply.refused(400, "invalid-input").body["errors"][0]["field"], "/amount");
    let wrong = json!([{"quantity": 2, "unit_price": 50, "amount": 99}]);
    let reply = desk.bill(json!({"items": wrong})).await;
    assert_eq!(reply.refused(400, "invalid-input").body["errors"][0]["field"], "/items/0/amount");

    let bill = desk.bill(json!({"items": items})).await.expect(201);
    assert_eq!(bill.body["amount"], 107);
    desk.update(&bill.id(), json!({"amount": 106})).await.refused(400, "invalid-input");
    let more = json!({"items": [{"quantity": 3, "unit_price": 50}]});
    assert_eq!(desk.update(&bill.id(), more).await.expect(200).body["amount"], 150);
    let without = desk.update(&bill.id(), json!({"items": null, "amount": 5})).await.expect(200).body;
    assert_eq!((&without["items"], &without["amount"]), (&json!([]), &json!(5)));
}

#[tokio::test]
async fn update_payable_changes_what_is_sent_and_nothing_else() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let (other, others) = desk.vendor("000987654321").await;
    let fields = json!({"amount": 5, "description": "Chairs", "external_id": "x", "ap_vendor_id": vendor, "ap_payment_method_id": method});
    let bill = desk.bill(fields).await.expect(201).id();
    let changed = desk.update(&bill, json!({"number": "INV-2", "description": null})).await.expect(200).body;
    assert_eq!((&changed["number"], &changed["description"]), (&json!("INV-2"), &Value::Null));
    assert_eq!((&changed["external_id"], &changed["ap_payment_method_id"]), (&json!("x"), &json!(method)));
    assert_eq!(words(&changed["action_history"], "action"), ["create", "update"]);
    assert_eq!(words(&changed["status_history"], "status"), ["created"]);

    // An account belongs to its vendor.
    desk.update(&bill, json!({"ap_payment_method_id": others})).await.refused(404, "not-found");
    let moved = desk.update(&bill, json!({"ap_vendor_id": other})).await.expect(200).body;
    assert_eq!((&moved["ap_vendor_id"], &moved["ap_payment_method_id"]), (&json!(other), &Value::Null));
    let reply = desk.update(&bill, json!({"ap_vendor_id": null, "ap_payment_method_id": method})).await;
    assert_eq!(reply.refused(400, "invalid-input").body["errors"][0]["field"], "/ap_payment_method_id");
    let reply = desk.update(&bill, json!({"currency": "USD", "status": "approved"})).await;
    assert_eq!(reply.refused(400, "invalid-input").body["errors"].as_array().unwrap().len(), 2);
    desk.update(&server.app_id(), json!({})).await.refused(404, "not-found");
}

#[tokio::test]
async fn a_change_of_nothing_leaves_no_trace() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let before = desk.payable(&bill).await;
    for nothing in [json!({}), json!({"amount": 1_000}), json!({"description": before["description"]})] {
        assert_eq!(desk.update(&bill, nothing).await.expect(200).body, before);
    }
    // A rejected one can be submitted again unchanged.
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    desk.act(&bill, "reject", "ap_approver").await.expect(200);
    assert_eq!(desk.update(&bill, json!({})).await.expect(200).body["status"], "created");
}

#[tokio::test]
async fn a_payable_takes_two_hundred_actions_and_can_still_be_paid() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    for change in 2..=200 {
        desk.update(&bill, json!({"description": format!("Change {change}")})).await.expect(200);
    }
    let reply = desk.update(&bill, json!({"description": "One more"})).await;
    assert!(reply.refused(409, "limit-exceeded").body["message"].as_str().unwrap().contains("200 actions"));
    desk.post(&format!("payables/{bill}/file"), json!({"file": "JVBERi0xLjQKJSVFT0Y="}))
        .send()
        .await
        .refused(409, "limit-exceeded");
    desk.update(&bill, json!({"description": "Change 200"})).await.expect(200);
    desk.approve(&bill).await;
    desk.act(&bill, "pay", "payer").await.expect(200);
}

#[tokio::test]
async fn each_role_does_what_it_may_and_a_role_is_checked_before_the_state() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let allowed = [
        ("submit-for-approval", ["admin", "ap_creator"].as_slice()),
        ("cancel", &["admin", "ap_creator"]),
        ("approve", &["admin", "ap_approver"]),
        ("reject", &["admin", "ap_approver"]),
        ("pay", &["admin", "payer"]),
    ];
    for (verb, allowed) in allowed {
        for role in ["admin", "viewer", "payer", "ap_approver", "ap_creator"] {
            if !allowed.contains(&role) {
                desk.act(&bill, verb, role).await.refused(403, "not-permitted");
            }
        }
        desk.act(&bill, verb, &server.app_id()).await.refused(404, "not-found");
        desk.act(&bill, verb, "somebody").await.refused(400, "invalid-input");
    }
    for role in ["viewer", "payer", "ap_approver"] {
        let body = json!({"acting_user_id": desk.member(role), "number": "INV-1"});
        desk.post("payables", body.clone()).send().await.refused(403, "not-permitted");
        desk.patch(&format!("payables/{bill}"), body).send().await.refused(403, "not-permitted");
    }
    // The refusals left no trace.
    let payable = desk.payable(&bill).await;
    assert_eq!(
        (&payable["status"], words(&payable["action_history"], "action")),
        (&json!("created"), vec!["create".into()])
    );
    for (verb, who) in [("approve", "ap_approver"), ("reject", "admin"), ("pay", "payer")] {
        desk.act(&bill, verb, who).await.refused(409, "invalid-state");
    }
}

#[tokio::test]
async fn submit_payable_needs_an_amount_a_vendor_and_an_account() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, method) = desk.vendor("000123456789").await;
    let bill = desk.bill(json!({})).await.expect(201).id();
    assert!(desk.act(&bill, "submit-for-approval", "ap_creator").await.text.contains("amount"));
    desk.update(&bill, json!({"amount": 5})).await.expect(200);
    assert!(desk.act(&bill, "submit-for-approval", "ap_creator").await.text.contains("ap_vendor_id"));
    desk.account(&vendor, "000987654321").await.expect(201);
    desk.update(&bill, json!({"ap_vendor_id": vendor})).await.expect(200);
    assert!(desk.act(&bill, "submit-for-approval", "ap_creator").await.text.contains("ap_payment_method_id"));
    desk.update(&bill, json!({"ap_payment_method_id": method})).await.expect(200);
    let submitted = desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200).body;
    assert_eq!(submitted["status"], "submitted_for_approval");

    // The vendor's only account need not be named.
    let (vendor, method) = desk.vendor("000123456789").await;
    let bill = desk.bill(json!({"amount": 5, "ap_vendor_id": vendor})).await.expect(201).id();
    let submitted = desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200).body;
    assert_eq!(submitted["ap_payment_method_id"], json!(method));
}

#[tokio::test]
async fn approve_payable_is_not_for_its_submitter() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let submitted = desk.act(&bill, "submit-for-approval", "admin").await.expect(200).body;
    let named = words(&submitted["approval_steps"][0]["user_approvals"], "name");
    assert_eq!(named, ["Alan Approver"], "the submitter is not even asked");
    desk.act(&bill, "approve", "admin").await.refused(403, "self-approval");
    let body = json!({"acting_user_id": desk.member("ap_approver"), "comment": "Fine."});
    let approved = desk.post(&format!("payables/{bill}/approve"), body).send().await.expect(200).body;
    assert_eq!(approved["status"], "approved");
    let step = &approved["approval_steps"][0];
    assert_eq!((&step["completed"], &step["num_approvals_required"]), (&json!(true), &json!(1)));
    let given = &step["user_approvals"][0];
    assert_eq!((&given["approval_given"], &given["approval_comment"]), (&json!(true), &json!("Fine.")));
    assert_eq!(given["approval_timestamp"], step["completed_timestamp"]);
    assert_eq!(approved["action_history"][2]["comment"], "Fine.");
    desk.act(&bill, "approve", "admin").await.refused(403, "self-approval");
    desk.act(&bill, "approve", "ap_approver").await.refused(409, "invalid-state");
}

#[tokio::test]
async fn the_maker_of_a_payable_may_approve_it_when_another_submitted_it() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, _) = desk.vendor("000123456789").await;
    let body = json!({"acting_user_id": desk.member("admin"), "number": "1", "amount": 5, "ap_vendor_id": vendor});
    let bill = desk.post("payables", body).send().await.expect(201).id();
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    assert_eq!(desk.act(&bill, "approve", "admin").await.expect(200).body["status"], "approved");
}

#[tokio::test]
async fn nothing_is_changed_after_it_was_submitted() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    desk.update(&bill, json!({"amount": 2_000})).await.refused(409, "invalid-state");
    desk.act(&bill, "submit-for-approval", "admin").await.refused(409, "invalid-state");
    desk.act(&bill, "cancel", "admin").await.refused(409, "invalid-state");
    desk.act(&bill, "approve", "ap_approver").await.expect(200);
    desk.update(&bill, json!({"amount": 2_000})).await.refused(409, "invalid-state");
    desk.act(&bill, "reject", "admin").await.refused(409, "invalid-state");
    assert_eq!(desk.payable(&bill).await["amount"], 1_000);
}

#[tokio::test]
async fn reject_payable_then_update_payable_makes_it_created_again() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    let body = json!({"acting_user_id": desk.member("ap_approver"), "comment": "Too much."});
    let rejected = desk.post(&format!("payables/{bill}/reject"), body).send().await.expect(200).body;
    assert_eq!(rejected["status"], "rejected");
    let words_of = |value: &Value| (value["approval_given"].clone(), value["approval_comment"].clone());
    let alan = rejected["approval_steps"][0]["user_approvals"].as_array().unwrap();
    let alan = alan.iter().find(|approval| approval["name"] == "Alan Approver").unwrap();
    assert_eq!(words_of(alan), (json!(false), json!("Too much.")));
    desk.act(&bill, "submit-for-approval", "ap_creator").await.refused(409, "invalid-state");

    let again = desk.update(&bill, json!({"amount": 900})).await.expect(200).body;
    assert_eq!((&again["status"], &again["approval_steps"]), (&json!("created"), &json!([])));
    assert_eq!(words(&again["status_history"], "status"), ["created", "submitted_for_approval", "rejected", "created"]);
    assert_eq!(words(&again["action_history"], "action"), ["create", "submit_for_approval", "reject", "update"]);
    // Another member may submit it now, and then the earlier submitter may approve.
    desk.act(&bill, "submit-for-approval", "admin").await.expect(200);
    desk.act(&bill, "approve", "admin").await.refused(403, "self-approval");
    desk.act(&bill, "approve", "ap_approver").await.expect(200);
}

#[tokio::test]
async fn cancel_payable_is_the_end_of_it() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    let canceled = desk.act(&bill, "cancel", "ap_creator").await.expect(200).body;
    assert_eq!(words(&canceled["status_history"], "status"), ["created", "canceled"]);
    let again = desk.act(&bill, "cancel", "ap_creator").await;
    assert_eq!(
        again.refused(409, "invalid-state").body["message"],
        "The payable is canceled; this call requires status created. Its status is final: create a new payable."
    );
    desk.act(&bill, "submit-for-approval", "ap_creator").await.refused(409, "invalid-state");
    desk.update(&bill, json!({})).await.refused(409, "invalid-state");
}

#[tokio::test]
async fn list_payables_filters() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (vendor, _) = desk.vendor("000123456789").await;
    let one = desk.bill(json!({"number": "A", "external_id": "x"})).await.expect(201).id();
    server.advance(60);
    let two = desk.bill(json!({"number": "B", "ap_vendor_id": vendor})).await.expect(201);
    desk.act(&one, "cancel", "ap_creator").await.expect(200);
    let created = two.body["created"].as_str().unwrap();
    for (query, expected) in [
        (String::new(), vec![two.id(), one.clone()]),
        ("?status=canceled".into(), vec![one.clone()]),
        (format!("?ap_vendor_id={vendor}"), vec![two.id()]),
        ("?external_id=x".into(), vec![one.clone()]),
        ("?number=B".into(), vec![two.id()]),
        (format!("?created_after={created}"), vec![two.id()]),
        (format!("?created_before={created}"), vec![one.clone()]),
        ("?limit=1".into(), vec![two.id()]),
        (format!("?starting_after={}", two.id()), vec![one.clone()]),
        (format!("?ending_before={one}"), vec![two.id()]),
    ] {
        let list = desk.get(&format!("payables{query}")).send().await.expect(200).body;
        assert_eq!(words(&list["data"], "id"), expected, "{query}");
    }
    for query in ["?status=paid", "?limit=101", "?ap_vendor=1", "?starting_after=x"] {
        desk.get(&format!("payables{query}")).send().await.refused(400, "invalid-input");
    }
}

#[tokio::test]
async fn another_apps_payables_do_not_exist() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(5).await;
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    let path = format!("/v2/accounts-payable/payables/{bill}");
    server.get(&path).as_org().for_app(&other).send().await.refused(404, "not-found");
    server.get(&path).as_org().send().await.refused(400, "app-id-required");
    let body = json!({"acting_user_id": desk.member("admin")});
    server.post(&format!("{path}/cancel")).as_org().for_app(&other).json(body).send().await.refused(404, "not-found");
    server.get(&path).client_side().send().await.refused(403, "secret-key-required");
}

#[tokio::test]
async fn each_transition_of_a_payable_has_one_event_with_the_whole_object() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    desk.update(&bill, json!({"amount": 900})).await.expect(200);
    desk.approve(&bill).await;
    desk.act(&bill, "pay", "payer").await.expect(200);
    server.work_off().await;
    server.pass(86_400).await;
    let events = server.get("/v2/events").app_key().send().await.expect(200).body;
    let about: Vec<&Value> =
        events["data"].as_array().unwrap().iter().filter(|event| event["object_id"] == json!(bill)).collect();
    assert!(about.iter().all(|event| event["name"] == "payable.updated"));
    let reported: Vec<&str> = about.iter().map(|event| event["object"]["status"].as_str().unwrap()).collect();
    let expected =
        ["created", "created", "submitted_for_approval", "approved", "payment_initiated", "payment_completed"];
    assert_eq!(reported, expected);
    let versions: Vec<i64> = about.iter().map(|event| event["version"].as_i64().unwrap()).collect();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6]);
    assert_eq!(about[5]["object"], desk.payable(&bill).await);
}

#[tokio::test]
async fn a_key_makes_one_payable_and_one_approval() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let body = json!({"acting_user_id": desk.member("admin"), "number": "1"});
    let send = || desk.post("payables", body.clone()).idempotency_key("once").send();
    let (first, second) = (send().await.expect(201), send().await.expect(201));
    assert_eq!((first.text, second.header("idempotent-replayed")), (second.text.clone(), Some("true")));
    let bill = desk.good_bill(5).await;
    desk.act(&bill, "submit-for-approval", "ap_creator").await.expect(200);
    let body = json!({"acting_user_id": desk.member("ap_approver")});
    let approve = || desk.post(&format!("payables/{bill}/approve"), body.clone()).idempotency_key("yes").send();
    assert_eq!(approve().await.expect(200).text, approve().await.expect(200).text);
}
