//! Error bodies: the request's id, the page about the code, reasons and details.

use bursar::refusal::Code;
use serde_json::{Value, json};

use crate::harness::{PUBLIC_URL, Server};

const LINKS: &str = "/v2/payout-links";
const UNKNOWN_LINK: &str = "/v2/payout-links/019a0000-0000-7000-8000-000000000000";

#[tokio::test]
async fn an_error_has_the_id_of_its_request_and_the_address_of_its_code() {
    let server = Server::memory().await;
    let reply = server.get(UNKNOWN_LINK).app_key().header("x-request-id", "order-17").send().await;
    let body = &reply.refused(404, "not-found").body;
    assert_eq!((body["request_id"].as_str(), reply.header("x-request-id")), (Some("order-17"), Some("order-17")));
    assert_eq!(body["doc_url"], format!("{PUBLIC_URL}/guide/reference/errors#not-found"));
    // Before authentication, and of a framework: the same body.
    for (reply, status, code) in [
        (server.get(LINKS).send().await, 401, "unauthorized"),
        (server.get("/v2/nowhere").send().await, 404, "not-found"),
        (server.delete(LINKS).app_key().send().await, 405, "method-not-allowed"),
        (server.post(LINKS).app_key().untyped("{}").send().await, 415, "unsupported-media-type"),
    ] {
        let body = &reply.refused(status, code).body;
        assert_eq!(body["request_id"].as_str(), reply.header("x-request-id"));
    }
}

#[tokio::test]
async fn the_address_of_every_code_leads_to_its_section_and_of_an_invented_code_to_none() {
    let server = Server::memory().await;
    let reply = server.get(UNKNOWN_LINK).app_key().send().await;
    let address = reply.body["doc_url"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap();
    let (path, _) = address.split_once('#').unwrap();
    let page = server.get(path).send().await.expect(200).text;
    let leads = |code: &str| page.contains(&format!("id=\"{code}\""));
    for code in Code::ALL {
        assert!(leads(code.as_str()), "{code:?}");
    }
    assert!(!leads("invented-code"));
}

#[tokio::test]
async fn a_stored_refusal_that_is_sent_again_keeps_its_bytes_with_the_first_requests_id() {
    let server = Server::memory().await;
    let send = |id: &'static str| {
        let body = json!({"amount": 9_999_999_999_i64, "payee": {"phone_number": "+12127361234"}});
        server.post(LINKS).app_key().idempotency_key("once").header("x-request-id", id).json(body).send()
    };
    let (first, again) = (send("first").await, send("second").await);
    first.refused(402, "transaction-insufficient-funds");
    assert_eq!((again.header("idempotent-replayed"), again.header("x-request-id")), (Some("true"), Some("second")));
    assert_eq!(again.text, first.text);
    assert_eq!(again.body["request_id"], "first");
    // A refusal that is not stored has the id of the present request.
    let wrong =
        |id| server.post(LINKS).app_key().idempotency_key("wrong").header("x-request-id", id).json(json!({})).send();
    assert_eq!(wrong("third").await.body["request_id"], "third");
    assert_eq!(wrong("fourth").await.body["request_id"], "fourth");
}

#[tokio::test]
async fn a_reason_names_the_broken_rule_of_each_field() {
    let server = Server::memory().await;
    let reasons = |body: Value| {
        let asked = server.post(LINKS).app_key().json(body);
        async {
            let reply = asked.send().await;
            let errors = reply.body["errors"].as_array().unwrap().clone();
            let of = |error: &Value| {
                (error["field"].as_str().unwrap().to_owned(), error["reason"].as_str().map(str::to_owned))
            };
            (reply.body["reason"].as_str().map(str::to_owned), errors.iter().map(of).collect::<Vec<_>>())
        }
    };
    for (body, field, reason) in [
        (json!({}), "/amount", "field-required"),
        (json!({"amount": "1"}), "/amount", "wrong-type"),
        (json!({"amount": 0}), "/amount", "out-of-range"),
        (json!({"amount": 1, "ammount": 1}), "/ammount", "field-unknown"),
        (json!({"amount": 1, "memo": ""}), "/memo", "bad-text"),
        (json!({"amount": 1, "user_id": "1"}), "/user_id", "bad-format"),
        (json!({"amount": 1, "funding_source": "cash"}), "/funding_source", "not-a-choice"),
        (json!({"amount": 1, "payee": {"phone_number": "2127361234"}}), "/payee/country_code", "country-code-missing"),
        (
            json!({"amount": 1, "payee": {"country_code": "44", "phone_number": "+12127361234"}}),
            "/payee/phone_number",
            "country-code-contradicts",
        ),
        (
            json!({"amount": 1, "payee": {"phone_number": "+15551234567"}}),
            "/payee/phone_number",
            "phone-number-not-assigned",
        ),
        (json!({"amount": 1, "payee": {"phone_number": "+19002345678"}}), "/payee/phone_number", "phone-number-costly"),
        (
            json!({"amount": 1, "payee": {"phone_number": "+447911123456"}}),
            "/payee/phone_number",
            "country-not-allowed",
        ),
    ] {
        let (of_all, of_fields) = reasons(body.clone()).await;
        assert_eq!(of_fields, [(field.to_owned(), Some(reason.to_owned()))], "{body}");
        assert_eq!(of_all.as_deref(), Some(reason), "{body}");
    }
    // Two rules: the refusal has no reason of its own.
    let (of_all, of_fields) = reasons(json!({"memo": ""})).await;
    assert_eq!((of_all, of_fields.len()), (None, 2));
}

#[tokio::test]
async fn a_refusal_by_state_has_the_status_and_those_that_would_be_allowed() {
    let server = Server::memory().await;
    let link =
        server.post(LINKS).app_key().json(json!({"amount": 100, "delivery": {"method": "link"}})).send().await.id();
    let path = format!("{LINKS}/{link}");
    server.delete(&path).app_key().send().await.expect(200);
    let reply = server.post(&format!("{path}/redeliver")).app_key().json(json!({})).send().await;
    let body = &reply.refused(409, "invalid-state").body;
    assert_eq!(
        (body["reason"].as_str(), body["details"]["current_status"].as_str()),
        (Some("status-not-allowed"), Some("canceled"))
    );
    let allowed = body["details"]["allowed_statuses"].as_array().unwrap();
    assert!(allowed.contains(&json!("sent")) && !allowed.contains(&json!("canceled")), "{allowed:?}");
    let message = body["message"].as_str().unwrap();
    assert!(message.contains("is canceled") && message.ends_with("create a new link."), "{message}");
}

/// Codes of which a program must distinguish the cases.
const WITH_REASONS: [&str; 8] = [
    "InvalidState",
    "NotPermitted",
    "Unauthorized",
    "UserInactive",
    "UserInfoMissing",
    "LimitExceeded",
    "WrongToken",
    "UserHasBalance",
];

/// Returns the refusals in code that name no reason.
fn without_reason(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for opening in ["Refusal::new(", "Refusal::field(", "Refusal::to_payee("] {
        for (at, _) in code.match_indices(opening) {
            let of_call = &code[at + opening.len()..];
            let is_listed = WITH_REASONS.iter().any(|name| {
                of_call
                    .trim_start()
                    .strip_prefix("Code::")
                    .and_then(|rest| rest.strip_prefix(name))
                    .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            });
            let mut depth = 1;
            let end = of_call.find(|character| {
                depth += i32::from(character == '(') - i32::from(character == ')');
                depth == 0
            });
            let after = &of_call[end.unwrap() + 1..];
            let chain = after.split([';', '}']).next().unwrap();
            if is_listed && !chain.contains(".because(") {
                found.push(code[at..].lines().next().unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn every_refusal_that_a_program_must_distinguish_names_a_reason() {
    assert_eq!(without_reason("Err(Refusal::new(Code::InvalidState, message(\"\")).into());").len(), 1);
    assert_eq!(without_reason("Err(Refusal::new(Code::InvalidState, \"\").because(Reason::InUse).into());").len(), 0);
    for path in crate::source::program() {
        let text = std::fs::read_to_string(&path).unwrap();
        let without_tests = text.split("\n#[cfg(test)]").next().unwrap();
        let found = without_reason(&crate::source::code(without_tests));
        let is_of_tests = path.file_stem().unwrap().to_str().unwrap().ends_with("tests");
        assert!(found.is_empty() || is_of_tests, "{}: {found:#?}", path.display());
    }
}

#[tokio::test]
async fn a_refusal_by_a_limit_names_the_setting_and_what_is_left() {
    let server = Server::memory().await;
    let app = server.credentials()["app"]["id"].as_str().unwrap().to_owned();
    let limits = json!({"payout_limits": {"per_payout": 5_000}});
    server.put(&format!("/v2/apps/{app}/settings")).as_org().json(limits).send().await.expect(200);
    let reply =
        server.post(LINKS).app_key().json(json!({"amount": 5_001, "delivery": {"method": "link"}})).send().await;
    let body = &reply.refused(409, "limit-exceeded").body;
    assert_eq!(body["reason"], "amount-limit");
    assert_eq!(body["details"], json!({"limit": "payout_limits.per_payout", "maximum": 5_000}));
    let reply =
        server.post(LINKS).app_key().json(json!({"amount": 5_000, "delivery": {"method": "link"}})).send().await;
    assert_eq!(reply.status, 201, "{}", reply.text);
}

#[tokio::test]
async fn a_wallet_that_is_short_says_how_much_it_has_and_how_much_is_missing() {
    let server = Server::memory().await;
    let reply = server
        .post(LINKS)
        .app_key()
        .json(json!({"amount": 9_999_999_999_i64, "delivery": {"method": "link"}}))
        .send()
        .await;
    let body = &reply.refused(402, "transaction-insufficient-funds").body;
    let (available, missing) =
        (body["details"]["available"].as_i64().unwrap(), body["details"]["missing"].as_i64().unwrap());
    assert!(available > 0 && missing > 0, "{body}");
    assert_eq!(available + missing, 9_999_999_999);
}

#[tokio::test]
async fn an_unknown_path_names_the_nearest_one_and_browsers_get_a_page() {
    let server = Server::memory().await;
    let reply = server.get("/v2/payout-link").send().await;
    let body = &reply.refused(404, "not-found").body;
    assert_eq!((body["reason"].as_str(), &body["details"]), (Some("path-unknown"), &json!({"nearest_path": LINKS})));
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    for path in [
        "/nowhere",
        "/v2/payout-link",
        "/docs/nothing",
        "/guide/nothing",
        "/guide/reference/nothing",
        "/assets/nothing",
    ] {
        let page = server.get(path).header("accept", browser).send().await;
        assert_eq!(page.status, 404, "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}: {}", page.text);
        // The guide's own page of an unknown chapter is for everyone.
        if !path.starts_with("/guide") {
            server.get(path).header("accept", "application/json").send().await.refused(404, "not-found");
        }
    }
    // A program that accepts HTML sends its key, and gets JSON.
    server.get(UNKNOWN_LINK).app_key().header("accept", browser).send().await.refused(404, "not-found");
    server.get("/v2/payout-link").app_key().header("accept", browser).send().await.refused(404, "not-found");
}

#[tokio::test]
async fn a_whole_phone_number_is_enough_wherever_a_phone_is_taken() {
    let server = Server::memory().await;
    let number = |digits: &str| json!({"phone_number": format!("+1212736{digits}")});
    let shown = |digits: &str| json!({"country_code": "1", "phone_number": format!("212736{digits}")});
    let user =
        json!({"first_name": "Ada", "last_name": "Byron", "email": "ada@example.com", "phone_number": "+12127361001"});
    let user = server.post("/v2/users").app_key().json(user).send().await.expect(201);
    assert_eq!(user.body["phone_number"], shown("1001"));
    let change = json!({"phone_number": number("1002")});
    let changed = server.patch(&format!("/v2/users/{}", user.id())).app_key().json(change).send().await.expect(200);
    assert_eq!(changed.body["phone_number"], shown("1002"));
    for (path, digits) in [(LINKS, "1003"), ("/v2/payouts/send-payout", "1004"), ("/v2/payout-requests", "1005")] {
        let made = server.post(path).app_key().json(json!({"amount": 100, "payee": number(digits)})).send().await;
        let payee = &made.body["payee"];
        let parts = json!({"country_code": payee["country_code"], "phone_number": payee["phone_number"]});
        assert_eq!(parts, shown(digits), "{path}: {}", made.text);
    }
    let row = json!({"amount_cents": 100, "phone_number": "+12127361006"});
    let batch = server.post("/v2/payout-link-batches").app_key().json(json!({"links": [row]})).send().await.expect(201);
    assert_eq!(batch.body["validated_rows"][0]["country_code"], "1");
    let customer = json!({"name": "Bo Li", "email": "bo@example.com", "phone_number": number("1007")});
    let customer = server.post("/v2/payment-customers").app_key().json(customer).send().await.expect(201);
    assert_eq!(customer.body["phone_number"], shown("1007"));
    // A contradiction is refused, never guessed.
    let both = json!({"country_code": "44", "phone_number": "+12127361008"});
    for (path, body) in [
        (
            "/v2/users",
            json!({"first_name": "Ada", "last_name": "Byron", "email": "a@example.com", "country_code": "44", "phone_number": "+12127361008"}),
        ),
        (LINKS, json!({"amount": 100, "payee": both})),
        ("/v2/payout-requests", json!({"amount": 100, "payee": both})),
        (
            "/v2/payout-link-batches",
            json!({"links": [{"amount_cents": 100, "country_code": "44", "phone_number": "+12127361008"}]}),
        ),
    ] {
        let reply = server.post(path).app_key().json(body).send().await;
        assert_eq!(reply.refused(400, "invalid-phone-number").body["reason"], "country-code-contradicts", "{path}");
    }
}

#[tokio::test]
async fn a_sandbox_takes_numbers_that_are_reserved_for_fiction() {
    let server = Server::memory().await;
    for number in ["+12125550123", "+15555550100"] {
        let body = json!({"amount": 100, "payee": {"phone_number": number}});
        server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201);
        server.work_off().await;
        let inbox = server.get(&format!("/v2/sandbox/messages?to=%2B{}", &number[1..])).app_key().send().await;
        assert_eq!(inbox.body["data"].as_array().unwrap().len(), 1, "{number}: {}", inbox.text);
    }
    let body = json!({"amount": 100, "payee": {"phone_number": "+15555550200"}});
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.refused(400, "invalid-phone-number");
}
