//! The header `Host`: sent once, and in a sandbox one of its own names.

use serde_json::json;

use crate::harness::{Process, Server, http};

#[test]
fn a_request_names_its_host_once() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let get = |headers: &str| http(&process.address, &format!("GET /livez {headers}connection: close\r\n\r\n"));
    assert_eq!(get("HTTP/1.1\r\nhost: 127.0.0.1\r\n").0, 200);
    assert_eq!(get("HTTP/1.1\r\nhost:\r\n").0, 200, "an address without authority has an empty one");
    assert_eq!(get("HTTP/1.0\r\n").0, 200, "HTTP/1.0 has none");
    for wrong in [
        "HTTP/1.1\r\n",
        "HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: 127.0.0.1\r\n",
        "HTTP/1.1\r\nhost: a\r\nHost: b\r\n",
        "HTTP/1.1\r\nhost: user@127.0.0.1\r\n",
        "HTTP/1.1\r\nhost: two words\r\n",
    ] {
        let (status, rest) = get(wrong);
        assert!(status == 400 && rest.contains("\"field\":\"Host\""), "{wrong:?}: {status} {rest}");
    }
}

/// A web page whose name suddenly resolves to 127.0.0.1 sends that name (DNS rebinding).
#[tokio::test]
async fn a_sandbox_shows_what_is_its_own_under_its_own_names_only() {
    let server = Server::memory().await;
    let body = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let page = link["link"].as_str().unwrap().strip_prefix("http://127.0.0.1:8080").unwrap().to_owned();
    for path in ["/", "/inbox", "/requests", "/metrics", "/docs", "/v2/sandbox/messages", "/v2/sandbox/clock", &page] {
        for own in ["127.0.0.1:8080", "localhost:9", "[::1]", "192.0.2.7:8080", "me.localhost"] {
            server.get(path).app_key().header("host", own).send().await.expect(200);
        }
        for foreign in ["evil.example", "127.0.0.1.evil.example:8080", "localhost.evil.example"] {
            let refused = server.get(path).app_key().header("host", foreign).send().await;
            assert_eq!(refused.status, 403, "{path} as {foreign}: {}", refused.text);
            if path != page {
                assert_eq!(refused.refused(403, "not-permitted").fields(), ["Host"], "{}", refused.text);
            }
        }
    }
    let moved = server.post("/v2/sandbox/clock/advance").app_key().header("host", "evil.example");
    moved.json(json!({"seconds": 60})).send().await.refused(403, "not-permitted");
    // Probes disclose nothing, and the API requires a key that no page has.
    for path in ["/livez", "/readyz", "/v2/users"] {
        server.get(path).app_key().header("host", "bursar.internal").send().await.expect(200);
    }
}

#[test]
fn a_sandbox_answers_to_the_name_of_its_public_url() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_with(folder.path(), &["--public-url", "https://sandbox.example"]);
    let inbox = |host: &str| {
        http(&process.address, &format!("GET /inbox HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")).0
    };
    assert_eq!((inbox("sandbox.example"), inbox("evil.example")), (200, 403));
}
