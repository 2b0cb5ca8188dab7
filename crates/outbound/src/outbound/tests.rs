//! Tests against local servers that misbehave on purpose.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::*;

/// Short enough for tests, long enough for a busy machine.
const SOON: Duration = Duration::from_millis(500);

/// Starts a server that sends these bytes to each client, and reports each request. With `hold`, it keeps the
/// connection open afterwards.
async fn server(answer: Vec<u8>, hold: bool) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, reported) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (sender, answer) = (sender.clone(), answer.clone());
            tokio::spawn(async move {
                let mut buffer = vec![0; 8_192];
                let read = stream.read(&mut buffer).await.unwrap_or(0);
                drop(sender.send(String::from_utf8_lossy(&buffer[..read]).into_owned()));
                drop(stream.write_all(&answer).await);
                if hold {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    (address, reported)
}

async fn post(outbound: &Outbound, url: &str) -> Result<Answered, Unanswered> {
    let target = Target::parse(url, outbound.reach()).unwrap();
    outbound.post(Post { target: &target, headers: &[("x-test", "yes".to_owned())], body: b"hello".to_vec() }).await
}

fn anywhere() -> Outbound {
    Outbound::new(Reach::Anywhere, SOON)
}

#[tokio::test]
async fn a_call_carries_its_headers_and_its_body() {
    let (address, mut reported) = server(b"HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok".to_vec(), true).await;
    let answered = post(&anywhere(), &format!("http://{address}/hooks?a=b")).await.unwrap();
    assert_eq!(answered, Answered { status: 202, retry_after_seconds: None, body: b"ok".to_vec() });
    let asked = reported.recv().await.unwrap();
    assert!(asked.starts_with("POST /hooks?a=b HTTP/1.1\r\n") && asked.contains("x-test: yes\r\n"), "{asked}");
    assert!(asked.contains("user-agent: bursar/") && !asked.contains("referer"), "{asked}");
}

#[tokio::test]
async fn a_notification_takes_the_status_and_does_not_wait_for_the_body() {
    let answer = b"HTTP/1.1 200 OK\r\nretry-after: 7\r\ncontent-length: 10\r\n\r\nhe".to_vec();
    let (slow, _told) = server(answer, true).await;
    let target = Target::parse(&format!("http://{slow}/"), Reach::Anywhere).unwrap();
    let answered = anywhere().notify(Post { target: &target, headers: &[], body: Vec::new() }).await;
    assert_eq!(answered, Ok(Answered { status: 200, retry_after_seconds: Some(7), body: b"he".to_vec() }));

    let long = [b"HTTP/1.1 500 Oh\r\ncontent-length: 5000\r\n\r\n".to_vec(), vec![b'x'; 5_000]].concat();
    let (long, _told) = server(long, true).await;
    let target = Target::parse(&format!("http://{long}/"), Reach::Anywhere).unwrap();
    let answered = anywhere().notify(Post { target: &target, headers: &[], body: Vec::new() }).await.unwrap();
    assert_eq!((answered.status, answered.body.len()), (500, BEGINNING_MAX));
}

#[test]
fn retry_after_is_a_number_of_seconds_or_a_date_to_come() {
    let now = Time::parse("2026-11-06T08:49:37.5Z").unwrap();
    for (value, seconds) in [
        ("600", Some(600)),
        ("0", Some(0)),
        ("Fri, 06 Nov 2026 08:59:37 GMT", Some(600)),
        ("Friday, 06-Nov-26 08:59:37 GMT", Some(600)),
        ("Fri Nov  6 08:59:37 2026", Some(600)),
        ("Fri, 06 Nov 2026 08:49:36 GMT", None),
        ("Sun, 06 Nov 1994 08:49:37 GMT", None),
        ("-1", None),
        ("soon", None),
        ("Fri, 99 Nov 2026 08:59:37 GMT", None),
        ("", None),
    ] {
        assert_eq!(seconds_until(value, now), seconds, "{value}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_not_followed() {
    let (elsewhere, mut reported) = server(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_vec(), true).await;
    let redirect =
        format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/\r\ncontent-length: 0\r\n\r\n");
    let (address, _) = server(redirect.into_bytes(), true).await;
    assert_eq!(post(&anywhere(), &format!("http://{address}/")).await.unwrap().status, 307);
    assert!(reported.try_recv().is_err(), "no request arrived");
}

#[tokio::test]
async fn nothing_is_waited_for_longer_than_the_deadline() {
    let (silent, _) = server(Vec::new(), true).await;
    assert_eq!(post(&anywhere(), &format!("http://{silent}/")).await, Err(Unanswered::TimedOut));
    // The headers arrive, the body never ends.
    let (slow, _) = server(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhe".to_vec(), true).await;
    assert_eq!(post(&anywhere(), &format!("http://{slow}/")).await, Err(Unanswered::TimedOut));
}

#[tokio::test]
async fn garbage_and_broken_answers_differ_from_no_connection() {
    let (garbage, _) = server(b"SMTP ready\r\n\r\n".to_vec(), false).await;
    assert_eq!(post(&anywhere(), &format!("http://{garbage}/")).await, Err(Unanswered::Broken));
    let (cut, _) = server(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhe".to_vec(), false).await;
    assert_eq!(post(&anywhere(), &format!("http://{cut}/")).await, Err(Unanswered::Broken));
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(post(&anywhere(), &format!("http://{closed}/")).await, Err(Unanswered::NotConnected));
    assert_eq!(post(&anywhere(), "http://no-such-host.invalid/").await, Err(Unanswered::NotResolved));
}

#[tokio::test]
async fn a_large_answer_is_read_up_to_the_limit() {
    let mut answer = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n".to_vec();
    answer.resize(answer.len() + 1_000_000, b'x');
    let (address, _) = server(answer, true).await;
    let answered = post(&anywhere(), &format!("http://{address}/")).await.unwrap();
    assert_eq!((answered.status, answered.body.len()), (200, ANSWER_MAX));
}

#[tokio::test]
async fn a_name_that_leads_inside_is_not_connected_to() {
    let (address, mut reported) = server(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_vec(), true).await;
    // Parsed as in the sandbox, so that the name reaches the resolver.
    let url = format!("https://localhost:{}/", address.port());
    let target = Target::parse(&url, Reach::Anywhere).unwrap();
    let call = |outbound: Outbound| {
        let target = target.clone();
        async move { outbound.post(Post { target: &target, headers: &[], body: Vec::new() }).await }
    };
    assert_eq!(call(Outbound::new(Reach::Public, SOON)).await, Err(Unanswered::NotPublic));
    assert!(reported.try_recv().is_err(), "no connection");
    // The control: without the guard the same call connects, and fails only at TLS.
    assert_eq!(call(anywhere()).await, Err(Unanswered::NotConnected));
    assert!(reported.recv().await.is_some());
}

#[test]
fn calls_take_fifteen_seconds_at_most() {
    assert_eq!(DEADLINE, Duration::from_secs(15));
}
