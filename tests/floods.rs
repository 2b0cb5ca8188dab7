//! Attacks before authentication: hostile requests cost time linear in their size, memory that is freed, and a limited
//! number of connections; honest callers are served during the attack.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bursar::connections;
use bursar::dispatch::Limits;
use bursar::http::{Answer, Call, Method, Outcome, Route, Who};
use serde_json::{Value, json};

use crate::harness::{Process, Server, http};

const MIB: usize = 1024 * 1024;
/// Longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns a form of this many bytes with as many distinct fields as fit: `aaa&aab&aac…`.
fn distinct_fields(bytes: usize) -> String {
    let letters: Vec<u8> = (b'a'..=b'z').chain(b'0'..=b'9').collect();
    let name = |number: usize| [number / 1296, number / 36 % 36, number % 36].map(|at| char::from(letters[at % 36]));
    let mut form: String = (0..bytes / 4).flat_map(|number| name(number).into_iter().chain(['&'])).collect();
    form.pop();
    form
}

/// Returns the demonstration's app key, as the header `Authorization`.
fn authorization(data_dir: &Path) -> String {
    let credentials = std::fs::read_to_string(data_dir.join("sandbox-credentials.json")).unwrap();
    let credentials: Value = serde_json::from_str(&credentials).unwrap();
    let text = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
    format!("Basic {}", BASE64_STANDARD.encode(format!("{}:{}", text("client_id"), text("api_key"))))
}

fn read_users(address: &str, authorization: &str) -> Duration {
    let begun = Instant::now();
    let head = format!("host: 127.0.0.1\r\nconnection: close\r\nauthorization: {authorization}");
    assert_eq!(http(address, &format!("GET /v2/users?limit=1 HTTP/1.1\r\n{head}\r\n\r\n")).0, 200);
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

async fn echo(call: Call) -> Outcome {
    Ok(Answer::ok(&json!({"body": call.body.to_serde()})))
}

fn form_routes() -> Vec<Route> {
    vec![Route::new(Method::Post, "/test/form", Who::Anyone, "post_form", echo)]
}

#[tokio::test]
async fn a_form_costs_time_linear_in_its_size() {
    let server = Server::with_routes(form_routes(), Limits::default()).await;
    let form = "application/x-www-form-urlencoded";
    let mut cheapest = [Duration::MAX; 2];
    for _ in 0..20 {
        for (at, kib) in [1, 64].into_iter().enumerate() {
            let asking = server.post("/test/form").raw(form, distinct_fields(kib * 1024));
            let begun = Instant::now();
            asking.send().await.refused(400, "invalid-input");
            cheapest[at] = cheapest[at].min(begun.elapsed());
        }
    }
    let [small, large] = cheapest;
    assert!(large < small * 64 * 20, "64 KiB: {large:?}, 1 KiB: {small:?}");
    assert!(large < Duration::from_millis(100), "{large:?}");
}

#[tokio::test]
async fn a_form_has_64_fields_at_most() {
    let server = Server::with_routes(form_routes(), Limits::default()).await;
    let names: Vec<String> = (0..65).map(|number| format!("f{number}")).collect();
    let fields: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    server.post("/test/form").form(&fields[..64]).send().await.expect(200);
    let refused = server.post("/test/form").form(&fields).send().await;
    let message = refused.refused(400, "invalid-input").body["message"].as_str().unwrap();
    assert_eq!(message, "The form has more than 64 fields.");
    server.post("/test/form").form(&[("a", "1"), ("b", "2"), ("a", "1")]).send().await.refused(400, "invalid-input");
    let query: Vec<String> = (0..65).map(|number| format!("q{number}=1")).collect();
    let asked = server.get(&format!("/v2/users?{}", query.join("&"))).app_key().send().await;
    assert_eq!(asked.refused(400, "invalid-input").body["message"], "The query string has more than 64 fields.");
}

#[test]
fn forms_of_strangers_side_by_side_do_not_delay_an_authenticated_read() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let authorization = authorization(folder.path());
    let quiet = median((0..31).map(|_| read_users(&process.address, &authorization)).collect());
    let form = distinct_fields(64 * 1024 - 100);
    let request = format!(
        "POST /claim/{}/contact HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        "A".repeat(64),
        form.len()
    );
    let attack = || assert!(matches!(http(&process.address, &request).0, 404 | 429));
    let round = || {
        std::thread::scope(|scope| {
            for _ in 0..24 {
                scope.spawn(attack);
            }
            read_users(&process.address, &authorization)
        })
    };
    let attacked = median((0..9).map(|_| round()).collect());
    // The 24 clients run on this machine too, so shorter reads than this measure the clients, not the server.
    let quiet = quiet.max(Duration::from_millis(4));
    assert!(attacked <= quiet * 5, "{attacked:?} instead of {quiet:?}");
}

fn resident(process: &Process) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// Waits for a condition; returns whether it became true.
fn becomes(mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > PATIENCE {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    true
}

/// Opens connections and sends all of a large request except its last byte on each.
fn send_all_but_the_end(address: &str, connections: usize, head: &str, body: usize) -> Vec<TcpStream> {
    let head = format!("{head}content-type: application/json\r\ncontent-length: {body}\r\n\r\n");
    let request = [head.as_bytes(), &vec![b' '; body - 1]].concat();
    let send = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        // The server may refuse before it has read everything.
        drop(stream.write_all(&request));
        stream
    };
    std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..20).map(|_| scope.spawn(|| (0..connections / 20).map(|_| send()).collect::<Vec<_>>())).collect();
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
    })
}

#[test]
fn memory_returns_after_a_flood_of_large_bodies_from_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let authorization = authorization(folder.path());
    read_users(&process.address, &authorization);
    let before = resident(&process);
    for path in ["/v2/payout-links", "/v2/claims/AAAA/contact"] {
        let head = format!("POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n");
        let open = send_all_but_the_end(&process.address, 400, &head, MIB);
        let during = resident(&process);
        assert!(during < before + 64 * MIB, "{path}: {before} bytes before, {during} during the flood");
        read_users(&process.address, &authorization);
        drop(open);
    }
    assert!(becomes(|| resident(&process) < before + 64 * MIB), "{before} before, {} after", resident(&process));
}

#[test]
fn a_stranger_is_refused_before_the_body_has_arrived() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    for (line, status) in [("POST /v2/payout-links", 401), ("POST /v2/claims/AAAA/contact", 404)] {
        // The client asks whether to send the body, and gets no 100.
        let head = "host: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 60000";
        let (refused, rest) =
            http(&process.address, &format!("{line} HTTP/1.1\r\n{head}\r\nexpect: 100-continue\r\n\r\n"));
        assert_eq!(refused, status, "{rest}");
    }
    // The negative control: a permitted caller is asked to send it.
    let authorization = authorization(folder.path());
    let head = format!("host: 127.0.0.1\r\nconnection: close\r\nauthorization: {authorization}\r\ncontent-length: 2");
    let mut stream = TcpStream::connect(&process.address).unwrap();
    write!(stream, "POST /v2/payout-links HTTP/1.1\r\n{head}\r\nexpect: 100-continue\r\n\r\n").unwrap();
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
}

#[tokio::test]
async fn a_stranger_sends_64_kib_and_a_caller_with_a_secret_a_mebibyte() {
    let server = Server::memory().await;
    let body = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    let post = |path: &str| server.post(path).raw("application/json", body(64 * 1024 + 1));
    for path in ["/v2/claims/AAAA/contact", "/claim/AAAA/contact"] {
        let refused = post(path).send().await;
        assert_eq!(refused.status, 413, "{path}: {}", refused.text);
    }
    // A client id is public, and proves nothing.
    post("/v2/payout-requests").client_side().send().await.refused(413, "payload-too-large");
    post("/v2/payout-requests").app_key().send().await.refused(400, "invalid-input");
    let large = |bytes: usize| server.post("/v2/payout-links").app_key().raw("application/json", body(bytes));
    large(MIB).send().await.refused(400, "invalid-input");
    large(MIB + 1).send().await.refused(413, "payload-too-large");
}

/// Opens connections that request much and read nothing.
fn unread(address: &str, connections: usize) -> Vec<TcpStream> {
    let asks = "GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".repeat(20);
    let open = |_| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(asks.as_bytes()).unwrap();
        stream
    };
    (0..connections).map(open).collect()
}

/// Returns the status of a probe, or 0 if the connection was closed first.
fn probe(address: &str) -> u16 {
    let mut said = String::new();
    let asked = TcpStream::connect(address).and_then(|mut stream| {
        stream.write_all(b"GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")?;
        stream.read_to_string(&mut said)
    });
    drop(asked);
    said.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_whose_caller_reads_nothing_is_closed() {
    let server = Server::memory().await;
    let limits = connections::Limits { total: 8, per_address: 8, write_deadline: Duration::from_millis(500) };
    let address = server.listen_within(limits).await;
    let held = unread(&address, 8);
    assert!(matches!(probe(&address), 0 | 503), "there is no place for a ninth connection");
    assert!(becomes(|| probe(&address) == 200), "those that stand still make room");
    drop(held);

    // The negative control: without the deadline they keep their connections.
    let patient = connections::Limits { write_deadline: Duration::from_secs(3_600), ..limits };
    let address = server.listen_within(patient).await;
    let held = unread(&address, 8);
    let begun = Instant::now();
    while begun.elapsed() < limits.write_deadline * 2 {
        assert!(matches!(probe(&address), 0 | 503), "nobody was closed");
        std::thread::park_timeout(Duration::from_millis(50));
    }
    drop(held);
    assert!(becomes(|| probe(&address) == 200));
}

#[test]
fn connections_are_limited_by_setting_and_the_soft_limit_on_files_is_raised() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let ours = getrlimit(Resource::Nofile);
    let mut low = ours;
    low.current = Some(300);
    setrlimit(Resource::Nofile, low).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_with(folder.path(), &["--max-connections", "7", "--max-connections-per-ip", "5"]);
    setrlimit(Resource::Nofile, ours).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let words: Vec<&str> = files.split_whitespace().collect();
    assert_eq!(words[3], words[4], "the soft limit is the hard one");
    assert_ne!(words[3], "300", "the negative control: it was lower");

    let idle: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(&process.address).unwrap()).collect();
    assert!(becomes(|| matches!(probe(&process.address), 0 | 503)), "the sixth is turned away");
    drop(idle);
    assert!(becomes(|| probe(&process.address) == 200));
    let metrics = process.get("/metrics").1;
    assert!(!metrics.contains("bursar_security_events_total{kind=\"connection_refused\"} 0"), "{metrics}");
}

#[tokio::test]
async fn an_object_has_256_keys_at_most_and_20_problems_are_named() {
    let server = Server::memory().await;
    let keys = |count: usize| (0..count).map(|number| format!("\"k{number}\":1")).collect::<Vec<_>>().join(",");
    let post = |body: String| server.post("/v2/payout-links").app_key().raw("application/json", body).send();
    let refused = post(format!("{{\"amount\":1,\"metadata\":{{{}}}}}", keys(257))).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/metadata"], "{}", refused.text);
    post(format!("{{\"amount\":100,\"metadata\":{{{}}}}}", keys(256))).await.expect(201);
    let refused = post(format!("{{{}}}", keys(256))).await;
    assert_eq!(refused.refused(400, "invalid-input").fields().len(), 20);
    let message = refused.body["message"].as_str().unwrap();
    assert_eq!(message, "errors lists the first 20 invalid fields; 237 more omitted.");
    assert!(refused.text.len() < 20_000, "{} bytes", refused.text.len());

    // Many small objects in a list, each with several errors.
    let rows = vec!["{}"; 300_000].join(",");
    let begun = Instant::now();
    let refused =
        server.post("/v2/payout-link-batches").app_key().raw("application/json", format!("{{\"links\":[{rows}]}}"));
    refused.send().await.refused(400, "invalid-input");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

/// A megabyte of unknown names costs no more than a megabyte of one text.
#[tokio::test]
async fn unknown_fields_cost_time_linear_in_their_size() {
    let server = Server::memory().await;
    let cost = async |body: String| {
        let mut cheapest = Duration::MAX;
        for _ in 0..5 {
            let asking = server.post("/v2/payout-links").app_key().raw("application/json", body.clone());
            let begun = Instant::now();
            asking.send().await.refused(400, "invalid-input");
            cheapest = cheapest.min(begun.elapsed());
        }
        cheapest
    };
    let names: Vec<String> = (0..80_000).map(|number| format!("\"x{number:05}\":1")).collect();
    let unknown = cost(format!("{{{}}}", names.join(","))).await;
    let nested: Vec<String> =
        names.chunks(256).map(|names| format!("\"o{}\":{{{}}}", names[0].len(), names.join(","))).collect();
    let nested = cost(format!("{{\"metadata\":[{{{}}}]}}", nested.join("},{"))).await;
    let one = cost(format!("{{\"a\":\"{}\"}}", "x".repeat(800_000))).await;
    for (what, took) in [("unknown", unknown), ("nested", nested)] {
        assert!(took < one * 20 + Duration::from_millis(50), "{what}: {took:?}, one text: {one:?}");
    }
}
