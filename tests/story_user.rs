//! The story of a user: from the first phone number to the erasure of all personal data.

use serde_json::{Value, json};

use crate::harness::Server;

const DAY: i64 = 86_400;
const PHONE: &str = "+12127361234";

#[tokio::test]
async fn a_courier_joins_is_paid_by_two_apps_and_leaves() {
    let server = Server::start().await;
    let fetch = async |id: &str| server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body;

    // The app creates a courier. She is not verified yet, so no account can be set up.
    let person = json!({
        "first_name": "Mary", "last_name": "Major", "email": "mary@example.com",
        "country_code": "1", "phone_number": "2127361234",
    });
    let courier = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    let path = format!("/v2/users/{courier}");
    let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": "000123456789"});
    let methods = format!("{path}/payout-methods");
    server.put(&methods).app_key().json(bank.clone()).send().await.refused(409, "invalid-state");

    // She enters the six digits from her phone.
    server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
    let code = server.newest_code(PHONE).await;
    let verified_now = server.post(&format!("{path}/verify")).app_key().json(json!({"token": code})).send().await;
    assert_eq!(verified_now.expect(200).body["status"], "verified");

    // She marries, moves, and hands in her tax form.
    let married = json!({"last_name": "Minor", "date_of_birth": "1990-01-31", "metadata": "bicycle 7"});
    server.patch(&path).app_key().json(married).send().await.expect(200);
    let address =
        json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
    server.put(&format!("{path}/addresses")).app_key().json(address).send().await.expect(201);
    let w9 = json!({
        "entity_type": "individual", "tax_id_type": "ssn", "name": "Mary Minor", "tax_id": "123-45-6789",
        "line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "certified": true,
    });
    let form = server.put(&format!("{path}/compliance")).app_key().json(json!({"w9": w9})).send().await.expect(200);
    let collected = &form.body["compliance"];
    assert_eq!([&collected["1099_collected"], &collected["date_of_birth_collected"]], [true, true]);
    assert!(!form.text.contains("123456789") && !form.text.contains("123-45-6789"), "the number is not shown again");

    // Two payout methods: her bank first, and then a wallet, which becomes the default.
    server.put(&methods).app_key().json(bank).send().await.expect(200);
    let wallet = json!({"platform": "wallet_a", "email": "mary@example.com", "is_default": true});
    server.put(&methods).app_key().json(wallet).send().await.expect(200);
    assert_eq!(fetch(&courier).await["default_payout_method"], "wallet_a");
    server.patch(&path).app_key().json(json!({"default_payout_method": "ach"})).send().await.expect(200);
    assert_eq!(fetch(&courier).await["default_payout_method_details"]["mask"], "6789");

    // The organization has a second app. It does not know her until the organization connects it; then she need not
    // start again.
    let second = server.post("/v2/apps").as_org().json(json!({"name": "Night shift"})).send().await.expect(201);
    let (client, key) = (&second.body["keys"]["client_id"], &second.body["keys"]["api_key"]);
    let (client, key) = (client.as_str().unwrap(), key.as_str().unwrap());
    server.get(&path).basic(client, key).send().await.refused(404, "not-found");
    let both = json!({"user_id": courier, "app_id": second.id()});
    server.post("/v2/users/connect").as_org().json(both).send().await.expect(200);
    let seen = server.get(&path).basic(client, key).send().await.expect(200).body;
    // It sees her identity, and nothing that she set up with the first app.
    assert_eq!([&seen["verified"], &seen["default_payout_method"]], [&json!(true), &Value::Null]);
    assert_eq!([&seen["last_name"], &seen["metadata"]], [&json!("Minor"), &Value::Null]);

    // The first app pays her, by her default method. A day later the money is there.
    let before = server.balance("app_wallet").await;
    let order = json!({"user_id": courier, "amount": 50_000, "platform": "default", "fund": true});
    let paid = server.post("/v2/payouts").app_key().json(order).send().await.expect(201);
    // During the payout she cannot be deleted: her money would be lost.
    server.delete(&path).app_key().send().await.refused(409, "user-has-balance");
    server.work_off().await;
    server.pass(DAY).await;
    let arrived = server.get(&format!("/v2/transfers/{}", paid.id())).app_key().send().await.expect(200).body;
    assert_eq!([&arrived["status"], &arrived["payout_amount"]], ["completed", "49975"]);
    assert_eq!(server.balance("app_wallet").await, before - 50_000);

    // She leaves. Her personal data is erased; the record of the payments is not. The organization erases her for both
    // apps.
    let gone = server.delete(&path).as_org().for_app(&server.app_id()).send().await.expect(200).body;
    assert_eq!(gone["status"], "disabled");
    for forgotten in ["first_name", "last_name", "email", "phone_number", "default_payout_method", "metadata"] {
        assert_eq!(gone[forgotten], Value::Null, "{forgotten}");
    }
    assert_eq!([&gone["compliance"]["tax_id_collected"], &gone["compliance"]["address_collected"]], [false, false]);
    let order = json!({"user_id": courier, "amount": 50_000, "platform": "ach", "fund": true});
    server.post("/v2/payouts").app_key().json(order).send().await.refused(409, "user-inactive");
    let transfers = server.get(&format!("/v2/transfers?user_id={courier}&type=payout")).app_key().send().await;
    assert_eq!(transfers.expect(200).body["data"][0]["id"], paid.id());

    // One day her number belongs to another person, who is another user here too.
    let heir = json!({
        "first_name": "Paul", "last_name": "Prime", "email": "paul@example.com",
        "country_code": "1", "phone_number": "2127361234",
    });
    let heir = server.post("/v2/users").app_key().json(heir).send().await.expect(201);
    assert_ne!(heir.id(), courier);
    assert_eq!(heir.body["verified"], false);
    server.verify();
}
