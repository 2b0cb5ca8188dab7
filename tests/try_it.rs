//! "Try it" on the reference: the keys of the sandbox, for the developer's own machine only.

use serde_json::{Value, json};

use crate::harness::Server;

#[tokio::test]
async fn show_sandbox_keys_gives_the_keys_to_this_machine_alone_and_no_page_of_the_reference_has_them() {
    let server = Server::memory().await;
    let credentials = server.credentials();
    server.get("/sandbox/keys").header("accept", "application/json").send().await.refused(404, "not-found");
    server.serve_own_machine();
    let keys = server.get("/sandbox/keys").send().await.expect(200);
    assert_eq!(keys.header("cache-control"), Some("no-store"));
    assert_eq!(keys.body["app"]["api_key"], credentials["app"]["api_key"]);
    assert_eq!(keys.body["organization"]["api_key"], credentials["organization"]["api_key"]);
    server.get("/sandbox/keys").header("sec-fetch-site", "cross-site").send().await.refused(403, "not-permitted");
    // Behind a proxy, other people would see them.
    for (name, value) in [
        ("cf-connecting-ip", "192.0.2.7"),
        ("forwarded", "for=192.0.2.7"),
        ("via", "1.1 proxy"),
        ("x-forwarded-for", "192.0.2.7"),
        ("x-forwarded-host", "example.com"),
        ("x-forwarded-proto", "https"),
        ("x-real-ip", "192.0.2.7"),
    ] {
        server.get("/sandbox/keys").header(name, value).send().await.refused(404, "not-found");
    }

    let page = server.get("/docs/payouts").send().await.expect(200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"),
        "{policy}"
    );
    assert!(
        page.text.contains("data-try-path=\"/v2/payouts/send-payout\" data-try-method=\"POST\" data-try-as=\"app\"")
    );
    for of in ["app", "organization"] {
        let key = credentials[of]["api_key"].as_str().unwrap();
        assert!(!page.text.contains(key) && keys.text.contains(key), "{of}");
    }
}

/// The values that the forms start with must work: each is the operation's own example.
#[tokio::test]
async fn the_body_of_a_form_is_a_request_that_the_server_accepts() {
    let server = Server::memory().await;
    let page = server.get("/docs/payouts").send().await.expect(200).text;
    let start = page.find("data-try-body=\"").unwrap() + "data-try-body=\"".len();
    let body = page[start..].split('"').next().unwrap().replace("&#34;", "\"").replace("&quot;", "\"");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert!(body["amount"].is_number(), "{body}");
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201);
    let wrong = json!({"amount": 0});
    server.post("/v2/payouts/send-payout").app_key().json(wrong).send().await.refused(400, "invalid-input");
}
