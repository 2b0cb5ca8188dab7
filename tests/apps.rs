//! Organizations, apps, keys, members, and the sandbox's clock.

use serde_json::{Value, json};

use bursar::app_compliance::AppCompliance;
use bursar::bank_accounts::BankAccount;
use bursar::world::Record;

use crate::harness::{Desk, Reply, Server};

/// Returns the text at a JSON pointer.
fn text(value: &Value, pointer: &str) -> String {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no {pointer} in {value}")).to_owned()
}

async fn shop(server: &Server) -> Reply {
    server.post("/v2/apps").as_org().json(json!({"name": "Corner Shop"})).send().await.expect(201)
}

#[tokio::test]
async fn create_app_shows_its_key_once_and_the_key_works() {
    let server = Server::memory().await;
    let made = shop(&server).await;
    let fields: Vec<&String> = made.body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "name", "status", "metrics", "metadata", "created", "keys"]);
    assert_eq!(made.body["status"], "approved");
    assert_eq!(
        made.body["metrics"],
        json!({"wallet_balance": 0, "wallet_available": 0, "wallet_held": 0, "money_out": 0, "connected_users": 0})
    );
    assert_eq!(made.body["metadata"], Value::Null);

    let (client_id, api_key) = (text(&made.body, "/keys/client_id"), text(&made.body, "/keys/api_key"));
    assert!(client_id.starts_with("pk_sandbox_") && api_key.starts_with("sk_sandbox_"));
    let path = format!("/v2/apps/{}", made.id());
    let read = server.get(&path).basic(&client_id, &api_key).send().await.expect(200);
    assert!(read.body.get("keys").is_none());
    let listed = server.get("/v2/apps").basic(&client_id, &api_key).send().await.expect(200);
    assert_eq!(listed.body, json!([read.body]), "an app's key lists that app alone");
    let listed = server.get("/v2/apps").as_org().send().await.expect(200);
    let names: Vec<String> = listed.body.as_array().unwrap().iter().map(|app| text(app, "/name")).collect();
    assert_eq!(names, ["Corner Shop", "Demonstration"]);
}

#[tokio::test]
async fn create_app_checks_the_name_and_the_key() {
    let server = Server::memory().await;
    let long = "x".repeat(61);
    for name in [json!("ab"), json!(" a  "), json!(long), json!(""), json!(7), Value::Null] {
        let reply = server.post("/v2/apps").as_org().json(json!({"name": name})).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/name"], "{name}");
    }
    let body = json!({"name": "x".repeat(60), "metadata": {"a": 1}});
    server.post("/v2/apps").as_org().json(body.clone()).send().await.expect(201);
    server.post("/v2/apps").app_key().json(body.clone()).send().await.refused(403, "organization-key-required");
    server.post("/v2/apps").client_side().json(body).send().await.refused(403, "secret-key-required");
}

#[tokio::test]
async fn create_app_repeats_its_answer_byte_for_byte() {
    let server = Server::memory().await;
    let create = || server.post("/v2/apps").as_org().idempotency_key("one").json(json!({"name": "Corner Shop"})).send();
    let (first, again) = (create().await.expect(201), create().await.expect(201));
    assert_eq!(first.text, again.text);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let listed = server.get("/v2/apps").as_org().send().await;
    assert_eq!(listed.body.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn get_app_hides_what_is_not_the_callers() {
    let server = Server::memory().await;
    let other = shop(&server).await.id();
    let path = format!("/v2/apps/{other}");
    server.get(&path).as_org().send().await.expect(200);
    server.get(&path).app_key().send().await.refused(404, "not-found");
    server.get(&format!("{path}/settings")).app_key().send().await.refused(404, "not-found");
    server.get("/v2/apps/7").as_org().send().await.refused(404, "not-found");
    server.get("/v2/apps/00000000-0000-7000-8000-000000000000").as_org().send().await.refused(404, "not-found");
    let demonstration = server.get(&format!("/v2/apps/{}", server.app_id())).app_key().send().await.expect(200);
    assert_eq!(demonstration.body["metrics"]["wallet_balance"], 100_000_000);
}

#[tokio::test]
async fn list_apps_is_a_plain_array_of_the_callers_own() {
    let server = Server::memory().await;
    let made = shop(&server).await;
    let all = server.get("/v2/apps").as_org().send().await.expect(200).body;
    assert_eq!(all.as_array().unwrap().len(), 2);
    let own = server.get("/v2/apps").app_key().send().await.expect(200).body;
    assert_eq!(own.as_array().unwrap().len(), 1, "an app's key sees that app alone");
    assert_ne!(own[0]["id"], made.body["id"]);
}

#[tokio::test]
async fn update_app_changes_what_is_sent() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}", shop(&server).await.id());
    let patch = |body: Value| server.patch(&path).as_org().json(body).send();
    let changed = patch(json!({"metadata": {"tier": 2}})).await.expect(200);
    assert_eq!(
        (text(&changed.body, "/name"), text(&changed.body, "/metadata")),
        ("Corner Shop".into(), r#"{"tier":2}"#.into())
    );
    let changed = patch(json!({"name": "New Name", "metadata": null})).await.expect(200);
    assert_eq!((text(&changed.body, "/name"), &changed.body["metadata"]), ("New Name".into(), &Value::Null));
    patch(json!({"nmae": "x"})).await.refused(400, "invalid-input");
    server.patch(&path).app_key().json(json!({})).send().await.refused(403, "organization-key-required");
}

#[tokio::test]
async fn delete_app_refuses_while_money_remains_and_ends_its_keys() {
    let server = Server::memory().await;
    let holds_money = format!("/v2/apps/{}", server.app_id());
    server.delete(&holds_money).as_org().send().await.refused(409, "invalid-state");
    server.get(&holds_money).app_key().send().await.expect(200);

    let made = shop(&server).await;
    let (client_id, api_key) = (text(&made.body, "/keys/client_id"), text(&made.body, "/keys/api_key"));
    let path = format!("/v2/apps/{}", made.id());
    server.get(&path).basic(&client_id, &api_key).send().await.expect(200);
    server.delete(&path).as_org().send().await.expect(200);
    server.get(&path).basic(&client_id, &api_key).send().await.refused(401, "unauthorized");
    server.get(&path).as_org().send().await.refused(404, "not-found");
    server.get("/v2/members").as_org().for_app(&made.id()).send().await.refused(404, "not-found");
    assert_eq!(server.get("/v2/apps").as_org().send().await.body.as_array().unwrap().len(), 1);
}

/// A request that runs while its app is deleted is done or refused, and so is the deletion: never both.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delete_app_and_a_concurrent_change_are_never_both_done() {
    let server = Server::memory().await;
    let (mut deleted, mut kept) = (0, 0);
    for round in 0..30 {
        let made = shop(&server).await;
        let (client_id, api_key) = (text(&made.body, "/keys/client_id"), text(&made.body, "/keys/api_key"));
        let path = format!("/v2/apps/{}", made.id());
        let request = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": "2127361234"}});
        let post = |path: &'static str, body: Value| {
            let asking = server.post(path).basic(&client_id, &api_key).json(body);
            async move {
                // Each round starts later, so that the deletion comes first in some of them.
                for _ in 0..round {
                    tokio::task::yield_now().await;
                }
                asking.send().await
            }
        };
        let bill = json!({"acting_user_id": Desk::of(&server).member("ap_creator"), "number": "INV-1", "amount": 500});
        let (one, other, gone) = tokio::join!(
            post("/v2/payout-requests", request),
            post("/v2/accounts-payable/payables", bill),
            server.delete(&path).as_org().send(),
        );
        let acknowledged = [&one, &other].into_iter().filter(|reply| reply.status == 201).count();
        if gone.status == 200 {
            deleted += 1;
            assert_eq!(acknowledged, 0, "round {round}: {one:?} {other:?}");
        } else {
            kept += 1;
            gone.refused(409, "invalid-state");
            assert!(acknowledged > 0, "round {round}");
        }
    }
    println!("deleted {deleted} times, not {kept} times");
    server.verify();
}

/// Bills, requests and batches hold no money before they are paid, but count as open.
#[tokio::test]
async fn delete_app_refuses_while_objects_are_open() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let made = shop(&server).await;
    let (client_id, api_key) = (text(&made.body, "/keys/client_id"), text(&made.body, "/keys/api_key"));
    let path = format!("/v2/apps/{}", made.id());
    let post = |path: &str, body: Value| server.post(path).basic(&client_id, &api_key).json(body).send();
    let refused = async |word: &str| {
        let refused = server.delete(&path).as_org().send().await;
        refused.refused(409, "invalid-state");
        assert!(refused.text.contains(word), "{}", refused.text);
    };
    let of = |role: &str| json!({"acting_user_id": desk.member(role)});

    let bill = json!({"acting_user_id": desk.member("ap_creator"), "number": "INV-1", "amount": 500});
    let bill = post("/v2/accounts-payable/payables", bill).await.expect(201).id();
    refused("open payables").await;
    post(&format!("/v2/accounts-payable/payables/{bill}/cancel"), of("ap_creator")).await.expect(200);

    let request = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let request = post("/v2/payout-requests", request).await.expect(201).id();
    refused("open payout requests").await;
    post(&format!("/v2/payout-requests/{request}/reject"), json!({})).await.expect(200);

    let batch = json!({"links": [{"amount_cents": 500, "email": "jane@example.com"}]});
    post("/v2/payout-link-batches", batch).await.expect(201);
    refused("batches in progress").await;
    server.work_off().await;
    server.delete(&path).as_org().send().await.expect(200);
}

/// An app's vendors and payment customers remain in the store, because bills and payments name them, but cannot be
/// reached.
#[tokio::test]
async fn what_a_deleted_app_left_is_unreachable() {
    let server = Server::memory().await;
    let made = shop(&server).await;
    let (client_id, api_key) = (text(&made.body, "/keys/client_id"), text(&made.body, "/keys/api_key"));
    let post = |path: &str, body: Value| server.post(path).basic(&client_id, &api_key).json(body).send();
    let address =
        json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
    let vendors = "/v2/accounts-payable/vendors";
    let vendor = post(vendors, json!({"name": "Vendor", "address": address})).await.expect(201).id();
    let account = json!({"name": "Vendor", "account_number": "000123456789", "routing_number": "110000000"});
    post(&format!("{vendors}/{vendor}/payment-methods"), account.clone()).await.expect(201);
    let customer = post("/v2/payment-customers", json!({"name": "Jane"})).await.expect(201).id();
    let customer = format!("/v2/payment-customers/{customer}");
    post(&format!("{customer}/bank-accounts"), account).await.expect(201);
    post("/v2/webhook-endpoints", json!({"url": "http://127.0.0.1:1/hooks"})).await.expect(201);
    server.delete(&format!("/v2/apps/{}", made.id())).as_org().send().await.expect(200);

    let vendor = format!("{vendors}/{vendor}");
    let reached = [
        ("GET", vendors.to_owned()),
        ("POST", vendors.to_owned()),
        ("GET", vendor.clone()),
        ("DELETE", vendor.clone()),
        ("GET", format!("{vendor}/payment-methods")),
        ("POST", format!("{vendor}/payment-methods")),
        ("GET", "/v2/payment-customers".to_owned()),
        ("POST", "/v2/payment-customers".to_owned()),
        ("GET", customer.clone()),
        ("PATCH", customer.clone()),
        ("DELETE", customer.clone()),
        ("GET", format!("{customer}/bank-accounts")),
        ("POST", "/v2/payments".to_owned()),
        ("GET", "/v2/webhook-endpoints".to_owned()),
        ("GET", "/v2/events".to_owned()),
        ("GET", "/v2/users".to_owned()),
    ];
    for (method, path) in reached {
        let asked = || server.ask(method, &path);
        asked().as_org().for_app(&made.id()).send().await.refused(404, "not-found");
        asked().basic(&client_id, &api_key).send().await.refused(401, "unauthorized");
        let elsewhere = asked().app_key().send().await;
        assert!(!elsewhere.text.contains("\"Vendor\"") && !elsewhere.text.contains("Jane"), "{}", elsewhere.text);
    }
}

#[tokio::test]
async fn create_app_key_overlaps_until_delete_app_key_and_list_app_keys_shows_no_secret() {
    let server = Server::memory().await;
    let app = server.app_id();
    let (path, keys) = (format!("/v2/apps/{app}"), format!("/v2/apps/{app}/keys"));
    let issued = server.post(&keys).as_org().send().await.expect(201);
    server.post(&keys).as_org().send().await.refused(409, "limit-exceeded");
    let (client_id, api_key) = (text(&issued.body, "/client_id"), text(&issued.body, "/api_key"));
    server.get(&path).basic(&client_id, &api_key).send().await.expect(200);
    server.get(&path).app_key().send().await.expect(200);

    let old = text(&server.credentials(), "/app/client_id");
    let revoked = server.delete(&format!("{keys}/{old}")).as_org().send().await.expect(200);
    assert!(revoked.body["revoked"].is_string());
    // At once, in the process that revoked it.
    server.get(&path).app_key().send().await.refused(401, "unauthorized");
    server.get(&path).basic(&client_id, &api_key).send().await.expect(200);

    let listed = server.get(&keys).as_org().send().await.expect(200);
    assert_eq!(listed.body["has_more"], false);
    let newest = &listed.body["data"][0];
    assert_eq!(text(newest, "/client_id"), client_id);
    assert!(api_key.ends_with(&text(newest, "/api_key_last4")));
    assert!(!listed.text.contains(&api_key), "a secret is shown once");
    server.delete(&format!("{keys}/pk_sandbox_x")).as_org().send().await.refused(404, "not-found");
    let own = server.post(&keys).basic(&client_id, &api_key).send().await;
    own.refused(403, "organization-key-required");
}

#[tokio::test]
async fn update_app_settings_keeps_what_get_app_settings_showed() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let before = server.get(&path).app_key().send().await.expect(200);
    let default = json!({
        "payout_fee_party": "user",
        "fees": {},
        "payout_options_exclude_list": [],
        "auto_refill": null,
        "payout_limits": {"per_payout": null, "per_day": null},
        "payout_approval_limit": null,
        "payable_limits": {"per_payable": null, "per_day": null},
        "payable_approval_limit": null,
        "transfer_limits": {"per_transfer": null, "per_day": null},
        "payment_limits": {"per_payment": null, "per_payer_per_day": null, "per_day": null},
        "payment_authorization": "attested",
        "payment_hold_days": 0,
        "debit_retries": 0,
        "delivery_limits": {"per_recipient_per_day": 20, "per_day": null},
        "phone_countries": ["CA", "US"],
        "method_rest_hours": 0,
        "require_idempotency_key": false,
        "payee_reminders": true,
        "member_proof": "asserted",
    });
    assert_eq!(before.body, default);
    let body = json!({"fees": {"ach": {"fixed": 25, "percent": "0.01"}}, "payout_limits": {"per_day": 500_000}});
    let after = server.put(&path).as_org().json(body).send().await.expect(200);
    assert_eq!(after.body["fees"], json!({"ach": {"fixed": 25, "percent": "0.01", "min": 0, "max": null}}));
    assert_eq!(after.body["payout_limits"], json!({"per_payout": null, "per_day": 500_000}));
    assert_eq!(after.body["payout_fee_party"], "user");
    let cleared = server.put(&path).as_org().json(json!({"fees": null, "payout_limits": null})).send().await;
    assert_eq!(cleared.text, before.text);
    server.put(&path).app_key().json(json!({})).send().await.refused(403, "organization-key-required");
}

#[tokio::test]
async fn an_app_may_ask_for_a_key_on_every_post() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/settings", server.app_id());
    let advance = || server.post("/v2/sandbox/clock/advance").app_key();
    advance().json(json!({"seconds": 1})).send().await.expect(200);
    server.put(&path).as_org().json(json!({"require_idempotency_key": true})).send().await.expect(200);
    let refused = advance().json(json!({"seconds": 1})).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["Idempotency-Key"]);
    advance().idempotency_key("a").json(json!({"seconds": 1})).send().await.expect(200);
    let in_body = json!({"seconds": 1, "idempotency_key": "0195cf3a-0000-7000-8000-000000000000"});
    advance().json(in_body).send().await.expect(200);
    // The organization acts there, and no app's settings apply to it.
    server.post("/v2/sandbox/clock/advance").as_org().json(json!({"seconds": 1})).send().await.expect(200);
}

#[tokio::test]
async fn create_member_list_members_update_member_delete_member_keep_numbers() {
    let server = Server::memory().await;
    let listed = server.get("/v2/members").app_key().send().await.expect(200);
    let roles: Vec<String> = listed.body["data"].as_array().unwrap().iter().map(|one| text(one, "/role")).collect();
    assert_eq!(roles, ["ap_creator", "ap_approver", "payer", "viewer", "admin"]);

    let jane = json!({"name": "Jane Doe", "email": "jane@example.com", "role": "payer", "password": "correct horse"});
    let made = server.post("/v2/members").as_org().json(jane.clone()).send().await.expect(201);
    assert_eq!((made.body["number"].as_i64(), text(&made.body, "/status")), (Some(6), "active".into()));
    assert!(!made.text.contains("horse") && made.body.get("password_hash").is_none());
    server.post("/v2/members").as_org().json(jane).send().await.refused(409, "invalid-state");

    let path = format!("/v2/members/{}", made.id());
    let changed = server.patch(&path).as_org().json(json!({"role": "viewer"})).send().await.expect(200);
    assert_eq!(text(&changed.body, "/role"), "viewer");
    server
        .patch(&path)
        .as_org()
        .json(json!({"role": "king", "password": "short"}))
        .send()
        .await
        .refused(400, "invalid-input");
    let removed = server.delete(&path).as_org().send().await.expect(200);
    assert_eq!(text(&removed.body, "/status"), "removed");
    server.patch(&path).as_org().json(json!({"role": "admin"})).send().await.refused(404, "not-found");
    let removed = server.get("/v2/members?status=removed").as_org().send().await.expect(200);
    assert_eq!(removed.body["data"].as_array().unwrap().len(), 1);
    server.delete(&path).app_key().send().await.refused(403, "organization-key-required");
}

#[tokio::test]
async fn update_member_takes_null_for_the_password_alone() {
    let server = Server::memory().await;
    let jane = json!({"name": "Jane Doe", "email": "jane@example.com", "role": "payer", "password": "correct horse"});
    let made = server.post("/v2/members").as_org().json(jane).send().await.expect(201);
    let update = |body: Value| server.patch(&format!("/v2/members/{}", made.id())).as_org().json(body).send();
    let refused = update(json!({"name": null, "email": null, "role": null})).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/name", "/email", "/role"]);
    update(json!({"password": null})).await.expect(200);
    let kept = update(json!({})).await.expect(200).body;
    assert_eq!([&kept["name"], &kept["role"]], ["Jane Doe", "payer"]);
}

#[tokio::test]
async fn connected_users_counts_each_user_of_an_app_once() {
    let server = Server::memory().await;
    let second = server.post("/v2/apps").as_org().json(json!({"name": "Night shift"})).send().await.expect(201);
    let (client, key) = (text(&second.body, "/keys/client_id"), text(&second.body, "/keys/api_key"));
    let own = server.app_id();
    let counted = async || {
        let mut counts = Vec::new();
        for app in [own.clone(), second.id()] {
            let shown = server.get(&format!("/v2/apps/{app}")).as_org().send().await.expect(200).body;
            counts.push(shown["metrics"]["connected_users"].as_i64().unwrap());
        }
        (counts[0], counts[1])
    };
    let user = server.user(1234).await;
    server.user(1235).await;
    assert_eq!(counted().await, (2, 0));

    // The organization connects one of them; a repetition changes nothing.
    let both = json!({"user_id": user, "app_id": second.id()});
    for _ in 0..2 {
        server.post("/v2/users/connect").as_org().json(both.clone()).send().await.expect(200);
        assert_eq!(counted().await, (2, 1));
    }
    // The organization connects the second app by phone number too: the same people; the first is connected already.
    for line in [1234, 1235] {
        let person = json!({
            "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
            "country_code": "1", "phone_number": format!("212736{line}"),
        });
        server.post("/v2/users").as_org().for_app(&second.id()).json(person).send().await.expect(201);
    }
    assert_eq!(counted().await, (2, 2));
    // A user who is deleted by one app is gone from it only; erased by the organization, from both.
    let path = format!("/v2/users/{user}");
    for _ in 0..2 {
        server.delete(&path).basic(&client, &key).send().await.expect(200);
        assert_eq!(counted().await, (2, 1));
    }
    for _ in 0..2 {
        server.delete(&path).as_org().for_app(&own).send().await.expect(200);
        assert_eq!(counted().await, (1, 1));
    }
    // A refused connection counts nothing.
    server.post("/v2/users/connect").as_org().json(both).send().await.refused(409, "user-inactive");
    assert_eq!(counted().await, (1, 1));
}

#[tokio::test]
async fn list_organizations_shows_the_callers_own() {
    let server = Server::memory().await;
    let listed = server.get("/v2/organizations").as_org().send().await.expect(200);
    assert_eq!(listed.body["data"][0]["id"], server.credentials()["organization"]["id"]);
    server.get("/v2/organizations").app_key().send().await.refused(403, "organization-key-required");
}

#[tokio::test]
async fn the_sandbox_clock_moves_forward_once_per_key() {
    let server = Server::memory().await;
    let clock = server.get("/v2/sandbox/clock").app_key().send().await.expect(200);
    assert_eq!(clock.body, json!({"now": "2026-03-02T15:00:00.000000Z", "ahead_seconds": 0}));
    let advance = |seconds: Value| {
        server
            .post("/v2/sandbox/clock/advance")
            .app_key()
            .idempotency_key("day")
            .json(json!({"seconds": seconds}))
            .send()
    };
    let moved = advance(json!(86_400)).await.expect(200);
    assert_eq!((moved.body["ahead_seconds"].as_i64(), moved.body["drained"].as_bool()), (Some(86_400), Some(true)));
    let again = advance(json!(86_400)).await.expect(200);
    assert_eq!(again.text, moved.text);
    let clock = server.get("/v2/sandbox/clock").as_org().send().await.expect(200);
    // A microsecond later: the command that moved the clock had a time of its own.
    assert_eq!(clock.body, json!({"now": "2026-03-03T15:00:00.000001Z", "ahead_seconds": 86_400}));
    advance(json!(1)).await.refused(409, "idempotency-key-reused");
    for seconds in [json!(0), json!(-1), json!(315_619_201), json!("1"), json!(1.5)] {
        let reply = server.post("/v2/sandbox/clock/advance").as_org().json(json!({"seconds": seconds})).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/seconds"]);
    }
    assert_eq!(server.get("/v2/sandbox/clock").app_key().send().await.body["ahead_seconds"], 86_400);
}

#[tokio::test]
async fn keys_apps_and_the_clock_survive_a_restart() {
    let mut server = Server::start().await;
    let made = shop(&server).await;
    server.post("/v2/sandbox/clock/advance").as_org().json(json!({"seconds": 60})).send().await.expect(200);
    server.restart().await;
    assert_eq!(server.get("/v2/sandbox/clock").app_key().send().await.expect(200).body["ahead_seconds"], 60);
    let path = format!("/v2/apps/{}", made.id());
    let read = server.get(&path).basic(&text(&made.body, "/keys/client_id"), &text(&made.body, "/keys/api_key"));
    assert_eq!(read.send().await.expect(200).body["name"], "Corner Shop");
    server.get("/v2/apps").app_key().send().await.expect(200);
}

#[tokio::test]
async fn deleting_an_app_erases_the_persons_behind_it() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}", shop(&server).await.id());
    let reported = crate::app_compliance::everything();
    server.put(&format!("{path}/compliance")).as_org().json(reported).send().await.expect(201);
    let account = json!({"account_number": "000123456789", "routing_number": "110000000", "name": "Ada Lovelace"});
    server.put(&format!("{path}/ach-account")).as_org().json(account).send().await.expect(200);
    let named = |server: &Server| {
        let rows = server.rows(BankAccount::TABLE).into_iter();
        let accounts = rows.map(|row| (BankAccount::TABLE.decode)(&row).unwrap().downcast::<BankAccount>().unwrap());
        accounts.filter(|account| account.name == "Ada Lovelace").count()
    };
    assert_eq!((server.rows(AppCompliance::TABLE).len(), named(&server)), (1, 1));
    server.delete(&path).as_org().send().await.expect(200);
    assert_eq!((server.rows(AppCompliance::TABLE).len(), named(&server)), (0, 0));
}
