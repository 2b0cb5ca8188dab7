//! The checks before every handler: sizes, types, JSON, keys, headers, limits; and refusals of the HTTP framework, in
//! the service's own error body.
//!
//! The routes here belong to the tests, so that nothing depends on a noun.

use std::num::NonZeroU32;
use std::sync::Arc;

use bursar::dispatch::Limits;
use bursar::http::{Answer, Call, Method, Outcome, Route, Who};
use bursar::input::{Input, Problems, text};
use bursar::strict_json::Json;
use serde_json::json;

use crate::harness::Server;

/// Returns the input of the handler.
async fn echo(call: Call) -> Outcome {
    Ok(Answer::ok(&json!({
        "body": call.body.to_serde(),
        "query": call.query,
        "path": call.path,
        "idempotency_key": call.idempotency_key,
        "headers": call.headers,
        "app": call.caller.app.map(|app| app.to_string()),
    })))
}

async fn fail(call: Call) -> Outcome {
    panic!("a test's panic in {}", call.target)
}

/// Any text, so that a route takes a body and a query.
#[derive(Clone, Debug)]
struct Anything;

impl Input for Anything {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        text(json, at).map(|_| Self)
    }
    fn schema() -> serde_json::Value {
        json!({"type": "object"})
    }
}

fn routes() -> Vec<Route> {
    let mut searched = Route::new(Method::Get, "/v2/test/things", Who::Anyone, "list_things", echo);
    Arc::make_mut(&mut searched.documented).query = vec![("name", json!({"type": "string"}), String::new(), false)];
    vec![
        searched,
        Route::new(Method::Post, "/v2/test/things", Who::Anyone, "create_thing", echo).takes::<Anything>(),
        Route::new(Method::Get, "/v2/test/things/{thing_id}", Who::Anyone, "get_thing", echo),
        Route::new(Method::Patch, "/v2/test/things/{thing_id}", Who::Anyone, "update_thing", echo).takes::<Anything>(),
        Route::new(Method::Post, "/v2/test/things/{thing_id}/touch", Who::Anyone, "touch_thing", echo),
        Route::new(Method::Get, "/v2/test/fail", Who::Anyone, "fail", fail),
        Route::new(Method::Get, "/v2/test/mine", Who::App, "mine", echo),
        Route::new(Method::Post, "/v2/test/mine", Who::App, "make_mine", echo).takes::<Anything>(),
        Route::new(Method::Get, "/v2/test/organization", Who::Organization, "organization", echo),
        Route::new(Method::Post, "/test/form", Who::Anyone, "post_form", echo),
    ]
}

async fn server() -> Server {
    Server::with_routes(routes(), Limits::default()).await
}

const THINGS: &str = "/v2/test/things";

#[tokio::test]
async fn an_unknown_path_has_the_error_body() {
    let server = server().await;
    for path in ["/v2", "/v3/users", "/v2/no-such-noun", "/livez/", "/v2/test/things/", "/v2/test/things/%ff"] {
        server.get(path).send().await.refused(404, "not-found");
    }
}

#[tokio::test]
async fn a_wrong_method_learns_the_right_ones() {
    let server = server().await;
    let reply = server.delete(THINGS).send().await;
    assert_eq!(reply.refused(405, "method-not-allowed").header("allow"), Some("GET, HEAD, POST"));
    let reply = server.ask("BREW", "/v2/test/things/1").send().await;
    assert_eq!(reply.refused(405, "method-not-allowed").header("allow"), Some("GET, HEAD, PATCH"));
}

#[tokio::test]
async fn a_body_may_have_a_mebibyte_and_no_byte_more() {
    let server = server().await;
    let sized = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    let mine = |bytes: usize| server.post("/v2/test/mine").app_key().raw("application/json", sized(bytes)).send();
    mine(1024 * 1024).await.expect(200);
    mine(1024 * 1024 + 1).await.refused(413, "payload-too-large");
    server.post(THINGS).raw("application/json", sized(64 * 1024)).send().await.expect(200);
    server.post(THINGS).raw("application/json", sized(64 * 1024 + 1)).send().await.refused(413, "payload-too-large");
    // The size is checked before everything else, even the credential.
    let reply = server.post("/v2/test/mine").raw("text/plain", sized(1024 * 1024 + 1)).send().await;
    reply.refused(413, "payload-too-large");
}

#[tokio::test]
async fn a_body_is_json_and_says_so() {
    let server = server().await;
    for content_type in ["application/json", "Application/JSON; charset=UTF-8"] {
        server.post(THINGS).raw(content_type, "{}").send().await.expect(200);
    }
    for content_type in ["text/plain", "", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
        server.post(THINGS).raw(content_type, "{}").send().await.refused(415, "unsupported-media-type");
    }
    server.post(THINGS).untyped("{}").send().await.refused(415, "unsupported-media-type");
    let packed = server.post(THINGS).header("content-encoding", "gzip").json(json!({}));
    let refused = packed.send().await;
    let message = refused.refused(415, "unsupported-media-type").body["message"].as_str().unwrap_or_default();
    assert!(message.contains("Content-Encoding"), "{message}");
}

#[tokio::test]
async fn json_is_read_strictly() {
    let server = server().await;
    let deep = format!("{}{}", "{\"a\":".repeat(33), "1}".repeat(33));
    let malformed = [
        "{",
        "{\"a\":1,}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"\\u0000\"}",
        "{\"a\":01}",
        "[]",
        "1",
        "null",
        "{} {}",
        &deep,
    ];
    for body in malformed {
        server.post(THINGS).raw("application/json", body).send().await.refused(400, "invalid-input");
    }
    server
        .post(THINGS)
        .raw("application/json", b"{\"a\":\"\xff\"}".to_vec())
        .send()
        .await
        .refused(400, "invalid-input");
}

#[tokio::test]
async fn a_duplicate_field_is_named_with_its_place() {
    let server = server().await;
    for (body, field) in [
        (r#"{"a":1,"a":1}"#, "/a"),
        (r#"{"payee":{"first_name":"a","first_name":"b"}}"#, "/payee/first_name"),
        (r#"{"links":[{"memo":"a"},{"memo":"a","m":1,"memo":"b"}]}"#, "/links/1/memo"),
        (r#"{"x":{"a/b":{"~":1,"\u007e":2}}}"#, "/x/a~1b/~0"),
        (r#"{"idempotency_key":"a","idempotency_key":"a"}"#, "/idempotency_key"),
    ] {
        let refused = server.post(THINGS).raw("application/json", body).send().await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), [field], "{}", refused.text);
        assert!(refused.body["message"].as_str().unwrap().contains(field), "{}", refused.text);
    }
}

#[tokio::test]
async fn no_body_is_an_empty_object() {
    let server = server().await;
    assert_eq!(server.post(THINGS).send().await.expect(200).body["body"], json!({}));
    assert_eq!(server.patch("/v2/test/things/1").send().await.expect(200).body["body"], json!({}));
}

#[tokio::test]
async fn what_a_route_does_not_take_at_all_is_refused() {
    let server = server().await;
    let touch = "/v2/test/things/1/touch";
    server.post(touch).json(json!({})).send().await.expect(200);
    let reply = server.post(touch).json(json!({"idempotencykey": "x"})).send().await;
    reply.refused(400, "invalid-input");
    assert_eq!(reply.fields(), ["/idempotencykey"]);
    assert!(reply.text.contains("did you mean idempotency_key?"), "{}", reply.text);
    let reply = server.get("/v2/test/things/1?expand=user").send().await;
    reply.refused(400, "invalid-input");
    assert_eq!(reply.fields(), ["expand"]);
}

#[tokio::test]
async fn queries_and_paths_are_decoded_once() {
    let server = server().await;
    let reply = server.get("/v2/test/things?name=a%2Bb+c%20%C3%A9&name=&x").send().await.expect(200);
    assert_eq!(reply.body["query"], json!([["name", "a+b c é"], ["name", ""], ["x", ""]]));
    let reply = server.get("/v2/test/things/a%2520b").send().await.expect(200);
    assert_eq!(reply.body["path"], json!([["thing_id", "a%20b"]]));
}

#[tokio::test]
async fn an_idempotency_key_comes_in_the_header_or_the_body() {
    let server = server().await;
    let key = "0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c4d";
    let reply = server.post(THINGS).idempotency_key(key).json(json!({"a": 1, "idempotency_key": key}));
    let reply = reply.send().await.expect(200);
    assert_eq!((&reply.body["idempotency_key"], &reply.body["body"]), (&json!(key), &json!({"a": 1})));
    let reply = server.post(THINGS).idempotency_key("another").json(json!({"idempotency_key": key})).send().await;
    reply.refused(400, "invalid-input");
    assert_eq!(reply.fields(), ["/idempotency_key"]);
    for wrong in [b"".as_slice(), "clé".as_bytes(), &[b'k'; 256]] {
        let reply = server.post(THINGS).header("idempotency-key", wrong).send().await;
        reply.refused(400, "invalid-input");
        assert_eq!(reply.fields(), ["Idempotency-Key"]);
    }
    // Other methods have no idempotency key, so the field is an ordinary field.
    let reply = server.patch("/v2/test/things/1").json(json!({"idempotency_key": key})).send().await.expect(200);
    assert_eq!(reply.body["body"], json!({"idempotency_key": key}));
}

#[tokio::test]
async fn a_request_id_is_echoed_when_it_is_sane_and_made_when_not() {
    let server = server().await;
    let reply = server.get(THINGS).header("x-request-id", "order-17.3").send().await;
    assert_eq!(reply.header("x-request-id"), Some("order-17.3"));
    for bad in [b"".as_slice(), b"two words", "é".as_bytes(), &[b'x'; 129]] {
        let reply = server.get("/v2/nowhere").header("x-request-id", bad).send().await;
        assert_eq!(reply.header("x-request-id").map(str::len), Some(36), "{bad:?}");
    }
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let server = server().await;
    let first = server.get(THINGS).send().await.expect(200);
    let etag = first.header("etag").unwrap().to_owned();
    assert_eq!(first.header("cache-control"), Some("no-store"));
    for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
        let again = server.get(THINGS).header("if-none-match", &known).send().await.expect(304);
        assert_eq!((again.text.as_str(), again.header("etag")), ("", Some(etag.as_str())));
    }
    let other = server.get("/v2/test/things?name=x").header("if-none-match", &etag).send().await.expect(200);
    assert_ne!(other.header("etag"), Some(etag.as_str()));
    assert_eq!(server.post(THINGS).send().await.expect(200).header("etag"), None);
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let server = server().await;
    let get = server.get(THINGS).send().await.expect(200);
    let head = server.ask("HEAD", THINGS).send().await.expect(200);
    assert_eq!(head.text, "");
    for name in ["content-length", "content-type", "etag", "cache-control"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    assert_eq!(get.header("content-length"), Some(get.text.len().to_string().as_str()));
}

#[tokio::test]
async fn a_panic_fails_its_request_and_no_other() {
    let server = server().await;
    let reply = server.get("/v2/test/fail").send().await;
    assert!(!reply.refused(500, "internal-error").text.contains("a test's panic"));
    server.get(THINGS).send().await.expect(200);
}

#[tokio::test]
async fn only_known_callers_come_in_and_only_where_they_may() {
    let server = server().await;
    let reply = server.get("/v2/test/mine").send().await;
    let scheme = reply.refused(401, "unauthorized").header("www-authenticate");
    assert_eq!(scheme, Some("Basic realm=\"bursar\", charset=\"UTF-8\""));
    server.get("/v2/test/mine").header("authorization", b"Basic \xff").send().await.refused(401, "unauthorized");
    server.get("/v2/test/mine").client_side().send().await.refused(403, "secret-key-required");
    server.get("/v2/test/organization").client_side().send().await.refused(403, "secret-key-required");
    server.get("/v2/test/organization").app_key().send().await.refused(403, "organization-key-required");
    server.get("/v2/test/mine").as_org().send().await.refused(400, "app-id-required");
    let app = server.app_id();
    assert_eq!(server.get("/v2/test/mine").app_key().send().await.expect(200).body["app"], app.as_str());
    let acting = server.get("/v2/test/mine").as_org().for_app(&app).send().await.expect(200);
    assert_eq!(acting.body["app"], app.as_str());
    // Credentials are not passed on to the handler.
    assert_eq!(acting.body["headers"], json!([["host", "127.0.0.1:8080"]]));
}

#[tokio::test]
async fn refusals_come_in_their_order() {
    let server = server().await;
    let worst = || server.post("/v2/test/mine").header("idempotency-key", "").raw("text/plain", "{");
    worst().send().await.refused(401, "unauthorized");
    worst().client_side().send().await.refused(403, "secret-key-required");
    worst().app_key().send().await.refused(415, "unsupported-media-type");
    let typed = || server.post("/v2/test/mine").app_key().header("idempotency-key", "");
    typed().raw("application/json", "{").send().await.refused(400, "invalid-input");
    assert_eq!(typed().raw("application/json", "{}").send().await.fields(), ["Idempotency-Key"]);
}

#[tokio::test]
async fn too_many_requests_learn_when_to_retry() {
    let limits = Limits { requests_per_second: NonZeroU32::new(2), ..Limits::default() };
    let server = Server::with_routes(routes(), limits).await;
    let first = server.get("/v2/test/mine").app_key().send().await.expect(200);
    assert_eq!(first.header("ratelimit-policy"), Some("\"app\";q=2;w=1"));
    assert_eq!(first.header("ratelimit"), Some("\"app\";r=1;t=1"));
    let mut refused = None;
    for _ in 0..50 {
        let reply = server.get("/v2/test/mine").app_key().send().await;
        if reply.status == 429 {
            refused = Some(reply);
            break;
        }
    }
    let refused = refused.expect("50 requests take less than the 24 seconds that they would need");
    assert_eq!(refused.refused(429, "rate-limited").header("retry-after"), Some("1"));
    // A request without a caller is not counted.
    server.get(THINGS).send().await.expect(200);
}

#[tokio::test]
async fn pages_take_forms() {
    let server = server().await;
    let reply = server.post("/test/form").form(&[("name", "Zoë & Co"), ("code", "123456")]).send().await.expect(200);
    assert_eq!(reply.body["body"], json!({"name": "Zoë & Co", "code": "123456"}));
    server.post("/test/form").json(json!({})).send().await.refused(415, "unsupported-media-type");
    let twice = server.post("/test/form").form(&[("a", "1"), ("a", "2")]);
    twice.send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn a_credential_is_sent_once() {
    let server = Server::memory().await;
    let (own, other) = (server.app_id(), "00000000-0000-4000-8000-000000000000".to_owned());
    let twice = server.get("/v2/payout-links").app_key().header("Api-App-Id", &own).header("Api-App-Id", &other);
    assert_eq!(twice.send().await.refused(400, "invalid-input").fields(), ["Api-App-Id"]);
    let garbled = server.get("/v2/payout-links").app_key().header("Api-App-Id", [0xc2, 0x84]);
    assert_eq!(garbled.send().await.refused(400, "invalid-input").fields(), ["Api-App-Id"]);
    let twice = server.get("/v2/payout-links").app_key().app_key();
    assert_eq!(twice.send().await.refused(400, "invalid-input").fields(), ["Authorization"]);
}

#[tokio::test]
async fn livez_readyz_and_metrics() {
    let server = server().await;
    server.get("/livez").send().await.expect(200);
    server.get("/readyz").send().await.expect(200);
    server.get("/metrics").send().await.expect(200);
    server.health().stop();
    let reply = server.get("/readyz").send().await;
    assert_eq!(reply.refused(503, "service-unavailable").header("retry-after"), Some("1"));
    server.get("/livez").send().await.expect(200);
}

#[tokio::test]
async fn a_worker_that_ended_is_not_ready() {
    let server = server().await;
    let worker = tokio::spawn(std::future::ready(()));
    while !worker.is_finished() {
        tokio::task::yield_now().await;
    }
    server.health().watch(worker);
    server.get("/readyz").send().await.refused(503, "service-unavailable");
}

#[tokio::test]
async fn a_restart_keeps_the_data() {
    let mut server = Server::start().await;
    let before = server.credentials();
    server.restart().await;
    assert_eq!(server.credentials(), before);
    server.get("/v2/sandbox/messages").app_key().send().await.expect(200);
}
