//! Payout methods: the stored destinations of a user's money.

use serde_json::{Value, json};

use bursar::messages::{Message, Template};
use bursar::verification::open_code;
use bursar::world::Record;

use crate::harness::Server;

/// Creates a verified user; returns the id.
async fn verified(server: &Server) -> String {
    let body = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "2025550123"
    });
    let id = server.post("/v2/users").app_key().json(body).send().await.expect(201).id();
    server.post(&format!("/v2/users/{id}/send-verification-token")).app_key().send().await.expect(202);
    let row = server.rows(Message::TABLE).pop().unwrap();
    let message = (Message::TABLE.decode)(&row).unwrap().downcast::<Message>().unwrap();
    let Template::Code { sealed_code, .. } = &message.template.0 else { panic!("the newest message is no code") };
    let token = open_code(&server.bursar().vault, &message, sealed_code).unwrap();
    server.post(&format!("/v2/users/{id}/verify")).app_key().json(json!({ "token": token })).send().await.expect(200);
    id
}

async fn set(server: &Server, user: &str, body: Value) -> Value {
    server.put(&format!("/v2/users/{user}/payout-methods")).app_key().json(body).send().await.expect(200).body
}

#[tokio::test]
async fn set_payout_method() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    let ach =
        set(&server, &user, json!({"platform": "ach", "account_number": "123456789", "routing_number": "011000015"}))
            .await;
    let shown = json!({
        "id": ach["id"], "platform": "ach", "description": "Checking account", "mask": "6789", "email": null,
        "phone_number": null, "cash_tag": null, "country": "US", "currency": "USD", "rtp_enabled": true,
        "validated_at": null, "validation": null, "meta": null
    });
    assert_eq!(ach, shown);
    let read = server.get(&format!("/v2/users/{user}")).app_key().send().await.expect(200).body;
    assert_eq!((&read["default_payout_method"], &read["default_payout_method_details"]), (&json!("ach"), &ach));

    // The second does not replace the first as the default unless the request says so.
    let wallet = set(&server, &user, json!({"platform": "wallet_a", "email": "jane@example.com"})).await;
    let read = server.get(&format!("/v2/users/{user}")).app_key().send().await.body;
    assert_eq!(read["default_payout_method_details"]["id"], ach["id"]);
    let chosen =
        json!({"platform": "wallet_a", "email": "jane@example.com", "is_default": true, "auto_payout_enabled": true});
    assert_eq!(set(&server, &user, chosen).await, wallet, "the same details are one method");
    let read = server.get(&format!("/v2/users/{user}")).app_key().send().await.body;
    assert_eq!((&read["default_payout_method"], &read["auto_payout_enabled"]), (&json!("wallet_a"), &json!(true)));
    let patched =
        server.patch(&format!("/v2/users/{user}")).app_key().json(json!({"default_payout_method": "ach"})).send().await;
    assert_eq!(patched.expect(200).body["default_payout_method_details"], ach);
}

#[tokio::test]
async fn an_unverified_user_has_none() {
    let server = Server::memory().await;
    let body = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com",
        "country_code": "1", "phone_number": "2025550123"
    });
    let user = server.post("/v2/users").app_key().json(body).send().await.expect(201).id();
    let method = json!({"platform": "wallet_a", "email": "jane@example.com"});
    let refused = server.put(&format!("/v2/users/{user}/payout-methods")).app_key().json(method).send().await;
    refused.refused(409, "invalid-state");
}

#[tokio::test]
async fn wrong_details_are_named() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    for (body, fields) in [
        (json!({}), vec!["/platform"]),
        (json!({"platform": "rtp"}), vec!["/platform"]),
        (json!({"platform": "ach", "account_number": "123456789"}), vec!["/routing_number"]),
        (
            json!({"platform": "ach", "account_number": "1", "routing_number": "1", "is_default": 1}),
            vec!["/routing_number", "/account_number", "/is_default"],
        ),
        (json!({"platform": "push_to_card", "card_token": "4111111111111111"}), vec!["/card_token"]),
        (json!({"platform": "wallet_a", "email": "a@example.com", "rooting_number": "x"}), vec!["/rooting_number"]),
        // A claim may name an existing method; here one is set up.
        (
            json!({"platform": "wallet_a", "email": "a@example.com", "payout_method_id": user}),
            vec!["/payout_method_id"],
        ),
    ] {
        let refused = server.put(&format!("/v2/users/{user}/payout-methods")).app_key().json(body).send().await;
        assert_eq!(
            (refused.status, refused.fields()),
            (400, fields.into_iter().map(str::to_owned).collect::<Vec<_>>())
        );
        assert!(!refused.text.contains("4111111111111111"));
    }
}

/// Callers send every field of their types: null equals absent, also for a field of another rail.
#[tokio::test]
async fn null_is_nothing_for_a_field_of_another_rail() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    let body =
        json!({"platform": "wallet_a", "email": "ada@example.com", "routing_number": null, "account_number": null});
    assert_eq!(set(&server, &user, body).await["email"], "ada@example.com");
    let put = |body: Value| server.put(&format!("/v2/users/{user}/payout-methods")).app_key().json(body).send();
    let refused = put(json!({"platform": "wallet_a", "email": "ada@example.com", "routing_number": "110000000"})).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/routing_number"]);
    let refused = put(json!({"platform": "wallet_a", "email": "ada@example.com", "route": null})).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/route"]);
}

#[tokio::test]
async fn list_payout_methods_and_list_payout_methods_unversioned_agree() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    let first = set(&server, &user, json!({"platform": "wallet_b", "handle": "jane"})).await;
    let second = set(&server, &user, json!({"platform": "wallet_c", "cash_tag": "jane"})).await;
    let path = format!("/v2/users/{user}/payout-methods");
    let list = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!(list, json!({"has_more": false, "data": [second, first]}));
    assert_eq!(server.get(&path.replace("/v2", "")).app_key().send().await.expect(200).body, list);
    let one = server.get(&format!("{path}?limit=1&platform=wallet_b")).app_key().send().await.expect(200).body;
    assert_eq!(one, json!({"has_more": false, "data": [first]}));
}

#[tokio::test]
async fn remove_payout_method() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    let method = set(&server, &user, json!({"platform": "wallet_a", "email": "jane@example.com"})).await;
    let path = format!("/v2/users/{user}/payout-methods/{}", method["id"].as_str().unwrap());
    for _ in 0..2 {
        assert_eq!(server.delete(&path).app_key().send().await.expect(200).body, method);
    }
    let read = server.get(&format!("/v2/users/{user}")).app_key().send().await.body;
    assert_eq!(read["default_payout_method"], Value::Null);
    let unknown = format!("/v2/users/{user}/payout-methods/{user}");
    server.delete(&unknown).app_key().send().await.refused(404, "not-found");
}

#[tokio::test]
async fn list_payout_options() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    let ach =
        set(&server, &user, json!({"platform": "ach", "account_number": "123456789", "routing_number": "110000000"}))
            .await;
    let exclude = json!({"payout_options_exclude_list": ["crypto", "wire"]});
    server.patch(&format!("/v2/users/{user}")).app_key().json(exclude).send().await.expect(200);
    let list = server.get(&format!("/v2/users/{user}/payout-options")).app_key().send().await.expect(200).body;
    let options = list["data"].as_array().unwrap();
    assert_eq!(options.len(), 12);
    assert_eq!(
        options[0],
        json!({
            "platform": "ach", "name": "Bank account (ACH)",
            "fee_settings": {"fixed": 25, "percent": "0", "min": 0, "max": null},
            "platform_fee_settings": {"fixed": 0, "percent": "0", "min": 0, "max": null},
            "fx_percent": "0", "arrival": "1 business day", "arrival_seconds": 86400,
            "set_up": true, "payout_method_id": ach["id"]
        })
    );
}

#[tokio::test]
async fn a_user_has_fifty_methods_at_most() {
    let server = Server::memory().await;
    let user = verified(&server).await;
    let ach = |number: usize| {
        let account_number = (100_000_000 + number).to_string();
        json!({"platform": "ach", "account_number": account_number, "routing_number": "011000015"})
    };
    let mut made = Vec::new();
    for number in 0..50 {
        made.push(set(&server, &user, ach(number)).await);
    }
    let path = format!("/v2/users/{user}/payout-methods");
    server.put(&path).app_key().json(ach(50)).send().await.refused(409, "limit-exceeded");
    assert_eq!(set(&server, &user, ach(3)).await["id"], made[3]["id"], "one that is there is none more");
    server.delete(&format!("{path}/{}", made[7]["id"].as_str().unwrap())).app_key().send().await.expect(200);
    set(&server, &user, ach(50)).await;
}
