//! Mistakes of callers, and the responses: they name the field and the correction. Never a 500.

use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};

const LINKS: &str = "/v2/payout-links";
const NO_ORGANIZATION: &str = "019a0000-0000-7000-8000-000000000000";

/// Asserts that the response is a 400 that names this field first, and whose message contains these words.
fn reported(reply: &Reply, field: &str, words: &str) {
    assert_eq!(reply.status, 400, "{}", reply.text);
    let error = &reply.body["errors"][0];
    assert_eq!(error["field"], field, "{}", reply.text);
    let (message, of_field) = (reply.body["message"].as_str().unwrap(), error["message"].as_str().unwrap());
    assert!(message.contains(words), "{words:?} is not in {message:?}");
    let sentence = message.starts_with(char::is_uppercase) && message.ends_with(['.', '?']);
    let is_called_so = field.starts_with('/') || of_field.contains("query parameter");
    let kind = if is_called_so { "" } else { "query parameter " };
    assert!(sentence || message == format!("{kind}{field}: {of_field}"), "{message:?} does not name {field}");
}

#[tokio::test]
async fn a_wrong_field_of_a_link_is_named_with_the_way_out() {
    let server = Server::memory().await;
    let phone = |country: Value, number: Value| json!({"country_code": country, "phone_number": number});
    for (field, value, at, words) in [
        ("amount", json!("1000"), "", "a whole number of cents from 1 to 9999999999, not a string"),
        ("amount", json!(10.5), "", "a whole number of cents from 1 to 9999999999, not 10.5"),
        ("amount", json!(null), "", "a whole number of cents from 1 to 9999999999, not null"),
        ("amount", json!(true), "", "not a boolean"),
        ("amount", json!(-5), "", "must be from 1 to 9999999999 cents"),
        ("amount", json!(0), "", "must be from 1 to 9999999999 cents"),
        ("amount", json!(10_000_000_000_i64), "", "must be from 1 to 9999999999 cents"),
        ("amount", json!(u64::MAX), "", "not 18446744073709551615"),
        ("ammount", json!(5), "", "did you mean amount?"),
        ("description", json!("x".repeat(501)), "", "at most 500 characters"),
        ("memo", json!("a\u{7}b"), "", "must not contain control characters"),
        ("memo", json!(" "), "", "must not be blank"),
        ("metadata", json!("x".repeat(16_400)), "", "at most 16384 bytes"),
        ("metadata", json!(5), "", "must be a string or an object, not an integer"),
        ("tax_exempt", json!("yes"), "", "true or false, not a string"),
        ("funding_source", json!("cash"), "", "must be one of: service_balance, ach"),
        ("payout_fee_party", json!("me"), "", "user or platform"),
        ("delivery", json!({"method": "pigeon"}), "/method", "must be one of: sms, link, email, all"),
        ("delivery", json!("sms"), "", "must be an object, not a string"),
        ("payee", phone(json!("1"), json!("12")), "/phone_number", "is not a valid phone number in its country"),
        (
            "payee",
            phone(json!("x"), json!("2127361234")),
            "/country_code",
            "must be one to three digits, such as \"1\"",
        ),
        ("payee", phone(json!(1), json!("2127361234")), "/country_code", "must be a string, not an integer"),
        (
            "payee",
            json!({"phone_number": "2127361234"}),
            "/country_code",
            "or send phone_number with it, such as +12127361234",
        ),
        ("payee", json!({"email": "nobody"}), "/email", "must be an e-mail address such as"),
        ("payee", json!({"first_name": "x".repeat(51)}), "/first_name", "at most 50 characters"),
        ("user_id", json!("42"), "", "must be a UUID"),
        ("expires_at", json!("tomorrow"), "", "must be a date-time such as 2026-01-31T12:00:00Z"),
        ("expires_at", json!("2020-01-31T12:00:00Z"), "", "must be in the future"),
        ("idempotency_key", json!("once"), "", "must be a UUID"),
    ] {
        let mut body = json!({"amount": 1_000});
        body[field] = value;
        let reply = server.post(LINKS).app_key().json(body).send().await;
        reported(&reply, &format!("/{field}{at}"), words);
    }
    let nothing = server.post(LINKS).app_key().json(json!({})).send().await;
    reported(&nothing, "/amount", "is required");
    let several = json!({"amount": 0, "memo": "", "tax_exempt": 1});
    let reply = server.post(LINKS).app_key().json(several).send().await.refused(400, "invalid-input").body.clone();
    assert_eq!(reply["message"], "3 fields are invalid; see errors.");
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_with_place_and_reason() {
    let server = Server::memory().await;
    let deep = format!("{{\"metadata\":{}1{}}}", "{\"a\":".repeat(32), "}".repeat(32));
    for (body, words) in [
        (&b"{\"amount\": 1000,}"[..], "line 1, column 17: expected a key in double quotes"),
        (b"{\"amount\": 1000", "line 1, column 16: expected a comma"),
        (b"{\n  \"memo\": \"\xc3\xa9\" \"amount\"", "line 2, column 15: expected a comma"),
        (b"amount=1000", "line 1, column 1: expected a JSON value"),
        (b"{\"amount\": 01}", "no digit after a leading zero"),
        (b"{\"amount\": NaN}", "expected a JSON value"),
        (b"{\"amount\": 1, \"amount\": 2}", "/amount: duplicate key"),
        (b"{\"amount\": 1, \"memo\": \"\xff\"}", "line 1, column 24: not valid UTF-8"),
        (b"{\"amount\": 1, \"memo\": \"\\u0000\"}", "must not contain null bytes"),
        (deep.as_bytes(), "nested more than 32 levels deep"),
        (b"[]", "must be a JSON object, not an array"),
        (b"null", "must be a JSON object, not null"),
    ] {
        let reply = server.post(LINKS).app_key().raw("application/json", body).send().await;
        reply.refused(400, "invalid-input");
        let message = reply.body["message"].as_str().unwrap();
        assert!(message.starts_with("The body") && message.contains(words), "{words:?} is not in {message:?}");
        // Only a problem with a key is one of a field.
        let fields = reply.fields();
        assert_eq!(fields, if words.starts_with('/') { vec!["/amount"] } else { vec![] }, "{}", reply.text);
        assert!(["body-malformed", "wrong-type", "field-repeated"].contains(&reply.body["reason"].as_str().unwrap()));
    }
    // Line feeds and tabs are text.
    let lines = json!({"amount": 1, "memo": "Two\n\tlines"});
    assert_eq!(server.post(LINKS).app_key().json(lines).send().await.expect(201).body["memo"], "Two\n\tlines");
    for (kind, body) in [("text/plain", "{}"), ("application/x-www-form-urlencoded", "amount=5")] {
        let reply = server.post(LINKS).app_key().raw(kind, body).send().await;
        let message = reply.refused(415, "unsupported-media-type").body["message"].as_str().unwrap();
        assert!(message.contains("Content-Type: application/json"), "{message}");
    }
}

#[tokio::test]
async fn a_wrong_parameter_of_a_list_is_named_with_the_way_out() {
    let server = Server::memory().await;
    for (query, field, words) in [
        ("limit=0", "limit", "must be from 1 to 100"),
        ("limit=1000000000", "limit", "must be from 1 to 100"),
        ("limit=ten", "limit", "must be a whole number from 1 to 100"),
        ("limit=99999999999999999999", "limit", "must be a whole number from 1 to 100"),
        ("limit=5&limit=6", "limit", "must be sent only once"),
        ("limits=5", "limits", "did you mean limit?"),
        ("starting_after=42", "starting_after", "must be a UUID"),
        ("starting_after=019a0000-0000-7000-8000-000000000000", "starting_after", "is not an object of this list"),
        ("status=lost", "status", "must be one of: created, funds_pending"),
        ("phone_number=2127361234", "phone_number", "such as +12127361234"),
        ("email=nobody", "email", "must be an e-mail address such as"),
        ("created_after=2026-01-31", "created_after", "must be a date-time such as"),
        ("user_id=42", "user_id", "must be a UUID"),
    ] {
        let reply = server.get(&format!("{LINKS}?{query}")).app_key().send().await;
        reported(&reply, field, words);
    }
    let several = server.get(&format!("{LINKS}?limit=0&status=lost")).app_key().send().await;
    assert_eq!(several.refused(400, "invalid-input").body["message"], "2 query parameters are invalid; see errors.");
    let page = server.get(&format!("{LINKS}?page=2")).app_key().send().await;
    reported(&page, "page", "unknown query parameter; expected one of: limit, starting_after");
    let link = server.get(&format!("{LINKS}/{NO_ORGANIZATION}?page=2")).app_key().send().await;
    reported(&link, "page", "unknown query parameter; this operation takes no query parameters");
    let both = format!("{LINKS}?starting_after={NO_ORGANIZATION}&ending_before={NO_ORGANIZATION}");
    reported(&server.get(&both).app_key().send().await, "ending_before", "cannot be combined");
}

#[tokio::test]
async fn an_operation_without_fields_says_so() {
    let server = Server::memory().await;
    for operation in ["payout-requests/{id}/approve", "webhook-endpoints/{id}/rotate-secret"] {
        let path = format!("/v2/{operation}").replace("{id}", NO_ORGANIZATION);
        let body = json!({"acting_user_id": NO_ORGANIZATION});
        let reply = server.post(&path).app_key().json(body).send().await;
        reported(&reply, "/acting_user_id", "unknown field; this operation takes no fields");
    }
}

#[tokio::test]
async fn wrong_details_of_a_person_or_an_account_are_named_with_the_way_out() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let methods = format!("/v2/users/{user}/payout-methods");
    for (method, field, words) in [
        (json!({"platform": "cash"}), "/platform", "must be one of: ach, wallet_a"),
        (
            json!({"platform": "ach", "account_number": "12345678", "routing_number": "110000001"}),
            "/routing_number",
            "check digit",
        ),
        (
            json!({"platform": "ach", "account_number": "x", "routing_number": "110000000"}),
            "/account_number",
            "4 to 17 digits",
        ),
        (
            json!({"platform": "ach", "account_number": 12_345_678, "routing_number": "110000000"}),
            "/account_number",
            "must be a string",
        ),
        (json!({"platform": "intl_bank", "iban": "DE89370400440532013001"}), "/iban", "its check digits do not match"),
        (
            json!({"platform": "crypto", "network": "ethereum", "address": "0x12"}),
            "/address",
            "is not a valid address on ethereum",
        ),
        (json!({"platform": "push_to_card", "card_token": "4242424242424242"}), "/card_token", "card number"),
    ] {
        let reply = server.put(&methods).app_key().json(method.clone()).send().await;
        reported(&reply, field, words);
    }
    for (change, field, words) in [
        (json!({"date_of_birth": "1990-02-30"}), "/date_of_birth", "must be a date such as"),
        (json!({"date_of_birth": "31.01.1990"}), "/date_of_birth", "must be a date such as"),
        (json!({"date_of_birth": "2990-01-31"}), "/date_of_birth", "must not be in the future"),
        (json!({"status": "verified"}), "/status", "expected one of: default_payout_method"),
        (json!({"default_payout_method": "wire"}), "/default_payout_method", "is not a payout method of this user"),
        (json!({"payout_options_exclude_list": ["cash"]}), "/payout_options_exclude_list/0", "must be one of: ach"),
    ] {
        let reply = server.patch(&format!("/v2/users/{user}")).app_key().json(change).send().await;
        reported(&reply, field, words);
    }
    let small = json!({"user_id": user, "amount": 10, "platform": "gift_card_a", "payout_fee_fixed": 20, "payout_fee_percent": "0"});
    reported(&server.post("/v2/payouts").app_key().json(small).send().await, "/amount", "the fees of $0.20 exceed");
}

#[tokio::test]
async fn wrong_credentials_get_advice_what_to_send() {
    let server = Server::memory().await;
    let credentials = server.credentials();
    let (id, key) =
        (credentials["app"]["client_id"].as_str().unwrap(), credentials["app"]["api_key"].as_str().unwrap());
    let production = |word: &str| word.replace("sandbox", "production");
    for (reply, status, code, words) in [
        (server.get(LINKS).send().await, 401, "unauthorized", "Send the header Authorization: Basic"),
        (
            server.get(LINKS).header("authorization", "Bearer x").send().await,
            401,
            "unauthorized",
            "The Authorization header must be",
        ),
        (server.get(LINKS).basic(id, "sk_sandbox_x").send().await, 401, "unauthorized", "do not match an active key"),
        (
            server.get(LINKS).basic(&production(id), &production(key)).send().await,
            401,
            "wrong-environment",
            "You are using a production key in the sandbox environment. Use a key that starts with pk_sandbox_.",
        ),
        (server.get(LINKS).client_side().send().await, 403, "secret-key-required", "from your server"),
        (server.get(LINKS).as_org().send().await, 400, "app-id-required", "Api-App-Id"),
        (server.get(LINKS).as_org().for_app("42").send().await, 400, "invalid-input", "Api-App-Id: must be a UUID"),
        (
            server.get(LINKS).app_key().for_app(NO_ORGANIZATION).send().await,
            403,
            "not-permitted",
            "belongs to another app than Api-App-Id",
        ),
        (server.get("/v2/organizations").app_key().send().await, 403, "organization-key-required", "organization"),
    ] {
        let message = reply.refused(status, code).body["message"].as_str().unwrap();
        assert!(message.contains(words), "{words:?} is not in {message:?}");
        assert!(!message.ends_with(".."), "{message:?}");
    }
}

/// Null clears a nullable field. For a required field it is refused, because treating it as "unchanged" would hide a
/// mistake. In a request that creates an object, null equals an absent field.
#[tokio::test]
async fn null_in_a_patch_empties_or_is_refused() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_000).await;
    for field in ["number", "amount", "funding_source"] {
        reported(&desk.update(&bill, json!({field: null})).await, &format!("/{field}"), "must not be null; omit it");
    }
    for field in ["description", "external_id", "ap_payment_method_id", "ap_vendor_id"] {
        assert_eq!(desk.update(&bill, json!({field: null})).await.expect(200).body[field], Value::Null);
    }
    let user = server.user(1234).await;
    let policy = json!({"steps": [{"approvers": [desk.member("ap_approver")]}]});
    let policy = desk.post("approval-policies", policy).send().await.expect(201).id();
    let made = |path: &'static str, body: Value| server.post(path).app_key().json(body).send();
    let customer = made("/v2/payment-customers", json!({"name": "Ada", "email": null})).await.expect(201).id();
    let endpoint = made("/v2/webhook-endpoints", json!({"url": "http://127.0.0.1:1/"})).await.expect(201).id();
    for (path, fields) in [
        (
            format!("/v2/users/{user}"),
            ["first_name", "last_name", "email", "phone_number", "auto_payout_enabled"].as_slice(),
        ),
        (format!("/v2/accounts-payable/approval-policies/{policy}"), &["conditions", "steps", "priority", "active"]),
        (format!("/v2/payment-customers/{customer}"), &["name"]),
        (format!("/v2/webhook-endpoints/{endpoint}"), &["url", "status"]),
    ] {
        for field in fields {
            let asking = server.patch(&path);
            let asking = if path.contains("/approval-policies/") {
                asking.as_org().for_app(&server.app_id())
            } else {
                asking.app_key()
            };
            let reply = asking.json(json!({*field: null})).send().await;
            reported(&reply, &format!("/{field}"), "must not be null; omit it");
        }
    }
    for (path, fields) in [
        (format!("/v2/apps/{}", server.app_id()), ["name"].as_slice()),
        (format!("/v2/members/{}", desk.member("viewer")), &["name", "email", "role"]),
    ] {
        for field in fields {
            let reply = server.patch(&path).as_org().json(json!({*field: null})).send().await;
            reported(&reply, &format!("/{field}"), "must not be null; omit it");
        }
    }
}
