//! Calls of the checks: whole requests, and requests that are cut.

use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::model::Asked;
use crate::outbound::{DEADLINE, Outbound, Post, Reach, Target};

/// How long the other side may take to close a connection that this side has closed.
const CLOSED: Duration = Duration::from_secs(2);

pub(super) struct Client {
    outbound: Outbound,
    base: String,
    token: SecretString,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub status: u16,
    pub body: Value,
}

/// The address of a request, and its headers.
type Parts = (Target, [(&'static str, String); 2]);

impl Said {
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    pub fn state(&self) -> &str {
        self.body["state"].as_str().unwrap_or_default()
    }

    /// Returns the answer in short, for findings.
    pub fn shown(&self) -> String {
        let code = self.code();
        if code.is_empty() { self.status.to_string() } else { format!("{} {code}", self.status) }
    }
}

impl Client {
    pub fn new(asked: &Asked) -> Result<Self, String> {
        let base = asked.url.trim_end_matches('/').to_owned();
        Target::parse(&base, Reach::Anywhere).map_err(|reason| format!("the URL {reason}"))?;
        Ok(Self { outbound: Outbound::new(Reach::Anywhere, DEADLINE), base, token: asked.token.clone() })
    }

    pub async fn get(&self, path: &str) -> Result<Said, String> {
        let (target, headers) = self.parts(path, None)?;
        let answered = self.outbound.get(&target, &headers).await.map_err(|error| error.to_string())?;
        Ok(said(answered.status, &answered.body))
    }

    pub async fn put(&self, id: &str, order: &Value) -> Result<Said, String> {
        self.put_with(id, order, None).await
    }

    /// Sends a payment, with another token than the right one if given.
    pub async fn put_with(&self, id: &str, order: &Value, token: Option<&str>) -> Result<Said, String> {
        let (target, headers) = self.parts(&format!("/transfers/{id}"), token)?;
        let put = Post { target: &target, headers: &headers, body: order.to_string().into_bytes() };
        let answered = self.outbound.put(put).await.map_err(|error| error.to_string())?;
        Ok(said(answered.status, &answered.body))
    }

    pub async fn cancel(&self, id: &str) -> Result<Said, String> {
        let (target, headers) = self.parts(&format!("/transfers/{id}/cancel"), None)?;
        let post = Post { target: &target, headers: &headers, body: b"{}".to_vec() };
        let answered = self.outbound.post(post).await.map_err(|error| error.to_string())?;
        Ok(said(answered.status, &answered.body))
    }

    fn parts(&self, path: &str, token: Option<&str>) -> Result<Parts, String> {
        let target = Target::parse(&format!("{}{path}", self.base), Reach::Anywhere);
        let token = token.unwrap_or_else(|| self.token.expose_secret());
        let headers = [("authorization", format!("Bearer {token}")), ("content-type", "application/json".to_owned())];
        Ok((target.map_err(|reason| reason.to_string())?, headers))
    }

    /// Returns the host and port of a plain address; `None` with TLS, whose bytes are not those of the request.
    pub fn plain_host(&self) -> Option<String> {
        let rest = self.base.strip_prefix("http://")?;
        let host = rest.split('/').next().unwrap_or(rest);
        Some(if host.contains(':') { host.to_owned() } else { format!("{host}:80") })
    }

    /// Returns the bytes of a request that sends a payment.
    pub fn raw_put(&self, host: &str, id: &str, order: &Value) -> Vec<u8> {
        let path = self.base.strip_prefix("http://").and_then(|rest| rest.find('/').map(|at| rest[at..].to_owned()));
        let (path, body, token) = (path.unwrap_or_default(), order.to_string(), self.token.expose_secret());
        let length = body.len();
        format!(
            "PUT {path}/transfers/{id} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: \
             application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .into_bytes()
    }
}

fn said(status: u16, body: &[u8]) -> Said {
    Said { status, body: serde_json::from_slice(body).unwrap_or_default() }
}

/// Sends bytes, reads at most `read` bytes of the answer, and closes the connection. Returns the number of bytes read.
pub(super) async fn cut(host: &str, bytes: &[u8], read: usize) -> Result<usize, String> {
    let exchange = async {
        let mut stream = TcpStream::connect(host).await?;
        stream.write_all(bytes).await?;
        let (mut total, mut buffer) = (0, [0_u8; 1_024]);
        while total < read {
            let most = buffer.len().min(read - total);
            match stream.read(&mut buffer[..most]).await? {
                0 => break,
                count => total += count,
            }
        }
        if read == 0 {
            // When the other side closes too, it has acted on the bytes, or not.
            stream.shutdown().await?;
            drop(tokio::time::timeout(CLOSED, tokio::io::copy(&mut stream, &mut tokio::io::sink())).await);
        }
        Ok::<_, std::io::Error>(total)
    };
    let done = tokio::time::timeout(DEADLINE, exchange).await;
    done.map_err(|_| "the answer did not come in time".to_owned())?.map_err(|error| error.to_string())
}
