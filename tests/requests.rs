//! The sandbox's list of recent requests, and its page.

use serde_json::{Value, json};

use crate::harness::{Asking, Reply, Server};

const PHONE: &str = "2127369877";

fn payout() -> Value {
    json!({"amount": 2_500, "payee": {"country_code": "1", "phone_number": PHONE}})
}

async fn listed(asking: Asking<'_>) -> Vec<Value> {
    asking.send().await.expect(200).body["data"].as_array().unwrap().clone()
}

fn lines(requests: &[Value]) -> Vec<String> {
    let line = |request: &Value| {
        let text = |name: &str| request[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {}", text("method"), text("path"), request["http_status"], text("error_code"))
    };
    requests.iter().map(line).collect()
}

fn id_of(reply: &Reply) -> &str {
    reply.header("x-request-id").unwrap()
}

#[tokio::test]
async fn list_sandbox_requests_has_the_requests_of_an_app_newest_first() {
    let server = Server::memory().await;
    let sent = server.post("/v2/payouts/send-payout").app_key().json(payout()).send().await.expect(201);
    let wrong = json!({"amount": 10.5});
    let refused = server.post("/v2/payouts/send-payout").app_key().json(wrong).send().await;
    refused.refused(400, "invalid-input");
    server.get("/v2/payout-lnks?limit=2").app_key().send().await.refused(404, "not-found");
    server.get("/v2/users?limit=2").app_key().header("x-request-id", "mine").send().await.expect(200);
    server.delete("/v2/users").app_key().send().await.refused(405, "method-not-allowed");
    server.get("/inbox").send().await.expect(200);

    let path = "/v2/sandbox/requests";
    let requests = listed(server.get(path).app_key()).await;
    let expected = [
        // A path or method that does not exist has no operation, and its key is not compared.
        "DELETE /v2/users 405 method-not-allowed",
        "GET /v2/users 200 -",
        "GET /v2/payout-lnks 404 not-found",
        "POST /v2/payouts/send-payout 400 invalid-input",
        "POST /v2/payouts/send-payout 201 -",
    ];
    assert_eq!(lines(&requests), expected, "neither pages nor requests for the list are listed");

    let credentials = server.credentials();
    let error = &requests[3];
    assert_eq!(error["message"], refused.body["message"]);
    assert_eq!(error["request_id"], id_of(&refused));
    assert_eq!(error["operation_id"], "send_payout");
    assert_eq!([&error["client_id"], &error["app_id"]], [&credentials["app"]["client_id"], &credentials["app"]["id"]]);
    assert!(error["duration_ms"].is_u64() && error["created"].is_string(), "{error}");
    assert_eq!((&requests[0]["operation_id"], &requests[2]["operation_id"]), (&Value::Null, &Value::Null));

    let errors = listed(server.get(&format!("{path}?errors=true")).app_key()).await;
    assert_eq!(errors.len(), 3);
    let found = listed(server.get(&format!("{path}?request_id={}", id_of(&sent))).app_key()).await;
    assert_eq!(lines(&found), expected[4..]);
    assert_eq!(lines(&listed(server.get(&format!("{path}?request_id=mine")).app_key()).await), expected[1..2]);
    // The requests after one of the list, as a reader follows it.
    let from = |id: &Value| format!("{path}?ending_before={}", id.as_str().unwrap());
    assert_eq!(lines(&listed(server.get(&from(&error["id"])).app_key()).await), expected[..3]);
    let unknown = server.get(&format!("{path}?ending_before=019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d")).app_key();
    assert_eq!(unknown.send().await.refused(400, "invalid-input").fields(), ["ending_before"]);
}

#[tokio::test]
async fn the_list_of_requests_has_no_request_of_another_app_and_no_claim_token() {
    let server = Server::memory().await;
    let app = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).body;
    let (client_id, api_key) = (app["keys"]["client_id"].as_str().unwrap(), app["keys"]["api_key"].as_str().unwrap());
    server.get("/v2/users").basic(client_id, api_key).send().await.expect(200);
    server.get("/v2/users").basic(client_id, "sk_sandbox_wrong").send().await.refused(401, "unauthorized");
    let link = server.post("/v2/payout-links").app_key().json(payout()).send().await.expect(201).body;
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    server.get(&format!("/v2/claims/{token}")).send().await.expect(200);
    server.get(&format!("/v2/claims/{}", "A".repeat(64))).send().await.refused(404, "not-found");
    server.get(&format!("/v2/claim/{token}")).send().await.refused(404, "not-found");

    let path = "/v2/sandbox/requests?limit=100";
    let theirs = listed(server.get(path).basic(client_id, api_key)).await;
    assert_eq!(lines(&theirs), ["GET /v2/users 401 unauthorized", "GET /v2/users 200 -"]);
    let ours = server.get(path).app_key().send().await.expect(200);
    assert_eq!(lines(ours.body["data"].as_array().unwrap()), ["POST /v2/payout-links 201 -"]);
    // The organization has the requests of its apps and those for its claims.
    let all = server.get(path).as_org().send().await.expect(200);
    let expected = [
        "GET /v2/claims/{token} 200 -",
        "POST /v2/payout-links 201 -",
        "GET /v2/users 401 unauthorized",
        "GET /v2/users 200 -",
        "POST /v2/apps 201 -",
    ];
    assert_eq!(lines(all.body["data"].as_array().unwrap()), expected);
    // The page also has the requests that no known caller sent.
    let page = server.get("/requests").send().await.expect(200);
    assert!(page.text.contains("/v2/claim/…") && page.text.contains("401"), "{}", page.text);
    for shown in [&all.text, &page.text] {
        assert!(!shown.contains(&token), "{shown}");
    }
}

#[tokio::test]
async fn show_requests_finds_a_request_by_any_text_of_it() {
    let server = Server::memory().await;
    assert!(server.get("/requests").send().await.expect(200).text.contains("No requests yet"));
    let refused = server.post("/v2/payout-links").app_key().json(json!({"amount": 0})).send().await;
    server.get("/v2/users").app_key().send().await.expect(200);
    let page = async |query: &str| {
        let text = server.get(&format!("/requests{query}")).send().await.expect(200).text;
        ["POST /v2/payout-links", "GET /v2/users"].map(|line| text.contains(line))
    };
    assert_eq!(page("").await, [true, true]);
    assert_eq!(page("?errors=1").await, [true, false]);
    for text in ["payout-LINKS", "400", "invalid-input", "cents", id_of(&refused)] {
        assert_eq!(page(&format!("?text={text}")).await, [true, false], "{text}");
    }
    assert_eq!(page("?text=nothing").await, [false, false]);
    let escaped = server.get("/requests?text=%3Cscript%3E").send().await.expect(200).text;
    assert!(escaped.contains("No such request") && !escaped.contains("<script>"), "{escaped}");
}
