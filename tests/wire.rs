//! Requests over a real connection: too long, too slow, interrupted or outdated, and a caller who does not wait for the
//! response.
//!
//! Refusals by the HTTP library, before the service sees the request, have no body; they are named here.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bursar::dispatch::Limits;
use bursar::engine::Command;
use bursar::http::{Answer, Call, Method, Outcome, Route, Who};
use bursar::ids::OrgId;
use bursar::strict_json::Json;
use bursar::world::{Halt, World};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::harness::Server;

/// Short, because tests wait for it.
const DEADLINE: Duration = Duration::from_millis(200);
/// Longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(20);

async fn echo(call: Call) -> Outcome {
    Ok(Answer::ok(&json!({"body": call.body.to_serde(), "query": call.query})))
}

async fn never(_: Call) -> Outcome {
    std::future::pending().await
}

#[derive(Clone, Debug)]
struct Anything;

impl bursar::input::Input for Anything {
    fn read(_: &Json, _: &str) -> Result<Self, bursar::input::Problems> {
        Ok(Self)
    }
    fn schema() -> Value {
        json!({"type": "object"})
    }
}

async fn server() -> Server {
    let mut searched = Route::new(Method::Get, "/v2/test/things", Who::Anyone, "list_things", echo);
    Arc::make_mut(&mut searched.documented).query = vec![("name", json!({"type": "string"}), String::new(), false)];
    let routes = vec![
        searched,
        Route::new(Method::Post, "/v2/test/things", Who::Anyone, "create_thing", echo).takes::<Anything>(),
        Route::new(Method::Get, "/v2/test/slow", Who::Anyone, "get_slowly", never),
        Route::new(Method::Post, "/v2/test/slow", Who::Anyone, "post_slowly", never),
    ];
    Server::with_routes(routes, Limits { request_deadline: DEADLINE, ..Limits::default() }).await
}

/// Sends this on a new connection; returns everything received until the other side closes.
async fn say(address: &str, request: impl AsRef<[u8]>) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_ref()).await.unwrap();
    let mut said = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut said)).await.expect("the server closes in the end").unwrap();
    String::from_utf8(said).unwrap()
}

/// Asserts that a response is the service's own refusal: its body, and the request's id.
#[track_caller]
fn is_refusal(answer: &str, status: u16, code: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    assert!(head.contains(&format!(" {status} ")), "{answer}");
    assert!(head.to_lowercase().contains("\r\nx-request-id: "), "{answer}");
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("no error body: {answer}"));
    assert_eq!((&body["success"], &body["error_code"]), (&json!(false), &json!(code)), "{answer}");
}

/// Asserts that the HTTP library refused it: a status, and nothing else.
#[track_caller]
fn is_bare(answer: &str, status: u16) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")) && body.is_empty(), "{answer}");
}

#[tokio::test]
async fn a_handler_that_takes_too_long_is_answered_with_the_error_body() {
    let server = server().await;
    let read = server.get("/v2/test/slow").header("x-request-id", "mine").send().await;
    assert_eq!(read.refused(503, "service-unavailable").header("retry-after"), Some("1"));
    assert_eq!(
        (read.header("x-request-id"), &read.body["message"]),
        (Some("mine"), &json!("The request took longer than 0.2 seconds."))
    );
    let changed = server.post("/v2/test/slow").send().await;
    assert_eq!(changed.refused(503, "outcome-unknown").header("retry-after"), Some("2"));
    assert!(changed.header("x-request-id").is_some());
}

/// Blocks the engine until it is released.
struct Block {
    begun: tokio::sync::mpsc::UnboundedSender<()>,
    waits: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Command for Block {
    type Reply = ();

    fn decide(&self, _: &mut World) -> Result<(), Halt> {
        self.begun.send(()).unwrap_or(());
        self.waits.lock().unwrap().recv().unwrap_or(());
        Ok(())
    }
}

/// Blocks the engine; returns the sender that releases it, once the engine is blocked.
async fn hold_up(server: &Server) -> mpsc::Sender<()> {
    let (go_on, waits) = mpsc::channel();
    let (begun, mut is_stalled) = tokio::sync::mpsc::unbounded_channel();
    let engine = server.bursar().engine.clone();
    let block = Block { begun, waits: Arc::new(Mutex::new(waits)) };
    tokio::spawn(async move { engine.run(OrgId(Uuid::nil()), block).await });
    is_stalled.recv().await.expect("the engine takes it up");
    go_on
}

async fn customers(server: &Server) -> usize {
    let listed = server.get("/v2/payment-customers").app_key().send().await.expect(200).body;
    listed["data"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_timed_out_request_completes_and_its_key_returns_the_outcome() {
    let server = server().await;
    let go_on = hold_up(&server).await;
    let ask =
        || server.post("/v2/payment-customers").app_key().idempotency_key("late").json(json!({"name": "Acme"})).send();
    let late = ask().await;
    late.refused(503, "outcome-unknown");
    assert_eq!(customers(&server).await, 0, "it still waits for its turn");
    go_on.send(()).unwrap();
    let again = ask().await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "what was asked first has happened, once");
    assert_eq!(customers(&server).await, 1);
}

#[tokio::test]
async fn a_caller_who_hangs_up_cancels_nothing() {
    let server = Server::memory().await;
    let go_on = hold_up(&server).await;
    let ask =
        || server.post("/v2/payment-customers").app_key().idempotency_key("gone").json(json!({"name": "Acme"})).send();
    // Dropped while it waits for its commit, as on a broken connection.
    assert!(tokio::time::timeout(DEADLINE, ask()).await.is_err(), "it waits for its turn");
    go_on.send(()).unwrap();
    let again = ask().await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "it has happened without its caller");
    assert_eq!(customers(&server).await, 1);
}

#[tokio::test]
async fn a_uri_that_is_too_long_is_refused() {
    let server = server().await;
    let long = |bytes: usize| format!("/v2/test/things?name={}", "x".repeat(bytes - "/v2/test/things?name=".len()));
    server.get(&long(8 * 1024)).send().await.expect(200);
    let refused = server.get(&long(8 * 1024 + 1)).header("x-request-id", "mine").send().await;
    assert_eq!(refused.refused(414, "uri-too-long").header("x-request-id"), Some("mine"));
    let address = server.listen().await;
    let get = |bytes: usize| format!("GET {} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n", long(bytes));
    is_refusal(&say(&address, get(20_000)).await, 414, "uri-too-long");
    // More than is read ahead of a head: the HTTP library refuses it.
    is_bare(&say(&address, get(70_000)).await, 431);
}

#[tokio::test]
async fn headers_that_are_too_large_are_refused() {
    let server = server().await;
    let send = |bytes: usize| server.get("/v2/test/things").header("cookie", "x".repeat(bytes)).send();
    send(32_000).await.expect(200);
    send(32 * 1024).await.refused(431, "headers-too-large");
    let address = server.listen().await;
    let request = |lines: usize, bytes: usize| {
        let lines: String = (0..lines).map(|line| format!("x-{line}: {}\r\n", "x".repeat(bytes))).collect();
        format!("GET /v2/test/things HTTP/1.1\r\nhost: test\r\nconnection: close\r\n{lines}\r\n")
    };
    is_refusal(&say(&address, request(40, 1_000)).await, 431, "headers-too-large");
    is_bare(&say(&address, request(150, 1)).await, 431);
}

#[tokio::test]
async fn a_body_that_is_too_large_too_slow_or_broken_is_refused() {
    let server = server().await;
    let address = server.listen().await;
    let head = "POST /v2/test/things HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let chunk = format!("{:x}\r\n{}\r\n", 4 * 1024, " ".repeat(4 * 1024));
    let large = format!("{head}transfer-encoding: chunked\r\n\r\n{}0\r\n\r\n", chunk.repeat(17));
    is_refusal(&say(&address, large).await, 413, "payload-too-large");
    let fits = format!("{head}transfer-encoding: chunked\r\n\r\n{}2\r\n{{}}\r\n0\r\n\r\n", chunk.repeat(15));
    assert!(say(&address, fits).await.starts_with("HTTP/1.1 200"), "the negative control: a body that fits");

    let slow = say(&address, format!("{head}content-length: 9\r\n\r\n{{")).await;
    is_refusal(&slow, 400, "invalid-input");
    assert!(slow.contains("did not arrive within 0.2 seconds"), "{slow}");
    for broken in ["zzz\r\n{}\r\n", "2\r\n{}--", "ffffffffffffffffff\r\n"] {
        is_refusal(
            &say(&address, format!("{head}transfer-encoding: chunked\r\n\r\n{broken}")).await,
            400,
            "invalid-input",
        );
    }
}

#[tokio::test]
async fn old_and_eager_callers_are_answered_alike() {
    let server = server().await;
    let address = server.listen().await;
    let old = say(&address, "GET /v2/test/things?name=a HTTP/1.0\r\n\r\n").await;
    assert!(old.starts_with("HTTP/1.0 200") && old.contains(r#"["name","a"]"#), "{old}");
    is_refusal(&say(&address, "GET /v2/nothing HTTP/1.0\r\n\r\n").await, 404, "not-found");

    // Several requests on one connection are answered in their order, a refusal among them.
    let get = |name: &str, end: &str| format!("GET /v2/test/things?name={name} HTTP/1.1\r\nhost: test\r\n{end}\r\n");
    let wrong = "DELETE /v2/test/things HTTP/1.1\r\nhost: test\r\n\r\n";
    let answers = say(&address, [&get("first", ""), wrong, &get("last", "connection: close\r\n")].concat()).await;
    let places = ["first", "method-not-allowed", "last"].map(|word| answers.find(word));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 ").count(), 3);

    // A client that asks first gets 100, and then the response.
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = "POST /v2/test/things HTTP/1.1\r\nhost: test\r\nconnection: close\r\nexpect: 100-continue\r\n\
                content-type: application/json\r\ncontent-length: 7\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(br#"{"a":1}"#).await.unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(rest.starts_with("HTTP/1.1 200") && rest.contains(r#"{"a":1}"#), "{rest}");
}

#[tokio::test]
async fn what_is_no_http_is_turned_away_without_a_body() {
    let server = server().await;
    let address = server.listen().await;
    for nonsense in ["HELO mail.example\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET /\r\n\r\n"] {
        is_bare(&say(&address, nonsense).await, 400);
    }
}
