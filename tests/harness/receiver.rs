//! A server that receives webhooks on its own port, records them, and misbehaves on request.
//!
//! It parses HTTP and verifies signatures by the text of the standards, so that it shares no mistake with the program's
//! own client and signer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manner {
    /// With this status.
    Status(u16),
    /// With a redirect to this address.
    Redirect(String),
    /// With bytes that are not HTTP.
    Garbage,
    /// No response.
    Hang,
    /// With 503 and this many seconds in `Retry-After`.
    Busy(u32),
    /// With a body that never ends.
    EndlessBody,
    /// Closes the connection.
    HangUp,
    /// With this status and body.
    Says(u16, Vec<u8>),
    /// With 200 and this beginning of a longer body, whose rest comes never.
    Begins(&'static str),
}

/// A recorded request.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The request line.
    pub line: String,
    /// Names in lower case, values.
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Heard {
    /// Returns a header by its lower-case name.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    /// Returns the event in the body.
    pub fn event(&self) -> Value {
        serde_json::from_str(&self.text).expect("a webhook carries JSON")
    }

    /// Returns the event's sequence in the log.
    pub fn sequence(&self) -> i64 {
        self.event()["sequence"].as_i64().expect("an event has a sequence")
    }

    /// Returns the signatures of the request.
    pub fn signatures(&self) -> Vec<&str> {
        self.header("webhook-signature").split(' ').collect()
    }

    /// Returns whether one of its signatures was made with this secret, recently by the wall clock.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").expect("a webhook's secret")).unwrap();
        let (id, timestamp) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let mut mac = <Hmac<Sha256>>::new_from_slice(&key).unwrap();
        mac.update([id, ".", timestamp, ".", &self.text].concat().as_bytes());
        let expected = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let is_recent = now.abs_diff(timestamp.parse().unwrap()) < 300;
        is_recent && self.signatures().contains(&expected.as_str())
    }
}

pub struct Receiver {
    pub url: String,
    manner: Arc<Mutex<Manner>>,
    heard: watch::Receiver<Vec<Heard>>,
}

impl Receiver {
    pub async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let manner = Arc::new(Mutex::new(manner));
        let (sender, heard) = watch::channel(Vec::new());
        let sender = Arc::new(sender);
        let ours = manner.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, ours.clone(), sender.clone()));
            }
        });
        Self { url, manner, heard }
    }

    /// Changes the response from now on.
    pub fn behave(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// Returns the requests received so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.borrow().clone()
    }

    /// Waits until it has received this number of requests.
    pub async fn wait_for(&self, count: usize) -> Vec<Heard> {
        let mut heard = self.heard.clone();
        let waited = tokio::time::timeout(Duration::from_secs(20), heard.wait_for(|heard| heard.len() >= count)).await;
        let waited = waited.map(|heard| heard.unwrap().clone());
        waited.unwrap_or_else(|_| panic!("{} came of {count}", self.heard().len()))
    }
}

async fn serve(mut stream: TcpStream, manner: Arc<Mutex<Manner>>, sender: Arc<watch::Sender<Vec<Heard>>>) {
    while let Some(heard) = read(&mut stream).await {
        // Read when the request has arrived, so that a test may change it in between.
        let manner = manner.lock().unwrap().clone();
        sender.send_modify(|all| all.push(heard));
        let answer = match &manner {
            Manner::Status(status) => format!("HTTP/1.1 {status} So\r\ncontent-length: 2\r\n\r\nok"),
            Manner::Redirect(to) => format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"),
            Manner::Garbage => "220 smtp.example ready\r\n\r\n".to_owned(),
            Manner::Hang => std::future::pending().await,
            Manner::Busy(seconds) => {
                format!("HTTP/1.1 503 Busy\r\nretry-after: {seconds}\r\ncontent-length: 0\r\n\r\n")
            }
            Manner::EndlessBody => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegin".to_owned(),
            Manner::HangUp => return,
            Manner::Says(status, body) => {
                let head = format!("HTTP/1.1 {status} So\r\ncontent-length: {}\r\n\r\n", body.len());
                if stream.write_all(&[head.as_bytes(), body].concat()).await.is_err() {
                    return;
                }
                continue;
            }
            Manner::Begins(text) => format!("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{text}"),
        };
        if stream.write_all(answer.as_bytes()).await.is_err() || manner == Manner::Garbage {
            return;
        }
    }
}

/// Returns the next request of a connection; `None` when it ends.
async fn read(stream: &mut TcpStream) -> Option<Heard> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
    let mut lines = text.trim_end().split("\r\n");
    let line = lines.next()?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse::<usize>().ok()?;
    let mut body = bytes.split_off(head);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Heard { line, headers, text: String::from_utf8(body).ok()? })
}
