//! A load generator: connections that send payouts one after the other, as fast as they are answered.
//!
//! It is a client like any other, over HTTP, with an idempotency key for each payout, so that
//! what it counts as answered can be looked for afterwards. Deliberately absent: any way around
//! the front door.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::TcpStream;

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Load {
    /// `127.0.0.1:8080`
    pub address: String,
    /// The app's client id.
    pub client_id: String,
    /// The app's key.
    pub api_key: String,
    /// How many connections send at once.
    pub connections: usize,
    /// For how long.
    pub duration: Duration,
    /// Makes the keys and phones of this run unlike those of another.
    pub run: u64,
    /// Goes up with each payout that was answered with 201.
    pub acknowledged: Arc<AtomicU64>,
}

/// One payout that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its idempotency key.
    pub key: String,
    /// Its body.
    pub body: String,
    /// The link's id, when the answer was 201.
    pub link: Option<String>,
    /// From the request to the whole answer, in microseconds.
    pub micros: u64,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Every payout, answered or not, in no particular order.
    pub sent: Vec<Sent>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The figures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Connections.
    pub connections: usize,
    /// Payouts answered with 201.
    pub payouts: usize,
    /// Requests that were not.
    pub others: usize,
    /// Payouts in a second.
    pub payouts_per_second: f64,
    /// Half of the answers took at most this long, in milliseconds.
    pub p50_millis: f64,
    /// 99 of 100 did.
    pub p99_millis: f64,
    /// The longest.
    pub max_millis: f64,
}

impl Outcome {
    /// The figures of the run.
    #[allow(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "figures of a benchmark, not money")]
    pub fn figures(&self, connections: usize) -> Figures {
        let mut micros: Vec<u64> =
            self.sent.iter().filter(|sent| sent.link.is_some()).map(|sent| sent.micros).collect();
        micros.sort_unstable();
        let at = |percent: usize| {
            let place = (micros.len() * percent / 100).min(micros.len().saturating_sub(1));
            micros.get(place).map_or(0.0, |micros| *micros as f64 / 1_000.0)
        };
        Figures {
            connections,
            payouts: micros.len(),
            others: self.sent.len() - micros.len(),
            payouts_per_second: micros.len() as f64 / self.seconds.max(0.001),
            p50_millis: at(50),
            p99_millis: at(99),
            max_millis: at(100),
        }
    }
}

/// Sends payouts until the time is over or the server is gone.
#[allow(clippy::float_arithmetic, reason = "figures of a benchmark, not money")]
pub async fn run(load: &Load) -> Outcome {
    let started = Instant::now();
    let connections: Vec<_> =
        (0..load.connections).map(|number| tokio::spawn(connection(load.clone(), number, started))).collect();
    let mut sent = Vec::new();
    for connection in connections {
        sent.extend(connection.await.unwrap_or_default());
    }
    Outcome { sent, seconds: started.elapsed().as_secs_f64() }
}

/// Sends one payout again, under its key; the status and the body of the answer.
pub async fn again(load: &Load, sent: &Sent) -> Option<(u16, String)> {
    let mut sender = connect(&load.address).await?;
    post(&mut sender, load, sent).await
}

async fn connection(load: Load, number: usize, started: Instant) -> Vec<Sent> {
    let mut all = Vec::new();
    let Some(mut sender) = connect(&load.address).await else { return all };
    for count in 0_u64.. {
        if started.elapsed() >= load.duration {
            break;
        }
        let mut sent = payout(&load, number, count);
        let asked = Instant::now();
        let answer = post(&mut sender, &load, &sent).await;
        sent.micros = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        let answered = answer.is_some();
        if let Some((201, body)) = answer {
            sent.link = link_id(&body);
            load.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        all.push(sent);
        if !answered {
            break;
        }
    }
    all
}

/// A payout to a phone that nobody knows yet.
fn payout(load: &Load, connection: usize, count: u64) -> Sent {
    let key = format!("load-{}-{connection}-{count}", load.run);
    // 212 736 0000 to 9999: valid numbers, so that the whole of the validation runs.
    let line = (u64::try_from(connection).unwrap_or(0) * 1_009 + count * 31 + load.run) % 10_000;
    let body = format!(
        r#"{{"amount":100,"payee":{{"country_code":"1","phone_number":"212736{line:04}"}},"delivery":{{"message":"Thank you!"}}}}"#
    );
    Sent { key, body, link: None, micros: 0 }
}

async fn connect(address: &str) -> Option<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await.ok()?;
    stream.set_nodelay(true).ok()?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
    tokio::spawn(async move {
        // When the server goes away, the sender's next request tells.
        drop(connection.await);
    });
    Some(sender)
}

async fn post(sender: &mut SendRequest<Full<Bytes>>, load: &Load, sent: &Sent) -> Option<(u16, String)> {
    let token = STANDARD.encode(format!("{}:{}", load.client_id, load.api_key));
    let request = hyper::Request::post("/v2/payouts/send-payout")
        .header("host", &load.address)
        .header("authorization", format!("Basic {token}"))
        .header("content-type", "application/json")
        .header("idempotency-key", &sent.key)
        .body(Full::new(Bytes::from(sent.body.clone())))
        .ok()?;
    sender.ready().await.ok()?;
    let response = sender.send_request(request).await.ok()?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.ok()?.to_bytes();
    Some((status, String::from_utf8_lossy(&body).into_owned()))
}

/// The id in the body of an answer.
pub fn link_id(body: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    body.get("id")?.as_str().map(str::to_owned)
}
